"""Lower bounds of exploitability: the winnings of a response to an agent in rounds played.

The exploitability of an agent is the mean over seats of a best response's value when the agent
plays all other seats. In rounds too large for a best response, any response gives a lower bound:

- *local*: a search at each decision, with the agent as the model of the other players;
- *trained*: a response learnt beforehand, which remembers the hand and the last moves.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import Agent, CompiledAgent, CompiledPlayer, Player
from perudo.agents.external.time_limit import decide_within
from perudo.agents.papers.observer import Observer
from perudo.agents.papers.pomcp import Pomcp
from perudo.games.chance import Stream, combine, key_of, stream_of
from perudo.games.errors import PerudoError
from perudo.games.game import (
    CHANCE,
    OVER,
    ROUND,
    Record,
    State,
    action_code,
    actor,
    apply,
    copy,
    deal,
    observe,
    payoff,
    round_over,
)
from perudo.games.kernel import kernel
from perudo.games.policy import (
    Memory,
    Model,
    Parameters,
    address_of,
    ask,
    decide_at,
    model_of,
    number_of,
)
from perudo.search.cfr.best_response import BestResponder
from perudo.search.cfr.external_sampling import learnt_parameters, play_learnt
from perudo.search.files.page import ALL_MOVES

METHODS = ("local", "trained")
Payoffs = npt.NDArray[np.float64]
NORMAL_95 = 1.959964
DEALS, LUCK = 1, 2
"""The random streams of a seed: deals, and the players' own randomness."""


@dataclass(frozen=True)
class Effort:
    """The effort to find a response, and to measure it."""

    rounds: int = 2_000
    """Rounds played in each seat."""
    iterations: int = 2_000
    """Simulations of each decision of the local response."""
    training: int = 1_000_000
    """Rounds that the trained response learns from, in each seat."""
    memory: int = 2
    """Moves that the trained response remembers."""
    seed: int = 1


class LowerBound(TypedDict):
    """The result of a response."""

    method: str
    lower_bound: float
    """The mean winnings over the seats."""
    ci95: list[float]
    won_by_seat: list[float]
    rounds: int
    seconds: float


class Opponents(NamedTuple):
    """The agent in all seats but one."""

    model: Model
    memories: Any
    """The agent's memory in each seat."""
    learning: Any
    """The address of the function that learns from each settled round."""
    learns: bool


@kernel
def play_rounds(
    states: Record,
    seat: int,
    responder: Model,
    opponents: Opponents,
    key: np.uint64,
    payoffs: Payoffs,
    stream: Stream,
) -> None:
    """Play rounds with the responder in one seat and the agent in all others.

    If it ``learns``, the agent sees the result of each round.
    """
    state, view = states[1], states[2]
    agent, memories = opponents.model, opponents.memories
    for number in range(payoffs.size):
        copy(state, states[0])
        while True:
            who = actor(state)
            if who == OVER or round_over(state):
                break
            if who == CHANCE:
                deal(state, combine(key, number))
                continue
            copy(view, state)
            observe(view, who)
            if who == seat:
                said = ask(responder, view, stream)
            else:
                said = decide_at(
                    agent.policy, view, agent.parameters, memories[who], stream, agent.thoughts
                )
            apply(state, said)
        payoffs[number] = payoff(state, ROUND, seat)
        if opponents.learns:
            for who in range(memories.shape[0]):
                if who != seat:
                    copy(view, state)
                    observe(view, who)
                    decide_at(
                        opponents.learning,
                        view,
                        agent.parameters,
                        memories[who],
                        stream,
                        agent.thoughts,
                    )


@dataclass(frozen=True)
class Response:
    """A policy made to beat an agent from one seat."""

    policy: Any
    parameters: Parameters
    kept: Any = None
    """An object that keeps alive the memory the parameters point to."""


def local_response(model: CompiledPlayer, start: State, effort: Effort) -> Response:
    """Return a search that takes the other players for the model."""
    searcher = Pomcp(iterations=effort.iterations, prior=2.0)
    dtype = start.game.dtype
    where = number_of(model.policy, dtype)
    head = searcher.search_parameters
    rollout = [float(dtype.itemsize), where, *model.parameters]
    return Response(Pomcp.policy, np.concatenate([head, rollout]), model)


