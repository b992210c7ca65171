"""Positions with two players left, rearranged so that the round's opener is A and the other is B.

One strategy then serves both seats, and every pair of seats of a larger table.
"""

from __future__ import annotations

from perudo.games.game import Record, copy
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import (
    HISTORY_SEAT_SHIFT,
    history_action,
    history_seat,
    next_live,
)
from perudo.games.perudo.rules import MAX_PLAYERS, PALAFICO_OFF


@kernel
def place_of(seat: int, opener: int) -> int:
    """Return a seat's number with the opener as 0; negative values stay."""
    return seat if seat < 0 else (0 if seat == opener else 1)


@kernel
def move_bits(bits: int, opener: int, other: int) -> int:
    """Move the opener's and the other's bits to those of A and B."""
    return ((bits >> opener) & 1) | (((bits >> other) & 1) << 1)


@kernel
def from_opener(target: Record, source: Record) -> None:
    """Write a state or observation with two players left, rearranged, to ``target``."""
    copy(target, source)
    opener = int(source.opener)
    other = next_live(source, opener)
    target.players = 2
    target.viewer = place_of(int(source.viewer), opener)
    target.winner = place_of(int(source.winner), opener)
    target.opener = 0
    target.turn = place_of(int(source.turn), opener)
    target.pending = place_of(int(source.pending), opener)
    target.bidder = place_of(int(source.bidder), opener)
    target.passer = place_of(int(source.passer), opener)
    target.palafico = place_of(int(source.palafico), opener)
    target.palafico_due = place_of(int(source.palafico_due), opener)
    target.passed = move_bits(int(source.passed), opener, other)
    target.been_palafico = move_bits(int(source.been_palafico), opener, other)
    if source.rules.palafico == PALAFICO_OFF:
        target.been_palafico = 0
    for seat in range(MAX_PLAYERS):
        target.counts[seat] = 0
        target.hands[seat] = 0
    target.counts[0] = source.counts[opener]
    target.counts[1] = source.counts[other]
    target.hands[0] = source.hands[opener]
    target.hands[1] = source.hands[other]
    for index in range(int(source.actions)):
        entry = int(source.history[index])
        seat = place_of(history_seat(entry), opener)
        target.history[index] = (seat << HISTORY_SEAT_SHIFT) | history_action(entry)


@kernel
def match_state_number(state: Record) -> int:
    """Return a number for the dice counts and palafico state of a rearranged position."""
    dice = int(state.counts[0]) * 16 + int(state.counts[1])
    return dice * 4 + int(state.been_palafico)
