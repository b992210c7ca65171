"""Macleod's player, as Livingstone describes it: tables of chances, bent by bids it believes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from perudo.agents.agent import CompiledAgent
from perudo.agents.papers.adaptive import dice_in_hand
from perudo.agents.papers.heuristic import PAPER
from perudo.agents.parameters import chance, choice, flag, number
from perudo.agents.table_facts import (
    NO_BID,
    asked_out_of_turn,
    at_least,
    call,
    held,
    unseen_dice,
    ways,
)
from perudo.games.chance import Stream, uniform
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import bid_range
from perudo.games.perudo.layout import (
    FIRST_BID_CODE,
    bid_code,
    face_of,
    history_action,
    history_seat,
    quantity_of,
)
from perudo.games.perudo.reveal import matching
from perudo.games.perudo.rules import FACES
from perudo.games.policy import Memory, Parameters, begin, choose, consider, surely

HONEST, DISHONEST = range(2)
"""Columns of the memory: bids that turned out so."""
BELIEFS = ("coin", "average")
COIN, AVERAGE = range(2)
TOO_SAFE, PREFERRED = 0.0, 1.0
"""Marks of the bids considered, before one is settled on."""

P_MIN_AT, P_MAX_AT, P_TRUTH_AT, WEIGHT_AT, PER_OPPONENT_AT, LEARNS_AT, PRIOR_AT, BELIEF_AT = range(
    8
)
"""Places of the parameters."""


@kernel
def truth(observation: Record, parameters: Parameters, memory: Memory, bidder: int) -> float:
    """The chance to believe a bid: the mean of a Beta distribution, updated by honest bids seen."""
    honest, dishonest = 0.0, 0.0
    if parameters[PER_OPPONENT_AT] != 0.0:
        honest, dishonest = memory[bidder, HONEST], memory[bidder, DISHONEST]
    else:
        for seat in range(int(observation.players)):
            honest += memory[seat, HONEST]
            dishonest += memory[seat, DISHONEST]
    prior = parameters[PRIOR_AT]
    return float((parameters[P_TRUTH_AT] * prior + honest) / (prior + honest + dishonest))


@kernel
def faces_heard(observation: Record) -> int:
    """Bit per face: somebody else has bid on it."""
    heard = 0
    for index in range(int(observation.actions)):
        entry = int(observation.history[index])
        if history_action(entry) >= FIRST_BID_CODE and history_seat(entry) != observation.viewer:
            heard |= 1 << face_of(history_action(entry))
    return heard


@kernel
def believed_on(
    observation: Record,
    parameters: Parameters,
    memory: Memory,
    stream: Stream,
    face: int,
) -> float:
    """How many dice of a face are thought to be there beyond the average, by bids of others.

    Each of their bids on the face is believed or not; what is believed adds ``weight`` dice.
    """
    bids = 0.0
    for index in range(int(observation.actions)):
        entry = int(observation.history[index])
        bidder, bid = history_seat(entry), history_action(entry)
        if bid < FIRST_BID_CODE or face_of(bid) != face or bidder == observation.viewer:
            continue
        believe = truth(observation, parameters, memory, bidder)
        if parameters[BELIEF_AT] == AVERAGE:
            bids += believe
        elif uniform(stream) < believe:
            bids += 1.0
    return float(bids * parameters[WEIGHT_AT])


@kernel
def survival(missing: int, unseen: int, ways: int, shift: float) -> float:
    """The chance that the missing dice are among the unseen, whose table is shifted up.

    ``shift`` is in dice; between whole dice the table is read by interpolation.
    """
    if missing <= 0:
        return 1.0
    if missing > unseen:
        return 0.0
    if shift == 0.0:
        return at_least(unseen, missing, ways)
    place = missing - shift
    below = math.floor(place)
    part = place - below
    return (1.0 - part) * at_least(unseen, below, ways) + part * at_least(unseen, below + 1, ways)


@kernel
def consider_face(
    observation: Record, face: int, shift: float, p_min: float, p_max: float, thoughts: Record
) -> None:
    """Note the safest bid on a face that is not too safe, or else the safest; none too risky."""
    low, high = bid_range(observation, face)
    if low > high:
        return
    own, unseen, die = held(observation, face), unseen_dice(observation), ways(observation, face)
    safest = survival(low - own, unseen, die, shift)
    quantity, lives = low, safest
    if lives > p_max:
        quantity = max(low, min(own, high))  # what is held is as sure as can be
    while lives > p_max and quantity < high:
        quantity += 1
        lives = survival(quantity - own, unseen, die, shift)
    if p_min <= lives <= p_max:
        consider(thoughts, bid_code(quantity, face), PREFERRED, lives)
    elif safest >= p_min:
        consider(thoughts, bid_code(low, face), TOO_SAFE, safest)


@kernel
def prefer(thoughts: Record) -> None:
    """Settle on the safest of the preferred bids, or of all if there are none of these."""
    wanted, best, equal = TOO_SAFE, -1.0, 0
    for place in range(int(thoughts.considered)):
        wanted = max(wanted, thoughts.probabilities[place])
    for place in range(int(thoughts.considered)):
        if thoughts.probabilities[place] == wanted:
            if thoughts.values[place] > best:
                best, equal = thoughts.values[place], 0
            equal += thoughts.values[place] == best
    for place in range(int(thoughts.considered)):
        chosen = thoughts.probabilities[place] == wanted and thoughts.values[place] == best
        thoughts.probabilities[place] = 1.0 / equal if chosen else 0.0


@kernel
def decide_macleod(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """The safest bid that is not too safe; a call where every bid is too risky."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    before, bid = stream[0], int(observation.bid)
    heard = faces_heard(observation)
    for face in range(1, FACES + 1):
        shift = 0.0
        if (heard >> face) & 1:
            shift = believed_on(observation, parameters, memory, stream, face)
        if bid != NO_BID and face == face_of(bid):
            missing = quantity_of(bid) - held(observation, face)
            unseen, die = unseen_dice(observation), ways(observation, face)
            thoughts.chance = survival(missing, unseen, die, shift)
        consider_face(
            observation, face, shift, parameters[P_MIN_AT], parameters[P_MAX_AT], thoughts
        )
    if stream[0] != before:
        thoughts.mixed = 0  # coins were tossed: the chances below hold only as they fell
    if thoughts.considered == 0:
        return surely(thoughts, call(observation))
    prefer(thoughts)
    return choose(thoughts, stream)


