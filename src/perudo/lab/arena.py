"""The arena: compiled agents play whole matches or single rounds without entering Python.

Every game has its own key, which determines its dice, its seating and each seat's random stream. So
the result does not depend on the number of workers, or on which of them plays a game. Agents that
remember play in series: memories are cleared before each series, and a worker plays whole series.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledPlayer
from perudo.agents.mistakes import agent_error
from perudo.games.chance import combine, key_of, scale
from perudo.games.errors import AgentError, PerudoError
from perudo.games.game import (
    CHANCE,
    MATCH,
    OVER,
    ROUND,
    SEATS,
    Record,
    actor,
    apply,
    copy,
    deal,
    observe,
    payoff,
    refusal,
    require_legal,
    round_over,
    tally,
)
from perudo.games.kernel import kernel, now
from perudo.games.policy import THOUGHTS_DTYPE, addresses, policy_at
from perudo.lab.contest import Contest, Results

SEATING, LUCK = 1 << 20, 1 << 21
"""Parts of a game's key; the rounds have smaller numbers."""
FINISHED, STOPPED, ILLEGAL = range(3)
"""The ways in which a run of games can end."""
CHUNK_SECONDS = 0.25
"""The length in seconds of the runs that workers are given, approximately."""

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]


class LineUp(NamedTuple):
    """Compiled players in the form that kernels call; the players keep the parameters alive."""

    policies: Any  # (players,): addresses of the policies
    learners: Any  # (players,): addresses of the learning functions; arbitrary without one
    learns: npt.NDArray[np.bool_]  # (players,)
    parameters: Real  # (players, longest)


class Plan(NamedTuple):
    """The settings of a contest that kernels need."""

    seed: np.uint64
    single_rounds: bool
    shuffled: bool
    zero_sum: bool
    series: int
    remembering: bool


class Sums(NamedTuple):
    """The arrays of ``Results``; rows of the first four are games."""

    seats: npt.NDArray[np.int8]
    wins: Real
    scores: Real
    rounds: Whole
    counters: Whole
    effort: Whole
    seconds: Real


@kernel
def take_seats(key: np.uint64, shuffled: bool, seating: Whole) -> None:
    """Seat the players of a game: ``seating[seat]`` becomes the player in that seat."""
    for seat in range(seating.size):
        seating[seat] = seat
    if shuffled:
        word = combine(key, SEATING)
        for seat in range(seating.size - 1, 0, -1):
            word = combine(word, seat)
            other = scale(word, seat + 1)
            seating[seat], seating[other] = seating[other], seating[seat]


@kernel
def win_share(state: Record, horizon: int, zero_sum: bool, seat: int) -> float:
    """Return 1 for a winner, an equal share for each of several winners, and 0 for a loser."""
    own = payoff(state, horizon, seat)
    if zero_sum:
        return 1.0 if own > 0.0 else 0.0
    equal = 0
    for other in range(int(state.players)):
        value = payoff(state, horizon, other)
        if value > own:
            return 0.0
        equal += value == own
    return 1.0 / equal


@kernel
def seat_memories(memories: Real, seated: Real, seating: Whole, back: bool) -> None:
    """Copy the players' memories of each other into seat order, or back into player order."""
    for seat in range(seating.size):
        for other in range(seating.size):
            player, about = seating[seat], seating[other]
            for index in range(memories.shape[2]):
                if back:
                    memories[player, about, index] = seated[player, other, index]
                else:
                    seated[player, other, index] = memories[player, about, index]


@kernel
def forget(memories: Real) -> None:
    """Clear all memories, at the start of a series."""
    for player in range(memories.shape[0]):
        for about in range(memories.shape[1]):
            for index in range(memories.shape[2]):
                memories[player, about, index] = 0.0


@kernel
def add_up(totals: Whole, part: Whole, sign: int) -> None:
    """Add ``sign`` times ``part`` to ``totals``; a table minus itself clears it."""
    for row in range(totals.shape[0]):
        for column in range(totals.shape[1]):
            totals[row, column] += sign * part[row, column]


