"""Livingstone's robots with fixed heuristics, from a paper on single hands between two players.

Source: Daniel Livingstone, "Perudish: a game framework and modified rule-set for Perudo", Computing
and Information Systems Journal 9(3), 2005.

Their one idea: of three dice that I cannot see, one is probably of my best type, natural or wild.
A "type" is a face that can be bid and is not wild: 2 to 6 if ones are wild. If the rules fix the
face, or only let it rise, a type must also be a face that can still be bid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.parameters import chance, choice
from perudo.agents.table_facts import (
    NO_BID,
    asked_out_of_turn,
    bid_or_call,
    call,
    held,
    legal,
    lowest_bid,
    unseen_dice,
    ways,
)
from perudo.games.chance import Stream
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import (
    ACE,
    FIRST_PLAIN_FACE,
    ace_rank,
    any_higher_bid,
    may_open_on_aces,
)
from perudo.games.perudo.layout import bid_code, face_of, quantity_of
from perudo.games.perudo.reveal import matching
from perudo.games.perudo.rules import FACES, LOWEST
from perudo.games.policy import Memory, Parameters, begin, choose, consider, surely

PAPER = "Perudish (Livingstone 2005)"
WAYS_IN_THREE = 6
"""Divisor for a third of the dice: two ways in six, or one way if nothing is wild."""

EXTRAS = ("a_third", "two_per_opponent")
A_THIRD, TWO_PER_OPPONENT = range(2)
ENOUGH = ("scaled", "two")
SCALED, TWO = range(2)


@kernel
def third(dice: int, ways: int) -> int:
    """Return a third of some dice, rounded up (a sixth if only one face counts)."""
    return (dice * ways + WAYS_IN_THREE - 1) // WAYS_IN_THREE


@kernel
def first_type(observation: Record) -> int:
    """Return the lowest type, which is ones only if they are an ordinary face."""
    if observation.wild_face == ACE or ace_rank(observation) != LOWEST:
        return FIRST_PLAIN_FACE
    return ACE if observation.bid != NO_BID or may_open_on_aces(observation) else FIRST_PLAIN_FACE


@kernel
def last_type(observation: Record) -> int:
    """Return the highest type."""
    return FACES - 1 if observation.wild_face == FACES else FACES


@kernel
def favoured_type(hand: np.uint64, wild_face: int, first: int, last: int) -> int:
    """Return the type that a hand holds most of, counting wild dice; ties go to the highest."""
    best, most = first, -1
    for face in range(first, last + 1):
        count = matching(hand, face, wild_face)
        if count >= most:
            best, most = face, count
    return best


@kernel
def favoured(observation: Record) -> int:
    """Return the viewer's best type (D) among the types that can be bid."""
    first, last = first_type(observation), last_type(observation)
    if any_higher_bid(observation):
        hand = observation.hands[observation.viewer]
        return favoured_type(hand, int(observation.wild_face), first, last)
    best, most = face_of(observation.bid), -1
    for face in range(first, last + 1):
        count = held(observation, face)
        if count >= most and lowest_bid(observation, face) != NO_BID:
            best, most = face, count
    return best


@kernel
def estimate(observation: Record, face: int, extra: int) -> int:
    """Estimate the number of dice of a type (N): the dice held and a third of the unseen."""
    if extra == TWO_PER_OPPONENT:
        more = ways(observation, face) * (int(observation.live) - 1)
    else:
        more = third(unseen_dice(observation), ways(observation, face))
    return min(held(observation, face) + more, int(observation.total))


@kernel
def feasible(observation: Record, quantity: int, face: int) -> int:
    """Return the bid if it is legal and does not exceed the dice in play, else a call."""
    if quantity > observation.total:
        return call(observation)
    return bid_or_call(observation, bid_code(quantity, face))


@kernel
def nearest(observation: Record, quantity: int, face: int) -> int:
    """Return the bid if it is legal, else the lowest bid on the face if that is less, else a call.

    Some rules forbid jumps.
    """
    wanted = bid_code(quantity, face)
    if legal(observation, wanted):
        return wanted
    lowest = lowest_bid(observation, face)
    if lowest != NO_BID and lowest < wanted:
        return lowest
    return call(observation)


@kernel
def toss(observation: Record, to_call: float, stream: Stream, thoughts: Record) -> int:
    """Call a standing bid that equals the estimate, or bid one more, at random."""
    bid = int(observation.bid)
    raised = feasible(observation, quantity_of(bid) + 1, face_of(bid))
    consider(thoughts, call(observation), to_call, np.nan)
    consider(thoughts, raised, 1.0 - to_call, np.nan)
    return choose(thoughts, stream)


