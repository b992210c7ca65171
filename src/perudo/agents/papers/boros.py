"""The four strategies of Boros and Kallós, from the Maynooth report's summary of their paper.

Source: Norbert Boros and Gábor Kallós, "Bluffing computer? Computer strategies to the Perudo game",
Acta Universitatis Sapientiae, Informatica 6, 2014; summarised by Dheeraj Putta (``bet_generator``
cites the report).

All strategies work with expected numbers of dice: own dice, plus each unseen die's probability,
plus the evidence of the others' bids. The paper has two players; here the unseen dice are the dice
of all other players. The summary gives no formulas: the ones below are this project's reading.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.parameters import chance, number
from perudo.agents.table_facts import (
    NO_BID,
    asked_out_of_turn,
    at_least,
    call,
    held,
    legal,
    lowest_bid,
    unseen_dice,
    ways,
)
from perudo.games.chance import Stream
from perudo.games.errors import PerudoError
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
from perudo.games.perudo.rules import FACES
from perudo.games.policy import Memory, Parameters, begin, choose, consider, surely

PHASES = ("supported", "within bound", "aces", "call")
SUPPORTED, WITHIN_BOUND, ACES, CALL = range(4)
BOUND, TRUST, FADE, BEST, MINIMUM, BLUFF, CREDIBLE = range(7)
"""Indices of the parameters; simpler strategies set the ones they lack to zero."""
SEAT_BITS = 6
"""Bits per seat in the packed bid counts."""
MAX_BIDS = (1 << SEAT_BITS) - 1
ROUNDING = 1e-9
"""Tolerance for sums of thirds of dice that should be whole numbers."""


@kernel
def bid_evidence(observation: Record, face: int, trust: float, fade: float) -> float:
    """Return the dice of a face, beyond chance, that the others' bids on it lead us to expect.

    A player's first bid counts ``trust`` dice, each later one ``fade`` times the one before. No bid
    counts more than its player's dice can exceed chance, and all bids together count no more than
    the unseen dice can.
    """
    miss = 1.0 - ways(observation, face) / FACES
    bids_by_seat = 0
    dice = 0.0
    for index in range(int(observation.actions)):
        entry = int(observation.history[index])
        seat, said = history_seat(entry), history_action(entry)
        if said < FIRST_BID_CODE or seat == observation.viewer:
            continue
        shift = SEAT_BITS * seat
        earlier = (bids_by_seat >> shift) & MAX_BIDS
        if earlier < MAX_BIDS:
            bids_by_seat += 1 << shift
        if face_of(said) == face:
            dice += min(trust, int(observation.counts[seat]) * miss) * fade**earlier
    return min(dice, unseen_dice(observation) * miss)


@kernel
def expected(observation: Record, face: int, trust: float, fade: float) -> float:
    """Return the expected number of dice for a face: held, by chance, and by the others' bids."""
    by_chance = unseen_dice(observation) * ways(observation, face) / FACES
    shown = bid_evidence(observation, face, trust, fade) if trust > 0.0 else 0.0
    return held(observation, face) + by_chance + shown


@kernel
def largest_supported(observation: Record, face: int, expectation: float) -> int:
    """Return the largest legal bid on a face that does not exceed the expectation, or NO_BID."""
    low, high = bid_range(observation, face)
    amount = min(int(expectation + ROUNDING), high, int(observation.total))
    return bid_code(amount, face) if amount >= low else NO_BID


@kernel
def best_bid(
    observation: Record, bound: float, trust: float, fade: float, thoughts: Record
) -> tuple[int, float]:
    """Return the action by expected values, and the dice it has to spare (NaN for a call).

    The first of these that exists: the largest bid expected to hold on a face that is not wild; the
    bid that exceeds its expectation least, if by no more than the bound; the largest bid expected
    to hold on the wild face ("aces"); a call.
    """
    wild = int(observation.wild_face)
    best, best_spare = NO_BID, np.nan
    nearest, nearest_spare = NO_BID, -np.inf
    for face in range(1, FACES + 1):
        lowest = lowest_bid(observation, face)
        if lowest == NO_BID or face == wild:
            continue
        expectation = expected(observation, face, trust, fade)
        bid = largest_supported(observation, face, expectation)
        if bid > best:
            best, best_spare = bid, expectation - quantity_of(bid)
        spare = expectation - quantity_of(lowest)
        if spare >= nearest_spare and quantity_of(lowest) <= observation.total:
            nearest, nearest_spare = lowest, spare
    if best != NO_BID:
        thoughts.phase = SUPPORTED
        return best, best_spare
    if nearest != NO_BID and nearest_spare >= -bound - ROUNDING:
        thoughts.phase = WITHIN_BOUND
        return nearest, nearest_spare
    if wild != 0:
        expectation = expected(observation, wild, trust, fade)
        aces = largest_supported(observation, wild, expectation)
        if aces != NO_BID:
            thoughts.phase = ACES
            return aces, expectation - quantity_of(aces)
    thoughts.phase = CALL
    return call(observation), np.nan


