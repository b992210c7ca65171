"""Presets and options, for people, for programs, and for docs/rules.md."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from perudo.games.options import format_value
from perudo.games.perudo.rules import OPTIONS, PRESETS, Rules, option_values


def _values(name: str) -> str:
    values = option_values(name)
    return f"{values[0]}-{values[-1]}" if values[0].isdigit() else " ".join(values)


def data(preset: str | None) -> dict[str, Any]:
    """Presets with every option, and what each option can be."""
    names = [preset] if preset else list(PRESETS)
    return {
        "revision": Rules.revision,
        "presets": {
            name: {
                "summary": PRESETS[name].summary if name in PRESETS else str(Rules.parse(name)),
                "options": {
                    option.name: getattr(Rules.parse(name), option.name) for option in fields(Rules)
                },
            }
            for name in names
        },
        "options": {name: list(option_values(name)) for name in OPTIONS},
    }


def show(preset: str | None) -> None:
    """Print the presets, or one with all its options."""
    console = Console()
    if preset is None:
        grid = Grid(title="Presets", title_justify="left", box=None, padding=(0, 2, 0, 0))
        grid.add_column("preset", style="bold")
        grid.add_column("what it is")
        for name, value in PRESETS.items():
            grid.add_row(name, value.summary)
        console.print(grid)
        console.print(
            "\n'perudo rules PRESET' shows its options; change one with --option name=value."
        )
        return
    rules = Rules.parse(preset)
    grid = Grid(title=str(rules), title_justify="left", box=None, padding=(0, 2, 0, 0))
    grid.add_column("option", style="bold")
    grid.add_column("value")
    grid.add_column("can be", style="dim")
    for name in OPTIONS:
        grid.add_row(name, format_value(getattr(rules, name)), _values(name))
    console.print(grid)


def markdown_table() -> str:
    """All options for all presets; a cell is empty where it is as in ``official``."""
    official = PRESETS["official"].rules
    lines = [
        "| option | " + " | ".join(f"`{name}`" for name in PRESETS) + " |",
        "|-" * (len(PRESETS) + 1) + "|",
    ]
    for name in OPTIONS:
        cells = []
        for preset, value in PRESETS.items():
            own = getattr(value.rules, name)
            same = own == getattr(official, name) and preset != "official"
            cells.append("" if same else format_value(own))
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)
