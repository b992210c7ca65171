"""Who meets whom, block by block.

A block is one table of entrants, played in all rotations of its seats with the same dice. The
schedule goes on for ever, so a tournament can be made longer; and it only depends on the seed.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import TypeVar

from perudo.games.chance import Stream, below, key_of, stream_of
from perudo.games.errors import PerudoError

MOST_TABLES = 1_000_000
"""So many different tables can be kept in mind."""
TABLES, ORDER, DICE = range(3)
"""What is drawn: the order of the tables, of each table's seats, and the block's dice."""

Value = TypeVar("Value")


def shuffled(values: Sequence[Value], stream: Stream) -> list[Value]:
    """The values in an order that is drawn."""
    drawn = list(values)
    for last in range(len(drawn) - 1, 0, -1):
        other = below(stream, last + 1)
        drawn[last], drawn[other] = drawn[other], drawn[last]
    return drawn


class Schedule:
    """All tables of different entrants in turn, each time in another order.

    With ``teams`` there is one table: the first entrant has one half of its seats, the second the
    other.
    """

    def __init__(self, entrants: int, players: int, seed: int, teams: bool = False) -> None:
        self._seed = seed
        if teams:
            if entrants != 2:
                raise PerudoError(f"a test compares two agents, not {entrants}")
            if players < 2 or players % 2:
                raise PerudoError(
                    f"in a test both agents have half of the seats: {players} should be even"
                )
            half = players // 2
            self._tables: list[tuple[int, ...]] = [(0,) * half + (1,) * half]
        else:
            check_tables(entrants, players)
            self._tables = list(itertools.combinations(range(entrants), players))
        self._cycle = functools.lru_cache(2)(self._draw_cycle)

    def lineup(self, block: int) -> tuple[int, ...]:
        """Who sits where in a block's first rotation."""
        cycle, place = divmod(block, len(self._tables))
        return tuple(shuffled(self._cycle(cycle)[place], stream_of(self._seed, ORDER, block)))

    def dice_seed(self, block: int) -> int:
        """The seed of the block's games, the same in all its rotations."""
        return int(key_of(self._seed, DICE, block))

    def _draw_cycle(self, cycle: int) -> list[tuple[int, ...]]:
        return shuffled(self._tables, stream_of(self._seed, TABLES, cycle))


def check_tables(entrants: int, players: int) -> None:
    """Raise unless there are entrants enough, and not too many tables."""
    if entrants < 2:
        raise PerudoError("a tournament needs at least two different agents")
    if players < 2:
        raise PerudoError("a table has at least two players")
    if players > entrants:
        raise PerudoError(
            f"a table of {players} needs {players} different agents, and there are {entrants}; "
            f"name more, or say --players {entrants}"
        )
    if math.comb(entrants, players) > MOST_TABLES:
        raise PerudoError(
            f"{entrants} agents make more than {MOST_TABLES:,} tables of {players}; "
            "choose fewer agents, or smaller tables"
        )


def rotated(lineup: Sequence[Value], rotation: int) -> list[Value]:
    """Everybody moved on by some seats.

    >>> rotated("ABCD", 1)
    ['D', 'A', 'B', 'C']
    """
    turn = -rotation % len(lineup)
    return [*lineup[turn:], *lineup[:turn]]
