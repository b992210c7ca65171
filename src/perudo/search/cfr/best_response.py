"""An approximate best response to a policy: one seat learns while the others follow the policy.

Each iteration plays one round. The learner explores by UCB, in information sets that distinguish
its hand and the last moves. The learnt strategy then makes the move with the highest mean. An exact
best response has at least its payoff.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perudo.games.chance import Stream, next_word, stream_of
from perudo.games.game import (
    CHANCE,
    OVER,
    ROUND,
    SEATS,
    Record,
    State,
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
from perudo.games.policy import Model, Parameters, ask, model_of
from perudo.search.cfr.external_sampling import set_key
from perudo.search.cfr.fsicfr import chunks
from perudo.search.files.page import SCALE, Page
from perudo.search.files.sealed import About
from perudo.search.trees.search_tree import (
    NOWHERE,
    SearchTree,
    best_by_ucb,
    count_payoff,
    find,
    new_tree,
    open_moves,
    open_set,
)

MAX_PATH = 128
CHUNK = 2_000
EXPLORATION = 1.0
SETS, MOVES_OF_SET = 1 << 20, 24
"""The capacity of the tree: information sets, and the mean number of moves in each."""


@kernel
def respond_to_policy(
    states: Record,
    seat: int,
    memory: int,
    model: Model,
    tree: SearchTree,
    wanted: int,
    stream: Stream,
) -> float:
    """Play rounds from ``states[0]``, before its deal; return the learner's mean payoff."""
    state, scratch = states[1], states[2]
    sets, moves = tree.sets, tree.moves
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
                key = set_key(state, who, memory, scratch)
                place, index = find(tree, key), 0
                known = sets[place].visits > 0 or open_set(tree, place, key, action_count(state))
                if known and sets[place].first == NOWHERE:
                    known = open_moves(tree, place)
                if known:
                    index = best_by_ucb(tree, place, EXPLORATION, stream)
                    if depth < MAX_PATH:
                        path[depth, 0] = place
                        path[depth, 1] = int(sets[place].first) + index
                        depth += 1
                said = action(state, index)
            else:
                copy(scratch, state)
                observe(scratch, who)
                said = ask(model, scratch, stream)
            apply(state, said)
        won = payoff(state, ROUND, seat)
        mean += won
        for step in range(depth):
            sets[path[step, 0]].visits += 1
            count_payoff(moves[path[step, 1]], won)
    return mean / wanted


class BestResponder:
    """One seat's learner of a best response to a policy."""

    def __init__(
        self,
        start: State,
        seat: int,
        memory: int,
        policy: Any,
        parameters: Parameters,
        seed: int = 0,
    ) -> None:
        """Start with no statistics, at a round before its deal."""
        self.memory, self.iterations = memory, 0
        self._seat = seat
        self._model = model_of(policy, start.game.dtype, parameters, np.zeros((len(SEATS), 1)))
        self._tree = new_tree(2 * SETS, SETS * MOVES_OF_SET)
        self._states = np.zeros(3, start.game.dtype)
        self._states[0] = start.record
        self._stream = stream_of(seed, seat, memory)

    def iterate(self, times: int) -> float:
        """Learn from this many rounds; return the learner's mean payoff in them."""
        won = 0.0
        for some in chunks(times, CHUNK):
            won += some * respond_to_policy(
                self._states,
                self._seat,
                self.memory,
                self._model,
                self._tree,
                some,
                self._stream,
            )
            self.iterations += some
        return won / times

    def page(self) -> Page:
        """Return the strategy that makes the move with the highest mean in each information set."""
        sets, learnt = self._tree.sets, self._tree.moves
        kept = sets[(sets["visits"] > 0) & (sets["first"] != NOWHERE)]
        moves = kept["moves"].astype(np.int32)
        begins = np.concatenate([[0], np.cumsum(moves, dtype=np.int64)])
        chances = np.zeros(int(begins[-1]), np.uint16)
        values = np.where(learnt["visits"] > 0, learnt["value"], -np.inf)
        for first, begin, count in zip(kept["first"], begins, moves, strict=False):
            chances[begin + int(values[first : first + count].argmax())] = SCALE
        about: About = {"memory": self.memory, "iterations": self.iterations}
        return Page(kept["key"].copy(), begins[:-1], moves, chances, about)
