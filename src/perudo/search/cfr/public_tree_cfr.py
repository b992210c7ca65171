"""Counterfactual regret minimisation on the public tree, all hands at once.

CFR (Zinkevich et al. 2007), CFR+ (Tammelin 2014) and discounted CFR (Brown and Sandholm 2019),
players in turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perudo.games.errors import UnknownNameError
from perudo.search.cfr.sweep import (
    EVALUATE,
    LEARN,
    RESPOND,
    Vector,
    layout,
    match_regrets,
    sweep,
    workspace,
)
from perudo.search.files.page import Page, page_of_tree
from perudo.search.files.sealed import About
from perudo.search.trees.public_tree import PLAYERS, PublicTree

VARIANTS = ("cfr", "cfr+", "dcfr")
ENTRIES_AT_ONCE = 20_000_000
"""How much is learnt in one call of a kernel, in which the program cannot be interrupted."""


class Solver:
    """Regrets and strategy sums of a round being solved."""

    def __init__(
        self,
        tree: PublicTree,
        variant: str = "cfr+",
        precision: type[np.floating[Any]] = np.float64,
        alpha: float = 1.5,
        beta: float = 0.0,
        gamma: float = 2.0,
    ) -> None:
        """Begin with no regrets.

        In discounted CFR the t-th positive regrets are kept to t**alpha / (t**alpha + 1), the
        negative with beta, and the t-th strategy weighs t**gamma in the average.
        """
        if variant not in VARIANTS:
            raise UnknownNameError(f"unknown variant {variant!r}; there are: {', '.join(VARIANTS)}")
        self.tree, self.variant = tree, variant
        self._alpha, self._beta, self._gamma = alpha, beta, gamma
        self._layout = layout(tree, precision)
        self._space = workspace(self._layout, precision)
        self.offsets = self._layout.offsets
        """Where a kind's numbers begin, by (move, node, hand); leaves have none."""
        entries = int(self.offsets[-1])
        self.regrets = np.zeros(entries, precision)
        self.sums = np.zeros(entries, precision)
        self.iterations = 0

    @property
    def bytes(self) -> int:
        """Memory of the solver's arrays."""
        space = self._space
        return sum(array.nbytes for array in (self.regrets, self.sums, *space.reaches, *space[1:]))

    def iterate(self, times: int = 1) -> None:
        """Both players learn, one after the other."""
        last = self.iterations + times
        at_once = max(1, ENTRIES_AT_ONCE // len(self.regrets))
        while self.iterations < last:
            turns = self.iterations + 1.0 + np.arange(min(at_once, last - self.iterations))
            self._sweep(0, LEARN, self.regrets, self._schedule(turns))
            self.iterations += len(turns)

    def _schedule(self, turns: Vector) -> Vector:
        """By iteration: its weight, and what is kept of old positive and negative regrets."""
        same = np.ones_like(turns)
        if self.variant == "cfr+":
            return np.stack([turns, same, 0 * same], axis=1)
        if self.variant == "dcfr":
            kept = [turns**power / (turns**power + 1) for power in (self._alpha, self._beta)]
            return np.stack([turns**self._gamma, *kept], axis=1)
        return np.stack([same, same, same], axis=1)

    def average(self) -> Vector:
        """The average strategy: the chance of every move, laid out like the sums."""
        tree = self._layout
        chances = np.maximum(self.sums, 0)
        for kind, hands in enumerate(tree.hands[tree.actors]):
            first, last = self.offsets[kind : kind + 2]
            moves, size = int(np.diff(tree.edges)[kind]), int(tree.members[kind] * hands)
            scale, base = np.empty((2, size), chances.dtype)
            match_regrets(self.sums, int(first), size, moves, scale, base)
            by_move = chances[first:last].reshape(moves, size)
            by_move *= scale
            by_move += base
        return chances

    def page(self, about: About) -> Page:
        """Return the average strategy as a page."""
        return page_of_tree(self.tree, self.offsets, self.average(), about)

    def value(self, sums: Vector | None = None) -> float:
        """What the average strategies are worth to the first player."""
        return self._evaluate(0, EVALUATE, sums)

    def best_response(self, player: int, sums: Vector | None = None) -> float:
        """What the best answer to the other's average strategy is worth to a player."""
        return self._evaluate(player, RESPOND, sums)

    def exploitability(self, sums: Vector | None = None) -> float:
        """How much a player loses, on average over seats, against somebody who knows them."""
        return sum(self.best_response(player, sums) for player in range(PLAYERS)) / PLAYERS

    def _evaluate(self, player: int, purpose: int, sums: Vector | None) -> float:
        strategy = self.sums if sums is None else sums
        self._sweep(player, purpose, strategy, np.zeros((1, 3)))
        hands = int(self._layout.hands[player])
        return float(self._space.values[:hands] @ self.tree.weights[player])

    def _sweep(self, player: int, purpose: int, strategy: Vector, turns: Vector) -> None:
        sweep(self._layout, self._space, strategy, self.sums, player, purpose, turns)
