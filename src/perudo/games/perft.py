"""Perft: counts of a game's tree, node by node, to check its rules against known numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perudo.games.chance import combine
from perudo.games.errors import PerudoError
from perudo.games.game import State
from perudo.games.kernel import kernel
from perudo.games.operations import (
    CHANCE,
    Record,
    action,
    action_count,
    actor,
    apply,
    chance_count,
    chance_outcome,
    copy,
    information_key,
    round_over,
)

MAX_NODES = 2_000_000_000
"""The largest tree to count, in nodes."""
MAX_OUTCOMES = 2_000_000
"""The largest number of rolls to enumerate; eight dice have 1.7 million."""
MAX_DEPTH = 800
DECISIONS, TERMINALS, DEEPEST, TOO_LARGE = range(4)


@dataclass(frozen=True)
class PerftCount:
    """The size of one round's tree, from the roll or from a decision."""

    chance_outcomes: int
    decision_nodes: int
    terminal_nodes: int
    information_sets: int
    deepest: int
    """The longest line of play, in actions."""


@kernel
def count_below(
    stack: Record,
    next_action: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    keys: npt.NDArray[np.uint64],
    used: int,
) -> int:
    """Count the tree below ``stack[0]``, depth first; return the number of information sets so far.

    ``keys`` is a hash table with open addressing; a result of -1 means that it has to grow.
    """
    mask = np.uint64(len(keys) - 1)
    depth = 0
    next_action[0] = 0
    while depth >= 0:
        state = stack[depth]
        seat = actor(state)
        if seat < 0 or round_over(state):
            counts[TERMINALS] += 1
            depth -= 1
            continue
        if next_action[depth] == 0:
            counts[DECISIONS] += 1
            counts[DEEPEST] = max(counts[DEEPEST], depth + 1)
            if counts[DECISIONS] + counts[TERMINALS] > MAX_NODES or depth + 1 == MAX_DEPTH:
                counts[TOO_LARGE] = 1
                return used
            key = combine(information_key(state, seat), seat)
            if key == 0:
                key = np.uint64(1)  # 0 marks an empty place
            place = key & mask
            while keys[place] != 0 and keys[place] != key:
                place = (place + np.uint64(1)) & mask
            if keys[place] == 0:
                keys[place] = key
                used += 1
                if 2 * used > len(keys):
                    return -1
        if next_action[depth] < action_count(state):
            chosen = action(state, next_action[depth])
            next_action[depth] += 1
            copy(stack[depth + 1], state)
            apply(stack[depth + 1], chosen)
            depth += 1
            next_action[depth] = 0
        else:
            depth -= 1
    return used


@kernel
def set_up(stack: Record, start: Record, index: int) -> None:
    """Put the root of the n-th roll at the bottom of the stack."""
    copy(stack[0], start)
    if actor(start) == CHANCE:
        chance_outcome(stack[0], index)


def perft(state: State) -> PerftCount:
    """Count one round from a state, over all equally likely rolls if dice are to be rolled."""
    root = np.zeros(1, state.game.dtype)
    root[0] = state.record
    outcomes = int(chance_count(root[0])) if state.awaits_deal else 1
    if not 1 <= outcomes <= MAX_OUTCOMES:
        raise PerudoError("there are too many outcomes of chance to enumerate; use fewer dice")
    stack = np.zeros(MAX_DEPTH + 1, state.game.dtype)
    next_action = np.zeros(MAX_DEPTH + 1, np.int64)
    counts = np.zeros(4, np.int64)
    keys = np.zeros(1 << 12, np.uint64)
    used = 0
    for index in range(outcomes):
        while True:
            before = counts.copy()
            set_up(stack, root[0], index)
            added = int(count_below(stack, next_action, counts, keys, used))
            if counts[TOO_LARGE]:
                raise PerudoError(
                    f"the tree has more than {MAX_NODES} nodes or {MAX_DEPTH} actions in a row; "
                    "use fewer dice"
                )
            if added >= 0:
                used = added
                break
            counts[:] = before  # count this outcome again, with a larger table
            keys, used = _grown(keys)
    return PerftCount(
        chance_outcomes=outcomes,
        decision_nodes=int(counts[DECISIONS]),
        terminal_nodes=int(counts[TERMINALS]),
        information_sets=used,
        deepest=int(counts[DEEPEST]),
    )


@kernel
def insert_all(keys: npt.NDArray[np.uint64], table: npt.NDArray[np.uint64]) -> int:
    """Insert all keys into a hash table; return their number."""
    mask = np.uint64(len(table) - 1)
    used = 0
    for key in keys:
        if key != 0:
            place = key & mask
            while table[place] != 0:
                place = (place + np.uint64(1)) & mask
            table[place] = key
            used += 1
    return used


def _grown(keys: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], int]:
    table = np.zeros(4 * len(keys), np.uint64)
    return table, int(insert_all(keys, table))
