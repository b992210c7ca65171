"""Features of a decision: numbers for the position, and for each move.

Bids are described by the probability that they hold: with all dice unseen, with the player's own
dice, and with extra dice for each face that others have bid on. The features do not depend on the
number of players and dice, so one set of weights serves all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.agents.table_facts import NO_BID, at_least, exactly, ways
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import bid_range
from perudo.games.perudo.layout import (
    CALZA,
    DECLINE,
    FIRST_BID_CODE,
    NOBODY,
    PALAFICO,
    PASS,
    bid_code,
    count_in_hand,
    face_of,
    history_action,
    history_seat,
    next_live,
    quantity_of,
)
from perudo.games.perudo.offer import word_mask
from perudo.games.perudo.reveal import matching, pass_is_valid
from perudo.games.perudo.rules import FACES

SUPPORT = 0.7
"""Dice above the average that a player is assumed to hold of a face that they bid on."""
MAX_SUPPORTERS = 3
MIN_CHANCE = 0.03
"""Bids less likely to hold than this, by the own dice, are left out, except each face's lowest."""
HIGHEST_CHANCE, LOWEST_CHANCE = 0.998, 0.002

MAX_MOVES = 128
"""Rows for moves; the last one stays free."""
POSITION_WIDTH, MOVE_WIDTH = 24, 24
"""Number of features of a position, and of a move."""
Numbers = npt.NDArray[np.float32]
Codes = npt.NDArray[np.int64]


@kernel
def believed(unseen: int, needed: float, kinds: int) -> float:
    """Return the probability of at least ``needed`` among unseen dice, interpolated linearly."""
    low = int(np.floor(needed))
    rest = needed - low
    chance = at_least(unseen, low, kinds)
    if rest > 0.0:
        chance = (1.0 - rest) * chance + rest * at_least(unseen, low + 1, kinds)
    return chance


@kernel
def log_odds(chance: float) -> float:
    """Return a quarter of the log-odds of a clipped probability."""
    chance = min(max(chance, LOWEST_CHANCE), HIGHEST_CHANCE)
    return float(np.log(chance / (1.0 - chance))) / 4.0


@kernel
def supporters(state: Record, seat: int) -> int:
    """Count the others who bid on each face in this round, packed in four bits a face."""
    seen, packed = 0, 0
    for index in range(int(state.actions)):
        entry = int(state.history[index])
        said, who = history_action(entry), history_seat(entry)
        if said >= FIRST_BID_CODE and who != seat:
            bit = 1 << (who * 6 + face_of(said) - 1)
            if not seen & bit:
                seen |= bit
                packed += 1 << (4 * face_of(said))
    return packed


@kernel
def backing_of(packed: int, face: int) -> int:
    """Return the packed count for a face, at most MAX_SUPPORTERS."""
    return min((packed >> (4 * face)) & 15, MAX_SUPPORTERS)


@kernel
def faces_bid_by(state: Record, seat: int) -> int:
    """Return a bit for each face that a seat has bid on in this round."""
    faces = 0
    for index in range(int(state.actions)):
        entry = int(state.history[index])
        said = history_action(entry)
        if said >= FIRST_BID_CODE and history_seat(entry) == seat:
            faces |= 1 << face_of(said)
    return faces


@kernel
def describe(state: Record, seat: int, position: Numbers, codes: Codes, moves: Numbers) -> int:
    """Describe a seat's decision, reading no hand but its own; returns the number of moves."""
    packed = supporters(state, seat)
    describe_position(state, seat, packed, position)
    count = describe_words(state, seat, codes, moves)
    if state.pending == NOBODY:
        count = describe_bids(state, seat, packed, count, position, codes, moves)
    return count


