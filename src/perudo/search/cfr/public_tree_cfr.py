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
"""The number of regrets to update in one call of a kernel, which cannot be interrupted."""


class Solver:
    """Solver of a round: its regrets and strategy sums."""

    def __init__(
        self,
        tree: PublicTree,
        variant: str = "cfr+",
        precision: type[np.floating[Any]] = np.float64,
        alpha: float = 1.5,
        beta: float = 0.0,
        gamma: float = 2.0,
    ) -> None:
        """Start with no regrets.

        Iteration t of discounted CFR multiplies positive regrets by t**alpha / (t**alpha + 1),
        negative ones likewise with beta, and gives its strategy the weight t**gamma in the average.
        """
        if variant not in VARIANTS:
            raise UnknownNameError(f"unknown variant {variant!r}; there are: {', '.join(VARIANTS)}")
        self.tree, self.variant = tree, variant
        self._alpha, self._beta, self._gamma = alpha, beta, gamma
        self._layout = layout(tree, precision)
        self._space = workspace(self._layout, precision)
        self.offsets = self._layout.offsets
        """The start of each kind's regrets, by (move, node, hand); leaves have none."""
        entries = int(self.offsets[-1])
        self.regrets = np.zeros(entries, precision)
        self.sums = np.zeros(entries, precision)
        self.iterations = 0

    @property
    def bytes(self) -> int:
        """The memory of the solver's arrays, in bytes."""
        space = self._space
        return sum(array.nbytes for array in (self.regrets, self.sums, *space.reaches, *space[1:]))

    def iterate(self, times: int = 1) -> None:
        """Run this many iterations; the players learn alternately."""
        last = self.iterations + times
        at_once = max(1, ENTRIES_AT_ONCE // len(self.regrets))
        while self.iterations < last:
            turns = self.iterations + 1.0 + np.arange(min(at_once, last - self.iterations))
            self._sweep(0, LEARN, self.regrets, self._schedule(turns))
            self.iterations += len(turns)

    def _schedule(self, turns: Vector) -> Vector:
        """Return each iteration's weight, and its factors for positive and negative regrets."""
        same = np.ones_like(turns)
        if self.variant == "cfr+":
            return np.stack([turns, same, 0 * same], axis=1)
        if self.variant == "dcfr":
            kept = [turns**power / (turns**power + 1) for power in (self._alpha, self._beta)]
            return np.stack([turns**self._gamma, *kept], axis=1)
        return np.stack([same, same, same], axis=1)

    def average(self) -> Vector:
        """Return the average strategy: every move's probability, laid out like the sums."""
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
        """Return the value of the average strategies to the first player."""
        return self._evaluate(0, EVALUATE, sums)

    def best_response(self, player: int, sums: Vector | None = None) -> float:
        """Return the value to a player of a best response to the other's average strategy."""
        return self._evaluate(player, RESPOND, sums)

    def exploitability(self, sums: Vector | None = None) -> float:
        """Return the mean over seats of what a best response gains."""
        return sum(self.best_response(player, sums) for player in range(PLAYERS)) / PLAYERS

    def _evaluate(self, player: int, purpose: int, sums: Vector | None) -> float:
        strategy = self.sums if sums is None else sums
        self._sweep(player, purpose, strategy, np.zeros((1, 3)))
        hands = int(self._layout.hands[player])
        return float(self._space.values[:hands] @ self.tree.weights[player])

    def _sweep(self, player: int, purpose: int, strategy: Vector, turns: Vector) -> None:
        sweep(self._layout, self._space, strategy, self.sums, player, purpose, turns)
