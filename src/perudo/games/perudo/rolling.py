"""Rolling the dice and opening a round (docs/rules.md, parts 1 and 5)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.games.chance import combine, scale, whole
from perudo.games.kernel import inlined, kernel
from perudo.games.operations import Record
from perudo.games.perudo.bidding import ACE
from perudo.games.perudo.layout import (
    BIDDING,
    NOBODY,
    die_in_hand,
    next_live,
)
from perudo.games.perudo.offer import begin_offers
from perudo.games.perudo.rules import (
    FACES,
    PALAFICO_AUTOMATIC,
    PALAFICO_OFF,
    REROLL_TIED,
    START_RANDOM,
    START_ROLL,
    TWO_FULL,
    TWO_LITERAL,
    TWO_NONWILD_TRIGGER,
    WILD_HIGHEST,
    WILD_NONE,
)

START_ROUND = 0
"""The round number in the keys of the start roll. Its n-th attempt is the n-th die of a seat."""
HALF = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
SIX = np.uint64(FACES)
DICE_PER_HALF = 4
MOST_NUMBERED_DICE = 24
"""The largest number of dice whose rolls can be numbered in 64 bits."""


@kernel
def die(key: np.uint64, round_number: int, seat: int, index: int) -> int:
    """Return the face of one die, a pure function of the match's key and the die's position (1.7).

    Eight dice come from one word, four from each half, as the digits of a fraction in base six.
    """
    word = combine(combine(key, round_number), seat + 16 * (index >> 3))
    half = (word >> HALF) if index & 4 == 0 else (word & LOW_HALF)
    for _ in range(index & 3):
        half = (half * SIX) & LOW_HALF
    return whole(half * SIX >> HALF) + 1


def _hands_by_digits() -> npt.NDArray[np.uint64]:
    """Return a table of hands, by number of dice (0 to 4) and the base-six number of the dice."""
    table = np.zeros((DICE_PER_HALF + 1, FACES**DICE_PER_HALF), np.uint64)
    for dice in range(1, DICE_PER_HALF + 1):
        for number in range(FACES**dice):
            table[dice, number] = table[dice - 1, number // FACES] + (
                np.uint64(1) << np.uint64(8 * (1 + number % FACES))
            )
    return table


HANDS = _hands_by_digits()
POWERS = np.array([FACES**dice for dice in range(DICE_PER_HALF + 1)], np.uint64)


@kernel
def roll(round_key: np.uint64, seat: int, count: int) -> np.uint64:
    """Roll a seat's dice, equal to ``die`` for 0 to count-1, with one lookup for each half."""
    word = combine(round_key, seat)
    first = min(count, DICE_PER_HALF)
    second = count - first
    hand: np.uint64 = HANDS[first, ((word >> HALF) * POWERS[first]) >> HALF]
    if second > 0:
        hand += HANDS[second, ((word & LOW_HALF) * POWERS[second]) >> HALF]
    return hand


@kernel
def start_roll_opener(state: Record, key: np.uint64) -> int:
    """Return the opener by a start roll: the highest die opens, and ties roll again (1.5, 1.6)."""
    players = int(state.players)
    everybody = 0
    for seat in range(players):
        if state.counts[seat] > 0:
            everybody |= 1 << seat
    rolling = everybody
    attempt = 0
    while True:
        highest, best = 0, 0
        for seat in range(players):
            if (rolling >> seat) & 1:
                face = die(key, START_ROUND, seat, attempt)
                if face > highest:
                    highest, best = face, 0
                if face == highest:
                    best |= 1 << seat
        if best & (best - 1) == 0:
            opener = 0
            while (best >> opener) & 1 == 0:
                opener += 1
            return opener
        rolling = best if state.rules.start_roll_tie == REROLL_TIED else everybody
        attempt += 1


