"""The champion's book for two players: solved rounds that ship with the package.

A round between two players without calza ends in one of two ways: one or the other loses a die.
Whatever the match is worth then, a player who wins each round as often as possible plays the match
as well as possible. So rounds are solved separately, and many rule sets share them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents.champion.knowledge import packaged
from perudo.agents.heads_up import from_opener
from perudo.agents.papers.cfr import number_of_hand
from perudo.games.chance import Stream, below
from perudo.games.game import Record, action, action_count, memory_key, workspace
from perudo.games.kernel import INTERPRETED, kernel
from perudo.games.perudo import PERUDO, Rules
from perudo.games.policy import (
    UNIFORM,
    Memory,
    Parameters,
    begin,
    choose,
    consider,
)
from perudo.search.files.book import MISSING, look_up, places_at, position_key, position_keys
from perudo.search.files.sealed import About
from perudo.search.files.sparse import KEY_MASK, SparsePage, load
from perudo.search.trees.memory_graph import find
from perudo.search.trees.outcomes import Keys

BOOK = "champion-two.book"
SIZE, KEYS, FIRST, BEGIN, COUNTS, COUNT, LISTED, MOVES, CHANCES, MEMORIES = range(10)
"""Indices of the parameters: sizes and addresses of the arrays, SIZE and KEYS as in
``search/files/book.py``; from MEMORIES on, by dice, how many moves a page remembers, or 0."""
MOST_DICE = 16
DICE_NUMBERS = MOST_DICE * MOST_DICE
PASS_DICE = 5


# --- which round is it? -------------------------------------------------------------------------
def plain_round(rules: Rules, dice: tuple[int, int]) -> Rules | None:
    """Return the rules of a round between two players, reduced to the options that affect it.

    Return None for palafico rounds of two, where the legal actions depend on more than the dice.
    """
    usual = Rules()
    changes = PERUDO.setting_options(rules) | {
        name: getattr(usual, name)
        for name in ("dice", "start_mode", "start_roll_tie", "dudo_starter", "exact_bid_doubted")
    }
    changes |= {"max_players": 2, "single_round": False}
    one_die_each = dice == (1, 1)
    palafico = rules.palafico != "off"
    if palafico and rules.two_player_palafico in ("full", "nonwild_trigger") and 1 in dice:
        return None
    nothing_wild = palafico and rules.two_player_palafico == "literal" and one_die_each
    changes["palafico"] = "automatic" if nothing_wild else "off"
    changes |= {
        name: getattr(usual, name)
        for name in (
            "palafico_face_change",
            "palafico_owner_may_change",
            "palafico_aces_wild",
            "two_player_palafico",
            "calza_in_palafico",
            "pass_in_palafico",
        )
    }
    if not nothing_wild:
        changes["nonwild_order"] = usual.nonwild_order
    if rules.ace_opening == "palafico_only":
        changes["ace_opening"] = "no"
    if rules.ace_rank != "above_double":
        changes["ace_exit_plus_one"] = changes["ace_exit_monotone"] = True
    if not (rules.calza and rules.calza_two_players):
        changes |= {name: getattr(usual, name) for name in changes if name.startswith("calza")}
        changes["calza"] = False
    if not rules.enable_pass or PASS_DICE not in dice:
        changes |= {name: getattr(usual, name) for name in ("consecutive_pass", "pass_on_opening")}
        changes["enable_pass"] = False
    plain: Rules = PERUDO.setting_from_options(changes)
    return plain


# --- the open book ------------------------------------------------------------------------------
@kernel
def enter_positions(
    table: Keys,
    first: npt.NDArray[np.int64],
    begin: npt.NDArray[np.int64],
    keys: Keys,
    rows: npt.NDArray[np.int64],
    moves: npt.NDArray[np.int64],
) -> None:
    """Enter keys, each with the offsets of its rows and of their moves."""
    for index in range(keys.size):
        place = find(table, keys[index])
        table[place] = keys[index]
        first[place] = rows[index]
        begin[place] = moves[index]


@dataclass(frozen=True)
class OpenBook:
    """The pages for some rules, as arrays that the policy reads."""

    keys: Keys
    first: npt.NDArray[np.int64]
    """Offset of each key's rows."""
    begin: npt.NDArray[np.int64]
    """Offset of each key's moves; an offset for each row would take the most memory of all."""
    counts: npt.NDArray[np.uint8]
    """Number of moves of each row: a position and a hand."""
    moves: npt.NDArray[np.uint8]
    chances: npt.NDArray[np.uint8]
    memories: npt.NDArray[np.float64]

    @staticmethod
    def of(pages: list[tuple[tuple[int, int], SparsePage]]) -> OpenBook:
        """Bind pages, each with its dice."""
        size = 1 << (2 * sum(len(page.keys) for _, page in pages) + 16).bit_length()
        table = np.zeros(size, np.uint64)
        first, begin = np.zeros((2, size), np.int64)
        memories = np.zeros(DICE_NUMBERS)
        rows, moves = 0, 0
        for dice, page in pages:
            dice_number, memory = number_of_dice(*dice), int(page.about["memory"])
            memories[dice_number] = memory
            keys = position_keys(page.keys, memory, dice_number)
            starts = page.first_rows
            ends = np.concatenate([[0], np.cumsum(page.counts, dtype=np.int64)])
            enter_positions(
                table, first, begin, keys, starts[:-1] + rows, ends[starts[:-1]] + moves
            )
            rows += len(page.counts)
            moves += len(page.moves)
        nothing = np.zeros(0, np.uint8)
        return OpenBook(
            table,
            first,
            begin,
            np.concatenate([nothing, *(page.counts for _, page in pages)]),
            np.concatenate([nothing, *(page.moves for _, page in pages)]),
            np.concatenate([nothing, *(page.chances for _, page in pages)]),
            memories,
        )

    @property
    def parameters(self) -> Parameters:
        """The arrays' sizes and addresses, which are valid as long as the book is kept."""
        head = [
            len(self.keys),
            self.keys.ctypes.data,
            self.first.ctypes.data,
            self.begin.ctypes.data,
            self.counts.ctypes.data,
            len(self.counts),
            len(self.moves),
            self.moves.ctypes.data,
            self.chances.ctypes.data,
        ]
        return np.concatenate([np.array(head, np.float64), self.memories])


