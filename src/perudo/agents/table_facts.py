"""Facts that agents read off a Perudo observation, and probabilities of bids, in kernels.

The names follow the papers: T dice in play, of which m are one's own and u unseen; ``held`` counts
own dice, wild ones included; a die shows a face in one way, or in two if another face is wild.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import LEGAL, bid_range, refusal
from perudo.games.perudo.layout import (
    CALZA,
    DECLINE,
    DOUBT,
    DUDO,
    FIRST_BID_CODE,
    NOBODY,
    bid_code,
    count_in_hand,
    face_of,
    quantity_of,
)
from perudo.games.perudo.reveal import matching
from perudo.games.perudo.rules import FACES, MAX_QUANTITY

NO_BID = 0


def _exact_chances() -> npt.NDArray[np.float64]:
    """Return the probability of each number of hits, by ways (1 or 2), dice and hits."""
    table = np.zeros((3, MAX_QUANTITY + 1, MAX_QUANTITY + 2))
    table[:, 0, 0] = 1.0
    for ways in (1, 2):
        hit = ways / FACES
        for dice in range(1, MAX_QUANTITY + 1):
            before = table[ways, dice - 1]
            table[ways, dice] = before * (1.0 - hit)
            table[ways, dice, 1:] += before[:-1] * hit
    return table


EXACTLY = _exact_chances()
AT_LEAST = np.cumsum(EXACTLY[:, :, ::-1], axis=2)[:, :, ::-1].copy()


@kernel
def at_least(dice: int, hits: int, ways: int) -> float:
    """Return the probability that at least ``hits`` of the dice show one of ``ways`` faces."""
    if hits <= 0:
        return 1.0
    if hits > dice:
        return 0.0
    return float(AT_LEAST[ways, dice, hits])


@kernel
def exactly(dice: int, hits: int, ways: int) -> float:
    """Return the probability that exactly ``hits`` of the dice do."""
    if hits < 0 or hits > dice:
        return 0.0
    return float(EXACTLY[ways, dice, hits])


@kernel
def own_dice(observation: Record) -> int:
    """Return the number of the viewer's dice (m)."""
    return int(observation.counts[observation.viewer])


@kernel
def unseen_dice(observation: Record) -> int:
    """Return the number of the others' dice (u)."""
    return int(observation.total) - own_dice(observation)


@kernel
def natural(observation: Record, face: int) -> int:
    """Count own dice that show exactly this face."""
    return count_in_hand(observation.hands[observation.viewer], face)


@kernel
def held(observation: Record, face: int) -> int:
    """Count own dice that count for a bid on this face, wild ones included."""
    hand = observation.hands[observation.viewer]
    return matching(hand, face, int(observation.wild_face))


@kernel
def ways(observation: Record, face: int) -> int:
    """Return how many faces count for a bid on this face: 2 with a wild one, else 1."""
    wild = int(observation.wild_face)
    return 1 if wild == 0 or wild == face else 2


@kernel
def chance_of(observation: Record, bid: int) -> float:
    """Return the probability that a bid holds, given the own dice."""
    face = face_of(bid)
    needed = quantity_of(bid) - held(observation, face)
    return at_least(unseen_dice(observation), needed, ways(observation, face))


@kernel
def asked_out_of_turn(observation: Record) -> bool:
    """Return True if the viewer may only claim or decline calza, out of turn."""
    return bool(observation.pending != NOBODY)


@kernel
def legal(observation: Record, action: int) -> bool:
    """Return True if the viewer may do this now."""
    return refusal(observation, action) == LEGAL


@kernel
def lowest_bid(observation: Record, face: int) -> int:
    """Return the lowest legal bid on a face, or NO_BID."""
    low, high = bid_range(observation, face)
    return bid_code(low, face) if low <= high else NO_BID


@kernel
def lowest_bid_of_all(observation: Record) -> int:
    """Return the legal bid of the smallest quantity, then of the lowest face; or NO_BID."""
    best = NO_BID
    for face in range(1, FACES + 1):
        bid = lowest_bid(observation, face)
        if bid != NO_BID and (best == NO_BID or bid < best):
            best = bid
    return best


@kernel
def call(observation: Record) -> int:
    """Call: dudo, or doubt a pass. An opener, who cannot, makes the lowest bid."""
    if asked_out_of_turn(observation):
        return DECLINE
    if observation.passer != NOBODY:
        return DOUBT
    if observation.bid != NO_BID:
        return DUDO
    return lowest_bid_of_all(observation)


@kernel
def bid_or_call(observation: Record, bid: int) -> int:
    """Return the bid if it is legal, else ``call``."""
    return bid if bid >= FIRST_BID_CODE and legal(observation, bid) else call(observation)


@kernel
def may_calza(observation: Record) -> bool:
    """Return True if the viewer may claim calza."""
    return legal(observation, CALZA)
