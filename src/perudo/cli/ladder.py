"""``perudo ladder``: rate all agents, and choose the levels for people."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge
from rich.console import Console
from rich.text import Text

from perudo.cli.contestants import contestant
from perudo.cli.options_of import options_of
from perudo.cli.shared import (
    INTERRUPTED,
    EngineSettings,
    JsonSettings,
    RulesSettings,
    Workers,
    new_grid,
)
from perudo.cli.tournament import default_directory, play_missing
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.ladder import level_choice
from perudo.lab.ladder import page as ladder_page
from perudo.lab.ladder.ladder import (
    GAMES,
    QUICK_GAMES,
    TIMED_DECISIONS,
    Ladder,
    blocks_for,
    decision_times,
    roster,
    tournament,
)
from perudo.lab.ladder.ladder import ladder as ladder_of
from perudo.lab.tournament.ranking import summary
from perudo.lab.tournament.store import Store
from perudo.lab.tournament.summaries import Summary
from perudo.lab.tournament.tournament import enter

MOST_PLAYERS = 6
TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class LadderSettings(JsonSettings, RulesSettings):
    """Settings of the ladder."""

    players: str = "2,4,6"
    """Table sizes, each with its own ratings."""
    games: Annotated[int | None, Ge(1)] = None
    """Games per agent at each table size; default: 1000, or 100 with --quick."""
    quick: bool = False
    """Play fewer games, which gives wider intervals."""
    seed: int = 1
    """Random seed; it determines the games."""
    workers: Workers = None
    """Number of processes; default: one per core."""
    levels: bool = False
    """Play no games; choose levels from the ladder last written."""
    write: bool = False
    """Write the ladder and the levels into the source directory."""


@options_of(LadderSettings)
def ladder(settings: LadderSettings) -> int:
    """Rate all agents at several table sizes.

    The ratings also decide which agents form the levels for people. Ctrl-C stops the run; the same
    command resumes it.
    """
    if settings.levels:
        return choose_levels(settings.write, settings.json)
    return run_ladder(settings)


def sizes(text: str) -> tuple[int, ...]:
    """Parse table sizes such as ``2,4,6``.

    >>> sizes("2,6")
    (2, 6)
    """
    words = text.split(",")
    found = tuple(int(word) for word in words if word.strip().isdecimal())
    if len(found) != len(words) or not all(2 <= size <= MOST_PLAYERS for size in found):
        raise PerudoError(
            f"--players takes numbers from 2 to {MOST_PLAYERS}, such as 2,4,6; not {text}"
        )
    if len(set(found)) != len(found):
        raise PerudoError(f"--players {text} names a table size twice")
    return found


def games_each(games: int | None, quick: bool) -> int:
    """Return the number of games of each agent at each table size."""
    return games or (QUICK_GAMES if quick else GAMES)


def run_ladder(
    settings: LadderSettings, agents: Sequence[str] = (), timed: int = TIMED_DECISIONS
) -> int:
    """Play the missing games, print the ladder, and write it if asked; return the exit code.

    ``agents`` limits the agents to rate; ``timed`` is the number of decisions to time for each.
    """
    at = sizes(settings.players)
    rules = settings.rules_of(PERUDO)
    if settings.write:
        ladder_page.require(Path())
    words = list(agents) or roster()
    summaries = []
    for players in at:
        found = _rate(settings, rules, words, players)
        if found is None:
            return INTERRUPTED
        summaries.append(found)
    rated = [word for word in words if any(_plays(word, one) for one in summaries)]
    data = ladder_of(
        summaries,
        decision_times(rated, rules, max(at), timed),
        {
            "command": shlex.join(["perudo", *sys.argv[1:]]),
            "rules": PERUDO.describe_setting(rules),
            "seed": settings.seed,
        },
    )
    levels = level_choice.choose(data) if settings.write else None
    if levels is not None:
        paths = ladder_page.write(Path(), data, levels)
        print(f"written: {', '.join(map(str, paths))}", file=sys.stderr)
    if settings.json:
        print(json.dumps({**data, **({} if levels is None else {"levels": levels})}))
    else:
        show_ladder(data)
        if levels is not None:
            show_levels(levels)
    return 0


def choose_levels(write: bool, as_json: bool) -> int:
    """Choose the levels from the ladder last written; write them if asked; return the exit code."""
    data = ladder_page.read_ladder(Path(), or_installed=not write)
    levels = level_choice.choose(data)
    if write:
        ladder_page.require(Path())
        ladder_page.write(Path(), data, levels)
    if as_json:
        print(json.dumps(levels))
    else:
        show_levels(levels)
    return 0


def _plays(word: str, found: Summary) -> bool:
    return any(agent["agent"] == word for agent in found["agents"])


def _rate(
    settings: LadderSettings, rules: Rules, words: Sequence[str], players: int
) -> Summary | None:
    """Return the ratings at one table size; None if interrupted."""
    one = tournament(words, rules, players, settings.seed)
    enter(contestant, one.agents, PERUDO, rules, players, TIMEOUT_SECONDS)
    blocks = blocks_for(one, games_each(settings.games, settings.quick))
    directory = default_directory() / one.directory_name()
    engine = EngineSettings(workers=settings.workers)
    started = time.perf_counter()
    with Store(directory, one.identity()) as store:
        play_missing(one, store, engine, TIMEOUT_SECONDS, blocks, None)
        games = store.games().up_to(blocks)
    done, wanted = len(games), blocks * one.games_per_block
    if done < wanted:
        print(
            f"interrupted after {done:,} of {wanted:,} games at {players} players, stored in "
            f"{directory}; the same command resumes from there",
            file=sys.stderr,
        )
        return None
    seconds = time.perf_counter() - started
    print(f"{done:,} games at {players} players ({seconds:.0f} s)", file=sys.stderr)
    return summary(one, games)


# --- showing ------------------------------------------------------------------------------------
def show_ladder(data: Ladder) -> None:
    """Print the ladder as a table."""
    console = Console()
    sizes = [str(players) for players in data["players"]]
    played = ", ".join(f"{data['games'][size]:,} at {size} players" for size in sizes)
    console.print(
        f"{data['rules']}, seed {data['seed']}; games: {played}", highlight=False, markup=False
    )
    grid = new_grid("", "mean", *(f"at {size}" for size in sizes), "ms")
    for row in data["agents"]:
        cells = []
        for size in sizes:
            rating = row["ratings"].get(size)
            if rating is None:
                cells.append("-")
            else:
                reach = (rating["ci95"][1] - rating["ci95"][0]) / 2
                cells.append(f"{rating['rating']:.0f}±{reach:.0f}")
        spent = f"{row['mean_ms']:.2g}"
        grid.add_row(*map(Text, (row["agent"], f"{row['mean']:.0f}", *cells, spent)))
    console.print(grid)


def show_levels(levels: level_choice.Levels) -> None:
    """Print the levels, and the rule that chose them."""
    console = Console()
    console.print()
    grid = new_grid("", "mark", "mean")
    grid.add_column("agents")
    for one in levels["levels"]:
        cells = (one["name"], f"{one['mark']:.0f}", f"{one['rating']:.0f}")
        grid.add_row(*map(Text, (*cells, ", ".join(one["agents"]))))
    console.print(grid)
    console.print(f"\n{levels['rule']}", highlight=False, markup=False)
