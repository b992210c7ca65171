"""What happens: rolling, bidding, the reveal, who loses, who opens (docs/rules.md, 1 and 4-7)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, below, combine, scale, whole
from perudo.games.game import CHANCE, MATCH, OVER, Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import (
    ACE,
    PLAIN_FACES,
    action,
    action_count,
    begin_offers,
    first_claimant,
    ladder_bid,
    largest_quantity,
    make_offer,
)
from perudo.games.perudo.layout import (
    AWAITING_DEAL,
    BID_TOO_HIGH,
    BIDDING,
    CALZA,
    CALZA_RIGHT,
    CALZA_WRONG,
    DECLINE,
    DOUBT,
    DUDO,
    DUDO_TOO_SOON,
    FINISHED,
    FIRST_BID_CODE,
    HISTORY_SEAT_SHIFT,
    NO_COUNT,
    NOBODY,
    PALAFICO,
    PASS,
    PASS_CAUGHT,
    PASS_DOUBTED_WRONGLY,
    count_in_hand,
    die_in_hand,
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
    PALAFICO_AUTOMATIC,
    PALAFICO_OFF,
    REROLL_TIED,
    REWARD_BOTH,
    REWARD_DIE,
    REWARD_OTHERS_LOSE,
    START_RANDOM,
    START_ROLL,
    TWO_FULL,
    TWO_LITERAL,
    TWO_NONWILD_TRIGGER,
    WILD_HIGHEST,
    WILD_NONE,
)

START_ROUND = 0
"""The start roll is keyed as round 0; its n-th attempt as the n-th die of a seat."""
HALF = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
SIX = np.uint64(FACES)
DICE_PER_HALF = 4
MOST_NUMBERED_DICE = 24
"""The rolls of more dice than this have no number in 64 bits."""
RANDOM_OPENER = 15
"""Keyed as the dice of this seat, which nobody has, in round 0."""


@kernel
def die(key: np.uint64, round_number: int, seat: int, index: int) -> int:
    """The face of one die: a pure function of the match's key and the die's place (1.7).

    Eight dice come from one word, four from each half, as the digits of a fraction in base six.
    """
    word = combine(combine(key, round_number), seat + 16 * (index >> 3))
    half = (word >> HALF) if index & 4 == 0 else (word & LOW_HALF)
    for _ in range(index & 3):
        half = (half * SIX) & LOW_HALF
    return whole(half * SIX >> HALF) + 1


def _hands_by_digits() -> npt.NDArray[np.uint64]:
    """For n of 0 to 4 dice and a number below 6**n: the hand whose dice are its base-six digits."""
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
    """A cup of dice: die 0 to die count-1 of the seat, the first digits of each half at once."""
    word = combine(round_key, seat)
    first = min(count, DICE_PER_HALF)
    second = count - first
    hand: np.uint64 = HANDS[first, ((word >> HALF) * POWERS[first]) >> HALF]
    if second > 0:
        hand += HANDS[second, ((word & LOW_HALF) * POWERS[second]) >> HALF]
    return hand


@kernel
def actor(state: Record) -> int:
    """The seat to act, or CHANCE before a roll, or OVER."""
    if state.phase == BIDDING:
        return int(state.pending) if state.pending != NOBODY else int(state.turn)
    return CHANCE if state.phase == AWAITING_DEAL else OVER


# --- chance ------------------------------------------------------------------------------------
@kernel
def start_roll_opener(state: Record, key: np.uint64) -> int:
    """Highest die opens; who is tied for it rolls again (1.5, 1.6)."""
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
    """The n-th seat that has dice."""
    if state.live == state.players:
        return index
    seat = next_live(state, int(state.players) - 1)
    for _ in range(index):
        seat = next_live(state, seat)
    return seat


@kernel
def choose_first_opener(state: Record, key: np.uint64) -> None:
    """Decide who opens the first round, if that has not been decided (1.5)."""
    if state.opener != NOBODY:
        return
    if state.rules.start_mode == START_ROLL:
        state.opener = start_roll_opener(state, key)
    elif state.rules.start_mode == START_RANDOM:
        word = combine(combine(key, START_ROUND), RANDOM_OPENER)
        state.opener = nth_live(state, scale(word, int(state.live)))
    else:
        state.opener = nth_live(state, 0)


@kernel
def begin_round(state: Record) -> None:
    """Clear the table for a new round; the hands are rolled by the caller."""
    for index in range(int(state.actions)):
        state.history[index] = 0
    state.actions = 0
    state.phase = BIDDING
    state.round_number += 1
    state.turn = state.opener
    state.pending = NOBODY
    state.bidder = NOBODY
    state.passer = NOBODY
    state.palafico = NOBODY
    state.bid = 0
    state.plain_bid = 0
    state.passed = 0
    state.wild_face = ACE
    if state.rules.wild == WILD_HIGHEST:
        state.wild_face = FACES
    elif state.rules.wild == WILD_NONE:
        state.wild_face = 0
    begin_palafico(state)
    state.public_key = 0
    begin_offers(state)


@kernel
def begin_palafico(state: Record) -> None:
    """Decide at the start of a round whether it is palafico and what is wild (5.1, 5.7, 5.9)."""
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
    """This round is palafico, of the player who is newly down to one die."""
    state.palafico = state.palafico_due
    state.palafico_due = NOBODY
    if not state.rules.palafico_aces_wild:
        state.wild_face = 0


@kernel
def deal(state: Record, key: np.uint64) -> None:
    """Roll every cup from the match's key and open the round."""
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
    """Equally likely ordered rolls of all dice. The first opener is taken as decided."""
    return FACES ** int(state.total) if state.total <= MOST_NUMBERED_DICE else 0


