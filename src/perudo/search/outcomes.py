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

from perudo.games.game import SPECTATOR, Record, forget_round, information_key
from perudo.games.kernel import kernel
from perudo.games.state import State

Real = npt.NDArray[np.float64]
Small = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]


@kernel
def standing_key(state: Record) -> np.uint64:
    """Where the match stands after a settled round, whose rest is forgotten."""
    forget_round(state)
    key: np.uint64 = information_key(state, SPECTATOR)
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
    standings: Small
    """Which of the states below it leads to."""
    states: tuple[State, ...]

    def payoffs(self, values: Real | None = None) -> Real:
        """The tables in numbers: by the round, or by what each standing is worth."""
        worth = self.round_payoffs if values is None else values[self.standings]
        return np.asarray((worth * self.ratios)[self.tables])


def gather(
    payoffs: list[Real], keys: list[Keys], ratio: Real, example: Callable[[int, int, int], State]
) -> Outcomes:
    """Number the outcomes of leaf tables; ``example`` plays a table's leaf for a pair of hands."""
    shape = (len(payoffs), *ratio.shape)
    cells = np.zeros(
        shape, [("standing", np.uint64), ("payoff", np.float64), ("ratio", np.float64)]
    )
    cells["standing"], cells["payoff"] = np.stack(keys), np.stack(payoffs)
    cells["ratio"] = ratio
    cells[np.broadcast_to(ratio == 0.0, shape)] = (0, 0.0, 0.0)  # hands that exclude each other
    found, places, numbers = np.unique(cells, return_index=True, return_inverse=True)
    standing_keys, where = np.unique(found["standing"], return_inverse=True)
    states = []
    for key in standing_keys:
        first = int(places[np.flatnonzero(found["standing"] == key)[0]])
        table, rest = divmod(first, ratio.size)
        states.append(example(table, *divmod(rest, ratio.shape[1])))
    row_kinds, column_kinds, tables = _compress(numbers.reshape(shape).astype(np.int32))
    return Outcomes(
        tables=tables,
        row_kinds=row_kinds,
        column_kinds=column_kinds,
        ratios=found["ratio"].copy(),
        round_payoffs=found["payoff"].copy(),
        standings=where.astype(np.int32),
        states=tuple(states),
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
