"""The schedule of a tournament, block by block.

A block is one table of agents, played in all rotations of its seats with the same dice. The
schedule has no end, so a tournament can be extended; it depends only on the seed.
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
"""The most tables that a schedule can have."""
TABLES, ORDER, DICE = range(3)
"""The random draws: the order of the tables, the order of a table's seats, and the dice."""

Value = TypeVar("Value")


def shuffled(values: Sequence[Value], stream: Stream) -> list[Value]:
    """Return the values in random order."""
    drawn = list(values)
    for last in range(len(drawn) - 1, 0, -1):
        other = below(stream, last + 1)
        drawn[last], drawn[other] = drawn[other], drawn[last]
    return drawn


class Schedule:
    """A schedule that cycles through all tables of different agents, each time in a new order.

    With ``teams`` there is one table: the first of two agents has half of its seats, the second the
    other half.
    """

    def __init__(self, agents: int, players: int, seed: int, teams: bool = False) -> None:
        self._seed = seed
        if teams:
            if agents != 2:
                raise PerudoError(f"a test compares two agents, not {agents}")
            if players < 2 or players % 2:
                raise PerudoError(
                    f"a test gives each agent half of the seats, so {players} should be even"
                )
            half = players // 2
            self._tables: list[tuple[int, ...]] = [(0,) * half + (1,) * half]
        else:
            check_tables(agents, players)
            self._tables = list(itertools.combinations(range(agents), players))
        self._cycle = functools.lru_cache(2)(self._draw_cycle)

    def lineup(self, block: int) -> tuple[int, ...]:
        """Return the agent in each seat in a block's first rotation."""
        cycle, place = divmod(block, len(self._tables))
        return tuple(shuffled(self._cycle(cycle)[place], stream_of(self._seed, ORDER, block)))

    def dice_seed(self, block: int) -> int:
        """Return the seed of a block's games, the same in all its rotations."""
        return int(key_of(self._seed, DICE, block))

    def _draw_cycle(self, cycle: int) -> list[tuple[int, ...]]:
        return shuffled(self._tables, stream_of(self._seed, TABLES, cycle))


def check_tables(agents: int, players: int) -> None:
    """Raise an error if there are too few agents or too many tables."""
    if agents < 2:
        raise PerudoError("a tournament needs at least two different agents")
    if players < 2:
        raise PerudoError("a table has at least two players")
    if players > agents:
        raise PerudoError(
            f"a table of {players} needs {players} different agents, and there are {agents}; "
            f"name more agents, or use --players {agents}"
        )
    if math.comb(agents, players) > MOST_TABLES:
        raise PerudoError(
            f"{agents} agents make more than {MOST_TABLES:,} tables of {players}; "
            "choose fewer agents, or smaller tables"
        )


def rotated(lineup: Sequence[Value], rotation: int) -> list[Value]:
    """Return a lineup with each agent moved on by a number of seats.

    >>> rotated("ABCD", 1)
    ['D', 'A', 'B', 'C']
    """
    turn = -rotation % len(lineup)
    return [*lineup[turn:], *lineup[:turn]]
