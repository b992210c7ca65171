"""The whole tree of one round between two players, for any game that is small enough.

Slower than the public tree, but nothing is asked of the game: moves may be hidden from the other,
and what a player can tell apart is whatever ``information_key`` says. Also the yardstick that the
public tree is tested against.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.chance import combine
from perudo.games.game import (
    CHANCE,
    ROUND,
    Record,
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
from perudo.games.state import State
from perudo.search.trees.public_tree import MAX_DEPTH, PLAYERS, TOO_LARGE, TooLargeError, is_leaf

LEAF, DEAL = -1, -2
"""In place of an actor."""
MAX_NODES = 20_000_000


@kernel
def grow_histories(
    states: Record,
    actors: npt.NDArray[np.int8],
    first: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int32],
    actions: npt.NDArray[np.int32],
    keys: npt.NDArray[np.uint64],
    payoffs: npt.NDArray[np.float64],
) -> int:
    """Write every history into arrays; returns their number, or TOO_LARGE."""
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
            arrays: tuple[Any, ...] = (
                np.zeros(room, np.int8),
                *(np.zeros(room, np.int32) for _ in range(3)),
                np.zeros(room, np.uint64),
                np.zeros((room, PLAYERS)),
            )
            states = np.zeros(MAX_DEPTH, start.game.dtype)
            states[0] = start.record
            size = int(grow_histories(states, *arrays))
            if size != TOO_LARGE:
                break
            room *= 4
            if room > largest:
                raise TooLargeError(f"the round has more than {largest // 4:,} histories")
        self.start = start
        self.actors, self.first, self.counts, self.actions, keys, self.payoffs = (
            array[:size] for array in arrays
        )
        acting = self.actors >= 0
        self.keys, example, where = np.unique(keys[acting], return_index=True, return_inverse=True)
        self.sets = np.full(size, -1, np.int32)
        """Which information set a node belongs to."""
        self.sets[acting] = where
        nodes = np.flatnonzero(acting)[example]
        self.set_actors, self.set_counts = self.actors[nodes], self.counts[nodes]

    @property
    def information_sets(self) -> int:
        """How many there are."""
        return len(self.keys)

    def actions_of(self, information_set: int) -> list[int]:
        """The actions of an information set."""
        node = int(np.flatnonzero(self.sets == information_set)[0])
        return [int(code) for code in self.actions[self.first[node] :][: self.counts[node]]]


@kernel
def reach_down(
    tree_actors: npt.NDArray[np.int8],
    first: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int32],
    sets: npt.NDArray[np.int32],
    strategy: npt.NDArray[np.float64],
    reach: npt.NDArray[np.float64],
) -> None:
    """How often each node is reached, by the will of each player and by chance (the last)."""
    reach[0] = 1.0
    for node in range(tree_actors.size):
        who = tree_actors[node]
        for move in range(counts[node]):
            child = first[node] + move
            for part in range(PLAYERS + 1):
                reach[child, part] = reach[node, part]
            if who == DEAL:
                reach[child, PLAYERS] /= counts[node]
            else:
                reach[child, who] *= strategy[sets[node], move]


@kernel
def values_up(
    tree_actors: npt.NDArray[np.int8],
    first: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int32],
    sets: npt.NDArray[np.int32],
    payoffs: npt.NDArray[np.float64],
    strategy: npt.NDArray[np.float64],
    reach: npt.NDArray[np.float64],
    player: int,
    values: npt.NDArray[np.float64],
    gains: npt.NDArray[np.float64],
) -> None:
    """Values of nodes to a player, and what each of their moves gains by information set."""
    for node in range(tree_actors.size - 1, -1, -1):
        who = tree_actors[node]
        if who == LEAF:
            values[node] = payoffs[node, player]
            continue
        value = 0.0
        for move in range(counts[node]):
            share = 1.0 / counts[node] if who == DEAL else strategy[sets[node], move]
            value += share * values[first[node] + move]
        values[node] = value
        if who == player:
            weight = reach[node, 1 - player] * reach[node, PLAYERS]
            for move in range(counts[node]):
                gains[sets[node], move] += weight * (values[first[node] + move] - value)


class HistorySolver:
    """CFR, CFR+ or discounted CFR over histories, with the same meaning as ``cfr.Solver``."""

    def __init__(self, tree: HistoryTree, variant: str = "cfr+") -> None:
        self.tree, self.variant, self.iterations = tree, variant, 0
        shape = (tree.information_sets, int(tree.set_counts.max()))
        self.regrets, self.sums = np.zeros(shape), np.zeros(shape)
        self._legal = np.arange(shape[1]) < tree.set_counts[:, None]

    @property
    def bytes(self) -> int:
        """Memory of what is learnt."""
        return self.regrets.nbytes + self.sums.nbytes

    def strategy(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Play in proportion to positive weights; all alike where there are none."""
        positive = np.maximum(weights, 0.0) * self._legal
        total = positive.sum(axis=1, keepdims=True)
        even = self._legal / self.tree.set_counts[:, None]
        shares: npt.NDArray[np.float64] = positive / np.where(total > 0, total, 1.0)
        return np.where(total > 0, shares, even)

    def iterate(self, times: int = 1) -> None:
        """Both players learn, one after the other."""
        for _ in range(times):
            self.iterations += 1
            turn = float(self.iterations)
            weight = {"cfr": 1.0, "cfr+": turn, "dcfr": turn**2}[self.variant]
            for player in range(PLAYERS):
                strategy = self.strategy(self.regrets)
                _, reach, gains = self._evaluate(player, strategy)
                mine = self.tree.set_actors == player
                own = np.zeros(self.tree.information_sets)
                acting = self.tree.actors == player
                # With perfect recall, one's own will reaches all nodes of a set alike.
                own[self.tree.sets[acting]] = reach[acting, player]
                self.sums[mine] += (weight * own[:, None] * strategy)[mine]
                regrets = self.regrets[mine]
                if self.variant == "dcfr":
                    kept = turn**1.5 / (turn**1.5 + 1)
                    regrets = regrets * np.where(regrets > 0, kept, 0.5)
                regrets = regrets + gains[mine]
                self.regrets[mine] = np.maximum(regrets, 0) if self.variant == "cfr+" else regrets

    def _evaluate(self, player: int, strategy: npt.NDArray[np.float64]) -> tuple[Any, Any, Any]:
        tree = self.tree
        size = tree.actors.size
        reach = np.zeros((size, PLAYERS + 1))
        values, gains = np.zeros(size), np.zeros(strategy.shape)
        shape = (tree.actors, tree.first, tree.counts, tree.sets)
        reach_down(*shape, strategy, reach)
        values_up(*shape, tree.payoffs, strategy, reach, player, values, gains)
        return values, reach, gains

    def value(self, strategy: npt.NDArray[np.float64] | None = None) -> float:
        """What strategies, or the average ones, are worth to the first player."""
        chosen = self.strategy(self.sums) if strategy is None else strategy
        return float(self._evaluate(0, chosen)[0][0])

    def best_response(self, player: int, strategy: npt.NDArray[np.float64] | None = None) -> float:
        """What the best answer to the other's strategy is worth to a player.

        A set's best move is found when the values below it are: so the sets are settled one height
        at a time, from the leaves up.
        """
        chosen = (self.strategy(self.sums) if strategy is None else strategy).copy()
        tree = self.tree
        heights = np.zeros(tree.actors.size, np.int64)
        for node in range(tree.actors.size - 1, -1, -1):
            if tree.counts[node]:
                below = heights[tree.first[node] : tree.first[node] + tree.counts[node]]
                heights[node] = below.max() + 1
        mine = tree.actors == player
        set_heights = np.zeros(tree.information_sets, np.int64)
        np.maximum.at(set_heights, tree.sets[mine], heights[mine])
        for height in np.unique(set_heights[tree.set_actors == player]):
            now = (set_heights == height) & (tree.set_actors == player)
            # A move's gain is measured against the set's present strategy, equally for all moves.
            gains = self._evaluate(player, chosen)[2]
            best = np.where(self._legal, gains, -np.inf).argmax(axis=1)
            chosen[now] = np.eye(chosen.shape[1])[best[now]]
        return float(self._evaluate(player, chosen)[0][0])

    def exploitability(self, strategy: npt.NDArray[np.float64] | None = None) -> float:
        """How much a player loses, on average over seats, against somebody who knows them.

        In a game that is not zero-sum in this form, what both get in all is taken off.
        """
        both = sum(self.best_response(player, strategy) for player in range(PLAYERS))
        chosen = self.strategy(self.sums) if strategy is None else strategy
        sum_of_values = sum(
            float(self._evaluate(player, chosen)[0][0]) for player in range(PLAYERS)
        )
        return (both - sum_of_values) / PLAYERS
