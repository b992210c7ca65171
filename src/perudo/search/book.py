"""A book: the pages of many rounds in a few arrays, that a compiled policy looks things up in."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.chance import combine
from perudo.games.kernel import INTERPRETED, kernel
from perudo.games.policy import Parameters
from perudo.search.memory_graph import FREE, find
from perudo.search.outcomes import Keys
from perudo.search.page import Page

Places = npt.NDArray[np.int64]
SIZE, KEYS, FIRST, MOVES, LENGTH, CHANCES = range(6)
"""Where a policy's parameters say what arrays there are; see ``Book.parameters``."""
MISSING = -1


@kernel
def position_key(memory_key: np.uint64, memory: int, standing: int) -> np.uint64:
    """A public position of a round, of one of a book's standings."""
    return combine(combine(memory_key, memory), standing)


@kernel
def fill(
    table: Keys,
    first: Places,
    moves: Places,
    keys: Keys,
    memory: int,
    standing: int,
    starts: Places,
    counts: Any,
    begin: int,
) -> None:
    """Enter the positions of a page into the hash table of a book."""
    for index in range(keys.size):
        key = position_key(keys[index], memory, standing)
        place = find(table, key)
        table[place] = key
        first[place] = begin + starts[index]
        moves[place] = counts[index]


@dataclass(frozen=True)
class Book:
    """Chances by position and hand."""

    keys: Keys
    first: Places
    moves: Places
    chances: npt.NDArray[np.uint16]

    @staticmethod
    def of(pages: Iterable[tuple[int, Page]]) -> Book:
        """Bind pages, each with a number that stands for its standing."""
        bound = list(pages)
        positions = sum(len(page.keys) for _, page in bound)
        size = 1 << (2 * positions + 16).bit_length()
        table = np.zeros(size, np.uint64)
        first, moves = np.zeros(size, np.int64), np.zeros(size, np.int64)
        begin = 0
        for standing, page in bound:
            memory = int(page.about["memory"])
            starts, counts = page.first, page.moves
            fill(table, first, moves, page.keys, memory, standing, starts, counts, begin)
            begin += len(page.chances)
        chances = np.concatenate([page.chances for _, page in bound])
        return Book(table, first, moves, chances)

    @property
    def parameters(self) -> Parameters:
        """The arrays' sizes and addresses. They are only good while the book is kept."""
        size, length = len(self.keys), len(self.chances)
        addresses = [
            float(array.ctypes.data) for array in (self.keys, self.first, self.moves, self.chances)
        ]
        keys, first, moves, chances = addresses
        return np.array([size, keys, first, moves, length, chances])


if INTERPRETED:

    def keys_at(address: float, size: float) -> Any:
        """The array of words at an address."""
        kind = ctypes.c_uint64 * int(size)
        return np.ctypeslib.as_array(kind.from_address(int(address)))

    def places_at(address: float, size: float) -> Any:
        """The array of places at an address."""
        return np.ctypeslib.as_array((ctypes.c_int64 * int(size)).from_address(int(address)))

    def chances_at(address: float, size: float) -> Any:
        """The array of chances at an address."""
        return np.ctypeslib.as_array((ctypes.c_uint16 * int(size)).from_address(int(address)))

else:
    from numba import carray
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]  # numba ships no types
    def pointer_to(typing_context: Any, address: Any) -> Any:
        """An address as a pointer."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            nowhere = context.get_constant_null(types.voidptr)
            return builder.inttoptr(arguments[0], nowhere.type)

        return types.voidptr(types.uint64), generate

    @kernel
    def keys_at(address: float, size: float) -> Any:
        """The array of words at an address."""
        return carray(pointer_to(np.uint64(address)), (int(size),), np.uint64)

    @kernel
    def places_at(address: float, size: float) -> Any:
        """The array of places at an address."""
        return carray(pointer_to(np.uint64(address)), (int(size),), np.int64)

    @kernel
    def chances_at(address: float, size: float) -> Any:
        """The array of chances at an address."""
        return carray(pointer_to(np.uint64(address)), (int(size),), np.uint16)


@kernel
def look_up(parameters: Parameters, key: np.uint64) -> int:
    """Where a position is in the book's table, or MISSING."""
    table = keys_at(parameters[KEYS], parameters[SIZE])
    place = find(table, key)
    return place if table[place] != FREE else MISSING


@kernel
def chance_at(parameters: Parameters, place: int, hand: int, move: int) -> float:
    """The chance, on some scale, of a move at a place of the table with a hand."""
    first = places_at(parameters[FIRST], parameters[SIZE])
    moves = places_at(parameters[MOVES], parameters[SIZE])
    chances = chances_at(parameters[CHANCES], parameters[LENGTH])
    return float(chances[first[place] + hand * moves[place] + move])
