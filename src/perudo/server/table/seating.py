"""The seating of a series of AIs: every player has every seat equally often.

A *seating* lists the players by the seats they have now. A player's number is the seat in which
they sat when the series began.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from perudo.games.policy import Memory


def seating_of(table: str, first_game: int, game: int, players: int) -> list[int]:
    """Return the seating of a game of a series; the first game keeps the table's order.

    In each block of as many games as there are players, every player has every seat once. Who sits
    beside whom is drawn for each block, from the table's id and the series' first game.
    """
    block, place = divmod(game - first_game, players)
    drawn = random.Random(f"{table} {first_game} {block}")
    order, turns = list(range(players)), list(range(players))
    drawn.shuffle(turns)
    if block == 0:
        turns.sort(key=bool)  # nobody has moved before the first game
    else:
        drawn.shuffle(order)
    turn = turns[place]
    return order[turn:] + order[:turn]


def by_seat(memory: Memory, seating: Sequence[int]) -> Memory:
    """Arrange what is remembered of each player by the seats that they have now."""
    return memory[_rows(memory, seating)]


def by_player(memory: Memory, seating: Sequence[int]) -> Memory:
    """Arrange what is remembered by seat by player again."""
    arranged = np.empty_like(memory)
    arranged[_rows(memory, seating)] = memory
    return arranged


def _rows(memory: Memory, seating: Sequence[int]) -> list[int]:
    return [*seating, *range(len(seating), len(memory))]
