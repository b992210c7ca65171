"""``perudo rules``, ``perudo position`` and ``perudo verify``: they need no compiled kernels."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, TypedDict

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from perudo.cli.options_of import options_of
from perudo.cli.shared import JsonSettings, plain_grid
from perudo.fair_dice import Checked, Noted, UnfairDiceError, check_games
from perudo.games.game import EVERYTHING, seat_name
from perudo.games.options import format_value
from perudo.games.perudo import Bid, PerudoState
from perudo.games.perudo import position as parse_position
from perudo.games.perudo.layout import FIRST_BID_CODE
from perudo.games.perudo.rules import FACES, OPTIONS, PRESETS, Rules, option_values
from perudo.record import MatchRecord
from perudo.terminal.picture_screen import dice_picture


@dataclass(frozen=True, kw_only=True)
class RulesListSettings(JsonSettings):
    """Settings of the list of rules."""

    preset: Annotated[str | None, typer.Argument()] = None
    """Preset to show."""
    markdown: bool = False
    """Print the table in docs/rules.md."""


@options_of(RulesListSettings)
def rules(settings: RulesListSettings) -> None:
    """List the rule presets, or show one with its options."""
    if settings.markdown:
        print(markdown_table())
    elif settings.json:
        print(json.dumps(rules_data(settings.preset)))
    else:
        show_rules(settings.preset)


class PresetData(TypedDict):
    """A preset, as ``perudo rules --json`` prints it."""

    summary: str
    options: dict[str, bool | int | str]


class RulesData(TypedDict):
    """All presets and options, as ``perudo rules --json`` prints them."""

    revision: int
    presets: dict[str, PresetData]
    options: dict[str, list[str]]


def _values(name: str) -> str:
    values = option_values(name)
    return f"{values[0]}-{values[-1]}" if values[0].isdigit() else " ".join(values)


def rules_data(preset: str | None) -> RulesData:
    """Return the presets with every option, and the values that each option can have."""
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


def show_rules(preset: str | None) -> None:
    """Print the presets, or one with all its options."""
    console = Console()
    if preset is None:
        grid = plain_grid("Presets")
        grid.add_column("preset", style="bold")
        grid.add_column("description")
        for name, value in PRESETS.items():
            grid.add_row(name, value.summary)
        console.print(grid)
        console.print(
            "\n'perudo rules PRESET' shows its options; change one with --option name=value."
        )
        return
    rules = Rules.parse(preset)
    grid = plain_grid(str(rules))
    grid.add_column("option", style="bold")
    grid.add_column("value")
    grid.add_column("choices", style="dim")
    for name in OPTIONS:
        grid.add_row(name, format_value(getattr(rules, name)), _values(name))
    console.print(grid)


def markdown_table() -> str:
    """Return a Markdown table of options by preset; cells that equal ``official`` are empty."""
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


# --- perudo position ----------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class PositionSettings(JsonSettings):
    """Settings of ``perudo position``."""

    notation: Annotated[str, typer.Argument()]
    """Position, such as 'official 11246/???/? B 3x4'; see docs/rules.md."""


@options_of(PositionSettings)
def position(settings: PositionSettings) -> None:
    """Show the legal actions of a position, with exact odds."""
    if settings.json:
        print(json.dumps(position_data(settings.notation)))
    else:
        show_position(settings.notation)


class ActionData(TypedDict):
    """A legal action and the chance that it is right."""

    action: str
    chance_right: float | None


class PositionData(TypedDict):
    """A position, as ``perudo position --json`` prints it."""

    notation: str
    rules: str
    dice_counts: list[int]
    hands: list[str | None]
    actor: str | None
    bid: str | None
    wild_face: int | None
    palafico: str | None
    actions: list[ActionData]


def position_data(notation: str) -> PositionData:
    """Return the position with its legal actions."""
    state = parse_position(notation)
    actor = state.actor
    known = actor is not None and state.hand(actor) is not None
    return {
        "notation": state.notation,
        "rules": str(state.rules),
        "dice_counts": list(state.dice_counts),
        "hands": [state.hand(seat) for seat in range(state.players)],
        "actor": None if actor is None else seat_name(actor),
        "bid": None if state.bid is None else str(state.bid),
        "wild_face": state.wild_face,
        "palafico": None if state.palafico is None else seat_name(state.palafico),
        "actions": [
            {"action": str(action), "chance_right": state.chance(action) if known else None}
            for action in sorted(state.legal_actions, key=lambda action: action.code)
        ],
    }


def show_position(notation: str) -> None:
    """Print the position."""
    state = parse_position(notation)
    console = Console(width=min(80, Console().width))
    console.print(Text(state.notation, "bold"))
    _show_table(console, state)
    actor = state.actor
    if actor is None:
        console.print(str(state).splitlines()[-1])
        return
    hand = state.hand(actor)
    asked = "" if actor == state.turn else ", with the option of calza"
    console.print(f"\n{seat_name(actor)} to act{asked}:")
    if hand is None:
        console.print(f"legal: {state.legal_actions} (odds need the dice of {seat_name(actor)})")
        return
    console.print(dice_picture(hand))
    _show_odds(console, state)


def _show_table(console: Console, state: PerudoState) -> None:
    wild = f"{state.wild_face}s wild" if state.wild_face else "nothing wild"
    palafico = "" if state.palafico is None else f", palafico of {seat_name(state.palafico)}"
    console.print(f"{state.total_dice} dice, {wild}{palafico}")
    grid = Grid.grid(padding=(0, 3, 0, 0))
    for seat in range(state.players):
        hand = state.hand(seat)
        cup = "?" * state.dice_counts[seat] if hand is None else hand or "out"
        said = " ".join(str(action) for bidder, action in state.history if bidder == seat)
        grid.add_row(seat_name(seat), cup, said)
    console.print(grid)


def _show_odds(console: Console, state: PerudoState) -> None:
    """Print the odds of calls, then of bids by quantity (rows) and face (columns)."""
    codes = state.legal_actions.codes
    for action in (state.game.action_value(code) for code in codes if code < FIRST_BID_CODE):
        chance = state.chance(action)
        console.print(f"  {action!s:9}" + (f"{chance:7.1%} right" if chance is not None else ""))
    bids = {code for code in codes if code >= FIRST_BID_CODE}
    if not bids:
        return
    grid = Grid(box=None, padding=(0, 1), pad_edge=False, title="chance that a bid holds")
    grid.title_justify = "left"
    grid.add_column("")
    for face in range(1, FACES + 1):
        grid.add_column(f"x{face}", justify="right")
    everything_seen = state.viewer == EVERYTHING
    hidden_rows = 0
    for quantity in sorted({code >> 3 for code in bids}):
        row = [Bid(quantity, face) for face in range(1, FACES + 1)]
        chances = [state.chance(bid) if bid.code in bids else None for bid in row]
        if all(chance is None or chance < 5e-4 for chance in chances):
            hidden_rows += 1
            continue
        cells = ["" if chance is None else f"{chance:.1%}" for chance in chances]
        grid.add_row(str(quantity), *cells)
    console.print(grid)
    if hidden_rows:
        console.print(f"and {hidden_rows} higher quantities, each below 0.1%", style="dim")
    if everything_seen:
        console.print("(given what the player knows: these dice and the number of hidden ones)")


# --- perudo verify ------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class VerifySettings(JsonSettings):
    """Settings of a verification."""

    record: Annotated[Path, typer.Argument()]
    """Record file, as perudo play --save writes it or a server sends it; several games of one table
    follow each other."""
    unfinished: bool = False
    """Accept a match that was left early."""
    anchor: tuple[str, ...] = ()
    """Anchors that were noted before the games, separated by commas; the anchor of a series' first
    game is enough for the whole series."""
    seed: tuple[str, ...] = ()
    """Own seeds that were sent after the anchors were noted, separated by commas."""


@options_of(VerifySettings)
def verify(settings: VerifySettings) -> int:
    """Replay a record and check every event."""
    matches = MatchRecord.load_all(settings.record, unfinished=settings.unfinished)
    noted = Noted(*(tuple(map(str.lower, each)) for each in (settings.anchor, settings.seed)))
    try:
        dice = check_games(matches, noted)
    except UnfairDiceError as error:
        print(f"perudo: {error}", file=sys.stderr)
        return 1
    found = list(zip(matches, dice, strict=True))
    if settings.json:
        games = [
            {"events": len(match.events), "finished": match.finished, "dice": checked}
            for match, checked in found
        ]
        print(json.dumps(games[0] if len(games) == 1 else {"games": games}))
        return 0
    for match, checked in found:
        print(match.transcript())
        print(f"{len(match.events)} events replay exactly")
        print(_dice_text(match, checked, noted))
    return 0


def _dice_text(match: MatchRecord, dice: Checked | None, noted: Noted) -> str:
    """Return what was found out about the dice, with what was noted."""
    if dice is None:
        return "the record has no commitment to its dice: they cannot be checked"
    lines = [f"{dice['hands']} hands in {dice['rounds']} rounds follow from {dice['anchor']}"]
    if noted.anchors:
        lines.append("the anchor that was noted commits to them")
    own = [seat for seat, seed in enumerate(dice["seeds"]) if seed in noted.seeds]
    lines += [
        f"seat {seat_name(seat)} ({match.players[seat]}) gave the noted seed {dice['seeds'][seat]}"
        for seat in own
    ]
    if noted.seeds:
        others = sum(bool(seed) for seed in dice["seeds"]) - len(own)
        lines.append(f"{others} other player{'' if others == 1 else 's'} gave a seed")
    return "\n".join(lines)
