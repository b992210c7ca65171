"""Exact probabilities, given a player's own dice and the number of unseen dice."""

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
"""The probability that five dice are all different, all equal, or three and two."""


def exactly(dice: int, hits: int, ways: int) -> float:
    """Return the probability that exactly ``hits`` of ``dice`` dice show one of ``ways`` faces."""
    if not 0 <= hits <= dice:
        return 0.0
    favourable: int = comb(dice, hits) * ways**hits * (FACES - ways) ** (dice - hits)
    return favourable / int(FACES**dice)


def at_least(dice: int, hits: int, ways: int) -> float:
    """Return the probability that ``hits`` or more dice show one of ``ways`` faces.

    >>> round(at_least(10, 4, 2), 4)
    0.4407
    """
    return min(1.0, sum(exactly(dice, count, ways) for count in range(max(hits, 0), dice + 1)))


def _unseen(record: Record, seat: int, bid: int) -> tuple[int, int, int]:
    """Return the numbers of unseen dice, of matches needed among them, and of matching faces."""
    face, wild = int(face_of(bid)), int(record.wild_face)
    own = int(matching(record.hands[seat], face, wild))
    ways = 1 if wild in (0, face) else 2
    return int(record.total) - int(record.counts[seat]), int(quantity_of(bid)) - own, ways


def chance_bid_holds(record: Record, seat: int, bid: int) -> float:
    """Return the probability that a bid is true, given a seat's knowledge."""
    return at_least(*_unseen(record, seat, bid))


def chance_bid_exact(record: Record, seat: int, bid: int) -> float:
    """Return the probability that a bid is exactly right, given a seat's knowledge."""
    return exactly(*_unseen(record, seat, bid))


def chance_right(record: Record, seat: int, action: int) -> float | None:
    """Return the probability that an action's claim is true; None if it claims nothing.

    A bid claims that it holds, dudo that the standing bid does not, calza that it is exact, a pass
    that the player's own dice allow it, and doubt that five unknown dice do not.
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