@kernel
def chance_outcome(state: Record, index: int) -> None:
    """The n-th ordered roll, the last die running fastest."""
    if state.opener == NOBODY:
        state.opener = nth_live(state, 0)
    for seat in range(int(state.players) - 1, -1, -1):
        state.hands[seat] = 0
        for _ in range(int(state.counts[seat])):
            state.hands[seat] += die_in_hand(1 + index % FACES)
            index //= FACES
    begin_round(state)


# --- bidding -----------------------------------------------------------------------------------
@kernel
def remember(state: Record, action: int) -> None:
    """Write a bid or a pass into the round's history and its public hash."""
    state.history[state.actions] = (int(state.turn) << HISTORY_SEAT_SHIFT) | action
    state.actions += 1
    state.public_key = combine(np.uint64(state.public_key), action)


@kernel
def apply(state: Record, action: int) -> None:
    """Play a legal action."""
    if action >= FIRST_BID_CODE:
        remember(state, action)
        state.bid = action
        if face_of(action) != ACE:
            state.plain_bid = action
        state.bidder = state.turn
        state.passer = NOBODY
        state.turn = next_live(state, state.turn)
        if not state.plain_round:
            state.palafico_due = NOBODY  # too late to declare it now
            state.pending = first_claimant(state, state.bidder)
        make_offer(state)
    elif action == DUDO:
        settle_dudo(state)
    elif action == CALZA:
        settle_calza(state, actor(state))
    elif action == PASS:
        remember(state, PASS)
        state.palafico_due = NOBODY
        state.passed |= 1 << int(state.turn)
        state.passer = state.turn
        state.turn = next_live(state, state.turn)
        if state.rules.calza_after_pass and state.bid != 0:
            state.pending = first_claimant(state, state.bidder)
        make_offer(state)
    elif action == DOUBT:
        settle_pass(state)
    elif action == DECLINE:
        state.pending = first_claimant(state, state.pending)
        make_offer(state)
    elif action == PALAFICO:
        start_palafico(state)
        make_offer(state)
        state.public_key = combine(np.uint64(state.public_key), PALAFICO)


# --- the reveal --------------------------------------------------------------------------------
@kernel
def matching(hand: np.uint64, face: int, wild_face: int) -> int:
    """How many dice of a hand count for a bid on a face (2.5)."""
    count = count_in_hand(hand, face)
    if wild_face != 0 and wild_face != face:
        count += count_in_hand(hand, wild_face)
    return count


@kernel
def pass_is_valid(hand: np.uint64) -> bool:
    """All different, all equal, or three and two; ones are no jokers here (7.2)."""
    most, second = 0, 0
    for face in range(1, FACES + 1):
        count = count_in_hand(hand, face)
        if count > most:
            most, second = count, most
        elif count > second:
            second = count
    return most == 1 or most == 5 or (most == 3 and second == 2)


@kernel
def lift_cups(state: Record, only: int) -> np.uint64:
    """Show every hand, or only one; returns all shown dice as one hand.

    The loops run over all ten places, empty or not: a fixed number of turns has no branches.
    """
    reveal = state.reveal
    together = np.uint64(0)
    for seat in range(MAX_PLAYERS):
        reveal.lost[seat] = 0
        reveal.gained[seat] = 0
    for seat in range(MAX_PLAYERS):
        hand = state.hands[seat] if only == NOBODY or only == seat else np.uint64(0)
        reveal.hands[seat] = hand
        together += hand
    return together


