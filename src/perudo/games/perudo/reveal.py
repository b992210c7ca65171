"""The reveal: count the dice, find the loser and the next opener (docs/rules.md, parts 4-7)."""

from __future__ import annotations

import numpy as np

from perudo.games.chance import combine
from perudo.games.kernel import inlined, kernel
from perudo.games.operations import Counters, Record
from perudo.games.perudo.layout import (
    AWAITING_DEAL,
    BID_TOO_HIGH,
    CALZA_RIGHT,
    CALZA_WRONG,
    DUDO_TOO_SOON,
    FINISHED,
    NO_COUNT,
    NOBODY,
    PASS_CAUGHT,
    PASS_DOUBTED_WRONGLY,
    count_in_hand,
    face_of,
    next_live,
    quantity_of,
)
from perudo.games.perudo.rules import (
    ALL_OTHERS_LOSE,
    CALLER_STARTS,
    FACES,
    LOSE_DIFFERENCE,
    LOSER_STARTS,
    MAX_PLAYERS,
    PALAFICO_OFF,
    REWARD_BOTH,
    REWARD_DIE,
    REWARD_OTHERS_LOSE,
)


@kernel
def matching(hand: np.uint64, face: int, wild_face: int) -> int:
    """Return the number of dice in a hand that count for a bid on a face (2.5)."""
    count = count_in_hand(hand, face)
    if wild_face != 0 and wild_face != face:
        count += count_in_hand(hand, wild_face)
    return count


@kernel
def pass_is_valid(hand: np.uint64) -> bool:
    """Return true if five dice are all different, all equal, or three and two (7.2).

    Ones are not wild here.
    """
    most, second = 0, 0
    for face in range(1, FACES + 1):
        count = count_in_hand(hand, face)
        if count > most:
            most, second = count, most
        elif count > second:
            second = count
    return most == 1 or most == 5 or (most == 3 and second == 2)


@kernel
def clear_reveal(state: Record) -> None:
    """Clear the last reveal, for all ten seats: a loop of fixed length is faster."""
    for seat in range(MAX_PLAYERS):
        state.reveal.lost[seat] = 0
        state.reveal.gained[seat] = 0
        state.reveal.hands[seat] = 0


@inlined
def lift_cups(state: Record) -> np.uint64:
    """Show every hand; return all dice as one hand."""
    together = np.uint64(0)
    for seat in range(MAX_PLAYERS):
        state.reveal.lost[seat] = 0
        state.reveal.gained[seat] = 0
        hand = state.hands[seat]
        state.reveal.hands[seat] = hand
        together += hand
    return together


@kernel
def lose(state: Record, seat: int, dice: int) -> None:
    """Take dice from a seat, and mark it if that leaves one die for the first time (5.2)."""
    state.reveal.lost[seat] = dice
    if state.rules.single_round:
        return
    left = int(state.counts[seat]) - dice
    state.counts[seat] = left
    state.total -= dice
    if left == 0:
        state.live -= 1
    elif left == 1 and (int(state.been_palafico) >> seat) & 1 == 0:
        state.been_palafico |= 1 << seat
        state.newly_at_one |= 1 << seat


@kernel
def all_lose_one_but(state: Record, spared: int) -> None:
    """Take a die from every seat in the game but one."""
    for seat in range(int(state.players)):
        if seat != spared and state.counts[seat] > 0:
            lose(state, seat, 1)


@inlined
def settle_dudo(state: Record) -> None:
    """Settle a dudo: count the dice, and let the wrong player lose (part 4)."""
    caller, bidder = int(state.turn), int(state.bidder)
    quantity = quantity_of(state.bid)
    count = matching(lift_cups(state), face_of(state.bid), int(state.wild_face))
    too_high = count < quantity
    loser = bidder if too_high else caller
    if count == quantity and state.rules.exact_bid_doubted == ALL_OTHERS_LOSE:
        all_lose_one_but(state, bidder)
    elif state.rules.loss == LOSE_DIFFERENCE:
        lose(state, loser, min(max(abs(count - quantity), 1), int(state.counts[loser])))
    else:
        lose(state, loser, 1)
    opener = loser if state.rules.dudo_starter == LOSER_STARTS else caller + bidder - loser
    settle(state, BID_TOO_HIGH if too_high else DUDO_TOO_SOON, caller, bidder, count, opener)


@kernel
def settle_calza(state: Record, caller: int) -> None:
    """Settle a claim of calza (part 6)."""
    count = matching(lift_cups(state), face_of(state.bid), int(state.wild_face))
    bidder = int(state.bidder)
    right = count == quantity_of(state.bid)
    if right:
        reward = state.rules.calza_reward
        if reward == REWARD_OTHERS_LOSE or reward == REWARD_BOTH:
            all_lose_one_but(state, caller)
        if reward == REWARD_DIE or reward == REWARD_BOTH:
            if state.counts[caller] < state.rules.dice:
                state.reveal.gained[caller] = 1
                state.counts[caller] += 1
                state.total += 1
        starter = state.rules.calza_success_starter
    else:
        lose(state, caller, 1)
        starter = state.rules.calza_failure_starter
    opener = caller if starter == CALLER_STARTS else bidder
    settle(state, CALZA_RIGHT if right else CALZA_WRONG, caller, bidder, count, opener)


