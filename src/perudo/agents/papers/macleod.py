"""Macleod's player: tables of probabilities, shifted by the bids it believes.

Source: Alasdair Macleod, "A Novel Platform for Developing Mundane Skills in Artificial Players",
2004, as described by Daniel Livingstone (``heuristic`` cites his paper).
"""

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
"""Columns of the memory: numbers of bids that turned out honest and dishonest."""
BELIEFS = ("coin", "average")
COIN, AVERAGE = range(2)
TOO_SAFE, PREFERRED = 0.0, 1.0
"""Marks that stand in for the probabilities of bids until ``prefer`` settles on one."""

P_MIN_AT, P_MAX_AT, P_TRUTH_AT, WEIGHT_AT, PER_OPPONENT_AT, LEARNS_AT, PRIOR_AT, BELIEF_AT = range(
    8
)
"""Indices of the parameters."""


@kernel
def truth(observation: Record, parameters: Parameters, memory: Memory, bidder: int) -> float:
    """Return the probability of believing a bid: the mean of a Beta posterior over honest bids."""
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
    """Return a bit for each face that another player has bid on in this round."""
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
    """Return the dice of a face expected beyond the average, given the others' bids.

    Each of their bids on the face is believed or not; each believed bid adds ``weight`` dice.
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
    """Return the probability that the missing dice are among the unseen, in a shifted table.

    ``shift`` is in dice; the table is interpolated linearly between whole dice.
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
    """Note the safest bid on a face that is not too safe, else the safest, unless too risky."""
    low, high = bid_range(observation, face)
    if low > high:
        return
    own, unseen, die = held(observation, face), unseen_dice(observation), ways(observation, face)
    safest = survival(low - own, unseen, die, shift)
    quantity, lives = low, safest
    if lives > p_max:
        quantity = max(low, min(own, high))  # bids on the dice held are certain
    while lives > p_max and quantity < high:
        quantity += 1
        lives = survival(quantity - own, unseen, die, shift)
    if p_min <= lives <= p_max:
        consider(thoughts, bid_code(quantity, face), PREFERRED, lives)
    elif safest >= p_min:
        consider(thoughts, bid_code(low, face), TOO_SAFE, safest)


@kernel
def prefer(thoughts: Record) -> None:
    """Settle on the safest of the preferred bids, or of all bids if none is preferred."""
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
    """Make the safest bid that is not too safe, or call if every bid is too risky."""
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
        thoughts.mixed = 0  # coins were tossed: the probabilities below hold only for this toss
    if thoughts.considered == 0:
        return surely(thoughts, call(observation))
    prefer(thoughts)
    return choose(thoughts, stream)


@kernel
def learn_honesty(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Count bids whose bidder held more of the face than average as honest, others as dishonest."""
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
    """Makes bids that are likely enough to survive a call, believing some of the others' bids.

    Livingstone gives only the four parameters and the purpose of each. Our own choices are the
    defaults, the use of P_MAX (it prefers bids within the limits, the safest first), and that each
    decision draws again which bids to believe. With ``coin`` the agent cannot state probabilities,
    because they depend on those draws; with ``average`` it can.
    """

    name = "macleod"
    idea = "makes bids likely to survive a call, and shifts its odds by the bids it believes"
    source = PAPER + ", on Macleod 2004"
    policy = decide_macleod
    learning = learn_honesty
    memory_width = 2

    p_min: float = chance(0.35)
    """Lowest probability of surviving a call at which it makes a bid; otherwise it calls."""
    p_max: float = chance(0.75)
    """Highest probability of surviving a call among the bids it prefers."""
    p_truth: float = chance(0.6)
    """Prior probability of believing that a bidder holds more of the face than average."""
    weight: float = number(0.5, 0.0, 8.0)
    """Dice that a believed bid adds to the expectation of its face."""
    per_opponent_truth: bool = flag(True)
    """Learn each opponent's truthfulness, as Livingstone suggests; otherwise one for all."""
    learns: bool = flag(True)
    """Learn truthfulness from revealed hands; otherwise p_truth stays fixed."""
    prior: float = number(10.0, 0.01, 1e6)
    """Weight of the prior p_truth, in observed bids."""
    belief: str = choice("coin", BELIEFS)
    """Believe each bid entirely or not at all, by a coin toss; or believe it in proportion."""