def trained_response(player: CompiledPlayer, start: State, seat: int, effort: Effort) -> Response:
    """Learn a response to the agent, which plays the best move of each information set."""
    memory = effort.memory if start.game.operations.rewind(start.record) else ALL_MOVES
    learner = BestResponder(start, seat, memory, player.policy, player.parameters, effort.seed)
    learner.iterate(effort.training)
    book, parameters = learnt_parameters(learner.page())
    return Response(play_learnt, parameters, book)


class Series:
    """A series of rounds of one seat against an agent, which remembers from run to run."""

    def __init__(self, player: CompiledPlayer, start: State, seat: int, seed: int) -> None:
        self._player, self._start, self._seat, self._seed = player, start, seat, seed
        self.memories = np.stack([player.new_memory() for _ in range(start.players)])
        self._stream = stream_of(seed, LUCK, seat)

    def play(
        self, response: Response, rounds: int, deals: int = DEALS, learns: bool = False
    ) -> Payoffs:
        """Return the response's payoffs in a number of rounds; ``deals`` selects their dice."""
        player, start, memories = self._player, self._start, self.memories
        dtype = start.game.dtype
        states = np.zeros(3, dtype)
        states[0] = start.record
        payoffs = np.zeros(rounds)
        play_rounds(
            states,
            self._seat,
            model_of(response.policy, dtype, response.parameters, memories[self._seat]),
            Opponents(
                model_of(player.policy, dtype, player.parameters, memories[0]),
                memories,
                address_of(player.learning or player.policy, dtype),
                learns and player.learning is not None,
            ),
            key_of(self._seed, deals),
            payoffs,
            self._stream,
        )
        return payoffs


def _payoffs_in_python(player: Player, start: State, seat: int, effort: Effort) -> Payoffs:
    """Return the payoffs of a local response to an agent in Python, with Observer as its model."""
    responder: Player = Pomcp(iterations=effort.iterations).prepare(start)
    streams: dict[int, Stream] = {
        each: stream_of(effort.seed, LUCK, seat, each) for each in range(start.players)
    }
    memories: dict[int, Memory] = {
        each: (responder if each == seat else player).new_memory() for each in range(start.players)
    }
    payoffs = np.zeros(effort.rounds)
    for number in range(effort.rounds):
        state = start.deal(int(combine(key_of(effort.seed, DEALS), number)))
        while (who := state.actor) is not None:
            asked = responder if who == seat else player
            said = decide_within(asked, state.observe(who), memories[who], streams[who], None)
            state = state.apply(action_code(state.game, said.action))
        payoffs[number] = state.round_payoffs()[seat]
    return payoffs


def lower_bound(agent: Agent, start: State, method: str, effort: Effort) -> LowerBound:
    """Return the mean payoff of a response over the seats, with a 95 % interval."""
    if method not in METHODS:
        raise PerudoError(f"unknown method {method!r}; there are: {', '.join(METHODS)}")
    if method == "trained" and not isinstance(agent, CompiledAgent):
        raise PerudoError(f"{agent.spec} is not compiled, and so too slow to train against")
    started = time.perf_counter()
    means, variances = [], []
    with agent.prepare(start) as player:
        for seat in range(start.players):
            payoffs = _payoffs(player, start, seat, method, effort)
            means.append(float(payoffs.mean()))
            variances.append(float(payoffs.var(ddof=1)) / len(payoffs))
    mean, spread = float(np.mean(means)), math.sqrt(sum(variances)) / start.players
    return {
        "method": method,
        "lower_bound": mean,
        "ci95": [mean - NORMAL_95 * spread, mean + NORMAL_95 * spread],
        "won_by_seat": means,
        "rounds": effort.rounds * start.players,
        "seconds": round(time.perf_counter() - started, 1),
    }


def _payoffs(player: Player, start: State, seat: int, method: str, effort: Effort) -> Payoffs:
    if not isinstance(player, CompiledPlayer):
        return _payoffs_in_python(player, start, seat, effort)
    if method == "trained":
        response = trained_response(player, start, seat, effort)
    else:
        response = local_response(_model_of(player, start), start, effort)
    return Series(player, start, seat, effort.seed).play(response, effort.rounds)


def _model_of(player: CompiledPlayer, start: State) -> CompiledPlayer:
    """Return the agent as a model if it states its probabilities, otherwise the Observer."""
    state = start.deal(1)
    seat = state.actor
    assert seat is not None
    thoughts = player.decide(state.observe(seat), player.new_memory(), stream_of(1)).thoughts
    if thoughts is None or thoughts.probabilities is None:
        return Observer().prepare(start)
    return player.agent.as_model(start)