@kernel
def play_games(
    states: Record,
    thoughts: Record,
    line_up: LineUp,
    memories: Real,
    plan: Plan,
    games: Whole,
    stop: Whole,
    sums: Sums,
) -> int:
    """Play games ``games[0]`` to ``games[1]``; return FINISHED, STOPPED or ILLEGAL.

    ``games[0]`` becomes the first game that was not finished, and ``games[2]`` an illegal action.
    ``states`` holds the start and two workspaces: the table and the actor's view of it.
    """
    seats, wins, scores, rounds, counters, effort, seconds = sums
    policies, parameters = line_up.policies, line_up.parameters
    first, last, remembering = games[0], games[1], plan.remembering
    players = len(policies)
    horizon = ROUND if plan.single_rounds else MATCH
    seating = np.zeros(players, np.int64)
    streams = np.zeros((players, 1), np.uint64)
    seated = np.zeros(memories.shape)
    game_counters = np.zeros(counters.shape[1:], np.int64)
    game_effort = np.zeros(effort.shape, np.int64)
    table, view = states[1], states[2]
    for game in range(first, last):
        key = combine(plan.seed, game)
        take_seats(key, plan.shuffled, seating)
        luck = combine(key, LUCK)
        for seat in range(players):
            streams[seat, 0] = combine(luck, seat)
        if remembering:
            if game % plan.series == 0:
                forget(memories)
            seat_memories(memories, seated, seating, False)
        add_up(game_counters, game_counters, -1)
        add_up(game_effort, game_effort, -1)
        played = 0
        copy(table, states[0])
        while True:
            seat = actor(table)
            if seat == OVER:
                break
            if seat == CHANCE:
                deal(table, key)
                continue
            if stop[0] != 0:
                return STOPPED
            copy(view, table)
            observe(view, seat)
            player = seating[seat]
            started = now()
            choice = policy_at(policies[player], view)(
                view, parameters[player], seated[player], streams[seat], thoughts
            )
            took = now() - started
            seconds[player, 0] += took
            seconds[player, 1] = max(seconds[player, 1], took)
            game_effort[player, 0] += 1
            game_effort[player, 1] += thoughts.rollouts
            if refusal(table, choice) != 0:
                games[0], games[2] = game, choice
                return ILLEGAL
            apply(table, choice)
            if round_over(table):
                played += 1
                tally(table, game_counters)
                if remembering:
                    show_round(table, view, line_up, seating, seated, streams, thoughts)
                if plan.single_rounds:
                    break
        row = game - first
        for seat in range(players):
            player = seating[seat]
            seats[row, player] = seat
            wins[row, player] = win_share(table, horizon, plan.zero_sum, seat)
            scores[row, player] = payoff(table, horizon, seat)
            for index in range(counters.shape[2]):
                counters[player, seat, index] += game_counters[seat, index]
        add_up(effort, game_effort, 1)
        rounds[row] = played
        if remembering:
            seat_memories(memories, seated, seating, True)
        games[0] = game + 1
    return FINISHED


@kernel
def show_round(
    table: Record,
    view: Record,
    line_up: LineUp,
    seating: Whole,
    seated: Real,
    streams: npt.NDArray[np.uint64],
    thoughts: Record,
) -> None:
    """Show a settled round to the players that learn from it."""
    for seat in range(seating.size):
        player = seating[seat]
        if line_up.learns[player]:
            copy(view, table)
            observe(view, seat)
            policy_at(line_up.learners[player], view)(
                view, line_up.parameters[player], seated[player], streams[seat], thoughts
            )


def line_up_of(players: Sequence[CompiledPlayer], dtype: np.dtype[Any]) -> LineUp:
    """Return players in the form that kernels call; keep the players as long as it is used."""
    rows = np.zeros((len(players), max(1, *(player.parameters.size for player in players))))
    for row, player in zip(rows, players, strict=True):
        row[: player.parameters.size] = player.parameters
    return LineUp(
        addresses([player.policy for player in players], dtype),
        addresses([player.learning or player.policy for player in players], dtype),
        np.array([player.learning is not None for player in players]),
        rows,
    )


