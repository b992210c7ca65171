"""The full history tree of one round between two players, for any game that is small enough.

It is slower than the public tree but assumes nothing about the game: moves may be hidden from the
other player, and ``information_key`` defines the information sets. Tests compare the public tree
with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import combine
from perudo.games.game import (
    CHANCE,
    ROUND,
    Record,
    State,
    action,
    action_count,
    actor,
    apply,
    chance_count,
    chance_outcome,
    copy,
    information_key,
    payoff,
)
from perudo.games.kernel import kernel
from perudo.search.trees.outcomes import Keys, Real, Small
from perudo.search.trees.public_tree import MAX_DEPTH, PLAYERS, TOO_LARGE, TooLargeError, is_leaf

Actors = npt.NDArray[np.int8]
LEAF, DEAL = -1, -2
"""Values of ``Histories.actors`` for nodes without an actor."""
MAX_NODES = 20_000_000


class Histories(NamedTuple):
    """A tree as arrays by history. Children follow each other, behind their parent."""

    actors: Actors
    """The player who acts, LEAF or DEAL."""
    first: Small
    """The first child."""
    counts: Small
    """The number of children."""
    actions: Small
    """The action that leads to the node."""
    keys: Keys
    """The information set of the player who acts."""
    payoffs: Real
    """The payoff of each leaf to each player."""


@kernel
def grow_histories(states: Record, tree: Histories) -> int:
    """Write every history below ``states[0]``; return their number, or TOO_LARGE."""
    actors, first, counts = tree.actors, tree.first, tree.counts
    actions, keys, payoffs = tree.actions, tree.keys, tree.payoffs
    path = np.zeros(MAX_DEPTH, np.int64)
    cursor = np.zeros(MAX_DEPTH, np.int64)
    size, depth = 1, 0
    fresh = True
    while depth >= 0:
        node = path[depth]
        state = states[depth]
        if fresh:
            fresh = False
            cursor[depth] = 0
            first[node] = size
            if depth == 0 and actor(state) == CHANCE:
                actors[node] = DEAL
                counts[node] = chance_count(state)
            elif is_leaf(state):
                actors[node] = LEAF
                for seat in range(PLAYERS):
                    payoffs[node, seat] = payoff(state, ROUND, seat)
            else:
                who = actor(state)
                actors[node] = who
                counts[node] = action_count(state)
                keys[node] = combine(information_key(state, who), who)
            size += counts[node]
            if size > actors.size or depth + 2 == MAX_DEPTH:
                return TOO_LARGE
        index = cursor[depth]
        if index == counts[node]:
            depth -= 1
            continue
        cursor[depth] = index + 1
        copy(states[depth + 1], state)
        child = first[node] + index
        if actors[node] == DEAL:
            chance_outcome(states[depth + 1], index)
        else:
            actions[child] = action(state, index)
            apply(states[depth + 1], action(state, index))
        depth += 1
        path[depth] = child
        fresh = True
    return size


class HistoryTree:
    """All histories of a round; children have consecutive numbers, greater than their parent's."""

    def __init__(self, start: State, largest: int = MAX_NODES) -> None:
        if start.players != PLAYERS:
            raise TooLargeError("only rounds of two players can be solved")
        room = 1 << 12
        while True:
            tree = Histories(
                actors=np.zeros(room, np.int8),
                first=np.zeros(room, np.int32),
                counts=np.zeros(room, np.int32),
                actions=np.zeros(room, np.int32),
                keys=np.zeros(room, np.uint64),
                payoffs=np.zeros((room, PLAYERS)),
            )
            states = np.zeros(MAX_DEPTH, start.game.dtype)
            states[0] = start.record
            size = int(grow_histories(states, tree))
            if size != TOO_LARGE:
                break
            room *= 4
            if room > largest:
                raise TooLargeError(f"the round has more than {largest // 4:,} histories")
        self.start = start
        self.histories = Histories(
            tree.actors[:size],
            tree.first[:size],
            tree.counts[:size],
            tree.actions[:size],
            tree.keys[:size],
            tree.payoffs[:size],
        )
        self.actors, self.first, self.counts, self.actions, keys, _ = self.histories
        acting = self.actors >= 0
        self.keys, example, where = np.unique(keys[acting], return_index=True, return_inverse=True)
        self.sets = np.full(size, -1, np.int32)
        """The number of each node's information set; -1 for nodes without an actor."""
        self.sets[acting] = where
        nodes = np.flatnonzero(acting)[example]
        self.set_actors, self.set_counts = self.actors[nodes], self.counts[nodes]

    @property
    def information_sets(self) -> int:
        """The number of information sets."""
        return len(self.keys)
