"""``perudo tournament`` in the terminal: progress, tables, JSON, a page."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from perudo.cli.match import INTERRUPTED, new_grid, percent, percent_interval
from perudo.games.errors import PerudoError
from perudo.games.game import Game
from perudo.lab.engines import check_engine, open_engine
from perudo.lab.tournament import report as tournament_report
from perudo.lab.tournament.ranking import summary
from perudo.lab.tournament.run import QUICK_STINT_SECONDS, Run
from perudo.lab.tournament.sprt import Duel, Hypotheses
from perudo.lab.tournament.store import Games, Store
from perudo.lab.tournament.tournament import MEMORABLE, Tournament, enter
from perudo.terminal.entrants import entrant

USUAL_PLAYERS = 4
PLOT_WIDTH = 20
"""Characters of the ratings' intervals."""


@dataclass(frozen=True)
class Wish:
    """What was asked for beside the tournament itself."""

    games: int
    timeout: float
    engine: str = "processes"
    workers: int | None = None
    address: str = ""
    out: Path | None = None
    report: Path | None = None
    as_json: bool = False
    test: Hypotheses | None = None


def entered(
    words: Sequence[str],
    game: Game,
    setting: Any,
    players: int | None,
    seed: int,
    series: int | None,
    wish: Wish,
) -> tuple[Tournament, bool]:
    """The tournament of some agents, and whether it can be repeated exactly."""
    testing = wish.test is not None
    if testing and len(words) != 2:
        raise PerudoError("--sprt compares two agents: name two")
    if len(words) < 2:
        raise PerudoError("a tournament needs at least two different agents")
    seats = players or (2 if testing else min(USUAL_PLAYERS, len(words)))
    agents = enter(entrant, words, game, setting, seats, wish.timeout)
    tournament = Tournament(
        agents=tuple(agent.spec for agent in agents),
        players=seats,
        seed=seed,
        game=game.name,
        rules=game.describe_setting(setting),
        series=series or (MEMORABLE if any(agent.remembers for agent in agents) else 1),
        teams=testing,
    )
    return tournament, not any(agent.uses_clock for agent in agents)


def run_tournament(tournament: Tournament, reproducible: bool, wish: Wish) -> int:
    """Play what is missing of a tournament and print what came of it; returns the exit code."""
    check_engine(wish.engine, wish.workers, wish.address)
    if wish.report is not None and not wish.report.resolve().parent.is_dir():
        raise PerudoError(f"there is no directory {str(wish.report.parent)!r} for the report")
    started = time.perf_counter()
    directory = wish.out or usual_directory() / tournament.directory_name()
    duel = None if wish.test is None else Duel(wish.test)
    blocks = tournament.blocks(wish.games)
    wanted = blocks * tournament.games_per_block
    with Store(directory, tournament.identity()) as store:
        before = len(store.games())
        play_missing(tournament, store, wish, blocks, duel)
        now = len(store.games()) - before
        games = store.games().up_to(blocks)
        done = len(games) == wanted if duel is None else duel.decided or len(games) == wanted
        if len(games):
            found = summary(tournament, games) if duel is None else duel.summary(tournament, games)
            data = {
                **found,
                "reproducible": reproducible,
                "interrupted": not done,
                "directory": str(directory),
                "games_played_now": now,
                "seconds": round(time.perf_counter() - started, 3),
            }
            store.write_summary(data)
            _tell(data, wish)
    if not done:
        print(
            f"interrupted after {len(games):,} of {wanted:,} games, which are kept in {directory}; "
            "the same command goes on from there",
            file=sys.stderr,
        )
        return INTERRUPTED
    return 0


def usual_directory() -> Path:
    """Where tournaments are kept unless said otherwise."""
    data = os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser()
    return Path(data, "perudo", "tournaments")


# --- playing ------------------------------------------------------------------------------------
def play_missing(
    tournament: Tournament, store: Store, wish: Wish, blocks: int, duel: Duel | None
) -> None:
    """Play what is missing of the first blocks, with a bar; or until a test is decided."""
    there = store.games().up_to(blocks)
    wanted = blocks * tournament.games_per_block
    if duel is not None:
        duel.see(there)
    if len(there) == wanted or (duel is not None and duel.decided):
        return
    with (
        Interruption() as interruption,
        _bar(len(there), wanted) as advance,
        open_engine(wish.engine, wish.workers, wish.address) as engine,
    ):

        def stopped() -> bool:
            return interruption.asked or (duel is not None and duel.decided)

        def progress(games: Games) -> None:
            advance(len(games))
            if duel is not None:
                duel.see(games)

        run = Run(tournament, store, engine, entrant, wish.timeout)
        if duel is not None:
            run.stint_seconds = QUICK_STINT_SECONDS
        run.play(blocks, stopped, progress)
    if engine.lost:
        times = "once" if engine.lost == 1 else f"{engine.lost} times"
        print(f"a worker died {times}; its games were played again", file=sys.stderr)


