"""A contest played at tables, for agents that are not compiled: Python classes and programs.

Game for game the same as in the arena: the same dice, seats and luck. Agents that can decide many
positions at once (``act_batch``) play many games side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from perudo.agents.agent import Agent, Decision
from perudo.games.chance import combine, key_of
from perudo.games.errors import AgentError, PerudoError
from perudo.games.game import MATCH, ROUND, SPECTATOR
from perudo.games.policy import Memory
from perudo.games.state import action_code
from perudo.lab.arena import LUCK, illegal_action, seat_memories, take_seats, win_share
from perudo.lab.contest import Contest, Results
from perudo.table import KeyedDice, Table

SIDE_BY_SIDE = 64
"""Games played at once where an agent decides in batches."""


class Sitting:
    """One game of a contest at its table."""

    def __init__(self, contest: Contest, game: int, memories: Memory) -> None:
        self._contest, self.game, self._memories = contest, game, memories
        key = np.uint64(combine(key_of(contest.seed), game))
        self.sitting = np.zeros(len(contest.agents), np.int64)
        take_seats(key, contest.seating == "shuffled", self.sitting)
        luck = np.uint64(combine(key, LUCK))
        self.streams = [
            np.array([combine(luck, seat)], np.uint64) for seat in range(len(contest.agents))
        ]
        self.seated = np.zeros_like(memories)
        seat_memories(memories, self.seated, self.sitting, False)
        names = [contest.agents[int(entrant)].spec for entrant in self.sitting]
        self.table = Table(
            contest.game, contest.played_setting, names, KeyedDice(key), **contest.start_options
        )
        self._told = 0
        self.results = Results.empty(contest, game, game + 1)
        self._last_view: Any = None
        self._by_seat = np.zeros(self.results.counters.shape[1:], np.int64)
        for seat, entrant in enumerate(self.sitting):
            contest.agents[int(entrant)].sit(contest.game, contest.setting, seat, names)

    @property
    def over(self) -> bool:
        """Whether the game, or the one round of it, has been played."""
        played = int(self.results.rounds[0])
        return self.table.over or (self._contest.mode == "rounds" and played > 0)

    @property
    def entrant(self) -> int:
        """Whose decision it is."""
        seat = self.table.actor
        assert seat is not None
        return int(self.sitting[seat])

    def question(self) -> tuple[Any, Memory, Any]:
        """What an agent's ``decide`` is asked."""
        seat = self.table.actor
        assert seat is not None
        return self.table.observe(seat), self.seated[self.entrant], self.streams[seat]

    def answer(self, answer: Any, seconds: float) -> None:
        """Take an agent's action, and tell everybody what came of it."""
        entrant, results = self.entrant, self.results
        decision = answer if isinstance(answer, Decision) else Decision(answer)
        results.seconds[entrant, 0] += seconds
        results.seconds[entrant, 1] = max(results.seconds[entrant, 1], seconds)
        results.effort[entrant, 0] += 1
        if decision.thoughts is not None:
            results.effort[entrant, 1] += decision.thoughts.rollouts
        try:
            code = action_code(self._contest.game, decision.action)
            self.table.act(self.table.actor, code)
        except PerudoError:
            raise illegal_action(
                self._contest.agents[entrant].spec, self.table.state, repr_action(decision.action)
            ) from None
        self._note_rounds()

    def _note_rounds(self) -> None:
        for event, view in self.table.story(SPECTATOR, self._told):
            if event["event"] == "result":
                self.results.rounds[0] += 1
                self._last_view = view
                self._contest.game.operations.tally(view.record, self._by_seat)
                self._show_round(event["n"])
            self._told = event["n"]
        if self.over:
            self._settle()

    def _show_round(self, number: int) -> None:
        for seat, entrant in enumerate(self.sitting):
            _, view = next(iter(self.table.story(seat, number - 1)))
            agent = self._contest.agents[int(entrant)]
            with blaming(agent, view):
                agent.learn(view, self.seated[entrant])

    def _settle(self) -> None:
        contest, results = self._contest, self.results
        rounds = contest.mode == "rounds"
        record = self._last_view.record if rounds else self.table.state.record
        horizon = ROUND if rounds else MATCH
        for seat, place in enumerate(self.sitting):
            entrant = int(place)
            results.seats[0, entrant] = seat
            zero_sum = contest.game.properties.zero_sum
            results.wins[0, entrant] = win_share(record, horizon, zero_sum, seat)
            results.scores[0, entrant] = contest.game.operations.payoff(record, horizon, seat)
            results.counters[entrant, seat] += self._by_seat[seat]
            contest.agents[entrant].leave(self.table.observe(seat))
        seat_memories(self._memories, self.seated, self.sitting, True)


