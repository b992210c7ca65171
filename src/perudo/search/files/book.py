"""A book: the pages of many rounds in a few arrays that a compiled policy can search."""

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
from perudo.search.files.page import Page
from perudo.search.trees.memory_graph import FREE, find
from perudo.search.trees.outcomes import Keys

Places = npt.NDArray[np.int64]
SIZE, KEYS, FIRST, MOVES, LENGTH, CHANCES = range(6)
"""Indices of the arrays' sizes and addresses in a policy's parameters; see ``Book.parameters``."""
MISSING = -1


@kernel
def position_key(memory_key: np.uint64, memory: int, match_state: int) -> np.uint64:
    """Return a book's key of a public position: the match state is part of it."""
    return combine(combine(memory_key, memory), match_state)


@kernel
def position_keys(keys: Keys, memory: int, match_state: int) -> Keys:
    """Return the book's keys of all positions of a page."""
    found = np.empty_like(keys)
    for index in range(keys.size):
        found[index] = position_key(keys[index], memory, match_state)
    return found


@kernel
def enter(
    table: Keys, first: Places, moves: Places, keys: Keys, starts: Places, counts: Any
) -> None:
    """Insert positions into the hash table, under these keys."""
    for index in range(keys.size):
        place = find(table, keys[index])
        table[place] = keys[index]
        first[place] = starts[index]
        moves[place] = counts[index]


@dataclass(frozen=True)
class Book:
    """Move probabilities by position and hand, in an open hash table."""

    keys: Keys
    first: Places
    moves: Places
    chances: npt.NDArray[np.uint16]

    @staticmethod
    def of(pages: Iterable[tuple[int, Page]]) -> Book:
        """Combine pages, each given with the number of its match state."""
        bound = list(pages)
        positions = sum(len(page.keys) for _, page in bound)
        size = 1 << (2 * positions + 16).bit_length()
        table = np.zeros(size, np.uint64)
        first, moves = np.zeros(size, np.int64), np.zeros(size, np.int64)
        begin = 0
        for match_state, page in bound:
            keys = position_keys(page.keys, int(page.about["memory"]), match_state)
            enter(table, first, moves, keys, page.first + begin, page.moves)
            begin += len(page.chances)
        chances = np.concatenate([page.chances for _, page in bound])
        return Book(table, first, moves, chances)

    @staticmethod
    def plain(page: Page) -> Book:
        """Return a book of one page, looked up by the page's own keys."""
        size = 1 << (2 * len(page.keys) + 16).bit_length()
        table = np.zeros(size, np.uint64)
        first, moves = np.zeros(size, np.int64), np.zeros(size, np.int64)
        enter(table, first, moves, page.keys, page.first, page.moves)
        return Book(table, first, moves, page.chances)

    @property
    def parameters(self) -> Parameters:
        """The arrays' sizes and addresses, valid only while the book is alive."""
        size, length = len(self.keys), len(self.chances)
        addresses = [
            float(array.ctypes.data) for array in (self.keys, self.first, self.moves, self.chances)
        ]
        keys, first, moves, chances = addresses
        return np.array([size, keys, first, moves, length, chances])


if INTERPRETED:

    def keys_at(address: float, size: float) -> Any:
        """Return the array of 64-bit keys at an address."""
        kind = ctypes.c_uint64 * int(size)
        return np.ctypeslib.as_array(kind.from_address(int(address)))

    def places_at(address: float, size: float) -> Any:
        """Return the array of 64-bit integers at an address."""
        return np.ctypeslib.as_array((ctypes.c_int64 * int(size)).from_address(int(address)))

    def chances_at(address: float, size: float) -> Any:
        """Return the array of 16-bit probabilities at an address."""
        return np.ctypeslib.as_array((ctypes.c_uint16 * int(size)).from_address(int(address)))

    def reals_at(address: float, size: float) -> Any:
        """Return the array of floating-point numbers at an address."""
        return np.ctypeslib.as_array((ctypes.c_double * int(size)).from_address(int(address)))

else:
    from numba import carray
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]  # numba ships no types
    def pointer_to(typing_context: Any, address: Any) -> Any:
        """Return an address as a pointer."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            nowhere = context.get_constant_null(types.voidptr)
            return builder.inttoptr(arguments[0], nowhere.type)

        return types.voidptr(types.uint64), generate

    @kernel
    def keys_at(address: float, size: float) -> Any:
        """Return the array of 64-bit keys at an address."""
        return carray(pointer_to(np.uint64(address)), (int(size),), np.uint64)

    @kernel
    def places_at(address: float, size: float) -> Any:
        """Return the array of 64-bit integers at an address."""
        return carray(pointer_to(np.uint64(address)), (int(size),), np.int64)

    @kernel
    def chances_at(address: float, size: float) -> Any:
        """Return the array of 16-bit probabilities at an address."""
        return carray(pointer_to(np.uint64(address)), (int(size),), np.uint16)

    @kernel
    def reals_at(address: float, size: float) -> Any:
        """Return the array of floating-point numbers at an address."""
        return carray(pointer_to(np.uint64(address)), (int(size),), np.float64)


@kernel
def look_up(parameters: Parameters, key: np.uint64) -> int:
    """Return the index of a position in the book's hash table, or MISSING."""
    table = keys_at(parameters[KEYS], parameters[SIZE])
    place = find(table, key)
    return place if table[place] != FREE else MISSING


@kernel
def chance_at(parameters: Parameters, place: int, hand: int, move: int) -> float:
    """Return a move's unnormalised probability at a position (an index of the table) by hand."""
    first = places_at(parameters[FIRST], parameters[SIZE])
    moves = places_at(parameters[MOVES], parameters[SIZE])
    chances = chances_at(parameters[CHANCES], parameters[LENGTH])
    return float(chances[first[place] + hand * moves[place] + move])
