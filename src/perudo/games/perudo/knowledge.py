"""Knowledge of the seats: observations, information keys, redeals, and rewinding a round."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from perudo.games.chance import Stream, combine, extend, next_word, whole
from perudo.games.kernel import kernel
from perudo.games.operations import ARRIVED, Record
from perudo.games.perudo.bidding import ace_rank, lowest_step_over
from perudo.games.perudo.layout import DECLINE, NOBODY, PALAFICO, history_action
from perudo.games.perudo.offer import make_offer
from perudo.games.perudo.reveal import clear_reveal
from perudo.games.perudo.rolling import clear_table, roll, usual_wild_face
from perudo.games.perudo.rules import FACES, MAX_DICE, MAX_PLAYERS, PALAFICO_DECLARED, PALAFICO_OFF


@kernel
def observe(state: Record, seat: int) -> None:
    """Blank every hand but the viewer's own; everything else in the record is public."""
    state.viewer = seat
    for other in range(int(state.players)):
        if other != seat:
            state.hands[other] = 0


@kernel
def information_key(state: Record, seat: int) -> np.uint64:
    """Return a hash of the round's history, the match state, the seat asked and the seat's dice."""
    key = np.uint64(0)
    for other in range(int(state.players)):
        key = extend(key, int(state.counts[other]))
    for index in range(int(state.actions)):
        key = extend(key, int(state.history[index]))
    match = int(state.been_palafico) * 16 + int(state.opener)
    palafico = (int(state.palafico) + 1) * 16 + int(state.palafico_due) + 1
    asked = (seat + 2) * 16 + int(state.pending) + 1
    key = extend(extend(key, match), palafico * 1024 + asked)
    return combine(key, whole(state.hands[seat]) if seat >= 0 else 0)  # a spectator has no dice


@kernel
def redeal(state: Record, seat: int, stream: Stream) -> None:
    """Roll the dice of all others again: a seat knows nothing for certain about them in a round."""
    for other in range(int(state.players)):
        if other != seat:
            state.hands[other] = roll(next_word(stream), other, int(state.counts[other]))


# --- hands one by one ---------------------------------------------------------------------------
def _hands() -> tuple[list[int], list[float], list[int]]:
    """Return all hands of 0 to MAX_DICE dice, their probabilities, and the first of n dice."""
    hands, chances, first = [], [], [0]
    for dice in range(MAX_DICE + 1):
        for faces in combinations_with_replacement(range(1, FACES + 1), dice):
            hands.append(sum(1 << 8 * face for face in faces))
            orders = factorial(dice) / prod(factorial(faces.count(face)) for face in set(faces))
            chances.append(orders / FACES**dice)
        first.append(len(hands))
    return hands, chances, first


_LISTED = _hands()
HANDS = np.array(_LISTED[0], np.uint64)
HAND_CHANCES = np.array(_LISTED[1])
FIRST_HAND = np.array(_LISTED[2], np.int64)


@kernel
def hand_count(state: Record, seat: int) -> int:
    """Return the number of different hands that the seat can have."""
    dice = int(state.counts[seat])
    return whole(FIRST_HAND[dice + 1] - FIRST_HAND[dice])


@kernel
def put_hand(state: Record, seat: int, index: int) -> float:
    """Give the seat the n-th of these hands; return its probability."""
    place = FIRST_HAND[int(state.counts[seat])] + index
    state.hands[seat] = HANDS[place]
    return float(HAND_CHANCES[place])


# --- a short memory -----------------------------------------------------------------------------
@kernel
def memory_key(state: Record, moves: int) -> np.uint64:
    """Return a hash of the last bids and passes, and of all that determines legal actions."""
    key = np.uint64(0)
    last = int(state.actions)
    for index in range(max(last - moves, 0), last):
        key = extend(key, int(state.history[index]))
    bid, plain = int(state.bid), int(state.plain_bid)
    rank, plus_one = ace_rank(state), int(state.rules.ace_exit_plus_one)
    if lowest_step_over(bid, plain, rank, plus_one) == lowest_step_over(bid, 0, rank, plus_one):
        plain = 0  # the last bid on a face other than ones no longer restricts anything
    key = combine(key, bid * 1024 + plain)
    who = (int(state.turn) * 16 + int(state.pending) + 1) * 16 + int(state.bidder) + 1
    key = combine(key, (who * 16 + int(state.passer) + 1) * 1024 + int(state.passed))
    palafico = (int(state.palafico) + 1) * 16 + int(state.palafico_due) + 1
    return combine(key, palafico * 8 + int(state.wild_face))


# --- back to an earlier state of a match --------------------------------------------------------
@kernel
def clear_history(state: Record) -> None:
    """Erase the moves of the round."""
    for index in range(int(state.actions)):
        state.history[index] = 0
    state.actions = 0


@kernel
def rewind(state: Record) -> bool:
    """Go back to the round's first decision.

    The record shows that a palafico could be declared only if it was. If the opener chose not to,
    the rewound round does not offer it.
    """
    clear_history(state)
    clear_table(state)
    if state.rules.palafico == PALAFICO_DECLARED and state.palafico != NOBODY:
        state.palafico_due = state.palafico
        state.palafico = NOBODY
        state.wild_face = usual_wild_face(state)
    make_offer(state)
    return True


@kernel
def move_towards(state: Record, target: Record) -> int:
    """Return the next move from a rewound state towards a target, or ARRIVED.

    The history does not include declarations of palafico, nor declined claims of calza.
    """
    on_the_way = state.actions < target.actions
    if state.pending != NOBODY and (on_the_way or state.pending != target.pending):
        return DECLINE
    if state.palafico != target.palafico:
        return PALAFICO
    return history_action(target.history[state.actions]) if on_the_way else ARRIVED


@kernel
def forget_round(state: Record) -> None:
    """Blank all but dice counts, opener and palafico, which determine the rest of the match."""
    clear_history(state)
    clear_reveal(state)
    reveal = state.reveal
    reveal.reason = 0
    reveal.caller = 0
    reveal.target = 0
    reveal.count = 0
    reveal.bid = 0
    clear_table(state)
    state.turn = NOBODY
    state.palafico = NOBODY
    state.plain_round = 0
    state.wild_face = 0
    state.round_number = 0
    if state.rules.palafico == PALAFICO_OFF:
        state.been_palafico = 0
    for seat in range(MAX_PLAYERS):
        state.hands[seat] = 0
