"""Values of a match between rounds, by dice counts and next opener: probabilities to win it.

There is a table for each number of players left, by the counts in the order of turns from the
opener on. It is learnt from matches that the models play. Palafico makes no difference to it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import next_live

Worth = npt.NDArray[np.float64]
MOST_DICE = 5
MOST_PLAYERS = 6
FIRST = np.zeros(MOST_PLAYERS + 2, np.int64)
"""Offset of the table for each number of players."""
for _players in range(2, MOST_PLAYERS + 1):
    FIRST[_players + 1] = FIRST[_players] + _players * MOST_DICE**_players
SIZE = int(FIRST[-1])


@kernel
def place_in_table(state: Record, loser: int) -> int:
    """Return the offset of a position's values: one for each player left, from the opener on.

    With a ``loser`` (or -1), of the position in which that seat has lost a die and opens.
    """
    players = int(state.live)
    opener = int(state.opener)
    if loser >= 0:
        opener = loser
        if state.counts[loser] == 1:
            opener = next_live(state, loser)
            players -= 1
    if players < 2 or players > MOST_PLAYERS:
        return -1
    seat, number = opener, 0
    for _ in range(players):
        count = int(state.counts[seat]) - (seat == loser)
        number = number * MOST_DICE + min(count, MOST_DICE) - 1
        seat = next_live(state, seat)
        if loser >= 0 and seat == loser and state.counts[loser] == 1:
            seat = next_live(state, seat)
    return int(FIRST[players]) + number * players


@kernel
def turns_from(state: Record, opener: int, seat: int, gone: int) -> int:
    """Count the turns from the opener to a seat, skipping one seat (or -1)."""
    turns, at = 0, opener
    while at != seat and turns < MOST_PLAYERS:
        at = next_live(state, at)
        if at != gone:
            turns += 1
    return turns


@kernel
def worth_to(state: Record, worth: Worth, seat: int) -> float:
    """Return the probability that a seat wins the match, between rounds."""
    if state.counts[seat] == 0:
        return 0.0
    if state.live == 1:
        return 1.0
    place = place_in_table(state, -1)
    if place < 0:
        return float(state.counts[seat]) / float(state.total)
    return float(worth[place + turns_from(state, int(state.opener), seat, -1)])


@kernel
def worth_after_loss(state: Record, worth: Worth, seat: int, loser: int) -> float:
    """Return the probability that a seat wins if ``loser`` loses a die now and opens next."""
    out = state.counts[loser] == 1
    if seat == loser and out:
        return 0.0
    if out and state.live == 2:
        return 1.0
    place = place_in_table(state, loser)
    if place < 0:
        return float(state.counts[seat] - (seat == loser)) / float(state.total - 1)
    opener = next_live(state, loser) if out else loser
    return float(worth[place + turns_from(state, opener, seat, loser if out else -1)])
