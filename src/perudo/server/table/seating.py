"""Who sits where in a series of AIs: everybody everywhere equally often.

An *entrant* is whoever sat at a seat when the series began, and has that seat's number. A *sitting*
lists the entrants by the seats that they have now.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from perudo.games.policy import Memory


def sitting_of(table: str, first_game: int, game: int, players: int) -> list[int]:
    """The sitting of a game of a series; the first is as the table was made.

    In every so many games as there are players each entrant has each seat once. Who sits beside
    whom is drawn anew after these, from the table's id and the number of the series' first game.
    """
    block, place = divmod(game - first_game, players)
    drawn = random.Random(f"{table} {first_game} {block}")
    entrants, turns = list(range(players)), list(range(players))
    drawn.shuffle(turns)
    if block == 0:
        turns.sort(key=bool)  # nobody has moved before the first game
    else:
        drawn.shuffle(entrants)
    turn = turns[place]
    return entrants[turn:] + entrants[:turn]


def seated(memory: Memory, sitting: Sequence[int]) -> Memory:
    """What somebody remembers of each entrant, by the seats that they have now."""
    return memory[_rows(memory, sitting)]


def by_entrant(memory: Memory, sitting: Sequence[int]) -> Memory:
    """The same back again."""
    arranged = np.empty_like(memory)
    arranged[_rows(memory, sitting)] = memory
    return arranged


def _rows(memory: Memory, sitting: Sequence[int]) -> list[int]:
    return [*sitting, *range(len(sitting), len(memory))]
