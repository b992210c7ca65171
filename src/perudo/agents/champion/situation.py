"""What a position comes down to: a number for the situation, and kinds of moves.

Bids are judged by how likely they are to hold, as the player can know it: own dice, unseen dice,
and something more for each face that others have bid on. Moves are told apart by how much of the
face is held and by how likely the bid is to those who see none of the dice. So one table serves
every number of players and dice, and what was learnt of one position is used in all like it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.agents.reading import AT_LEAST, NO_BID, at_least, exactly, may_calza, ways
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import LEGAL, bid_range, pass_refusal
from perudo.games.perudo.layout import (
    CALZA,
    DECLINE,
    DOUBT,
    DUDO,
    FIRST_BID_CODE,
    NOBODY,
    PASS,
    bid_code,
    face_of,
    history_action,
    history_seat,
    quantity_of,
)
from perudo.games.perudo.reveal import matching, pass_is_valid
from perudo.games.perudo.rules import FACES, MAX_QUANTITY

SUPPORT = 0.7
"""Dice more than average that somebody is thought to hold of a face that they have bid on."""
MOST_SUPPORTERS = 3

# --- kinds of moves -----------------------------------------------------------------------------
LEVELS = (0.95, 0.8, 0.6, 0.4, 0.2, 0.03)
"""How likely a bid of each level is to hold, at least, if no dice are seen; less is not bid."""
HEIGHTS = len(LEVELS)
FACE_CLASSES = 3
"""Faces that are held (and backed by others) most, nearly so, and the rest."""
CALL, CLAIM, PASS_TRULY, PASS_FALSELY, LET_GO, FIRST_BID_SLOT = range(6)
SLOTS = FIRST_BID_SLOT + FACE_CLASSES * HEIGHTS
NO_SLOT = -1

Sheet = npt.NDArray[np.int64]
"""What ``situate`` notes down: how many actions each slot has, and of each face its class, and its
lowest and highest legal quantity."""
CLASS, LOW, HIGH = SLOTS, SLOTS + FACES + 1, SLOTS + 2 * (FACES + 1)
SHEET = SLOTS + 3 * (FACES + 1)

TOPS = np.zeros((3, MAX_QUANTITY + 1, HEIGHTS + 1), np.int64)
"""By ways and dice in play: the highest quantity of each level; before the first, none."""
for _ways in (1, 2):
    for _dice in range(MAX_QUANTITY + 1):
        for _level, _least in enumerate(LEVELS):
            TOPS[_ways, _dice, _level + 1] = int((AT_LEAST[_ways, _dice, 1:] >= _least).sum())

# --- buckets of situations ----------------------------------------------------------------------
HOLDS = np.array([0.05, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97])
RAISES = np.array([0.08, 0.2, 0.33, 0.46, 0.6, 0.74, 0.88])
OUTSIDE = np.array([0.25, 0.45, 0.65, 0.85])
EXACT = np.array([0.25, 0.36])
ASKED_EXACT = np.array([0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5])
STAGES = np.array([4.0, 7.0, 11.0, 17.0])

HOLDS_SIZE, RAISES_SIZE, TABLES, STAGES_SIZE, OWN, EXACT_SIZE = 13, 8, 4, 5, 3, 3
OUTSIDE_SIZE, BACKING = 5, 3
ANSWERS = HOLDS_SIZE * RAISES_SIZE * TABLES * STAGES_SIZE * OWN * EXACT_SIZE
ANSWERS *= OUTSIDE_SIZE * BACKING * 2 * 2
MOST_HELD, MOST_SECOND, MOST_OWN = 6, 4, 5
OPENING_SITUATIONS = TABLES * STAGES_SIZE * MOST_OWN * MOST_HELD * MOST_SECOND * 2
ASKED_SITUATIONS = 8 * TABLES * STAGES_SIZE * OWN
SITUATIONS = ANSWERS + OPENING_SITUATIONS + ASKED_SITUATIONS


@kernel
def bucket(limits: npt.NDArray[np.float64], number: float) -> int:
    """How many of the limits a number has reached."""
    place = 0
    while place < limits.size and number >= limits[place]:
        place += 1
    return place


@kernel
def believed(unseen: int, needed: float, kinds: int) -> float:
    """The chance that unseen dice show so many; between whole numbers, a mean."""
    low = int(np.floor(needed))
    rest = needed - low
    chance = at_least(unseen, low, kinds)
    if rest > 0.0:
        chance = (1.0 - rest) * chance + rest * at_least(unseen, low + 1, kinds)
    return chance


@kernel
def supporters(state: Record, seat: int) -> int:
    """How many others have bid on each face in this round, packed: four bits a face."""
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
    """How many of them back a face."""
    return min((packed >> (4 * face)) & 15, MOST_SUPPORTERS)


@kernel
def crowd(state: Record) -> int:
    """Which of the sizes of tables this is: 2, 3, 4, or 5 and more players left."""
    return min(int(state.live), 5) - 2


# --- moves --------------------------------------------------------------------------------------
@kernel
def range_of_level(state: Record, sheet: Sheet, face: int, level: int) -> tuple[int, int]:
    """The quantities of a level that can be bid on a face; the first exceeds the last if none."""
    kinds, total = ways(state, face), int(state.total)
    low = max(int(sheet[LOW + face]), int(TOPS[kinds, total, level]) + 1)
    high = min(int(sheet[HIGH + face]), int(TOPS[kinds, total, level + 1]))
    return low, high


@kernel
def list_bids(state: Record, seat: int, packed: int, sheet: Sheet) -> None:
    """Sort the bids that can be made into slots."""
    hand, wild = state.hands[seat], int(state.wild_face)
    most = -1.0
    for face in range(1, FACES + 1):
        low, high = bid_range(state, face)
        sheet[LOW + face], sheet[HIGH + face] = low, high
        if low <= high:
            known = matching(hand, face, wild) + SUPPORT * backing_of(packed, face)
            most = max(most, known)
    bids = 0
    for face in range(1, FACES + 1):
        if sheet[LOW + face] > sheet[HIGH + face]:
            continue
        behind = most - matching(hand, face, wild) - SUPPORT * backing_of(packed, face)
        sheet[CLASS + face] = 0 if behind < 0.35 else (1 if behind < 1.05 else 2)
        for level in range(HEIGHTS):
            low, high = range_of_level(state, sheet, face, level)
            if low <= high:
                slot = FIRST_BID_SLOT + sheet[CLASS + face] * HEIGHTS + level
                sheet[slot] += high - low + 1
                bids += high - low + 1
    if bids == 0 and state.bid == NO_BID:  # so few dice that no opening is likely
        for face in range(1, FACES + 1):
            if sheet[LOW + face] <= sheet[HIGH + face]:
                sheet[FIRST_BID_SLOT + sheet[CLASS + face] * HEIGHTS + HEIGHTS - 1] += 1


@kernel
def slot_of(state: Record, sheet: Sheet, said: int) -> int:
    """The slot of an action, or NO_SLOT for a bid that is hardly ever made."""
    if said < FIRST_BID_CODE:
        if said == CALZA:
            return CLAIM
        if said == PASS:
            return PASS_TRULY if sheet[PASS_TRULY] > 0 else PASS_FALSELY
        return LET_GO if said == DECLINE else CALL
    face, quantity = face_of(said), quantity_of(said)
    for level in range(HEIGHTS):
        low, high = range_of_level(state, sheet, face, level)
        if low <= quantity <= high:
            return int(FIRST_BID_SLOT + sheet[CLASS + face] * HEIGHTS + level)
    return NO_SLOT


@kernel
def action_in(state: Record, sheet: Sheet, slot: int, place: int) -> int:
    """One of the actions of a slot."""
    if slot < FIRST_BID_SLOT:
        if slot == CALL:
            return DOUBT if state.passer != NOBODY else DUDO
        if slot == CLAIM:
            return CALZA
        return DECLINE if slot == LET_GO else PASS
    level = (slot - FIRST_BID_SLOT) % HEIGHTS
    kind = (slot - FIRST_BID_SLOT) // HEIGHTS
    lowest = 0
    for face in range(1, FACES + 1):
        if sheet[LOW + face] > sheet[HIGH + face] or sheet[CLASS + face] != kind:
            continue
        lowest = bid_code(int(sheet[LOW + face]), face)
        low, high = range_of_level(state, sheet, face, level)
        if low <= high:
            if place <= high - low:
                return bid_code(low + place, face)
            place -= high - low + 1
    return lowest  # an opening where none is likely


# --- situations ---------------------------------------------------------------------------------
@kernel
def situate(state: Record, seat: int, sheet: Sheet) -> int:
    """The number of the situation that a seat has to decide in; fills in the sheet.

    Of the hands only the seat's own is read, so it can be asked about a full state.
    """
    for slot in range(SLOTS):
        sheet[slot] = 0
    if state.pending != NOBODY:
        return situate_asked(state, seat, sheet)
    packed = supporters(state, seat)
    list_bids(state, seat, packed, sheet)
    if state.bid == NO_BID:
        return situate_opening(state, seat)
    return situate_answer(state, seat, packed, sheet)


@kernel
def situate_asked(state: Record, seat: int, sheet: Sheet) -> int:
    """Asked out of turn: calza or not."""
    bid, unseen = int(state.bid), int(state.total) - int(state.counts[seat])
    face = face_of(bid)
    held = matching(state.hands[seat], face, int(state.wild_face))
    exact = exactly(unseen, quantity_of(bid) - held, ways(state, face))
    sheet[CLAIM] = 1
    sheet[LET_GO] = 1
    number = bucket(ASKED_EXACT, exact) * TABLES + crowd(state)
    number = number * STAGES_SIZE + bucket(STAGES, float(state.total))
    number = number * OWN + min(int(state.counts[seat]), OWN) - 1
    return ANSWERS + OPENING_SITUATIONS + number


@kernel
def situate_opening(state: Record, seat: int) -> int:
    """The first bid of a round."""
    total, own = int(state.total), int(state.counts[seat])
    hand, wild = state.hands[seat], int(state.wild_face)
    most, next_most = 0, 0
    for face in range(1, FACES + 1):
        if face != wild:
            held = matching(hand, face, wild)
            if held > most:
                most, next_most = held, most
            elif held > next_most:
                next_most = held
    number = crowd(state) * STAGES_SIZE + bucket(STAGES, float(total))
    number = number * MOST_OWN + min(own, MOST_OWN) - 1
    number = number * MOST_HELD + min(most, MOST_HELD - 1)
    number = number * MOST_SECOND + min(next_most, MOST_SECOND - 1)
    return ANSWERS + number * 2 + (wild == 0)


@kernel
def situate_answer(state: Record, seat: int, packed: int, sheet: Sheet) -> int:
    """Somebody has bid, or passed."""
    total, own = int(state.total), int(state.counts[seat])
    hand, wild, unseen = state.hands[seat], int(state.wild_face), total - own
    bid = int(state.bid)
    standing, quantity = face_of(bid), quantity_of(bid)
    backing = backing_of(packed, standing)
    held = matching(hand, standing, wild)
    kinds = ways(state, standing)
    holds = believed(unseen, quantity - held - SUPPORT * backing, kinds)
    sheet[CALL] = 1
    exact_place = 0
    if may_calza(state):
        sheet[CLAIM] = 1
        exact_place = bucket(EXACT, exactly(unseen, quantity - held, kinds))
    if pass_refusal(state) == LEGAL:
        sheet[PASS_TRULY if pass_is_valid(hand) else PASS_FALSELY] = 1
    best, best_backed = -1.0, 0
    for face in range(1, FACES + 1):
        low = int(sheet[LOW + face])
        if low <= sheet[HIGH + face]:
            others = backing_of(packed, face)
            known = matching(hand, face, wild) + SUPPORT * others
            chance = believed(unseen, low - known, ways(state, face))
            if chance > best:
                best, best_backed = chance, min(others, 1)
    number = HOLDS_SIZE - 1 if state.passer != NOBODY else bucket(HOLDS, holds)
    number = number * RAISES_SIZE + bucket(RAISES, best)
    number = number * TABLES + crowd(state)
    number = number * STAGES_SIZE + bucket(STAGES, float(total))
    number = number * OWN + min(own, OWN) - 1
    number = number * EXACT_SIZE + exact_place
    number = number * OUTSIDE_SIZE + bucket(OUTSIDE, at_least(total, quantity, kinds))
    number = number * BACKING + min(max(backing, 1), BACKING) - 1
    number = number * 2 + (wild == 0)
    return number * 2 + best_backed
