"""How large a round's public tree is, without growing it.

Positions of one depth in which the same player may do the same things are counted together, and
one of them, drawn by how many each stands for, is looked at in place of all (Chen 1992, after
Knuth 1975). Where what can follow depends on that alone, as it mostly does between bidders, the
count is exact; elsewhere it is an unbiased estimate.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.chance import combine, key_of
from perudo.games.game import (
    Record,
    action,
    action_count,
    actor,
    apply,
    chance_count,
    chance_outcome,
    copy,
)
from perudo.games.kernel import kernel
from perudo.games.state import State
from perudo.search.trees.public_tree import PLAYERS, is_leaf

MOST_LOOKS = 300_000
"""Positions that are looked at."""
MOST_DEALS = 20_000
"""Deals that are looked at for the hands that there are."""
NOTHING = np.uint64(0)
GROWING_BYTES = 120
"""What building the tree takes for each position, before the solver's own arrays."""


@dataclass(frozen=True)
class TreeSize:
    """What there is to solve."""

    hands: tuple[int, int]
    decisions: tuple[int, int]
    """Public positions in which each player acts."""
    moves: tuple[int, int]
    """All that they may do there."""
    leaves: int
    complete: bool
    """False if there is more than could be looked at."""

    @property
    def positions(self) -> int:
        """Public positions."""
        return sum(self.decisions) + self.leaves

    @property
    def information_sets(self) -> int:
        """Decisions as the players can tell them apart."""
        return sum(a * b for a, b in zip(self.decisions, self.hands, strict=True))

    def bytes(self, precision: type[np.floating[Any]]) -> int:
        """Memory for solving it: while the tree is built, or of the solver, whichever is more."""
        entries = sum(a * b for a, b in zip(self.moves, self.hands, strict=True))
        by_node = sum(self.decisions) * (sum(self.hands) + max(self.hands))
        solving = (2 * entries + by_node) * np.dtype(precision).itemsize
        return max(GROWING_BYTES * self.positions, solving)


@kernel
def offer_key(state: Record) -> np.uint64:
    """A hash of who acts and of all that they may do."""
    key = np.uint64(int(actor(state)))
    for index in range(action_count(state)):
        key = combine(key, int(action(state, index)))
    return key


@kernel
def look(states: Record, keys: npt.NDArray[np.uint64]) -> int:
    """Write all that can follow ``states[0]`` behind it; returns how much.

    The keys tell what follows apart by what is on offer there; settled rounds have NOTHING.
    """
    count = int(action_count(states[0]))
    for index in range(count):
        child = states[1 + index]
        copy(child, states[0])
        apply(child, int(action(child, index)))
        keys[index] = NOTHING if is_leaf(child) else offer_key(child)
    return count


def tree_size(start: State, seed: int = 1) -> TreeSize:
    """Count the tree of a round that is about to be dealt, between two players."""
    chance = random.Random(seed)
    states = np.zeros(1 + start.game.properties.max_actions, start.game.dtype)
    keys = np.zeros(len(states), np.uint64)
    states[0] = start.record
    chance_outcome(states[0], 0)
    who_acts = start.game.operations.actor
    layer: dict[int, tuple[Record, int]] = {0: (states[0].copy(), 1)}
    decisions, moves, leaves, looks = [0] * PLAYERS, [0] * PLAYERS, 0, 0
    while layer and looks < MOST_LOOKS:
        following: dict[int, tuple[Record, int]] = {}
        for record, alike in layer.values():
            states[0] = record
            seat, count = int(who_acts(record)), int(look(states, keys))
            decisions[seat] += alike
            moves[seat] += alike * count
            looks += count
            for index, key in enumerate(keys[:count].tolist()):
                if key == NOTHING:
                    leaves += alike
                    continue
                kept, others = following.get(key, (None, 0))
                together = others + alike
                if chance.randrange(together) < alike:
                    kept = states[1 + index].copy()
                following[key] = (kept, together)
        layer = following
    return TreeSize(
        hands=_hands(start),
        decisions=(decisions[0], decisions[1]),
        moves=(moves[0], moves[1]),
        leaves=leaves,
        complete=not layer,
    )


def _hands(start: State) -> tuple[int, int]:
    """How many hands each player can have: all deals, or where these are many a sample."""
    deals = int(chance_count(start.record))
    every = 0 < deals <= MOST_DEALS
    game, states = start.game.operations, np.zeros(2, start.game.dtype)
    states[0] = start.record
    seen: tuple[set[int], set[int]] = (set(), set())
    for index in range(deals if every else MOST_DEALS):
        states[1] = states[0]
        if every:
            game.chance_outcome(states[1], index)
        else:
            game.deal(states[1], key_of(index))
        for seat in range(PLAYERS):
            seen[seat].add(int(game.information_key(states[1], seat)))
    return len(seen[0]), len(seen[1])
