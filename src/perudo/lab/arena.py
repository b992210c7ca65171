"""Where compiled agents meet: whole matches or single rounds, without entering Python.

Every game has its own key, from which come its dice, its seating and each seat's luck. So the
result does not depend on how many workers there are, or on which of them plays a game. Agents that
remember play in series: their memory begins empty with each, and a worker plays whole series.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledAgent
from perudo.agents.mistakes import agent_error
from perudo.games.chance import combine, key_of, scale
from perudo.games.errors import AgentError, PerudoError
from perudo.games.game import (
    CHANCE,
    MATCH,
    OVER,
    ROUND,
    Record,
    actor,
    apply,
    copy,
    deal,
    observe,
    payoff,
    refusal,
    round_over,
    tally,
)
from perudo.games.kernel import kernel, now
from perudo.games.policy import THOUGHTS_DTYPE, addresses, policy_at
from perudo.games.state import SEATS, require_legal
from perudo.lab.contest import Contest, Results

SEATING, LUCK = 1 << 20, 1 << 21
"""Parts of a game's key; its rounds are numbered below these."""
FINISHED, STOPPED, ILLEGAL = range(3)
"""How a worker's run of games ended."""
CHUNK_SECONDS = 0.25
"""A worker is asked to play for about so long at a time."""

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]


@kernel
def take_seats(key: np.uint64, shuffled: bool, sitting: Whole) -> None:
    """Who sits where: ``sitting[seat]`` is the entrant there."""
    for seat in range(sitting.size):
        sitting[seat] = seat
    if shuffled:
        word = combine(key, SEATING)
        for seat in range(sitting.size - 1, 0, -1):
            word = combine(word, seat)
            other = scale(word, seat + 1)
            sitting[seat], sitting[other] = sitting[other], sitting[seat]


@kernel
def win_share(state: Record, horizon: int, zero_sum: bool, seat: int) -> float:
    """1 for a winner, or a part of it for those who share: (round or match, not a loser)."""
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
def seat_memories(memories: Real, seated: Real, sitting: Whole, back: bool) -> None:
    """Arrange what entrants remember of each other by where they sit now, or put it back."""
    for seat in range(sitting.size):
        for other in range(sitting.size):
            entrant, about = sitting[seat], sitting[other]
            for index in range(memories.shape[2]):
                if back:
                    memories[entrant, about, index] = seated[entrant, other, index]
                else:
                    seated[entrant, other, index] = memories[entrant, about, index]


@kernel
def forget(memories: Real) -> None:
    """Begin a series."""
    for entrant in range(memories.shape[0]):
        for about in range(memories.shape[1]):
            for index in range(memories.shape[2]):
                memories[entrant, about, index] = 0.0


@kernel
def add_up(totals: Whole, part: Whole, sign: int) -> None:
    """Add one table of numbers to another; or clear one by taking it off itself."""
    for row in range(totals.shape[0]):
        for column in range(totals.shape[1]):
            totals[row, column] += sign * part[row, column]


@kernel
def play_games(
    states: Record,
    thoughts: Record,
    policies: Any,
    learners: Any,
    learns: npt.NDArray[np.bool_],
    parameters: Real,
    memories: Real,
    plan: Whole,
    seed: np.uint64,
    stop: Whole,
    seats: npt.NDArray[np.int8],
    wins: Real,
    scores: Real,
    rounds: Whole,
    counters: Whole,
    effort: Whole,
    seconds: Real,
) -> int:
    """Play games ``plan[0]`` to ``plan[1]``; returns how that ended.

    ``states`` are the start and two workspaces: the table and what the actor sees of it. Rows of
    ``seats``, ``wins``, ``scores`` and ``rounds`` are games, the first being ``plan[0]``.
    """
    first, last, single_rounds, shuffled, zero_sum, series, remembering = (
        plan[0],
        plan[1],
        plan[2] != 0,
        plan[3] != 0,
        plan[4] != 0,
        plan[5],
        plan[6] != 0,
    )
    entrants = len(policies)
    horizon = ROUND if single_rounds else MATCH
    sitting = np.zeros(entrants, np.int64)
    streams = np.zeros((entrants, 1), np.uint64)
    seated = np.zeros(memories.shape)
    game_counters = np.zeros(counters.shape[1:], np.int64)
    game_effort = np.zeros(effort.shape, np.int64)
    table, view = states[1], states[2]
    for game in range(first, last):
        key = combine(seed, game)
        take_seats(key, shuffled, sitting)
        luck = combine(key, LUCK)
        for seat in range(entrants):
            streams[seat, 0] = combine(luck, seat)
        if remembering:
            if game % series == 0:
                forget(memories)
            seat_memories(memories, seated, sitting, False)
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
            entrant = sitting[seat]
            started = now()
            choice = policy_at(policies[entrant], view)(
                view, parameters[entrant], seated[entrant], streams[seat], thoughts
            )
            took = now() - started
            seconds[entrant, 0] += took
            seconds[entrant, 1] = max(seconds[entrant, 1], took)
            game_effort[entrant, 0] += 1
            game_effort[entrant, 1] += thoughts.rollouts
            if refusal(table, choice) != 0:
                plan[0], plan[7] = game, choice
                return ILLEGAL
            apply(table, choice)
            if round_over(table):
                played += 1
                tally(table, game_counters)
                if remembering:
                    show_round(
                        table,
                        view,
                        learners,
                        learns,
                        parameters,
                        sitting,
                        seated,
                        streams,
                        thoughts,
                    )
                if single_rounds:
                    break
        row = game - plan[8]
        for seat in range(entrants):
            entrant = sitting[seat]
            seats[row, entrant] = seat
            wins[row, entrant] = win_share(table, horizon, zero_sum, seat)
            scores[row, entrant] = payoff(table, horizon, seat)
            for index in range(counters.shape[2]):
                counters[entrant, seat, index] += game_counters[seat, index]
        add_up(effort, game_effort, 1)
        rounds[row] = played
        if remembering:
            seat_memories(memories, seated, sitting, True)
        plan[0] = game + 1
    return FINISHED