@kernel
def learn_honesty(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Count the bids whose bidder held more of the face than an average hand, and the others."""
    if parameters[LEARNS_AT] == 0.0:
        return 0
    for index in range(int(observation.actions)):
        entry = int(observation.history[index])
        seat, bid = history_seat(entry), history_action(entry)
        hand = observation.reveal.hands[seat]
        if bid < FIRST_BID_CODE or seat == observation.viewer or hand == 0:
            continue
        face = face_of(bid)
        count = matching(hand, face, int(observation.wild_face))
        honest = count * FACES > dice_in_hand(hand) * ways(observation, face)
        memory[seat, HONEST if honest else DISHONEST] += 1.0
    return 0


@dataclass(frozen=True)
class Macleod(CompiledAgent):
    """Bids what survives a call often enough, believing some of the bids of others.

    The original paper is lost to us: known are the four parameters and what they limit. Ours are
    how P_MAX limits (bids within the limits are preferred, the safest of them first), the numbers,
    and that a bid is believed or not anew at each decision. With ``coin`` its chances cannot be
    stated, for they hang on the coins; with ``average`` they can.
    """

    name = "macleod"
    idea = "bids what survives a call with some chance, and shifts its tables by bids it believes"
    source = PAPER + ", on Macleod 2004"
    policy = decide_macleod
    learning = learn_honesty
    memory_width = 2

    p_min: float = chance(0.35)
    """It never makes a bid that survives a call with less than this chance; it calls instead."""
    p_max: float = chance(0.75)
    """It prefers bids that are no safer than this."""
    p_truth: float = chance(0.6)
    """The chance to believe that a bidder holds more of the face bid than an average hand."""
    weight: float = number(0.5, 0.0, 8.0)
    """How many dice a believed bid adds to those expected on its face."""
    per_opponent_truth: bool = flag(True)
    """Learn the truthfulness of each opponent, as Livingstone suggests; or one for all."""
    learns: bool = flag(True)
    """Whether truthfulness is learned at all."""
    prior: float = number(10.0, 0.01, 1e6)
    """How many bids seen the first p_truth is worth."""
    belief: str = choice("coin", BELIEFS)
    """A bid is believed by a coin, whole or not at all; or always in proportion."""
