"""Playing a tournament: blocks go out to workers in stints, and what comes back is kept."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from perudo.agents.agent import Agent, CompiledPlayer, Player
from perudo.games import game_named
from perudo.games.errors import PerudoError
from perudo.games.state import State
from perudo.lab import tables
from perudo.lab.arena import Worker
from perudo.lab.contest import Contest, Results
from perudo.lab.engine import Engine, never
from perudo.lab.tournament.schedule import rotated
from perudo.lab.tournament.store import Games, Store
from perudo.lab.tournament.tournament import Seating, Tournament, code_fingerprint

STINT_SECONDS = 2.0
"""A worker is asked to play for about so long at a time."""
QUICK_STINT_SECONDS = 0.5
"""Or so long, where the end may come at any time."""
WORTH_STARTING = 5
"""It is asked to play for at least so many times what starting the agents takes."""
GROWTH = 4
"""A stint has at most so many times the blocks of the one before."""
SAVE_SECONDS = 3.0
"""How often results are written; what a killed run has not written is played again."""
SAVE_SHARE = 0.01
"""Or after this share of the time so far, lest a run of hours write thousands of files."""


# --- playing some blocks, on a worker -----------------------------------------------------------
@dataclass(frozen=True)
class Stint:
    """Some blocks for one worker."""

    tournament: Tournament
    seating: Seating
    timeout: float
    code: str
    blocks: tuple[tuple[int, tuple[int, ...], int], ...]
    """Number, who sits where at first, and the seed of the dice."""


@dataclass(frozen=True)
class Played:
    """The games of a stint, and how long they took."""

    games: Games
    seconds: float
    starting_seconds: float
    """How long it took to have all agents ready; programs have to be started."""


@dataclass(frozen=True)
class _Deals(Contest):
    """A contest that is begun thousands of times: what never changes is made and checked once."""

    ready: Sequence[Player] = ()

    def __post_init__(self) -> None:
        pass

    def start(self) -> State:
        """The state before the first deal."""
        return _start(self.game.name, self.setting, len(self.agents))

    @contextmanager
    def players(self) -> Iterator[list[Player]]:
        """The hall's players, which stay open."""
        yield list(self.ready)


@functools.lru_cache(8)
def _start(game: str, setting: Any, players: int) -> State:
    return game_named(game).start(setting, players)


def play_stint(stint: Stint) -> Played:
    """Play the blocks; called on a worker."""
    if code_fingerprint(stint.tournament.agents) != stint.code:
        raise PerudoError("a worker has another version of perudo, or of an agent's file")
    called = time.perf_counter()
    with _Hall(stint) as hall:
        hall.seat_everybody()
        started = time.perf_counter()
        games = Games.joined([hall.play(*block) for block in stint.blocks])
        return Played(games, time.perf_counter() - started, started - called)


class _Hall:
    """Where the blocks of a stint are played: its agents, and its game."""

    def __init__(self, stint: Stint) -> None:
        self._stint, self._tournament = stint, stint.tournament
        self._game = game_named(self._tournament.game)
        self._setting = self._game.setting(self._tournament.rules)
        self._seated: dict[tuple[int, int], tuple[Agent, Player]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for agent, player in self._seated.values():
            player.close()
            agent.close()

    def seat_everybody(self) -> None:
        """Make all agents that are needed."""
        for _, lineup, _ in self._stint.blocks:
            self._at(lineup)

    def play(self, number: int, lineup: tuple[int, ...], seed: int) -> Games:
        """Play a block."""
        seated, series = self._at(lineup), self._tournament.series
        rotations = []
        for rotation in range(len(lineup)):
            agents, players = zip(*rotated(seated, rotation), strict=True)
            contest = _Deals(
                self._game,
                self._setting,
                agents,
                series,
                seed=seed,
                seating="fixed",
                series=series,
                ready=players,
            )
            results = _play(contest, self._stint.timeout)
            rotations.append(
                Games(
                    block=np.full(series, number),
                    deal=np.arange(series),
                    rotation=np.full(series, rotation),
                    rounds=results.rounds,
                    sitting=np.tile(np.array(rotated(lineup, rotation)), (series, 1)),
                    scores=results.scores,
                )
            )
        return Games.joined(rotations)

    def _at(self, lineup: Sequence[int]) -> list[tuple[Agent, Player]]:
        """An agent and its player for each seat; one who has two seats comes twice."""
        return [
            self._agent(entrant, list(lineup[:seat]).count(entrant))
            for seat, entrant in enumerate(lineup)
        ]

    def _agent(self, entrant: int, twin: int) -> tuple[Agent, Player]:
        if (entrant, twin) not in self._seated:
            word, players = self._tournament.agents[entrant], self._tournament.players
            agent = self._stint.seating(word, self._stint.timeout)
            start = _start(self._game.name, self._setting, players)
            try:
                self._seated[entrant, twin] = agent, agent.prepare(start)
            except BaseException:
                agent.close()
                raise
        return self._seated[entrant, twin]


def _play(contest: _Deals, timeout: float) -> Results:
    """The results by entrant, who with fixed seats are the seats."""
    compiled = [player for player in contest.ready if isinstance(player, CompiledPlayer)]
    if len(compiled) == len(contest.ready):
        results = Worker(contest, compiled, np.zeros(1, np.int64)).play(0, contest.games)
    else:
        results = tables.run(contest, timeout=timeout)
    if results.failure is not None:
        raise results.failure
    if results.interrupted:
        raise KeyboardInterrupt
    return results


# --- playing what is missing --------------------------------------------------------------------
class Run:
    """Plays what a store lacks of a tournament's first blocks, on an engine."""

    def __init__(
        self,
        tournament: Tournament,
        store: Store,
        engine: Engine,
        seating: Seating,
        timeout: float,
    ) -> None:
        self._tournament, self._store, self._engine = tournament, store, engine
        self._seating, self._timeout = seating, timeout
        self._schedule = tournament.schedule()
        self._code = code_fingerprint(tournament.agents)
        self._stint = 1
        self.stint_seconds = STINT_SECONDS

    def play(
        self,
        blocks: int,
        stopped: Callable[[], bool] = never,
        progress: Callable[[Games], None] = lambda games: None,
    ) -> None:
        """Play until all are there or ``stopped()``; whatever happens, what was played is kept."""
        started = saved = time.monotonic()
        try:
            for played in self._engine.run(play_stint, self._stints(blocks), stopped):
                self._store.add(played.games)
                self._measure(played)
                now = time.monotonic()
                if now - saved > max(SAVE_SECONDS, SAVE_SHARE * (now - started)):
                    self._store.save()
                    saved = now
                progress(played.games)
        finally:
            self._store.save()

    def _stints(self, blocks: int) -> Iterator[Stint]:
        there = self._store.blocks()
        missing = [block for block in range(blocks) if block not in there]
        given = 0
        while given < len(missing):
            chosen = missing[given : given + self._stint]
            given += len(chosen)
            yield Stint(
                self._tournament,
                self._seating,
                self._timeout,
                self._code,
                tuple(
                    (block, self._schedule.lineup(block), self._schedule.dice_seed(block))
                    for block in chosen
                ),
            )

    def _measure(self, played: Played) -> None:
        """How many blocks a stint should have: it changes nothing in the results."""
        blocks = len(np.unique(played.games.block))
        seconds = max(self.stint_seconds, WORTH_STARTING * played.starting_seconds)
        wanted = round(blocks * seconds / max(played.seconds, 1e-6))
        self._stint = max(1, min(wanted, GROWTH * self._stint))
