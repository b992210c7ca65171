"""Livingstone's robots with fixed rules of thumb, from a paper on single hands for two players.

Their one idea: of three dice that I cannot see, one is probably of my best type, natural or wild.
A "type" here is a face that can be bid and is not wild: 2 to 6 where ones are wild. Where the rules
fix the face, or let it only rise, it must also be one that can still be bid.
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

PAPER = "Perudish, Livingstone, University of Paisley"
WAYS_IN_THREE = 6
"""A third of the dice is two ways in six; where nothing is wild there is one way only."""

EXTRAS = ("a_third", "two_per_opponent")
A_THIRD, TWO_PER_OPPONENT = range(2)
ENOUGH = ("scaled", "two")
SCALED, TWO = range(2)


@kernel
def third(dice: int, ways: int) -> int:
    """A third of some dice, rounded up (a sixth if a face has only itself)."""
    return (dice * ways + WAYS_IN_THREE - 1) // WAYS_IN_THREE


@kernel
def first_type(observation: Record) -> int:
    """The lowest type: ones only where they are a face like any other."""
    if observation.wild_face == ACE or ace_rank(observation) != LOWEST:
        return FIRST_PLAIN_FACE
    return ACE if observation.bid != NO_BID or may_open_on_aces(observation) else FIRST_PLAIN_FACE


@kernel
def last_type(observation: Record) -> int:
    """The highest type."""
    return FACES - 1 if observation.wild_face == FACES else FACES


@kernel
def favoured_type(hand: np.uint64, wild_face: int, first: int, last: int) -> int:
    """The type that a hand holds most of, wild dice included; of several the highest."""
    best, most = first, -1
    for face in range(first, last + 1):
        count = matching(hand, face, wild_face)
        if count >= most:
            best, most = face, count
    return best


@kernel
def favoured(observation: Record) -> int:
    """The viewer's best type (D) among those that can be bid."""
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
    """How many dice of a type there are (N): those held, and a third of those unseen."""
    if extra == TWO_PER_OPPONENT:
        more = ways(observation, face) * (int(observation.live) - 1)
    else:
        more = third(unseen_dice(observation), ways(observation, face))
    return min(held(observation, face) + more, int(observation.total))


@kernel
def feasible(observation: Record, quantity: int, face: int) -> int:
    """This bid if it is legal and there are so many dice, else a call."""
    if quantity > observation.total:
        return call(observation)
    return bid_or_call(observation, bid_code(quantity, face))


@kernel
def nearest(observation: Record, quantity: int, face: int) -> int:
    """This bid; where rules forbid the jump, the lowest bid on the way to it; else a call."""
    wanted = bid_code(quantity, face)
    if legal(observation, wanted):
        return wanted
    lowest = lowest_bid(observation, face)
    if lowest != NO_BID and lowest < wanted:
        return lowest
    return call(observation)


@kernel
def toss(observation: Record, to_call: float, stream: Stream, thoughts: Record) -> int:
    """The standing bid is exactly my own estimate: call it, or bid one more of it."""
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
    """Always the highest bid that the estimate supports; what is above it is called."""
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
    """Bids all that it estimates there to be of its best type, and calls whatever is higher.

    Whether the standing bid is lower is a matter of the rules: it is if the estimate is a legal bid
    over it. So bids on ones, which the paper does not have, fall into place.
    """

    name = "heuristic-max"
    idea = "bids its best type, held and a third of the unseen dice, at once; calls above that"
    source = PAPER + ": HEURISTIC_MAX"
    policy = decide_max

    extra: str = choice("a_third", EXTRAS)
    """Dice added to those held: a third of the unseen, rounded up; or two for each opponent."""
    call_equal: float = chance(0.5)
    """The chance to call a bid that equals the estimate; otherwise it bids one more."""


# --- HMAX_COUNTER -------------------------------------------------------------------------------
@kernel
def third_parties(observation: Record, face: int) -> float:
    """How many dice of a face those hold on average who neither bid nor look."""
    dice = unseen_dice(observation) - int(observation.counts[observation.bidder])
    return dice * ways(observation, face) / WAYS_IN_THREE


@kernel
def needed(observation: Record, face: int, enough: int) -> int:
    """How many I must hold to make a bid of HEURISTIC_MAX good: two, with five dice each."""
    if enough == TWO:
        return 2
    unseen_by_bidder = int(observation.total) - int(observation.counts[observation.bidder])
    added = third(unseen_by_bidder, ways(observation, face))
    return int(added - third_parties(observation, face) + 0.5)


@kernel
def answer_to_max(observation: Record, enough: int) -> int:
    """Table 2 of the paper: call if I hold too little, raise if I hold more, else step aside."""
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
    """One die of the lowest type."""
    return bid_or_call(observation, bid_code(1, first_type(observation)))


@kernel
def decide_counter(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Open low, and answer every bid as if HEURISTIC_MAX had made it."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    if observation.bid == NO_BID:
        return surely(thoughts, smallest_opening(observation))
    return surely(thoughts, answer_to_max(observation, int(parameters[0])))


@dataclass(frozen=True)
class HmaxCounter(CompiledAgent):
    """Reads the other's hand off its bid, taking the other for HEURISTIC_MAX.

    The paper's test that a raise is feasible, there only before step 2, is made for all raises.
    """

    name = "hmax-counter"
    idea = "opens low and takes every bid for one of heuristic-max: two dice decide"
    source = PAPER + ": HMAX_COUNTER, table 2"
    policy = decide_counter

    enough: str = choice("scaled", ENOUGH)
    """How many dice of the type bid decide between call and raise: what heuristic-max would have
    added, less what third players hold on average (two, with five dice each); or always two."""


# --- HMAX_RANDOM --------------------------------------------------------------------------------
@kernel
def consider_range(
    observation: Record, lowest: int, quantity: int, first: int, face: int, thoughts: Record
) -> int:
    """List the legal bids in a range of quantities and types: any quantity, then any type.

    Returns how many quantities have a legal bid.
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
    """A random bid between the standing one and the estimate; what is above it is called."""
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
    """Like HEURISTIC_MAX, but raises at random towards its estimate, and so tells less.

    The paper leaves open what it does when the type bid is above its own: here it bids its estimate
    if that is higher, else it calls. A bid equal to the estimate is met as by HEURISTIC_MAX.
    """

    name = "hmax-random"
    idea = "like heuristic-max, but raises at random somewhere below its estimate"
    source = PAPER + ": HMAX_RANDOM"
    policy = decide_random_max

    extra: str = choice("a_third", EXTRAS)
    """Dice added to those held: a third of the unseen, rounded up; or two for each opponent."""
    call_equal: float = chance(0.5)
    """The chance to call a bid that equals the estimate; otherwise it bids one more."""