def shipped(wanted: Callable[[About], bool] = lambda about: True) -> list[SparsePage]:
    """Read the pages that ship with the package; they are not cached, opened books are smaller."""
    return load(packaged(BOOK), BOOK, wanted)[1]


@functools.lru_cache(maxsize=64)
def open_book(rules: Rules) -> OpenBook:
    """Open the shipped pages for two players by these rules; all players share the open book."""

    def serves(about: About) -> bool:
        first, second = about["dice"]
        return plain_round(rules, (first, second)) == Rules.parse(about["rules"])

    pages = shipped(serves)
    return OpenBook.of([((page.about["dice"][0], page.about["dice"][1]), page) for page in pages])


# --- playing ------------------------------------------------------------------------------------
@kernel
def number_of_dice(first: int, second: int) -> int:
    """Return the opener's and the other's dice as a number."""
    return int(first) * MOST_DICE + int(second)


if INTERPRETED:
    import ctypes

    def bytes_at(address: float, size: float) -> Any:
        """Return the array of bytes at an address."""
        return np.ctypeslib.as_array((ctypes.c_uint8 * int(size)).from_address(int(address)))

else:
    from numba import carray

    from perudo.search.files.book import pointer_to

    @kernel
    def bytes_at(address: float, size: float) -> Any:
        """Return the array of bytes at an address."""
        return carray(pointer_to(np.uint64(address)), (int(size),), np.uint8)


@kernel
def consult(observation: Record, parameters: Parameters, thoughts: Record) -> bool:
    """List the book's mixture as thoughts; False if the book is silent about this position."""
    workspaces = workspace(observation, 2)
    view = workspaces[0]
    from_opener(view, observation)
    dice_number = number_of_dice(view.counts[0], view.counts[1])
    memory = int(parameters[MEMORIES + dice_number])
    if memory == 0:
        return False
    short = memory_key(view, memory) & KEY_MASK
    place = look_up(parameters, position_key(short, memory, dice_number))
    if place == MISSING:
        return False
    row = places_at(parameters[FIRST], parameters[SIZE])[place]
    counts = bytes_at(parameters[COUNTS], parameters[COUNT])
    begin = places_at(parameters[BEGIN], parameters[SIZE])[place]
    for _ in range(number_of_hand(view, int(view.viewer), workspaces)):
        begin += counts[row]
        row += 1
    end = begin + counts[row]
    moves = bytes_at(parameters[MOVES], parameters[LISTED])
    chances = bytes_at(parameters[CHANCES], parameters[LISTED])
    total, count = 0, action_count(observation)
    for index in range(begin, end):
        if moves[index] >= count:
            return False  # the position is another one whose shortened key is the same
        total += chances[index]
    for index in range(begin, end):
        said = action(observation, int(moves[index]))
        consider(thoughts, said, chances[index] / total, np.nan)
    return total > 0


@kernel
def play_two_players(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Draw from the book's mixture, or any legal move where the book is silent."""
    begin(thoughts)
    if consult(observation, parameters, thoughts):
        return choose(thoughts, stream)
    thoughts.mixed = UNIFORM
    return int(action(observation, below(stream, action_count(observation))))