@kernel
def show_round(
    table: Record,
    view: Record,
    learners: Any,
    learns: npt.NDArray[np.bool_],
    parameters: Real,
    sitting: Whole,
    seated: Real,
    streams: npt.NDArray[np.uint64],
    thoughts: Record,
) -> None:
    """Show a settled round to those who learn from it."""
    for seat in range(sitting.size):
        entrant = sitting[seat]
        if learns[entrant]:
            copy(view, table)
            observe(view, seat)
            policy_at(learners[entrant], view)(
                view, parameters[entrant], seated[entrant], streams[seat], thoughts
            )


class Worker:
    """One worker's workspace: it plays the runs of games that it is given."""

    def __init__(self, contest: Contest, stop: Whole) -> None:
        agents = [agent for agent in contest.agents if isinstance(agent, CompiledAgent)]
        assert len(agents) == len(contest.agents)
        dtype = contest.game.dtype
        self._contest, self._stop = contest, stop
        self._states = np.zeros(3, dtype)
        self._states[0] = contest.start().record
        self._thoughts = np.zeros(1, THOUGHTS_DTYPE)
        kinds = [type(agent) for agent in agents]
        self._policies = addresses([kind.policy for kind in kinds], dtype)
        self._learners = addresses([kind.learning or kind.policy for kind in kinds], dtype)
        self._learns = np.array([kind.learning is not None for kind in kinds])
        width = max(len(agent.parameters) for agent in agents)
        self._parameters = np.zeros((len(agents), max(width, 1)))
        for row, agent in zip(self._parameters, agents, strict=True):
            row[: agent.parameters.size] = agent.parameters
        memory_width = max(1, *(kind.memory_width for kind in kinds))
        self._memories = np.zeros((len(agents), len(SEATS), memory_width))

    def play(self, first: int, last: int) -> Results:
        """Play some games of the contest."""
        contest = self._contest
        results = Results.empty(contest, first, last)
        plan = np.array(
            [
                first,
                last,
                contest.mode == "rounds",
                contest.seating == "shuffled",
                contest.game.properties.zero_sum,
                contest.series,
                contest.remembering,
                0,
                first,
            ],
            np.int64,
        )
        ended = play_games(
            self._states,
            self._thoughts[0],
            self._policies,
            self._learners,
            self._learns,
            self._parameters,
            self._memories,
            plan,
            key_of(contest.seed),
            self._stop,
            results.seats,
            results.wins,
            results.scores,
            results.rounds,
            results.counters,
            results.effort,
            results.seconds,
        )
        played = results.up_to(int(plan[0]))
        if ended == ILLEGAL:
            played.failure = self._illegal(int(plan[0]), int(plan[7]))
        return played

    def _illegal(self, game: int, choice: int) -> AgentError:
        state = type(self._contest.start())(self._states[1])
        seat = state.actor
        assert seat is not None
        sitting = np.zeros(len(self._contest.agents), np.int64)
        key = np.uint64(combine(key_of(self._contest.seed), game))
        take_seats(key, self._contest.seating == "shuffled", sitting)
        agent = self._contest.agents[int(sitting[seat])]
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
    """Play a contest between compiled agents on some workers; Ctrl-C ends it early.

    ``stop_after`` seconds no more games are begun, for measurements.
    """
    stop = np.zeros(1, np.int64)
    unit = contest.series if contest.remembering else 1
    idle = [Worker(contest, stop) for _ in range(workers)]
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
                    # The context says that interpreted kernels may wrap around.
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
