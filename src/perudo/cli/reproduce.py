"""``perudo reproduce``: list experiments, or run them and compare reported with measured values."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from perudo.cli.contestants import contestant
from perudo.cli.options_of import options_of
from perudo.cli.shared import INTERRUPTED, JsonSettings, Workers, plain_grid
from perudo.lab.experiments import page as results_page
from perudo.lab.experiments import results
from perudo.lab.experiments.experiment import (
    NEW,
    RULE,
    Added,
    Conditions,
    Experiment,
    RowData,
)
from perudo.lab.experiments.page import ResultData
from perudo.lab.experiments.results import ResultWriter
from perudo.lab.papers import ALL, EXPERIMENTS, select

DEFAULT_PLACE = Path("docs")
TABLE_WIDTH = 100
"""The narrowest terminal for which results are a table, in characters."""


@dataclass(frozen=True, kw_only=True)
class ReproduceSettings(JsonSettings):
    """Settings of a run of experiments."""

    ids: Annotated[list[str], typer.Argument(metavar="[ID]...")] = field(default_factory=list)
    """Experiment ids, patterns such as 'RO-*', or all; default: list the experiments."""
    quick: bool = False
    """Play fewer games, which gives wider intervals."""
    seed: int = 1
    """Random seed; it determines the games."""
    add: list[str] = field(default_factory=list)
    """Also seat this agent where possible: my_agent.py:Mine. May be repeated."""
    out: Path | None = None
    """Directory for results.md, figures (PNG, SVG) and data; default with 'all': docs."""
    records: Path | None = None
    """Directory of records of games with people, for experiments 5.5 and S3-h."""
    workers: Workers = None
    """Number of processes; default: one per core."""


@options_of(ReproduceSettings)
def reproduce(settings: ReproduceSettings) -> int:
    """Rerun the experiments of the papers."""
    if not settings.ids:
        list_experiments(settings.json)
        return 0
    conditions = Conditions(
        quick=settings.quick,
        seed=settings.seed,
        workers=settings.workers,
        records=settings.records,
    )
    return run(settings.ids, conditions, settings.add, settings.out, settings.json)


def list_experiments(as_json: bool) -> None:
    """Print one line for each experiment."""
    if as_json:
        listed = [
            {"id": one.id, "title": one.title, "paper": one.paper, "also": list(one.also)}
            for one in EXPERIMENTS
        ]
        print(json.dumps(listed))
        return
    console = Console()
    grid = plain_grid()
    for heading in ("ID", "experiment", "source"):
        grid.add_column(heading, no_wrap=heading == "ID")
    for one in EXPERIMENTS:
        grid.add_row(*map(Text, (one.id, one.title, one.paper)))
    console.print(grid)
    console.print(
        "\n'perudo reproduce ID...' or 'all' runs them; RO-* and 4.* are patterns; --quick plays "
        "fewer games.",
        highlight=False,
    )


def run(
    words: Sequence[str],
    conditions: Conditions,
    add: Sequence[str],
    place: Path | None,
    as_json: bool,
) -> int:
    """Run experiments, print and write their results; return the exit code."""
    experiments = select(words)
    conditions.added = [_added(word) for word in add]
    writer = None
    if place is not None or ALL in words:
        writer = ResultWriter(place or DEFAULT_PLACE, EXPERIMENTS)
    console = Console(stderr=True)
    out = Console()
    done: list[ResultData] = []

    def show_one(kept: ResultData) -> None:
        done.append(kept)
        bar.update(whole, advance=1, description=f"{len(done)} of {len(experiments)} experiments")
        if not as_json:
            bar.stop()  # the bar and the table may share a terminal
            show(out, kept)
            bar.start()

    live = console.is_terminal
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn())
    command = shlex.join(["perudo", *sys.argv[1:]])
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, disable=not live
    ) as bar:
        whole = bar.add_task(f"0 of {len(experiments)} experiments", total=len(experiments))
        part = bar.add_task("", total=None)
        conditions.progress = lambda doing, so_far, total: bar.update(
            part,
            description=f"{_current(experiments, done)}: {_short(doing)}",
            completed=so_far,
            total=total,
        )
        try:
            results.run_all(experiments, conditions, command, writer, show_one)
        except KeyboardInterrupt:
            kept_in = f"; their results are in {writer.page}" if writer and done else ""
            print(
                f"interrupted after {len(done)} of {len(experiments)} experiments{kept_in}",
                file=sys.stderr,
            )
            return INTERRUPTED
    if as_json:
        page = {"command": command, "seed": conditions.seed, "quick": conditions.quick}
        print(json.dumps(results.plain({**page, "experiments": done}), ensure_ascii=False))
    else:
        _summary(out, done)
    if writer is not None:
        print(f"written: {writer.page} and its figures", file=sys.stderr)
    return 0


def _current(experiments: Sequence[Experiment], done: Sequence[ResultData]) -> str:
    return experiments[min(len(done), len(experiments) - 1)].id


def _short(text: str, width: int = 44) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _added(word: str) -> Added:
    """Return an agent named on the command line, after making it once to find errors early."""
    contestant(word).close()
    return Added(word, lambda: contestant(word))


def show(console: Console, kept: ResultData) -> None:
    """Print one experiment, with reported and measured values."""
    console.print(Text(f"\n{kept['id']}  {kept['title']} ({kept['paper']})", style="bold"))
    console.print(f"reported: {kept['reports']}", highlight=False, markup=False)
    console.print(f"here: {kept['setup']}", highlight=False, markup=False)
    rows = [*kept["rows"], *kept["added"]]
    if console.width < TABLE_WIDTH:
        _show_lines(console, rows)
    else:
        _show_table(console, rows)
    for note in kept["notes"]:
        console.print(f"note: {note}", highlight=False, markup=False)
    reason = f" Likely reason: {kept['reason']}" if kept["reason"] else ""
    console.print(
        f"verdict: {kept['verdict']}.{reason} ({kept['seconds']:.1f} s)",
        highlight=False,
        markup=False,
    )


def _show_table(console: Console, rows: Sequence[RowData]) -> None:
    compared = any(row["verdict"] != NEW for row in rows)
    grid = plain_grid()
    grid.add_column("", overflow="fold")
    for heading in (*(("reported",) if compared else ()), "measured", "95 %"):
        grid.add_column(heading, justify="right")
    if compared:
        grid.add_column("verdict")
    for row in rows:
        cells = [
            row["label"],
            results_page.measured_text(row),
            results_page.interval_text(row),
        ]
        if compared:
            cells.insert(1, results_page.reported_text(row))
            cells.append(results_page.verdict_text(row))
        grid.add_row(*map(Text, cells))
    console.print(grid)


def _show_lines(console: Console, rows: Sequence[RowData]) -> None:
    """Print two lines for each row, on terminals too narrow for a table."""
    for row in rows:
        said = results_page.reported_text(row)
        parts = [] if said == "-" else [f"reported: {said}"]
        if row["measured"] is not None:
            interval = "" if row["ci95"] is None else f" ({results_page.interval_text(row)})"
            parts.append(f"measured: {results_page.measured_text(row)}{interval}")
        if row["verdict"] != NEW:
            parts.append(results_page.verdict_text(row))
        console.print(row["label"], highlight=False, markup=False)
        console.print(Padding(Text("; ".join(parts)), (0, 0, 0, 4)))


def _summary(console: Console, done: Sequence[ResultData]) -> None:
    """Print one line for each experiment, and the rule for verdicts."""
    if len(done) > 1:
        grid = plain_grid()
        for heading in ("ID", "experiment", "verdict"):
            grid.add_column(heading, no_wrap=heading == "ID")
        for kept in done:
            grid.add_row(*map(Text, (kept["id"], kept["title"], kept["verdict"])))
        console.print()
        console.print(grid)
    console.print("\n" + RULE.replace("*", ""), highlight=False, markup=False)
