"""``perudo tournament``."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from annotated_types import Ge, Interval
from rich.console import Console

from perudo.cli.contestants import contestant
from perudo.cli.options_of import options_of
from perudo.cli.shared import (
    INTERRUPTED,
    Count,
    EngineSettings,
    GameSettings,
    JsonSettings,
    games_bar,
    new_grid,
    percent,
    percent_interval,
)
from perudo.games.errors import PerudoError
from perudo.lab.engines import check_engine, open_engine
from perudo.lab.tournament import report as tournament_report
from perudo.lab.tournament.ranking import summary
from perudo.lab.tournament.run import QUICK_STINT_SECONDS, Run
from perudo.lab.tournament.sprt import Duel, Hypotheses
from perudo.lab.tournament.store import Games, Store
from perudo.lab.tournament.summaries import (
    AgentSummary,
    Rate,
    RunData,
    TestData,
    TournamentData,
)
from perudo.lab.tournament.tournament import DEALS_WITH_MEMORY, Tournament, enter

DEFAULT_PLAYERS = 4
PLOT_WIDTH = 20
"""The width of a plotted interval, in characters."""


@dataclass(frozen=True, kw_only=True)
class TournamentSettings(JsonSettings, EngineSettings, GameSettings):
    """Settings of a tournament."""

    agents: Annotated[list[str], typer.Argument()]
    """Two or more agents, named as in perudo match."""
    players: int | None = None
    """Seats at each table; default: 4, or 2 with --sprt."""
    games: Count = 10_000
    """Maximum number of games."""
    seed: int = 1
    """Random seed; it determines the games."""
    series: Annotated[int | None, Interval(ge=1, le=10_000)] = None
    """Deals in a block; default: 1, or 20 if an agent has a memory."""
    out: Path | None = None
    """Store the games in this directory, and resume from games already there."""
    report: Path | None = None
    """Write an HTML report with tables and plots to this file."""
    sprt: bool = False
    """Test whether the first of two agents is better, and stop as soon as that is clear."""
    elo0: float = Hypotheses.elo0
    """Lead in Elo up to which --sprt calls the first agent not better."""
    elo1: float = Hypotheses.elo1
    """Lead in Elo from which --sprt calls the first agent better."""
    alpha: float = Hypotheses.alpha
    """Largest chance that --sprt wrongly says better."""
    beta: float = Hypotheses.beta
    """Largest chance that --sprt wrongly says not better."""
    timeout: Annotated[float, Ge(0.01)] = 30.0
    """Time limit in seconds for a decision of an external agent."""

    def __post_init__(self) -> None:
        self.duel()  # refuses impossible hypotheses before anything starts

    def duel(self) -> Duel | None:
        """Return the test that ends the tournament, if there is one."""
        if not self.sprt:
            return None
        return Duel(Hypotheses(self.elo0, self.elo1, self.alpha, self.beta))


@options_of(TournamentSettings)
def tournament(settings: TournamentSettings) -> int:
    """Rate agents in a tournament.

    All agents meet at tables, with the same dice in every rotation of the seats. Ctrl-C stops the
    tournament; the same command resumes it.
    """
    return run_tournament(*enter_tournament(settings), settings)


def enter_tournament(settings: TournamentSettings) -> tuple[Tournament, bool]:
    """Return the tournament of the agents, and True if it can be repeated exactly."""
    game, rules = settings.chosen()
    words = settings.agents
    if settings.sprt and len(words) != 2:
        raise PerudoError("--sprt compares two agents: name two")
    if len(words) < 2:
        raise PerudoError("a tournament needs at least two different agents")
    seats = settings.players or (2 if settings.sprt else min(DEFAULT_PLAYERS, len(words)))
    agents = enter(contestant, words, game, rules, seats, settings.timeout)
    entered = Tournament(
        agents=tuple(agent.spec for agent in agents),
        players=seats,
        seed=settings.seed,
        game=game.name,
        rules=game.describe_setting(rules),
        series=settings.series
        or (DEALS_WITH_MEMORY if any(agent.remembers for agent in agents) else 1),
        teams=settings.sprt,
    )
    return entered, not any(agent.uses_clock for agent in agents)


def run_tournament(tournament: Tournament, reproducible: bool, settings: TournamentSettings) -> int:
    """Play the games that are missing and print the ratings; return the exit code."""
    check_engine(settings.engine, settings.workers, settings.address)
    report = settings.report
    if report is not None and not report.resolve().parent.is_dir():
        raise PerudoError(f"there is no directory {str(report.parent)!r} for the report")
    started = time.perf_counter()
    duel = settings.duel()
    directory = settings.out or default_directory() / tournament.directory_name()
    blocks = tournament.blocks(settings.games)
    wanted = blocks * tournament.games_per_block
    with Store(directory, tournament.identity()) as store:
        before = len(store.games())
        play_missing(tournament, store, settings, settings.timeout, blocks, duel)
        now = len(store.games()) - before
        games = store.games().up_to(blocks)
        done = len(games) == wanted if duel is None else duel.decided or len(games) == wanted
        if len(games):
            run: RunData = {
                "reproducible": reproducible,
                "interrupted": not done,
                "directory": str(directory),
                "games_played_now": now,
                "seconds": 0.0,
            }
            data: TournamentData | TestData
            if duel is None:
                data = {**summary(tournament, games), **run}
            else:
                data = {**duel.summary(tournament, games), **run}
            data["seconds"] = round(time.perf_counter() - started, 3)
            store.write_summary(data)
            _show(data, report, settings.json)
    if not done:
        print(
            f"interrupted after {len(games):,} of {wanted:,} games, stored in {directory}; "
            "the same command resumes from there",
            file=sys.stderr,
        )
        return INTERRUPTED
    return 0


def default_directory() -> Path:
    """Return the directory that keeps tournaments unless another is named."""
    data = os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser()
    return Path(data, "perudo", "tournaments")


# --- playing ------------------------------------------------------------------------------------
def play_missing(
    tournament: Tournament,
    store: Store,
    engine: EngineSettings,
    timeout: float,
    blocks: int,
    duel: Duel | None,
) -> None:
    """Play missing games of the first blocks, or until the test is decided, with a progress bar."""
    there = store.games().up_to(blocks)
    wanted = blocks * tournament.games_per_block
    if duel is not None:
        duel.see(there)
    if len(there) == wanted or (duel is not None and duel.decided):
        return
    with (
        Interruption() as interruption,
        games_bar(wanted, played := len(there)) as show_played,
        open_engine(engine.engine, engine.workers, engine.address) as opened,
    ):

        def stopped() -> bool:
            return interruption.asked or (duel is not None and duel.decided)

        def progress(games: Games) -> None:
            nonlocal played
            played += len(games)
            show_played(played)
            if duel is not None:
                duel.see(games)

        run = Run(tournament, store, opened, contestant, timeout)
        if duel is not None:
            run.stint_seconds = QUICK_STINT_SECONDS
        run.play(blocks, stopped, progress)
    if opened.lost:
        times = "once" if opened.lost == 1 else f"{opened.lost} times"
        print(f"a worker died {times}; its games were played again", file=sys.stderr)


class Interruption:
    """A context in which Ctrl-C requests a stop; a second Ctrl-C stops at once."""

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
        print(
            "finishing the games in progress; press Ctrl-C again to stop at once", file=sys.stderr
        )


# --- showing ------------------------------------------------------------------------------------
def _show(data: TournamentData | TestData, report: Path | None, as_json: bool) -> None:
    if report is not None:
        try:
            report.write_text(tournament_report.page(data), encoding="utf-8")
        except OSError as error:
            raise PerudoError(f"cannot write {report}: {error.strerror}") from None
    if as_json:
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
        f"all games are in {data['directory']}"
    )
    if not data["reproducible"]:
        say("Not repeatable: an agent's moves depend on the clock.")
    if "sprt" in data:
        _show_test(console, data)
    else:
        _show_ratings(console, data["agents"])
    if report is not None:
        say(f"the report is in {report}")


def _show_ratings(console: Console, agents: list[AgentSummary]) -> None:
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


def _won(figures: Rate) -> list[str]:
    rate, ends = percent(figures["win_rate"]), percent_interval(figures["ci95"])
    return [f"{figures['wins']:,.10g}", rate, ends]


def interval_line(start: float, middle: float, end: float, low: float, high: float) -> str:
    """Draw an interval and its middle on a line from ``low`` to ``high``.

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


def _show_test(console: Console, data: TestData) -> None:
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
