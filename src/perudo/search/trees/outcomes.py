"""What settled rounds lead to, by pairs of hands: a payoff, and where the match then stands.

Leaves of a round are few in kind, and so are outcomes. Tables hold the outcomes' numbers, hands
with equal rows or columns sharing one: so a round can be valued for the die at stake, or, with a
value for each standing, for the match.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perudo.games.chance import combine
from perudo.games.game import (
    MATCH,
    OVER,
    Record,
    actor,
    forget_round,
    information_key,
    payoff,
)
from perudo.games.kernel import kernel
from perudo.games.state import State

Real = npt.NDArray[np.float64]
Small = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.float32]
Players = tuple[Numbers, Numbers]
"""Regrets or strategies of two players."""
MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
"""Odd numbers that make different triples different words."""
PAYOFF_UNITS, LEAST_PAYOFF = 1_000_000, 1_000_000
"""Payoffs of a match become whole numbers that are not negative."""


@kernel
def match_state_key(state: Record) -> np.uint64:
    """Where the match stands after a settled round, whose rest is forgotten.

    Of a match that is over nothing matters but what it pays.
    """
    forget_round(state)
    over = actor(state) == OVER
    key = np.uint64(over)
    for seat in range(int(state.players)):
        if over:
            key = combine(key, int(PAYOFF_UNITS * (payoff(state, MATCH, seat) + LEAST_PAYOFF)))
        else:
            key = combine(key ^ information_key(state, seat), seat)
    return key


@dataclass(frozen=True)
class Outcomes:
    """The tables of all kinds of leaves, and what their numbers mean."""

    tables: Small
    """By leaf table, and by kinds of the first and of the second player's hands."""
    row_kinds: Small
    """By leaf table and first player's hand: its kind."""
    column_kinds: Small
    ratios: Real
    """Of each outcome: how much likelier the pair of hands is than if hands were independent."""
    round_payoffs: Real
    """What it pays the first player, as far as the round goes."""
    state_numbers: Small
    """Which of the states below it leads to."""
    states: tuple[State, ...]

    def payoffs(self, values: Real | None = None) -> Real:
        """The tables in numbers: by the round, or by what each standing is worth."""
        worth = self.round_payoffs if values is None else values[self.state_numbers]
        return np.asarray((worth * self.ratios)[self.tables])


def gather(
    payoffs: list[Real], keys: list[Keys], ratio: Real, example: Callable[[int, int, int], State]
) -> Outcomes:
    """Number the outcomes of leaf tables; ``example`` plays a table's leaf for a pair of hands."""
    numbers = np.zeros((len(payoffs), *ratio.shape), np.int32)
    outcomes: dict[tuple[int, float, float], int] = {}
    states: dict[int, tuple[int, State]] = {}
    for table, (pays, key) in enumerate(zip(payoffs, keys, strict=True)):
        # Sorting numbers is much faster than sorting triples.
        mixed = key * MULTIPLIERS[0]
        mixed ^= pays.view(np.uint64) * MULTIPLIERS[1] ^ ratio.view(np.uint64) * MULTIPLIERS[2]
        mixed[ratio == 0.0] = 0  # hands that exclude each other
        _, places, which = np.unique(mixed, return_index=True, return_inverse=True)
        found = []
        for place in places:
            hands = np.unravel_index(int(place), ratio.shape)
            one, other = int(hands[0]), int(hands[1])
            possible = ratio[one, other] != 0.0
            what = (
                int(key[hands]) if possible else 0,
                float(pays[hands]) if possible else 0.0,
                float(ratio[hands]),
            )
            if what[0] not in states:
                states[what[0]] = (len(states), example(table, one, other))
            found.append(outcomes.setdefault(what, len(outcomes)))
        numbers[table] = np.array(found, np.int32)[which].reshape(ratio.shape)
    row_kinds, column_kinds, tables = _compress(numbers)
    return Outcomes(
        tables=tables,
        row_kinds=row_kinds,
        column_kinds=column_kinds,
        ratios=np.array([what[2] for what in outcomes]),
        round_payoffs=np.array([what[1] for what in outcomes]),
        state_numbers=np.array([states[what[0]][0] for what in outcomes], np.int32),
        states=tuple(state for _, state in states.values()),
    )


def _compress(tables: Small) -> tuple[Small, Small, Small]:
    """Hands with equal rows, and with equal columns, are of one kind: tables become small."""
    row_kinds = np.zeros(tables.shape[:2], np.int32)
    column_kinds = np.zeros((len(tables), tables.shape[2]), np.int32)
    small = []
    for index, table in enumerate(tables):
        rows, row_kinds[index] = np.unique(table, axis=0, return_inverse=True)
        cells, column_kinds[index] = np.unique(rows, axis=1, return_inverse=True)
        small.append(cells)
    shape = (len(tables), max(t.shape[0] for t in small), max(t.shape[1] for t in small))
    kinds = np.zeros(shape, np.int32)
    for index, cells in enumerate(small):
        kinds[index, : cells.shape[0], : cells.shape[1]] = cells
    return row_kinds, column_kinds, kinds
