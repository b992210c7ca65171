"""A search tree: visits and the mean payoff of each move, in a hash table of information sets.

Move selection by UCB and by regret matching is here too, since both are functions of these
statistics alone.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, below, uniform, whole
from perudo.games.kernel import kernel

INFORMATION_SET: np.dtype[Any] = np.dtype(
    (np.record, [("key", "u8"), ("first", "i8"), ("visits", "i4"), ("moves", "i4")])
)
MOVE: np.dtype[Any] = np.dtype((np.record, [("value", "f8"), ("doubt", "f4"), ("visits", "i4")]))
"""A move's statistics. Values are running means: Q += (r - Q) / n, which the thesis prints as
Q += r / n. Doubt is 1 / sqrt(n), kept because it is used far more often than it changes. Records
are small, since a search mostly waits for memory."""
NOWHERE = -1


class SearchTree(NamedTuple):
    """The statistics of information sets and of their moves."""

    sets: Any
    """A hash table of INFORMATION_SET; its size is a power of two."""
    moves: Any
    """An array of MOVE; the moves of one set are consecutive."""
    used: npt.NDArray[np.int64]
    """The numbers of sets and of moves in use."""


@kernel
def new_tree(sets: int, moves: int) -> SearchTree:
    """Return an empty tree with room for ``sets / 2`` information sets and for ``moves`` moves."""
    return SearchTree(np.zeros(sets, INFORMATION_SET), np.empty(moves, MOVE), np.zeros(2, np.int64))


@kernel
def find(tree: SearchTree, key: np.uint64) -> int:
    """Return the index of an information set, or the free index for it."""
    sets = tree.sets
    mask = np.uint64(sets.size - 1)
    place = key & mask
    while sets[place].visits > 0 and sets[place].key != key:
        place = (place + np.uint64(1)) & mask
    return whole(place)


@kernel
def open_set(tree: SearchTree, place: int, key: np.uint64, count: int) -> bool:
    """Add an information set; return false if there is no room.

    ``open_moves`` adds its moves at the second visit: most sets are visited once, and their moves
    would take most of the time and memory.
    """
    sets, used = tree.sets, tree.used
    if 2 * used[0] >= sets.size:
        return False
    sets[place].key = key
    sets[place].visits = 1
    sets[place].first = NOWHERE
    sets[place].moves = count
    used[0] += 1
    return True


@kernel
def open_moves(tree: SearchTree, place: int) -> bool:
    """Add the moves of an information set; return false if there is no room."""
    sets, moves, used = tree.sets, tree.moves, tree.used
    count = sets[place].moves
    if used[1] + count > moves.size:
        return False
    sets[place].first = used[1]
    for index in range(count):
        moves[used[1] + index].visits = 0
        moves[used[1] + index].value = 0.0
    used[1] += count
    return True


@kernel
def count_payoff(move: Any, payoff: float) -> None:
    """Update a move's statistics with a payoff."""
    move.visits += 1
    move.value += (payoff - move.value) / float(move.visits)
    move.doubt = 1.0 / math.sqrt(float(move.visits))


@kernel
def best_by_ucb(tree: SearchTree, place: int, c: float, stream: Stream) -> int:
    """Return the move with the highest mean + c sqrt(log N / n); unvisited moves come first.

    The thesis prints a bonus that is added to the last bound; here it is added to the mean. Ties
    are broken at random: otherwise two searchers can cycle in step in rock, paper, scissors, one of
    them always ahead.
    """
    moves, first = tree.moves, int(tree.sets[place].first)
    count, visits = int(tree.sets[place].moves), int(tree.sets[place].visits)
    best, chosen, equals = -np.inf, 0, 1
    spread = c * math.sqrt(math.log(float(visits)))
    for index in range(count):
        move = moves[first + index]
        if move.visits == 0:
            return index
        bound = move.value + spread * move.doubt
        if bound > best:
            best, chosen, equals = bound, index, 1
        elif bound == best:
            equals += 1
            if below(stream, equals) == 0:
                chosen = index
    return chosen


@kernel
def regret(move: Any, mean: float, floor: float) -> float:
    """Return a move's advantage over the mean, or ``floor`` if it has none."""
    gain = move.value - mean
    return gain if gain > 0.0 else floor


@kernel
def mean_value(moves: Any, first: int, count: int) -> float:
    """Return the value of an information set: the mean of its moves, weighted by visits."""
    total, visits = 0.0, 0
    for index in range(count):
        move = moves[first + index]
        total += move.value * float(move.visits)
        visits += int(move.visits)
    return total / max(visits, 1)


@kernel
def drawn_by_regret(tree: SearchTree, place: int, floor: float, stream: Stream) -> int:
    """Draw a move in proportion to its regret; unvisited moves come first."""
    moves, first = tree.moves, int(tree.sets[place].first)
    count = int(tree.sets[place].moves)
    mean, total = mean_value(moves, first, count), 0.0
    for index in range(count):
        if moves[first + index].visits == 0:
            return index
        total += regret(moves[first + index], mean, floor)
    if total <= 0.0:
        return below(stream, count)
    draw = uniform(stream) * total
    for index in range(count):
        draw -= regret(moves[first + index], mean, floor)
        if draw < 0.0:
            return index
    return count - 1
