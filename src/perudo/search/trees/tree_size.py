"""The size of a round's public tree, estimated without building it.

Positions at one depth in which the same player has the same actions form a stratum. One of them,
drawn in proportion to the number that each represents, is expanded in place of all (Chen,
Heuristic sampling, 1992, after Knuth 1975). The count is exact where the size of a subtree depends
on the stratum alone, as it mostly does in bidding, and an unbiased estimate elsewhere.
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
    State,
    action,
    action_count,
    actor,
    apply,
    chance_count,
    chance_outcome,
    copy,
)
from perudo.games.kernel import kernel
from perudo.search.trees.public_tree import PLAYERS, is_leaf

MOST_LOOKS = 300_000
"""The largest number of positions to expand."""
MOST_DEALS = 20_000
"""The largest number of deals to examine for distinct hands."""
NOTHING = np.uint64(0)
GROWING_BYTES = 120
"""The memory to build the tree, in bytes for each position, without the solver's own arrays."""


@dataclass(frozen=True)
class TreeSize:
    """The size of a round's public tree."""

    hands: tuple[int, int]
    decisions: tuple[int, int]
    """The number of public positions in which each player acts."""
    moves: tuple[int, int]
    """The number of actions at those positions, by player."""
    leaves: int
    complete: bool
    """False if the limit on expanded positions ended the count."""

    @property
    def positions(self) -> int:
        """The number of public positions."""
        return sum(self.decisions) + self.leaves

    @property
    def information_sets(self) -> int:
        """The number of information sets: pairs of a decision and a hand of its actor."""
        return sum(a * b for a, b in zip(self.decisions, self.hands, strict=True))

    def bytes(self, precision: type[np.floating[Any]]) -> int:
        """Return the memory needed: by the builder or by the solver, whichever is more."""
        entries = sum(a * b for a, b in zip(self.moves, self.hands, strict=True))
        by_node = sum(self.decisions) * (sum(self.hands) + max(self.hands))
        solving = (2 * entries + by_node) * np.dtype(precision).itemsize
        return max(GROWING_BYTES * self.positions, solving)


@kernel
def offer_key(state: Record) -> np.uint64:
    """Return a hash of the actor and of all legal actions."""
    key = np.uint64(int(actor(state)))
    for index in range(action_count(state)):
        key = combine(key, int(action(state, index)))
    return key


@kernel
def look(states: Record, keys: npt.NDArray[np.uint64]) -> int:
    """Write the children of ``states[0]`` behind it, and their keys; return their number.

    A child's key is its stratum, or NOTHING if the round is settled.
    """
    count = int(action_count(states[0]))
    for index in range(count):
        child = states[1 + index]
        copy(child, states[0])
        apply(child, int(action(child, index)))
        keys[index] = NOTHING if is_leaf(child) else offer_key(child)
    return count


def tree_size(start: State, seed: int = 1) -> TreeSize:
    """Estimate the tree of a two-player round that is about to be dealt."""
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
    """Count each player's distinct hands, over all deals or, if these are too many, a sample."""
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
