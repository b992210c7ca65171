"""A solved strategy as tests ask for it: by public history and hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perudo.search.cfr.public_tree_cfr import Solver


class Strategy:
    """The average strategy of a solver."""

    def __init__(self, solver: Solver) -> None:
        self.tree, self._offsets, self._chances = solver.tree, solver.offsets, solver.average()

    def probabilities(self, history: Sequence[int], hand_key: int) -> dict[int, float]:
        """Return the chance of each action after a public history, for a player's hand."""
        tree = self.tree
        kind, member = 0, 0
        for action in history:
            edges = range(int(tree.edges[kind]), int(tree.edges[kind + 1]))
            edge = next(edge for edge in edges if tree.actions[edge] == action)
            node = int(tree.targets[edge]) + member
            kind = int(np.searchsorted(tree.begin, node, side="right")) - 1
            member = node - int(tree.begin[kind])
        hands = tree.hands[int(tree.actors[kind])]
        hand = int(np.searchsorted(hands, np.uint64(hand_key)))
        assert hands[hand] == np.uint64(hand_key)
        size = int(tree.members[kind]) * len(hands)
        place = int(self._offsets[kind]) + member * len(hands) + hand
        edges = range(int(tree.edges[kind]), int(tree.edges[kind + 1]))
        return {
            int(tree.actions[edge]): float(self._chances[place + move * size])
            for move, edge in enumerate(edges)
        }