@kernel
def settlement_key(state: Record) -> np.uint64:
    """Return a key of the call that ended a round; with the hands, it determines the outcome."""
    reveal = state.reveal
    # The reasons of a right and a wrong call share a kind, since the hands determine which it is.
    kind = 0
    if reveal.reason == CALZA_RIGHT or reveal.reason == CALZA_WRONG:
        kind = 1
    elif reveal.reason == PASS_CAUGHT or reveal.reason == PASS_DOUBTED_WRONGLY:
        kind = 2
    key = combine(np.uint64(kind), int(reveal.bid))
    return combine(key, (int(reveal.caller) * 16 + int(reveal.target)) * 8 + int(state.wild_face))


@kernel
def settle_pass(state: Record) -> None:
    """Settle a doubted pass, and show only the passer's hand (7.7)."""
    caller, passer = int(state.turn), int(state.passer)
    clear_reveal(state)
    state.reveal.hands[passer] = state.hands[passer]
    valid = pass_is_valid(state.hands[passer])
    loser = caller if valid else passer
    lose(state, loser, 1)
    reason = PASS_DOUBTED_WRONGLY if valid else PASS_CAUGHT
    settle(state, reason, caller, passer, NO_COUNT, loser)


@kernel
def settle(state: Record, reason: int, caller: int, target: int, count: int, opener: int) -> None:
    """Record the outcome; then determine the next opener, a due palafico, or the winner."""
    reveal = state.reveal
    reveal.reason = reason
    reveal.caller = caller
    reveal.target = target
    reveal.count = count
    reveal.bid = state.bid
    state.pending = NOBODY
    state.palafico_due = NOBODY
    offer = state.offer
    offer.choices = 0
    offer.bids = 0
    offer.step_shift = 0
    offer.aces = 0
    offer.ace_low = 0
    offer.words = 0
    if state.rules.single_round:
        state.phase = FINISHED
        state.winner = target if reveal.lost[caller] else caller
        return
    if state.counts[opener] == 0:
        opener = next_live(state, opener)
    state.opener = opener
    if state.live == 1:
        state.phase = FINISHED
        state.winner = opener
    else:
        state.phase = AWAITING_DEAL
        newly = (int(state.newly_at_one) >> opener) & 1 == 1
        if newly and state.rules.palafico != PALAFICO_OFF:
            state.palafico_due = opener
    state.newly_at_one = 0


# --- counters -----------------------------------------------------------------------------------
COUNTERS = (
    "rounds",
    "rounds_lost",
    "dice_lost",
    "dice_gained",
    "lost_by_high_bid",
    "lost_by_early_dudo",
    "lost_by_wrong_calza",
    "lost_by_caught_pass",
    "lost_by_doubting_a_good_pass",
    "lost_with_the_others",
    "dudos",
    "dudos_right",
    "calzas",
    "calzas_right",
    "doubts",
    "doubts_right",
    "dice_left_when_won",
)
(
    ROUNDS,
    ROUNDS_LOST,
    DICE_LOST,
    DICE_GAINED,
    LOST_BY_HIGH_BID,
    LOST_BY_EARLY_DUDO,
    LOST_BY_WRONG_CALZA,
    LOST_BY_CAUGHT_PASS,
    LOST_BY_DOUBTING,
    LOST_WITH_OTHERS,
    DUDOS,
    DUDOS_RIGHT,
    CALZAS,
    CALZAS_RIGHT,
    DOUBTS,
    DOUBTS_RIGHT,
    DICE_LEFT,
) = range(len(COUNTERS))


@kernel
def tally(state: Record, counters: Counters) -> None:
    """Add the round just settled to the counters of every seat that played it."""
    reveal = state.reveal
    reason = int(reveal.reason)
    caller, target = int(reveal.caller), int(reveal.target)
    for seat in range(int(state.players)):
        lost = int(reveal.lost[seat])
        if lost > 0 or state.counts[seat] > 0:
            counters[seat, ROUNDS] += 1
        counters[seat, DICE_GAINED] += int(reveal.gained[seat])
        if lost > 0:
            counters[seat, ROUNDS_LOST] += 1
            counters[seat, DICE_LOST] += lost
            counters[seat, loss_counter(reason, seat == caller, seat == target)] += 1
    if reason == BID_TOO_HIGH or reason == DUDO_TOO_SOON:
        counters[caller, DUDOS] += 1
        counters[caller, DUDOS_RIGHT] += reason == BID_TOO_HIGH
    elif reason == CALZA_RIGHT or reason == CALZA_WRONG:
        counters[caller, CALZAS] += 1
        counters[caller, CALZAS_RIGHT] += reason == CALZA_RIGHT
    else:
        counters[caller, DOUBTS] += 1
        counters[caller, DOUBTS_RIGHT] += reason == PASS_CAUGHT
    if state.phase == FINISHED and not state.rules.single_round:
        counters[state.winner, DICE_LEFT] += int(state.counts[state.winner])


@kernel
def loss_counter(reason: int, is_caller: bool, is_target: bool) -> int:
    """Return the counter for the reason why a seat lost dice."""
    if reason == BID_TOO_HIGH and is_target:
        return LOST_BY_HIGH_BID
    if reason == DUDO_TOO_SOON and is_caller:
        return LOST_BY_EARLY_DUDO
    if reason == CALZA_WRONG:
        return LOST_BY_WRONG_CALZA
    if reason == PASS_CAUGHT:
        return LOST_BY_CAUGHT_PASS
    if reason == PASS_DOUBTED_WRONGLY:
        return LOST_BY_DOUBTING
    return LOST_WITH_OTHERS
