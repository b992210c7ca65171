"""``perudo match`` and ``perudo agents``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import typer
from annotated_types import Ge
from rich.console import Console
from rich.table import Table as Grid

from perudo.agents.agent import Agent, CompiledAgent, parameter_text
from perudo.agents.registry import AGENTS, agent_named
from perudo.cli.contestants import contestants
from perudo.cli.options_of import options_of
from perudo.cli.shared import (
    FAILED,
    INTERRUPTED,
    Count,
    GameSettings,
    JsonSettings,
    Workers,
    games_bar,
    new_grid,
    percent,
    percent_interval,
    plain_grid,
)
from perudo.games.game import SEATS
from perudo.lab.contest import AgentFigures, Contest, ContestFigures
from perudo.lab.play import play
from perudo.lab.solve.counting import dice_by_seat
from perudo.lab.timing import decision_times


@dataclass(frozen=True, kw_only=True)
class MatchSettings(JsonSettings, GameSettings):
    """Settings of a match."""

    agents: Annotated[list[str], typer.Argument()]
    """Two or more agents: observer, dumb:prob=0.4, my_agent.py:Mine, 'cmd:node bot.js'."""
    games: Count = 1000
    """Number of games (or rounds)."""
    dice: str | None = None
    """Dice per player, or by seat: 2 or 2,1."""
    mode: str = "games"
    """games, or rounds that all begin with the starting dice."""
    seating: str = "shuffled"
    """Seats: shuffled or fixed."""
    seed: int = 1
    """Random seed; it determines the games."""
    workers: Workers = None
    """Number of processes; default: one per core."""
    series: Count = 1000
    """Games after which agents forget what they learnt about each other."""
    timeout: Annotated[float, Ge(0.01)] = 30.0
    """Time limit in seconds for a decision of an external agent."""
    by_seat: bool = False
    """Also show win rates by seat."""


@options_of(MatchSettings)
def match(settings: MatchSettings) -> int:
    """Play many games between agents and compare the results."""
    game, rules = settings.chosen()
    with contestants(settings.agents, settings.timeout) as agents:
        contest = Contest(
            game=game,
            setting=rules,
            agents=agents,
            games=settings.games,
            seed=settings.seed,
            mode=settings.mode,
            seating=settings.seating,
            dice=dice_by_seat(settings.dice, len(agents)),
            series=settings.series,
        )
        started = time.perf_counter()
        with games_bar(contest.games) as show_played:
            results = play(
                contest,
                settings.workers,
                lambda results: show_played(results.games),
                settings.timeout,
            )
    seconds = time.perf_counter() - started
    if settings.json:
        print(json.dumps(results.data(seconds)))
    else:
        show(results.data(seconds), settings.by_seat)
    if results.failure is not None:
        print(f"perudo: {results.failure}", file=sys.stderr)
        return FAILED
    if results.interrupted:
        print(f"interrupted after {results.games:,} of {contest.games:,} games", file=sys.stderr)
        return INTERRUPTED
    return 0


def show(data: ContestFigures, by_seat: bool = False) -> None:
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


def _main_table(agents: Sequence[AgentFigures]) -> Grid:
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


def _loss_table(agents: Sequence[AgentFigures]) -> Grid:
    """Return the table of lost rounds, by reason, and of the accuracy of calls."""
    headings = ["calls right", "lost", "high bid", "early dudo"]
    optional: dict[str, Literal["lost_by_wrong_calza", "lost_by_caught_pass"]] = {
        "calza": "lost_by_wrong_calza",
        "pass": "lost_by_caught_pass",
    }
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


def _seat_table(agents: Sequence[AgentFigures]) -> Grid:
    grid = new_grid("win rate in seat", *SEATS[: len(agents)])
    for agent in agents:
        grid.add_row(agent["agent"], *(percent(seat["win_rate"]) for seat in agent["by_seat"]))
    return grid


# --- perudo agents ------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class AgentsSettings(JsonSettings):
    """Settings of the list of agents."""

    name: Annotated[str | None, typer.Argument()] = None
    """Agent to show in full."""
    time: bool = False
    """Measure the time of a decision."""


@options_of(AgentsSettings)
def agents(settings: AgentsSettings) -> None:
    """List the agents, or show one.

    One agent is shown with its source and parameters.
    """
    if settings.name is not None:
        agent_named(settings.name)  # raises an error that lists the agents
    if settings.json:
        print(json.dumps(agents_data(settings.name, settings.time)))
    else:
        show_agents(settings.name, settings.time)


class ParameterData(TypedDict):
    """A parameter of an agent, as ``perudo agents --json`` prints it."""

    default: float | str
    range: NotRequired[list[float]]
    values: NotRequired[list[str]]


class AgentData(TypedDict):
    """An agent, as ``perudo agents --json`` prints it."""

    name: str
    idea: str
    source: str
    remembers: bool
    parameters: dict[str, ParameterData]
    ms_per_decision: NotRequired[float | None]


def agents_data(name: str | None, timed: bool) -> list[AgentData]:
    """Return the data of all agents, or of one."""
    listed = [_agent_data(kind) for kind in AGENTS.values() if name in (None, kind.name)]
    if timed:
        times = decision_times([entry["name"] for entry in listed])
        for entry in listed:
            entry["ms_per_decision"] = times.get(entry["name"])
    return listed


def _agent_data(kind: type[Agent]) -> AgentData:
    return {
        "name": kind.name,
        "idea": kind.idea,
        "source": kind.source,
        "remembers": kind.memory_width > 0,
        "parameters": {option.name: _parameter_data(option) for option in _options(kind)},
    }


def _options(kind: type[Agent]) -> tuple[Field[Any], ...]:
    return fields(kind) if issubclass(kind, CompiledAgent) else ()


def _parameter_data(option: Field[Any]) -> ParameterData:
    assert option.default is not MISSING
    data: ParameterData = {"default": option.default}
    if "range" in option.metadata:
        data["range"] = list(option.metadata["range"])
    if "values" in option.metadata:
        data["values"] = list(option.metadata["values"])
    return data


def show_agents(name: str | None, timed: bool) -> None:
    """Print the agents, or one with all its parameters."""
    listed = agents_data(name, timed)
    console = Console()
    grid = plain_grid()
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
        console.print(
            "\n'perudo agents NAME' shows an agent's parameters; set them as in dumb:prob=0.4."
        )
        return
    for entry in listed:
        console.print(f"source: {entry['source'] or '-'}", highlight=False)
        for parameter, about in entry["parameters"].items():
            allowed = ""
            if "range" in about:
                allowed = f"  ({' to '.join(map(parameter_text, about['range']))})"
            if "values" in about:
                allowed = f"  ({', '.join(about['values'])})"
            default = parameter_text(about["default"])
            console.print(f"  {parameter}={default}{allowed}", highlight=False)