@kernel
def nth_live(state: Record, index: int) -> int:
    """Return the n-th seat that has dice."""
    if state.live == state.players:
        return index
    seat = next_live(state, int(state.players) - 1)
    for _ in range(index):
        seat = next_live(state, seat)
    return seat


@inlined
def choose_first_opener(state: Record, key: np.uint64) -> None:
    """Choose the opener of the first round, unless there is one (1.5)."""
    if state.opener != NOBODY:
        return
    if state.rules.start_mode == START_ROLL:
        state.opener = start_roll_opener(state, key)
    elif state.rules.start_mode == START_RANDOM:
        state.opener = nth_live(state, scale(combine(key, START_ROUND), int(state.live)))
    else:
        state.opener = nth_live(state, 0)


@inlined
def begin_round(state: Record) -> None:
    """Clear the table for a new round; the caller rolls the hands."""
    for index in range(int(state.actions)):
        state.history[index] = 0
    state.actions = 0
    state.phase = BIDDING
    state.round_number += 1
    clear_table(state)
    state.palafico = NOBODY
    state.wild_face = usual_wild_face(state)
    begin_palafico(state)
    begin_offers(state)


@inlined
def clear_table(state: Record) -> None:
    """Remove all bids and passes, and give the opener the turn."""
    state.turn = state.opener
    state.pending = NOBODY
    state.bidder = NOBODY
    state.passer = NOBODY
    state.bid = 0
    state.plain_bid = 0
    state.passed = 0


@inlined
def usual_wild_face(state: Record) -> int:
    """Return the wild face, or 0, of rounds that are not palafico."""
    if state.rules.wild == WILD_HIGHEST:
        return FACES
    return 0 if state.rules.wild == WILD_NONE else ACE


@inlined
def begin_palafico(state: Record) -> None:
    """Start a palafico round if one is due, and set the wild face (5.1, 5.7, 5.9)."""
    if state.rules.palafico == PALAFICO_OFF:
        return
    if state.live == 2 and state.rules.two_player_palafico != TWO_FULL:
        rule = state.rules.two_player_palafico
        one_die_each = state.total == 2
        triggered = state.palafico_due != NOBODY
        state.palafico_due = NOBODY
        if rule == TWO_LITERAL and one_die_each:
            state.wild_face = 0
        if rule == TWO_NONWILD_TRIGGER and (one_die_each or triggered):
            state.wild_face = 0
    elif state.palafico_due != NOBODY and state.rules.palafico == PALAFICO_AUTOMATIC:
        start_palafico(state)


@kernel
def start_palafico(state: Record) -> None:
    """Make this a palafico round, of the player who is newly down to one die."""
    state.palafico = state.palafico_due
    state.palafico_due = NOBODY
    if not state.rules.palafico_aces_wild:
        state.wild_face = 0


@inlined
def deal(state: Record, key: np.uint64) -> None:
    """Roll all hands from the match's key and begin the round."""
    choose_first_opener(state, key)
    round_key = combine(key, int(state.round_number) + 1)
    for seat in range(int(state.players)):
        if state.counts[seat] > 0:
            state.hands[seat] = roll(round_key, seat, int(state.counts[seat]))
        else:
            state.hands[seat] = 0
    begin_round(state)


@kernel
def chance_count(state: Record) -> int:
    """Return the number of equally likely ordered rolls of all dice; 0 if too many to number.

    The choice of the first opener is not counted.
    """
    return FACES ** int(state.total) if state.total <= MOST_NUMBERED_DICE else 0


@kernel
def chance_outcome(state: Record, index: int) -> None:
    """Roll the n-th ordered roll; the last die varies fastest."""
    if state.opener == NOBODY:
        state.opener = nth_live(state, 0)
    for seat in range(int(state.players) - 1, -1, -1):
        state.hands[seat] = 0
        for _ in range(int(state.counts[seat])):
            state.hands[seat] += die_in_hand(1 + index % FACES)
            index //= FACES
    begin_round(state)
