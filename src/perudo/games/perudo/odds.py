"""Exact chances, from a player's own dice and the number of dice that they cannot see."""

from __future__ import annotations

from math import comb

from perudo.games.operations import Record
from perudo.games.perudo.layout import (
    CALZA,
    DOUBT,
    DUDO,
    FIRST_BID_CODE,
    PASS,
    face_of,
    quantity_of,
)
from perudo.games.perudo.reveal import matching, pass_is_valid
from perudo.games.perudo.rules import FACES

VALID_PASS = 1026 / 7776
"""How often five dice are all different, all equal, or three and two."""


def exactly(dice: int, hits: int, ways: int) -> float:
    """The chance that of some dice exactly ``hits`` show one of ``ways`` faces."""
    if not 0 <= hits <= dice:
        return 0.0
    favourable: int = comb(dice, hits) * ways**hits * (FACES - ways) ** (dice - hits)
    return favourable / int(FACES**dice)


def at_least(dice: int, hits: int, ways: int) -> float:
    """The chance of ``hits`` or more.

    >>> round(at_least(10, 4, 2), 4)
    0.4407
    """
    return min(1.0, sum(exactly(dice, count, ways) for count in range(max(hits, 0), dice + 1)))


def _unseen(record: Record, seat: int, bid: int) -> tuple[int, int, int]:
    """Dice that the seat cannot see, how many of them it takes, and the faces that count."""
    face, wild = int(face_of(bid)), int(record.wild_face)
    own = int(matching(record.hands[seat], face, wild))
    ways = 1 if wild in (0, face) else 2
    return int(record.total) - int(record.counts[seat]), int(quantity_of(bid)) - own, ways


def chance_bid_holds(record: Record, seat: int, bid: int) -> float:
    """The chance that a bid is true, as a seat can know it."""
    return at_least(*_unseen(record, seat, bid))


def chance_bid_exact(record: Record, seat: int, bid: int) -> float:
    """The chance that a bid is exactly right, as a seat can know it."""
    return exactly(*_unseen(record, seat, bid))


def chance_right(record: Record, seat: int, action: int) -> float | None:
    """The chance that what an action claims is so; None for an action that claims nothing.

    For a bid that it holds, for dudo that the standing bid does not, for calza that it is exact,
    for pass whether the own dice allow it, for doubt that five unknown dice do not.
    """
    if action >= FIRST_BID_CODE:
        return chance_bid_holds(record, seat, action)
    if action == DUDO:
        return 1.0 - chance_bid_holds(record, seat, int(record.bid))
    if action == CALZA:
        return chance_bid_exact(record, seat, int(record.bid))
    if action == PASS:
        return 1.0 if pass_is_valid(record.hands[seat]) else 0.0
    if action == DOUBT:
        return 1.0 - VALID_PASS
    return None
