"""Play a tournament: workers get blocks in stints, and a store keeps the games they return."""

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
from perudo.games.game import State
from perudo.lab import tables
from perudo.lab.arena import Worker
from perudo.lab.contest import Contest, Results
from perudo.lab.engine import Engine, never
from perudo.lab.tournament.schedule import rotated
from perudo.lab.tournament.store import Games, Store
from perudo.lab.tournament.tournament import MakeAgent, Tournament, code_fingerprint

STINT_SECONDS = 2.0
"""The length of a stint in seconds, approximately."""
QUICK_STINT_SECONDS = 0.5
"""The length of a stint in seconds if the tournament may end at any time."""
STARTUP_FACTOR = 5
"""A stint takes at least this many times as long as starting its agents."""
GROWTH = 4
"""A stint has at most this many times the blocks of the one before."""
SAVE_SECONDS = 3.0
"""Seconds between saves; games that a killed run has not saved are played again."""
SAVE_SHARE = 0.01
"""Saves are at least this share of the run so far apart, to keep the number of files low."""


# --- playing some blocks, on a worker -----------------------------------------------------------
@dataclass(frozen=True)
class Stint:
    """A number of blocks for one worker to play."""

    tournament: Tournament
    make_agent: MakeAgent
    timeout: float
    code: str
    blocks: tuple[tuple[int, tuple[int, ...], int], ...]
    """Number, lineup of the first rotation, and seed of the dice of each block."""


@dataclass(frozen=True)
class Played:
    """The games of a stint, and the time they took."""

    games: Games
    seconds: float
    starting_seconds: float
    """Seconds to get all agents ready; programs have to be started."""


@dataclass(frozen=True)
class _Deals(Contest):
    """A contest that starts thousands of times: its agents and start are made and checked once."""

    ready: Sequence[Player] = ()

    def __post_init__(self) -> None:
        pass

    def start(self) -> State:
        """Return the state before the first deal."""
        return _start(self.game.name, self.setting, len(self.agents))

    @contextmanager
    def players(self) -> Iterator[list[Player]]:
        """Yield the stint's players, which stay open."""
        yield list(self.ready)


@functools.lru_cache(8)
def _start(game: str, setting: Any, players: int) -> State:
    return game_named(game).start(setting, players)


def play_stint(stint: Stint) -> Played:
    """Play a stint; runs on a worker."""
    if code_fingerprint(stint.tournament.agents) != stint.code:
        raise PerudoError("a worker has a different version of perudo, or of an agent's file")
    called = time.perf_counter()
    with _StintRunner(stint) as runner:
        runner.prepare_agents()
        started = time.perf_counter()
        games = Games.joined([runner.play(*block) for block in stint.blocks])
        return Played(games, time.perf_counter() - started, started - called)


class _StintRunner:
    """The agents and the game of a stint, with which a worker plays its blocks."""

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

    def prepare_agents(self) -> None:
        """Make all agents that the stint needs."""
        for _, lineup, _ in self._stint.blocks:
            self._at(lineup)

    def play(self, number: int, lineup: tuple[int, ...], seed: int) -> Games:
        """Play a block: all its deals in every rotation of the seats."""
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
                    lineup=np.tile(np.array(rotated(lineup, rotation)), (series, 1)),
                    scores=results.scores,
                )
            )
        return Games.joined(rotations)

    def _at(self, lineup: Sequence[int]) -> list[tuple[Agent, Player]]:
        """Return an agent and its player for each seat; an agent with two seats is made twice."""
        return [
            self._agent(index, list(lineup[:seat]).count(index))
            for seat, index in enumerate(lineup)
        ]

    def _agent(self, index: int, twin: int) -> tuple[Agent, Player]:
        if (index, twin) not in self._seated:
            word, players = self._tournament.agents[index], self._tournament.players
            agent = self._stint.make_agent(word, self._stint.timeout)
            start = _start(self._game.name, self._setting, players)
            try:
                self._seated[index, twin] = agent, agent.prepare(start)
            except BaseException:
                agent.close()
                raise
        return self._seated[index, twin]


def _play(contest: _Deals, timeout: float) -> Results:
    """Play a contest with fixed seats, so that its results are by seat."""
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
    """A run of a tournament: it plays the blocks that a store lacks, on an engine."""

    def __init__(
        self,
        tournament: Tournament,
        store: Store,
        engine: Engine,
        make_agent: MakeAgent,
        timeout: float,
    ) -> None:
        self._tournament, self._store, self._engine = tournament, store, engine
        self._make_agent, self._timeout = make_agent, timeout
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
        """Play until no block is missing or ``stopped()`` is true; always save what was played."""
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
                self._make_agent,
                self._timeout,
                self._code,
                tuple(
                    (block, self._schedule.lineup(block), self._schedule.dice_seed(block))
                    for block in chosen
                ),
            )

    def _measure(self, played: Played) -> None:
        """Adjust the number of blocks per stint, which does not affect results."""
        blocks = len(np.unique(played.games.block))
        seconds = max(self.stint_seconds, STARTUP_FACTOR * played.starting_seconds)
        wanted = round(blocks * seconds / max(played.seconds, 1e-6))
        self._stint = max(1, min(wanted, GROWTH * self._stint))
