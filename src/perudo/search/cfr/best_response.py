"""Learning an answer to a policy: one player against others who play as given, in any game.

Each iteration plays one round. The learner explores by UCB in information sets, as far as the hand
and the last moves tell them apart; the others do what the policy says. In the end the learner makes
the move of the highest mean. Whatever it wins then is a lower bound of what can be won.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from perudo.games.chance import Stream, next_word, stream_of
from perudo.games.game import (
    CHANCE,
    OVER,
    ROUND,
    Record,
    action,
    action_count,
    actor,
    apply,
    copy,
    deal,
    observe,
    payoff,
    round_over,
)
from perudo.games.kernel import kernel
from perudo.games.policy import Memory, Parameters, new_thoughts, policy_at
from perudo.games.state import SEATS, State
from perudo.search.cfr.external_sampling import set_key
from perudo.search.files.page import SCALE, Page
from perudo.search.online.pomcp import (
    INFORMATION_SET,
    MOVE,
    NOWHERE,
    Table,
    Whole,
    best_by_ucb,
    find,
    open_moves,
    open_set,
)

MAX_PATH = 128
CHUNK = 2_000
EXPLORATION = 1.0
SETS, MOVES_OF_SET = 1 << 20, 24
"""Room for so many information sets, and so many moves in each on average."""


@kernel
def answer_policy(
    states: Record,
    seat: int,
    memory: int,
    policy: Any,
    parameters: Parameters,
    remembered: Memory,
    table: Table,
    moves: Table,
    used: Whole,
    wanted: int,
    stream: Stream,
    thoughts: Record,
) -> float:
    """Play rounds from ``states[0]``, before its deal; returns the learner's mean payoff."""
    state, scratch = states[1], states[2]
    path = np.zeros((MAX_PATH, 2), np.int64)
    mean = 0.0
    for _ in range(wanted):
        copy(state, states[0])
        depth = 0
        while True:
            who = actor(state)
            if who == OVER or round_over(state):
                break
            if who == CHANCE:
                deal(state, next_word(stream))
                continue
            if who == seat:
                count = action_count(state)
                key = set_key(state, who, memory, scratch)
                place, index = find(table, key), 0
                known = table[place].visits > 0 or open_set(table, used, place, key, count)
                if known and table[place].first == NOWHERE:
                    known = open_moves(table, moves, used, place)
                if known:
                    first, visits = int(table[place].first), int(table[place].visits)
                    index = best_by_ucb(moves, first, count, visits, EXPLORATION, stream)
                    if depth < MAX_PATH:
                        path[depth, 0] = place
                        path[depth, 1] = first + index
                        depth += 1
                said = action(state, index)
            else:
                copy(scratch, state)
                observe(scratch, who)
                said = policy_at(policy, scratch)(scratch, parameters, remembered, stream, thoughts)
            apply(state, said)
        won = payoff(state, ROUND, seat)
        mean += won
        for step in range(depth):
            table[path[step, 0]].visits += 1
            move = moves[path[step, 1]]
            move.visits += 1
            move.value += (won - move.value) / float(move.visits)
            move.doubt = 1.0 / math.sqrt(float(move.visits))
    return mean / wanted


class Answerer:
    """One seat's answer to a policy."""

    def __init__(
        self,
        start: State,
        seat: int,
        memory: int,
        policy: Any,
        parameters: Parameters,
        seed: int = 0,
    ) -> None:
        """Begin to learn against the policy at an address, from a round before its deal."""
        self.memory, self.iterations = memory, 0
        self._seat, self._policy, self._parameters = seat, policy, parameters
        self._table = np.zeros(2 * SETS, INFORMATION_SET)
        self._moves = np.zeros(SETS * MOVES_OF_SET, MOVE)
        self._used = np.zeros(2, np.int64)
        self._states = np.zeros(3, start.game.dtype)
        self._states[0] = start.record
        self._stream = stream_of(seed, seat, memory)

    def iterate(self, times: int) -> float:
        """Play so many rounds; returns what they won on average."""
        won, left = 0.0, times
        while left > 0:
            some = min(left, CHUNK)
            won += some * answer_policy(
                self._states,
                self._seat,
                self.memory,
                self._policy,
                self._parameters,
                np.zeros((len(SEATS), 1)),
                self._table,
                self._moves,
                self._used,
                some,
                self._stream,
                new_thoughts(),
            )
            self.iterations += some
            left -= some
        return won / times

    def page(self) -> Page:
        """The move of the highest mean, for each information set met."""
        kept = self._table[(self._table["visits"] > 0) & (self._table["first"] != NOWHERE)]
        moves = kept["moves"].astype(np.int32)
        begins = np.concatenate([[0], np.cumsum(moves, dtype=np.int64)])
        chances = np.zeros(int(begins[-1]), np.uint16)
        values = np.where(self._moves["visits"] > 0, self._moves["value"], -np.inf)
        for first, begin, count in zip(kept["first"], begins, moves, strict=False):
            chances[begin + int(values[first : first + count].argmax())] = SCALE
        about = {"memory": self.memory, "iterations": self.iterations}
        return Page(kept["key"].copy(), begins[:-1], moves, chances, about)