@kernel
def play_best(
    observation: Record, bound: float, trust: float, fade: float, thoughts: Record
) -> int:
    """Play by expected values alone."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    action, spare = best_bid(observation, bound, trust, fade, thoughts)
    consider(thoughts, action, 1.0, spare)
    return action


@kernel
def minimum_bid(observation: Record) -> int:
    """Return the lowest legal bid on a face that is not wild, or NO_BID."""
    minimum = NO_BID
    for face in range(1, FACES + 1):
        lowest = lowest_bid(observation, face)
        if lowest != NO_BID and face != observation.wild_face:
            minimum = lowest if minimum == NO_BID else min(minimum, lowest)
    return minimum


@kernel
def bluff_bid(observation: Record) -> int:
    """Return the bid expected by a player who sees no dice, on the face held least; or NO_BID.

    Ties go to the highest face. The bid is never below the lowest legal one.
    """
    least, bluff = FACES * FACES, NO_BID
    for face in range(1, FACES + 1):
        lowest = lowest_bid(observation, face)
        if lowest == NO_BID or face == observation.wild_face:
            continue
        own = held(observation, face)
        if own <= least:
            table = int(observation.total) * ways(observation, face) // FACES
            least, bluff = own, lowest
            usual = bid_code(table, face)
            if table > quantity_of(lowest) and legal(observation, usual):
                bluff = usual
    return bluff


@kernel
def is_credible(observation: Record, bid: int, credible: float) -> bool:
    """Return True if a player who sees no dice would give a bid at least this probability."""
    if bid == NO_BID:
        return False
    dice, face = int(observation.total), face_of(bid)
    return at_least(dice, quantity_of(bid), ways(observation, face)) >= credible


@kernel
def decide_expected(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Play by expected values, from the own dice and, as far as trusted, the others' bids."""
    bound, trust = float(parameters[BOUND]), float(parameters[TRUST])
    return play_best(observation, bound, trust, float(parameters[FADE]), thoughts)


@kernel
def decide_bluff(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Mix the best bid, the lowest bid and a bluff, leaving out the ones that lack credibility."""
    bound, trust = float(parameters[BOUND]), float(parameters[TRUST])
    best = play_best(observation, bound, trust, float(parameters[FADE]), thoughts)
    if asked_out_of_turn(observation):
        return best
    spare = float(thoughts.values[0])
    thoughts.considered = 0
    whole_share = float(parameters[BEST] + parameters[MINIMUM] + parameters[BLUFF])
    credible = float(parameters[CREDIBLE])
    minimum, bluff = minimum_bid(observation), bluff_bid(observation)
    low_share, bluff_share = 0.0, 0.0
    if is_credible(observation, minimum, credible):
        low_share = parameters[MINIMUM] / whole_share
    if is_credible(observation, bluff, credible):
        bluff_share = parameters[BLUFF] / whole_share
    consider(thoughts, best, 1.0 - low_share - bluff_share, spare)
    if low_share > 0.0:
        consider(thoughts, minimum, low_share, np.nan)
    if bluff_share > 0.0:
        consider(thoughts, bluff, bluff_share, np.nan)
    return choose(thoughts, stream)


@dataclass(frozen=True)
class BorosBasic(CompiledAgent):
    """Bids the number of dice it expects.

    The summary says only that an upper bound limits raises, and that beyond it aces are called.
    """

    name = "boros-basic"
    idea = "bids the number of dice it expects; beyond a bound it turns to aces, or calls"
    source = "Boros and Kallós 2014, as summarised in the Maynooth report (Putta 2019), section 2.1"
    policy = decide_expected
    phases = PHASES

    bound: float = number(0.5, 0.0, 10.0)
    """Dice by which a raise may exceed the expectation if no raise is within it."""

    @property
    def parameters(self) -> Parameters:
        """The fields as numbers, with zeros for the fields a simpler strategy lacks."""
        own = super().parameters
        return np.pad(own, (0, max(FADE + 1 - own.size, 0)))


@dataclass(frozen=True)
class BorosExtended(BorosBasic):
    """``boros-basic``, which also believes every other player's first bid."""

    name = "boros-extended"
    idea = "boros-basic, expecting one die more of the face that each other player bids first"

    trust: float = number(1.0, 0.0, 10.0)
    """Dice beyond chance that it expects of the face of a player's first bid of the round."""


@dataclass(frozen=True)
class BorosForeseeing(BorosExtended):
    """``boros-extended``, which also gives later bids some weight."""

    name = "boros-foreseeing"
    idea = "boros-extended, with every later bid of a player counted half as much as the one before"

    fade: float = chance(0.5)
    """Weight of a bid relative to the same player's previous bid."""


@dataclass(frozen=True)
class BorosBluff(BorosForeseeing):
    """Mixes the bid of ``boros-foreseeing`` with the lowest bid and a bluff.

    The lowest bid and the bluff are made only if a player who sees no dice would find them
    credible; otherwise their share goes to the best bid. The bluff is the bid that such a player
    expects, on the face that the bluffer holds least.
    """

    name = "boros-bluff"
    idea = "boros-foreseeing in 60% of moves, the lowest bid in 25%, a credible bluff in 15%"
    policy = decide_bluff

    best: float = chance(0.6)
    """Share of best bids; only the ratio of the three shares matters."""
    minimum: float = chance(0.25)
    """Share of lowest bids."""
    bluff: float = chance(0.15)
    """Share of bluffs."""
    credible: float = chance(0.5)
    """Lowest probability, with all dice unseen, at which it makes the lowest bid or the bluff."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.best + self.minimum + self.bluff <= 0.0:
            raise PerudoError(f"{self.name}: one of best, minimum and bluff must be above 0")
