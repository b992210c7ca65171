"""The offer: the legal actions of a decision, computed once and found by index without listing.

In almost every round the legal bids are one range on ones and one ladder of the other faces; only
fixed faces and restricted raises need a range for each face.
"""

from __future__ import annotations

import numpy as np

from perudo.games.kernel import inlined, kernel
from perudo.games.operations import Record
from perudo.games.perudo.bidding import (
    ACE,
    LEGAL,
    PLAIN_FACES,
    any_higher_bid,
    calza_refusal,
    largest_quantity,
    lowest_ace_bid,
    lowest_step,
    may_declare,
    pass_refusal,
    restricted_range,
    step,
)
from perudo.games.perudo.layout import (
    CALZA,
    DECLINE,
    DOUBT,
    DUDO,
    FIRST_BID_CODE,
    NOBODY,
    PALAFICO,
    PASS,
    bid_code,
    face_of,
    quantity_of,
)
from perudo.games.perudo.rules import (
    ACE_OPENING_YES,
    ANY_FACE,
    FACES,
    LOWEST,
    NOT_BIDDABLE,
)

ANY_FACE_RESTRICTED = -1
"""A number of bids on ones that means that the legal bids are not one ladder."""
WORDS_IN_MASK = np.array([mask.bit_count() for mask in range(1 << FIRST_BID_CODE)], np.int64)
ONE_FIFTH, ONE_SIXTH = (1 << 32) // 5 + 1, (1 << 32) // 6 + 1
"""Reciprocals in units of 2**-32. Multiplying by them divides numbers below 2**16 exactly."""


@kernel
def word_mask(state: Record) -> int:
    """Return the turn player's legal actions that are not bids, as a bit mask of action codes."""
    mask = 0
    if state.passer != NOBODY:
        mask = 1 << DOUBT
    elif state.bid != 0:
        mask = 1 << DUDO
    if calza_refusal(state, int(state.turn)) == LEGAL:
        mask |= 1 << CALZA
    if pass_refusal(state) == LEGAL:
        mask |= 1 << PASS
    if may_declare(state):
        mask |= 1 << PALAFICO
    return mask


@kernel
def faces_in_plain_round(state: Record) -> int:
    """Return the number of faces that can be bid in a plain round; 0 if the round is not plain.

    A plain round has only dudo and bids that form one ladder, by quantity and then by face. It has
    faster code.
    """
    rules = state.rules
    if (
        rules.calza
        or rules.enable_pass
        or rules.raise_rule != ANY_FACE
        or state.palafico != NOBODY
        or state.palafico_due != NOBODY
    ):
        return 0
    if rules.ace_rank == NOT_BIDDABLE:
        return PLAIN_FACES
    if rules.ace_rank == LOWEST and rules.ace_opening == ACE_OPENING_YES:
        return FACES
    return 0


@kernel
def ladder_bid(place: int, faces: int) -> int:
    """Return a bid by its rank on a ladder of some faces: quantity * faces + index of the face."""
    quantity = place * (ONE_SIXTH if faces == FACES else ONE_FIFTH) >> 32
    return quantity * (FIRST_BID_CODE - faces) + place + FACES + 1 - faces


@inlined
def begin_offers(state: Record) -> None:
    """Prepare the offers of a new round, and make the first one."""
    offer = state.offer
    state.plain_round = faces_in_plain_round(state)
    if state.plain_round:
        offer.words = 1 << DUDO
        offer.aces = 0
        offer.ace_low = 0
    make_offer(state)


@kernel
def make_offer(state: Record) -> None:
    """Compute the legal actions of a decision, for ``action_count`` and ``action``."""
    offer = state.offer
    if state.plain_round:
        faces = int(state.plain_round)
        first = faces  # the lowest bid: one of the lowest face
        if state.bid:
            first = quantity_of(state.bid) * faces + face_of(state.bid) + faces - FACES
        bids = (largest_quantity(state) + 1) * faces - first
        offer.bids = bids
        offer.step_shift = first
        offer.choices = bids + 1 if state.bid else bids
        return
    if state.pending != NOBODY:
        offer.choices = 2
        return
    words = word_mask(state)
    offer.words = words
    if any_higher_bid(state):
        cap = largest_quantity(state)
        low = lowest_ace_bid(state)
        aces = max(cap - low + 1, 0)
        first = lowest_step(state)
        bids = aces + max(step(cap, FACES) - first + 1, 0)
        offer.ace_low = low
        offer.aces = aces
        offer.step_shift = first - aces
    else:
        offer.aces = ANY_FACE_RESTRICTED
        bids = 0
        for face in range(1, FACES + 1):
            low, high = restricted_range(state, face)
            bids += max(high - low + 1, 0)
    offer.bids = bids
    offer.choices = bids + WORDS_IN_MASK[words]


@kernel
def action_count(state: Record) -> int:
    """Return the actor's number of legal actions."""
    return int(state.offer.choices)


@kernel
def action(state: Record, index: int) -> int:
    """Return the n-th legal action: bids on ones, other bids by quantity and face, then words.

    If faces or raises are restricted, bids are ordered by face instead.
    """
    offer = state.offer
    if not state.plain_round:
        if state.pending != NOBODY:
            return CALZA if index == 0 else DECLINE
        if index < offer.aces:
            return bid_code(int(offer.ace_low) + index, ACE)
        if offer.aces == ANY_FACE_RESTRICTED and index < offer.bids:
            return nth_restricted_bid(state, index)
    if index >= offer.bids:
        return nth_word(int(offer.words), index - int(offer.bids))
    faces = FACES if state.plain_round == FACES else PLAIN_FACES
    return ladder_bid(index + int(offer.step_shift), faces)


@kernel
def nth_word(words: int, index: int) -> int:
    """Return the n-th action of a bit mask of words."""
    for _ in range(index):
        words &= words - 1
    word = DUDO
    while (words >> word) & 1 == 0:
        word += 1
    return word


@kernel
def nth_restricted_bid(state: Record, index: int) -> int:
    """Return the n-th legal bid if not every higher bid is legal."""
    for face in range(1, FACES + 1):
        low, high = restricted_range(state, face)
        if index <= high - low:
            return bid_code(low + index, face)
        index -= max(high - low + 1, 0)
    return 0  # not reached for an index below the number of bids