class Interruption:
    """Ctrl-C, taken as a wish to stop soon; the second time, at once."""

    asked = False

    def __enter__(self) -> Interruption:
        self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        print("finishing the games at hand; Ctrl-C again stops at once", file=sys.stderr)


@contextmanager
def _bar(there: int, wanted: int) -> Iterator[Callable[[int], None]]:
    """Show on a terminal how far it has come; nothing in a pipe."""
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("games, left:"), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=wanted, completed=there)
        yield lambda games: bar.update(task, advance=games)


# --- telling ------------------------------------------------------------------------------------
def _tell(data: dict[str, Any], wish: Wish) -> None:
    if wish.report is not None:
        try:
            wish.report.write_text(tournament_report.page(data), encoding="utf-8")
        except OSError as error:
            raise PerudoError(f"cannot write {wish.report}: {error.strerror}") from None
    if wish.as_json:
        print(json.dumps(data))
        return
    console = Console()

    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False)

    deals = "" if data["series"] == 1 else f" of {data['series']} deals"
    say(
        f"{data['games']:,} games of {data['rules']} at tables of {data['players']}, seed "
        f"{data['seed']}: {data['blocks']:,} blocks{deals}, each in all rotations of the seats"
    )
    say(
        f"{data['games_played_now']:,} played now, {data['seconds']:.1f} s; "
        f"all are in {data['directory']}"
    )
    if not data["reproducible"]:
        say("Not repeatable: an agent's moves depend on the clock.")
    if "sprt" in data:
        _show_test(console, data)
    else:
        _show_standings(console, data["agents"])
    if wish.report is not None:
        say(f"the report is in {wish.report}")


def _show_standings(console: Console, agents: list[dict[str, Any]]) -> None:
    two = "elo" in agents[0]
    low = min(agent["rating_ci95"][0] for agent in agents)
    high = max(agent["rating_ci95"][1] for agent in agents)
    ratings = new_grid("", "rating", "95 %", *(["Elo"] if two else []), "skill")
    ratings.add_column(f"{low:.0f} to {high:.0f}", no_wrap=True)
    rates = new_grid("", "games", "won", "win rate", "95 %")
    for agent in agents:
        ends, skill = agent["rating_ci95"], agent["openskill"]
        ratings.add_row(
            agent["agent"],
            f"{agent['rating']:.0f}",
            f"{ends[0]:.0f}-{ends[1]:.0f}",
            *([f"{agent['elo']:.0f}"] if two else []),
            f"{skill['mu']:.1f}±{skill['sigma']:.1f}",
            interval_line(ends[0], agent["rating"], ends[1], low, high),
        )
        rates.add_row(agent["agent"], f"{agent['games']:,}", *_won(agent))
    console.print(ratings)
    console.print()
    console.print(rates)


def _won(figures: dict[str, Any]) -> list[str]:
    rate, ends = percent(figures["win_rate"]), percent_interval(figures["ci95"])
    return [f"{figures['wins']:,.10g}", rate, ends]


def interval_line(start: float, middle: float, end: float, low: float, high: float) -> str:
    """An interval and its middle on a line from ``low`` to ``high``.

    >>> interval_line(20.0, 50.0, 80.0, 0.0, 100.0)
    '    ──────●──────   '
    """
    width = (high - low) or 1.0

    def place(value: float) -> int:
        return min(int(PLOT_WIDTH * (value - low) / width), PLOT_WIDTH - 1)

    cells = [" "] * PLOT_WIDTH
    cells[place(start) : place(end) + 1] = "─" * (place(end) + 1 - place(start))
    cells[place(middle)] = "●"
    return "".join(cells)


def _show_test(console: Console, data: dict[str, Any]) -> None:
    test, (one, other) = data["sprt"], data["agents"]
    grid = new_grid("", "wins", "win rate", "95 %")
    for agent in (one, other):
        grid.add_row(agent["agent"], *_won(agent))
    console.print(grid)
    evidence = (
        f"evidence for better {test['for_better']:.2f} of {test['for_better_limit']:.2f}, "
        f"for not better {test['for_not_better']:.2f} of {test['for_not_better_limit']:.2f}"
    )
    for line in (tournament_report.verdict_text(data), evidence):
        console.print(line, highlight=False, markup=False)