# --- HEURISTIC_MAX ------------------------------------------------------------------------------
@kernel
def decide_max(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Make the highest bid that the estimate supports, or call a bid above it."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    face = favoured(observation)
    quantity = estimate(observation, face, int(parameters[0]))
    if observation.bid == bid_code(quantity, face):
        return toss(observation, parameters[1], stream, thoughts)
    return surely(thoughts, nearest(observation, quantity, face))


@dataclass(frozen=True)
class HeuristicMax(CompiledAgent):
    """Bids its whole estimate of its best type at once, and calls any higher bid.

    A standing bid counts as lower if the estimate is a legal raise over it. This covers bids on
    ones, which the paper does not have.
    """

    name = "heuristic-max"
    idea = "bids its whole estimate of its best face at once; calls above that"
    source = PAPER + ": HEURISTIC_MAX"
    policy = decide_max

    extra: str = choice("a_third", EXTRAS)
    """Dice added to the dice held: a third of the unseen, rounded up; or two per opponent."""
    call_equal: float = chance(0.5)
    """Probability of calling a bid that equals the estimate; otherwise it bids one more."""


# --- HMAX_COUNTER -------------------------------------------------------------------------------
@kernel
def third_parties(observation: Record, face: int) -> float:
    """Return the average number of dice of a face held by players other than bidder and viewer."""
    dice = unseen_dice(observation) - int(observation.counts[observation.bidder])
    return dice * ways(observation, face) / WAYS_IN_THREE


@kernel
def needed(observation: Record, face: int, enough: int) -> int:
    """Return the dice I must hold for HEURISTIC_MAX's bid to be good: two, with five dice each."""
    if enough == TWO:
        return 2
    unseen_by_bidder = int(observation.total) - int(observation.counts[observation.bidder])
    added = third(unseen_by_bidder, ways(observation, face))
    return int(added - third_parties(observation, face) + 0.5)


@kernel
def answer_to_max(observation: Record, enough: int) -> int:
    """Call if I hold too few, raise if I hold more, else change the face (the paper's table 2)."""
    bid = int(observation.bid)
    quantity, face = quantity_of(bid), face_of(bid)
    count, want = held(observation, face), needed(observation, face, enough)
    if count < want:
        return call(observation)
    if count > want:
        return feasible(observation, quantity + 1, face)
    best = favoured(observation)
    if face < best:
        return feasible(observation, quantity, best)
    if face > best:
        return feasible(observation, quantity + 1, best)
    if face < last_type(observation) and legal(observation, bid_code(quantity, face + 1)):
        return bid_code(quantity, face + 1)
    return feasible(observation, quantity + 1, best)


@kernel
def smallest_opening(observation: Record) -> int:
    """Return a bid of one die of the lowest type."""
    return bid_or_call(observation, bid_code(1, first_type(observation)))


@kernel
def decide_counter(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Open low, and answer every bid as if HEURISTIC_MAX made it."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    if observation.bid == NO_BID:
        return surely(thoughts, smallest_opening(observation))
    return surely(thoughts, answer_to_max(observation, int(parameters[0])))


@dataclass(frozen=True)
class HmaxCounter(CompiledAgent):
    """Infers the bidder's hand from its bid, assuming that the bidder is HEURISTIC_MAX.

    The paper tests only before step 2 whether a raise is feasible; here every raise is tested.
    """

    name = "hmax-counter"
    idea = "opens low and answers every bid as if heuristic-max made it"
    source = PAPER + ": HMAX_COUNTER, table 2"
    policy = decide_counter

    enough: str = choice("scaled", ENOUGH)
    """Dice of the type bid needed to raise rather than call: the dice that heuristic-max adds to
    its own, less the third players' average (two, with five dice each); or always two."""


# --- HMAX_RANDOM --------------------------------------------------------------------------------
@kernel
def consider_range(
    observation: Record, lowest: int, quantity: int, first: int, face: int, thoughts: Record
) -> int:
    """List the legal bids in a range: a uniformly random quantity, then a random type.

    Return the number of quantities with a legal bid.
    """
    quantities = 0
    for number in range(lowest, quantity + 1):
        start = int(thoughts.considered)
        for kind in range(first, face + 1):
            if legal(observation, bid_code(number, kind)):
                consider(thoughts, bid_code(number, kind), 1.0, np.nan)
        types = int(thoughts.considered) - start
        quantities += types > 0
        for place in range(start, start + types):
            thoughts.probabilities[place] = 1.0 / types
    for place in range(int(thoughts.considered)):
        thoughts.probabilities[place] /= quantities
    return quantities


@kernel
def decide_random_max(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Make a random bid between the standing bid and the estimate, or call a bid above it."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    face = favoured(observation)
    quantity = estimate(observation, face, int(parameters[0]))
    bid = int(observation.bid)
    if bid == bid_code(quantity, face):
        return toss(observation, parameters[1], stream, thoughts)
    lowest, first = 1, first_type(observation)
    if bid != NO_BID:
        lowest, first = quantity_of(bid), max(first, face_of(bid))
    if consider_range(observation, lowest, quantity, first, face, thoughts) > 0:
        return choose(thoughts, stream)
    if lowest > quantity:
        return surely(thoughts, call(observation))
    return surely(thoughts, nearest(observation, quantity, face))


@dataclass(frozen=True)
class HmaxRandom(CompiledAgent):
    """HEURISTIC_MAX with random raises towards its estimate, which reveal less.

    The paper does not cover a standing bid on a type above its own: here the agent bids its
    estimate if that is higher, and calls otherwise. It answers a bid equal to its estimate like
    HEURISTIC_MAX.
    """

    name = "hmax-random"
    idea = "like heuristic-max, but raises at random somewhere below its estimate"
    source = PAPER + ": HMAX_RANDOM"
    policy = decide_random_max

    extra: str = choice("a_third", EXTRAS)
    """Dice added to the dice held: a third of the unseen, rounded up; or two per opponent."""
    call_equal: float = chance(0.5)
    """Probability of calling a bid that equals the estimate; otherwise it bids one more."""
