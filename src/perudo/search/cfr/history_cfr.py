"""Counterfactual regret minimisation over the histories of a round.

This is slower than on the public tree, but moves may be hidden. Tests compare the public tree's
solver with it.
"""

from __future__ import annotations

import numpy as np

from perudo.games.kernel import kernel
from perudo.search.trees.history_tree import DEAL, LEAF, Histories, HistoryTree
from perudo.search.trees.outcomes import Real, Small
from perudo.search.trees.public_tree import PLAYERS


@kernel
def reach_down(tree: Histories, sets: Small, strategy: Real, reach: Real) -> None:
    """Fill in each node's reach: a column for each player's own strategy, the last for chance."""
    actors, first, counts = tree.actors, tree.first, tree.counts
    reach[0] = 1.0
    for node in range(actors.size):
        who = actors[node]
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
    tree: Histories,
    sets: Small,
    strategy: Real,
    reach: Real,
    player: int,
    values: Real,
    gains: Real,
) -> None:
    """Fill in the values of nodes to a player, and the gains of their moves by information set."""
    actors, first, counts = tree.actors, tree.first, tree.counts
    for node in range(actors.size - 1, -1, -1):
        who = actors[node]
        if who == LEAF:
            values[node] = tree.payoffs[node, player]
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
    """Solver by CFR, CFR+ or discounted CFR; see ``public_tree_cfr.Solver``."""

    def __init__(self, tree: HistoryTree, variant: str = "cfr+") -> None:
        self.tree, self.variant, self.iterations = tree, variant, 0
        shape = (tree.information_sets, int(tree.set_counts.max()))
        self.regrets, self.sums = np.zeros(shape), np.zeros(shape)
        self._legal = np.arange(shape[1]) < tree.set_counts[:, None]

    @property
    def bytes(self) -> int:
        """The memory of regrets and strategy sums, in bytes."""
        return self.regrets.nbytes + self.sums.nbytes

    def strategy(self, weights: Real) -> Real:
        """Return mixtures in proportion to positive weights, uniform where none is positive."""
        positive = np.maximum(weights, 0.0) * self._legal
        total = positive.sum(axis=1, keepdims=True)
        even = self._legal / self.tree.set_counts[:, None]
        shares: Real = positive / np.where(total > 0, total, 1.0)
        return np.where(total > 0, shares, even)

    def iterate(self, times: int = 1) -> None:
        """Run this many iterations; the players learn alternately."""
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
                # With perfect recall, a player's own reach is equal at all nodes of a set.
                own[self.tree.sets[acting]] = reach[acting, player]
                self.sums[mine] += (weight * own[:, None] * strategy)[mine]
                regrets = self.regrets[mine]
                if self.variant == "dcfr":
                    kept = turn**1.5 / (turn**1.5 + 1)
                    regrets = regrets * np.where(regrets > 0, kept, 0.5)
                regrets = regrets + gains[mine]
                self.regrets[mine] = np.maximum(regrets, 0) if self.variant == "cfr+" else regrets

    def _evaluate(self, player: int, strategy: Real) -> tuple[Real, Real, Real]:
        tree = self.tree
        size = tree.actors.size
        reach = np.zeros((size, PLAYERS + 1))
        values, gains = np.zeros(size), np.zeros(strategy.shape)
        reach_down(tree.histories, tree.sets, strategy, reach)
        values_up(tree.histories, tree.sets, strategy, reach, player, values, gains)
        return values, reach, gains

    def value(self, strategy: Real | None = None) -> float:
        """Return the value to the first player of a strategy profile, by default the average."""
        chosen = self.strategy(self.sums) if strategy is None else strategy
        return float(self._evaluate(0, chosen)[0][0])

    def best_response(self, player: int, strategy: Real | None = None) -> float:
        """Return the value to a player of a best response to the other's strategy.

        A set's best move depends on the values below it, so best moves are found one height at a
        time, from the leaves up.
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

    def exploitability(self, strategy: Real | None = None) -> float:
        """Return the mean over seats of what a best response gains.

        In a game that is not zero-sum in this form, the sum of both players' values is subtracted.
        """
        both = sum(self.best_response(player, strategy) for player in range(PLAYERS))
        chosen = self.strategy(self.sums) if strategy is None else strategy
        sum_of_values = sum(
            float(self._evaluate(player, chosen)[0][0]) for player in range(PLAYERS)
        )
        return (both - sum_of_values) / PLAYERS