@kernel
def describe_position(state: Record, seat: int, packed: int, position: Numbers) -> None:
    """Describe the position: the table, the own dice, the standing bid."""
    total, own, live = int(state.total), int(state.counts[seat]), int(state.live)
    wild, unseen, bid = int(state.wild_face), total - own, int(state.bid)
    position[:] = 0.0
    position[0] = 1.0
    position[1] = own / 5.0
    position[2] = (live - 2) / 4.0
    position[3] = total / 30.0
    position[4] = own * live / total / 2.0
    position[5] = wild == 0
    position[6] = state.pending != NOBODY
    position[7] = min(int(state.actions), 12) / 6.0
    position[8] = int(state.counts[next_live(state, seat)]) / 5.0
    position[9] = live == 2
    position[10] = own == 1
    if bid == NO_BID:
        position[11] = 1.0
        return
    face, quantity = face_of(bid), quantity_of(bid)
    kinds, backing = ways(state, face), backing_of(packed, face)
    needed = quantity - matching(state.hands[seat], face, wild)
    holds = at_least(unseen, needed, kinds)
    backed = believed(unseen, needed - SUPPORT * backing, kinds)
    position[12] = holds
    position[13] = log_odds(holds)
    position[14] = backed
    position[15] = log_odds(backed)
    position[16] = at_least(total, quantity, kinds)
    position[17] = exactly(unseen, needed, kinds)
    position[18] = state.passer != NOBODY
    position[19] = kinds == 1
    position[20] = backing / 3.0
    position[21] = int(state.counts[state.bidder]) / 5.0


@kernel
def describe_words(state: Record, seat: int, codes: Codes, moves: Numbers) -> int:
    """Describe the moves that are not bids: one of their features is 1."""
    mask = word_mask(state)
    if state.pending != NOBODY:
        mask = 1 << CALZA | 1 << DECLINE
    count = 0
    for word in range(1, FIRST_BID_CODE):
        if mask >> word & 1:
            place = 5  # dudo, or doubt
            if word == CALZA:
                place = 0
            elif word == PASS:
                place = 1 if pass_is_valid(state.hands[seat]) else 2
            elif word == DECLINE:
                place = 3
            elif word == PALAFICO:
                place = 4
            moves[count] = 0.0
            moves[count, place] = 1.0
            codes[count] = word
            count += 1
    return count


@kernel
def describe_bids(
    state: Record,
    seat: int,
    packed: int,
    count: int,
    position: Numbers,
    codes: Codes,
    moves: Numbers,
) -> int:
    """Describe the bids, and add the probability of the best one to the position."""
    total, wild, hand = int(state.total), int(state.wild_face), state.hands[seat]
    unseen = total - int(state.counts[seat])
    bid_face, before = face_of(int(state.bid)), quantity_of(int(state.bid))
    mine = faces_bid_by(state, seat)
    next_ones = faces_bid_by(state, next_live(state, seat))
    most = 0
    for face in range(1, FACES + 1):
        if face != wild:
            most = max(most, matching(hand, face, wild))
    best, best_backed = 0.0, 0.0
    for face in range(1, FACES + 1):
        low, high = bid_range(state, face)
        kinds, backing = ways(state, face), backing_of(packed, face)
        held = matching(hand, face, wild)
        for quantity in range(low, high + 1):
            holds = at_least(unseen, quantity - held, kinds)
            if count == MAX_MOVES - 1 or (quantity > low and holds < MIN_CHANCE):
                break
            backed = believed(unseen, quantity - held - SUPPORT * backing, kinds)
            outside = at_least(total, quantity, kinds)
            best, best_backed = max(best, holds), max(best_backed, backed)
            move = moves[count]
            move[:6] = 0.0
            move[6] = 1.0
            move[7] = holds
            move[8] = log_odds(holds)
            move[9] = backed
            move[10] = log_odds(backed)
            move[11] = outside
            move[12] = log_odds(outside)
            move[13] = held / 3.0
            move[14] = (most - held) / 3.0
            move[15] = backing / 3.0
            move[16] = face == bid_face
            move[17] = kinds == 1 and wild != 0
            move[18] = min(quantity - low, 4) / 4.0
            move[19] = quantity == low
            move[20] = mine >> face & 1
            move[21] = count_in_hand(hand, face) / 3.0
            move[22] = 0.0
            if before > 0 and kinds == ways(state, bid_face):
                move[22] = (quantity - before) / 4.0
            move[23] = next_ones >> face & 1
            codes[count] = bid_code(quantity, face)
            count += 1
    position[22] = best
    position[23] = best_backed
    return count