@kernel
def lose(state: Record, seat: int, dice: int) -> None:
    """A seat loses dice; if that leaves it one for the first time, it is marked (5.2)."""
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
    """Everybody else who is in the game loses a die."""
    for seat in range(int(state.players)):
        if seat != spared and state.counts[seat] > 0:
            lose(state, seat, 1)


@kernel
def settle_dudo(state: Record) -> None:
    """Dudo: count, and the one who was wrong loses (part 4)."""
    caller, bidder = int(state.turn), int(state.bidder)
    quantity = quantity_of(state.bid)
    count = matching(lift_cups(state, NOBODY), face_of(state.bid), int(state.wild_face))
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
    """Calza: exactly right or not (part 6)."""
    count = matching(lift_cups(state, NOBODY), face_of(state.bid), int(state.wild_face))
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
def settle_pass(state: Record) -> None:
    """A doubted pass: only the passer's cup is lifted (7.7)."""
    caller, passer = int(state.turn), int(state.passer)
    lift_cups(state, passer)
    valid = pass_is_valid(state.hands[passer])
    loser = caller if valid else passer
    lose(state, loser, 1)
    reason = PASS_DOUBTED_WRONGLY if valid else PASS_CAUGHT
    settle(state, reason, caller, passer, NO_COUNT, loser)


@kernel
def settle(state: Record, reason: int, caller: int, target: int, count: int, opener: int) -> None:
    """Note how the round ended; then who opens, whether palafico is due, who has won."""
    reveal = state.reveal
    reveal.reason = reason
    reveal.caller = caller
    reveal.target = target
    reveal.count = count
    reveal.bid = state.bid
    state.pending = NOBODY
    state.palafico_due = NOBODY
    state.offer.choices = 0
    state.offer.bids = 0
    state.offer.step_shift = 0
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


# --- random play -------------------------------------------------------------------------------
@kernel
def finish_round_randomly(state: Record, stream: Stream) -> int:
    """Uniform random legal actions to the end of the round; returns how many there were.

    In a plain round the standing bid and the turn stay in registers until somebody doubts; draws
    and outcome are the same as action by action.
    """
    made = 0
    if state.plain_round and state.phase == BIDDING and state.live == state.players:
        players = int(state.players)
        turn = int(state.turn)
        bidder = int(state.bidder)
        actions = int(state.actions)
        key = np.uint64(state.public_key)
        faces = FACES if state.plain_round == FACES else PLAIN_FACES
        end = (largest_quantity(state) + 1) * faces
        first = int(state.offer.step_shift)
        bid, plain_bid = int(state.bid), int(state.plain_bid)
        doubt = 1 if bid else 0
        while True:
            bids = end - first
            index = below(stream, bids + doubt)
            if index >= bids:
                break
            bid = ladder_bid(first + index, faces)
            plain_bid = bid if face_of(bid) != ACE else plain_bid
            state.history[actions] = (turn << HISTORY_SEAT_SHIFT) | bid
            actions += 1
            key = combine(key, bid)
            bidder = turn
            turn = turn + 1 if turn + 1 < players else 0
            first += index + 1
            doubt = 1
        made = actions - int(state.actions) + 1
        state.turn = turn
        state.bidder = bidder
        state.actions = actions
        state.public_key = key
        state.bid = bid
        state.plain_bid = plain_bid
        settle_dudo(state)
        return made
    while state.phase == BIDDING:
        apply(state, action(state, below(stream, action_count(state))))
        made += 1
    return made


@kernel
def round_over(state: Record) -> bool:
    """Whether a round has been settled and the next not been dealt."""
    return bool(state.phase != BIDDING and state.round_number > 0)


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """What the match or the round is worth to a seat (10.1).

    Match: 1 to the winner, the others share -1. Round: each die lost costs 1, which the others
    share. Both are zero-sum; a right calza is worth 0.
    """
    if horizon == MATCH:
        if state.winner == seat:
            return 1.0
        return -1.0 / (int(state.players) - 1)
    lost, seats = 0, 0
    for other in range(int(state.players)):
        lost += state.reveal.lost[other]
        if state.reveal.lost[other] > 0 or state.counts[other] > 0:
            seats += 1
    own = int(state.reveal.lost[seat])
    if own == 0 and state.counts[seat] == 0:
        return 0.0
    return (int(lost) - own) / (seats - 1) - own
