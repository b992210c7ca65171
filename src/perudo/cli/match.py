"""``perudo match`` and ``perudo agents`` in the terminal: progress, tables, JSON."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import MISSING, fields
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from perudo.agents.agent import Agent, CompiledAgent, parameter_text
from perudo.agents.registry import AGENTS
from perudo.games.state import SEATS
from perudo.lab.contest import Contest, Results
from perudo.lab.play import play
from perudo.lab.timing import decision_times

FAILED, INTERRUPTED = 2, 130
"""Exit codes."""


def run_match(
    contest: Contest, workers: int | None, timeout: float, as_json: bool, by_seat: bool
) -> int:
    """Play a contest and print what came of it; returns the exit code."""
    started = time.perf_counter()
    results = _play_with_progress(contest, workers, timeout)
    seconds = time.perf_counter() - started
    if as_json:
        print(json.dumps(results.data(seconds)))
    else:
        show(results.data(seconds), by_seat)
    if results.failure is not None:
        print(f"perudo: {results.failure}", file=sys.stderr)
        return FAILED
    if results.interrupted:
        print(f"interrupted after {results.games:,} of {contest.games:,} games", file=sys.stderr)
        return INTERRUPTED
    return 0


def _play_with_progress(contest: Contest, workers: int | None, timeout: float) -> Results:
    """Show on a terminal how far it has come; nothing in a pipe."""
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("games, left:"), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task("", total=contest.games)

    def advance(results: Results) -> None:
        bar.start()  # only now: agents may print while they get ready
        bar.update(task, completed=results.games)

    try:
        return play(contest, workers, advance, timeout)
    finally:
        bar.stop()


def show(data: dict[str, Any], by_seat: bool = False) -> None:
    """Print the figures as tables."""
    console = Console()
    unit = "rounds" if data["mode"] == "rounds" else "games"
    speed = data["games_per_second"]
    console.print(
        f"{data['games']:,} {unit} of {data['rules']}, seats {data['seating']}, "
        f"seed {data['seed']}: {data['seconds']:.1f} s, {speed:,.0f} {unit}/s",
        highlight=False,
    )
    if not data["reproducible"]:
        console.print("Not repeatable: an agent's moves depend on the clock.", highlight=False)
    console.print(_main_table(data["agents"]))
    if "dudos" in data["agents"][0]:
        console.print()
        console.print(_loss_table(data["agents"]))
    if by_seat:
        console.print()
        console.print(_seat_table(data["agents"]))


def _main_table(agents: list[dict[str, Any]]) -> Grid:
    grid = new_grid("", "wins", "win rate", "95 %", "us/move")
    for agent in agents:
        grid.add_row(
            agent["agent"],
            f"{agent['wins']:,.10g}",
            percent(agent["win_rate"]),
            percent_interval(agent["ci95"]),
            f"{1000 * agent['mean_ms_per_decision']:,.4g}",
        )
    return grid


def _loss_table(agents: list[dict[str, Any]]) -> Grid:
    """How rounds were lost, and how well calls were judged."""
    headings = ["calls right", "lost", "high bid", "early dudo"]
    optional = {"calza": "lost_by_wrong_calza", "pass": "lost_by_caught_pass"}
    shown = {
        heading: name for heading, name in optional.items() if any(agent[name] for agent in agents)
    }
    won = any(agent["mean_dice_left_when_won"] is not None for agent in agents)
    grid = new_grid("rounds", *headings, *shown, *(["dice left"] if won else []))
    for agent in agents:
        left = agent["mean_dice_left_when_won"]
        grid.add_row(
            agent["agent"],
            percent(agent["call_accuracy"]),
            f"{agent['rounds_lost']:,}",
            f"{agent['lost_by_high_bid']:,}",
            f"{agent['lost_by_early_dudo']:,}",
            *(f"{agent[name]:,}" for name in shown.values()),
            *(["-" if left is None else f"{left:.2f}"] if won else []),
        )
    return grid


def _seat_table(agents: list[dict[str, Any]]) -> Grid:
    grid = new_grid("win rate in seat", *SEATS[: len(agents)])
    for agent in agents:
        grid.add_row(agent["agent"], *(percent(seat["win_rate"]) for seat in agent["by_seat"]))
    return grid


def new_grid(first: str, *headings: str) -> Grid:
    """A table without lines: words in the first column, numbers in the others."""
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    grid.add_column(first, overflow="ellipsis", no_wrap=True, max_width=34)
    for heading in headings:
        grid.add_column(heading, justify="right", no_wrap=True)
    return grid


def percent(rate: float | None) -> str:
    """A rate as people read it."""
    return "-" if rate is None else f"{100 * rate:.1f} %"


def percent_interval(ends: list[float] | None) -> str:
    """An interval of rates."""
    return "-" if ends is None else f"{100 * ends[0]:.1f}-{100 * ends[1]:.1f}"


# --- perudo agents ------------------------------------------------------------------------------
def agents_data(name: str | None, timed: bool) -> list[dict[str, Any]]:
    """The agents as plain data."""
    listed = []
    for kind in AGENTS.values():
        if name in (None, kind.name):
            listed.append(_agent_data(kind))
    if timed:
        times = decision_times([str(entry["name"]) for entry in listed])
        for entry in listed:
            entry["ms_per_decision"] = times.get(str(entry["name"]))
    return listed


def _agent_data(kind: type[Agent]) -> dict[str, Any]:
    parameters = {}
    if issubclass(kind, CompiledAgent):
        for option in fields(kind):
            assert option.default is not MISSING
            parameters[option.name] = {
                "default": option.default,
                **{key: list(values) for key, values in option.metadata.items()},
            }
    return {
        "name": kind.name,
        "idea": kind.idea,
        "source": kind.source,
        "remembers": kind.memory_width > 0,
        "parameters": parameters,
    }


def show_agents(name: str | None, timed: bool) -> None:
    """Print the agents, or one with all its parameters."""
    listed = agents_data(name, timed)
    console = Console()
    grid = Grid(box=None, padding=(0, 2, 0, 0))
    grid.add_column("agent", no_wrap=True)
    grid.add_column("idea")
    if timed:
        grid.add_column("ms/move", justify="right")
    for entry in listed:
        time_cell = []
        if timed:
            measured = entry["ms_per_decision"]
            time_cell = ["-" if measured is None else f"{measured:.4g}"]
        grid.add_row(entry["name"], entry["idea"], *time_cell)
    console.print(grid)
    if name is None:
        console.print("\nperudo agents NAME shows its parameters; name it as in dumb:prob=0.4.")
        return
    for entry in listed:
        console.print(f"source: {entry['source'] or '-'}", highlight=False)
        for parameter, about in entry["parameters"].items():
            limits = about.get("values") or about.get("range")
            allowed = f"  ({' to '.join(map(parameter_text, limits))})" if limits else ""
            if about.get("values"):
                allowed = f"  ({', '.join(about['values'])})"
            default = parameter_text(about["default"])
            console.print(f"  {parameter}={default}{allowed}", highlight=False)