class blaming:  # noqa: N801  # used like a function
    """Whatever goes wrong inside is said to be the agent's doing, with the position."""

    def __init__(self, agent: Agent, observation: Any) -> None:
        self._agent, self._observation = agent, observation

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Exception) and not isinstance(error, AgentError):
            where = getattr(self._observation, "notation", None)
            raise AgentError(
                f"agent {self._agent.spec}: raised {type(error).__name__}: {error}"
                + (f" in position {where!r}" if where else "")
            ) from error


def repr_action(action: Any) -> str:
    """An action as the agent gave it, at most a line long."""
    text = (
        str(action) if isinstance(action, (str, int)) or hasattr(action, "code") else repr(action)
    )
    return text if len(text) <= 60 else text[:57] + "..."


def decide(contest: Contest, sittings: list[Sitting]) -> None:
    """Have the actor of each of some games decide; agents with ``act_batch`` all at once."""
    batches: dict[int, list[Sitting]] = {}
    for sitting in sittings:
        if hasattr(contest.agents[sitting.entrant], "act_batch"):
            batches.setdefault(sitting.entrant, []).append(sitting)
            continue
        agent, question = contest.agents[sitting.entrant], sitting.question()
        started = time.perf_counter()
        with blaming(agent, question[0]):
            answer = agent.decide(*question)
        sitting.answer(answer, time.perf_counter() - started)
    for entrant, batch in batches.items():
        batcher: Any = contest.agents[entrant]
        questions = [sitting.question() for sitting in batch]
        started = time.perf_counter()
        with blaming(batcher, questions[0][0]):
            answers = list(batcher.act_batch(*map(list, zip(*questions, strict=True))))
            if len(answers) != len(batch):
                raise ValueError(f"act_batch gave {len(answers)} actions for {len(batch)} games")
        each = (time.perf_counter() - started) / len(batch)
        for sitting, answer in zip(batch, answers, strict=True):
            sitting.answer(answer, each)


def run(contest: Contest, progress: Callable[[Results], None] = lambda results: None) -> Results:
    """Play a contest at tables; Ctrl-C, or an agent that fails, ends it early."""
    results = Results.empty(contest, 0, contest.games)
    width = max(1, *(agent.memory_width for agent in contest.agents))
    memories = np.zeros((len(contest.agents), len(contest.agents[0].new_memory()), width))
    batching = any(hasattr(agent, "act_batch") for agent in contest.agents)
    at_once = SIDE_BY_SIDE if batching and not contest.remembering else 1
    playing: list[Sitting] = []
    following = 0
    try:
        while playing or following < contest.games:
            while len(playing) < at_once and following < contest.games:
                if contest.remembering and following % contest.series == 0:
                    memories[:] = 0.0
                playing.append(Sitting(contest, following, memories))
                following += 1
            decide(contest, playing)
            for sitting in [sitting for sitting in playing if sitting.over]:
                results.add(sitting.results)
                playing.remove(sitting)
            progress(results)
    except KeyboardInterrupt:
        results.interrupted = True
    except AgentError as error:
        results.failure = error
    return results