class Worker:
    """A worker with its own workspace, which plays runs of games."""

    def __init__(self, contest: Contest, players: Sequence[CompiledPlayer], stop: Whole) -> None:
        dtype = contest.game.dtype
        self._contest, self._players, self._stop = contest, players, stop
        self._states = np.zeros(3, dtype)
        self._states[0] = contest.start().record
        self._thoughts = np.zeros(1, THOUGHTS_DTYPE)
        self._line_up = line_up_of(players, dtype)
        self._plan = Plan(
            key_of(contest.seed),
            contest.mode == "rounds",
            contest.seating == "shuffled",
            contest.game.properties.zero_sum,
            contest.series,
            contest.remembering,
        )
        width = max(1, *(player.memory_width for player in players))
        self._memories = np.zeros((len(players), len(SEATS), width))

    def play(self, first: int, last: int) -> Results:
        """Play some games of the contest."""
        results = Results.empty(self._contest, first, last)
        games = np.array([first, last, 0], np.int64)
        ended = play_games(
            self._states,
            self._thoughts[0],
            self._line_up,
            self._memories,
            self._plan,
            games,
            self._stop,
            Sums(*(getattr(results, name) for name in Sums._fields)),
        )
        played = results.up_to(int(games[0]))
        if ended == ILLEGAL:
            played.failure = self._illegal(int(games[0]), int(games[2]))
        return played

    def _illegal(self, game: int, choice: int) -> AgentError:
        state = type(self._contest.start())(self._states[1])
        seat = state.actor
        assert seat is not None
        seating = np.zeros(len(self._contest.agents), np.int64)
        key = np.uint64(combine(key_of(self._contest.seed), game))
        take_seats(key, self._contest.seating == "shuffled", seating)
        agent = self._contest.agents[int(seating[seat])]
        seen = state.observe(seat)
        try:
            require_legal(seen.record, choice)
        except PerudoError as error:
            return agent_error(agent.spec, str(error), seen)
        raise AssertionError("a legal action was refused")


def run(
    contest: Contest,
    workers: int = 1,
    progress: Callable[[Results], None] = lambda results: None,
    stop_after: float | None = None,
) -> Results:
    """Play a contest between compiled agents on several workers; Ctrl-C ends it early.

    Measurements set ``stop_after``: no game begins after that many seconds.
    """
    with contest.players() as players:
        compiled = [player for player in players if isinstance(player, CompiledPlayer)]
        assert len(compiled) == len(players)
        return _run(contest, compiled, workers, progress, stop_after)


def _run(
    contest: Contest,
    players: Sequence[CompiledPlayer],
    workers: int,
    progress: Callable[[Results], None],
    stop_after: float | None,
) -> Results:
    stop = np.zeros(1, np.int64)
    unit = contest.series if contest.remembering else 1
    idle = [Worker(contest, players, stop) for _ in range(workers)]
    results = Results.empty(contest, 0, contest.games)
    started = time.perf_counter()
    given, chunk = 0, unit
    running: dict[Future[Results], tuple[Worker, float]] = {}
    with ThreadPoolExecutor(workers) as pool:
        try:
            while given < contest.games or running:
                late = stop_after is not None and time.perf_counter() - started > stop_after
                if late:
                    given = contest.games
                while idle and given < contest.games:
                    worker, last = idle.pop(), min(given + chunk, contest.games)
                    # The context lets integers of interpreted kernels overflow.
                    future = pool.submit(copy_context().run, worker.play, given, last)
                    running[future] = (worker, time.perf_counter())
                    given = last
                done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in done:
                    worker, since = running.pop(future)
                    part = future.result()
                    results.add(part)
                    idle.append(worker)
                    if results.failure is not None:
                        given, stop[0] = contest.games, 1
                    rate = part.games / max(time.perf_counter() - since, 1e-6)
                    wanted = max(1, round(rate * CHUNK_SECONDS / unit))
                    chunk = unit * min(wanted, 4 * chunk // unit)
                progress(results)
        except KeyboardInterrupt:
            results.interrupted = True
            stop[0] = 1
            for future in wait(running).done:
                results.add(future.result())
        finally:
            stop[0] = 1
    return results
