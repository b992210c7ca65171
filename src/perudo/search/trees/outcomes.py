"""Outcomes of a round, by pairs of hands: a payoff, and the match state that follows.

Rounds have few different leaves and few different outcomes. A table for each kind of leaf holds
the numbers of outcomes, with one row or column for all hands that have equal ones. Solvers can thus
value a round by the dice at stake or, given a value for each match state, by the match.
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
    State,
    actor,
    forget_round,
    information_key,
    payoff,
)
from perudo.games.kernel import kernel

Real = npt.NDArray[np.float64]
Small = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.float32]
Players = tuple[Numbers, Numbers]
"""Regrets or strategies of two players."""
MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
"""Odd multipliers that hash different triples to different words."""
PAYOFF_UNITS, LEAST_PAYOFF = 1_000_000, 1_000_000
"""The scale and offset that turn a match's payoffs into non-negative integers."""


@kernel
def match_state_key(state: Record) -> np.uint64:
    """Return a key of the match state after a settled round; this erases the round from ``state``.

    Finished matches with equal payoffs have equal keys.
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
    """The tables of all kinds of leaves, and the outcomes that their numbers stand for."""

    tables: Small
    """Outcome numbers by leaf table, kind of the first player's hand, kind of the second's."""
    row_kinds: Small
    """The kind of each of the first player's hands, by leaf table and hand."""
    column_kinds: Small
    ratios: Real
    """The joint chance of each outcome's pair of hands, over the product of the single chances."""
    round_payoffs: Real
    """The round's payoff to the first player, by outcome."""
    state_numbers: Small
    """The index in ``states`` of the match state that follows, by outcome."""
    states: tuple[State, ...]

    def payoffs(self, values: Real | None = None) -> Real:
        """Return the tables as payoffs: the round's, or the given values of match states."""
        worth = self.round_payoffs if values is None else values[self.state_numbers]
        return np.asarray((worth * self.ratios)[self.tables])


def gather(
    payoffs: list[Real], keys: list[Keys], ratio: Real, example: Callable[[int, int, int], State]
) -> Outcomes:
    """Number the outcomes of leaf tables; ``example`` plays a table's leaf for two hands."""
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
    """Merge equal rows and equal columns; return the kinds of hands and the small tables."""
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
