"""What the players of the Maynooth report share: random candidate bets, three scores, an opening.

A *sheet* holds what they know, a column for each face; made once per decision and passed around.
Bets are generated on faces that may be bid and are not wild (2 to 6 in the report). Listing A.1 is
followed as section 4.3.1 explains it: faces that were bet on are drawn more often (the listing
always favoured fives).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledAgent
from perudo.agents.parameters import chance, choice, flag, number
from perudo.agents.table_facts import at_least, held, own_dice, unseen_dice, ways
from perudo.games.chance import Stream, next_word, scale
from perudo.games.errors import PerudoError
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import bid_range
from perudo.games.perudo.layout import (
    FIRST_BID_CODE,
    bid_code,
    count_in_hand,
    face_of,
    history_action,
    quantity_of,
)
from perudo.games.perudo.rules import FACES, MAX_QUANTITY
from perudo.games.policy import Parameters, choose, consider

MAX_DRAWS = 150
"""Bets are drawn no more often than this, distinct or not."""
FACE_WEIGHT = 20
"""Every face is drawn with weight 1/5 + D/100, here in hundredths."""
SKEW, LOCATION, SCALE = 5.0, 0.5, 4.0
"""Of the skew-normal distribution of amounts."""

Sheet = npt.NDArray[np.int64]
OWN, WAYS, SAID, OPEN, LOW, HIGH, SHARE, DRAWN = range(8)
"""Rows of a sheet: own dice that count, faces of a die that count, what was bet (D), whether the
face is in play; then of the bets to be generated: smallest and largest amount, weights added up,
and a bit for each amount that was drawn."""
SHEET_ROWS = 8
LAST_MARK = 62
"""Larger amounts than this above the smallest are not drawn; their chance is below 1e-50."""

HISTORIES = ("highest", "count")
HIGHEST, COUNT = range(2)
(
    PROB,
    BLUFF,
    HISTORY_WEIGHT,
    HISTORY,
    GENERATED,
    OPENING_LOW,
    OPENING_HIGH,
    ONE_DIE_RULE,
    LEGACY_BLUFF,
) = range(9)
"""Places of the parameters that all of the family have."""


def _amount_tails() -> npt.NDArray[np.float64]:
    """For every amount the weight of it and all larger ones, 2 phi(y) Phi(5y) / 4 each."""
    tails = np.zeros(MAX_QUANTITY + 2)
    for amount in range(MAX_QUANTITY, 0, -1):  # the small weights first, to lose none of them
        y = (amount - LOCATION) / SCALE
        density = math.exp(-y * y / 2) / math.sqrt(2 * math.pi)
        below_skewed = (1 + math.erf(SKEW * y / math.sqrt(2))) / 2
        tails[amount] = tails[amount + 1] + 2 * density * below_skewed / SCALE
    return tails


AMOUNT_TAILS = _amount_tails()


# --- the sheet ----------------------------------------------------------------------------------
@kernel
def read_table(observation: Record, sees_own_dice: bool, history: int, sheet: Sheet) -> int:
    """Fill in what is known of each face; returns the number of dice that are left to chance."""
    for face in range(1, FACES + 1):
        sheet[OWN, face] = held(observation, face) if sees_own_dice else 0
        sheet[WAYS, face] = ways(observation, face)
    for index in range(int(observation.actions)):
        said = history_action(int(observation.history[index]))
        if said >= FIRST_BID_CODE:
            face = face_of(said)
            if history == COUNT:
                sheet[SAID, face] += 1
            else:
                sheet[SAID, face] = max(sheet[SAID, face], quantity_of(said))
    return unseen_dice(observation) if sees_own_dice else int(observation.total)


@kernel
def score(bid: int, dice: int, sheet: Sheet, history_weight: float) -> float:
    """Equation 4.2 or 4.4, depending on what the sheet counts as own dice; 4.5 with a weight."""
    face = face_of(bid)
    needed = quantity_of(bid) - int(sheet[OWN, face])
    believed = history_weight * float(sheet[SAID, face])
    return at_least(dice, needed, int(sheet[WAYS, face])) + believed


@kernel
def allow_legal_bids(observation: Record, sheet: Sheet) -> None:
    """Let the bets that the rules allow now be generated, up to the dice in play."""
    for face in range(1, FACES + 1):
        low, high = bid_range(observation, face)
        if face == observation.wild_face:
            high = 0
        sheet[LOW, face] = low
        sheet[HIGH, face] = min(high, int(observation.total))
        sheet[OPEN, face] = sheet[LOW, face] <= sheet[HIGH, face]


@kernel
def allow_higher_bids(bid: int, total: int, sheet: Sheet) -> None:
    """Let the bets above an imagined one be generated: more dice, or as many of a higher face."""
    quantity, last = quantity_of(bid), face_of(bid)
    for face in range(1, FACES + 1):
        sheet[LOW, face] = quantity if face > last else quantity + 1
        sheet[HIGH, face] = total if sheet[OPEN, face] else 0


@kernel
def generate_bets(sheet: Sheet, wanted: int, stream: Stream, bets: npt.NDArray[np.int64]) -> int:
    """Draw distinct allowed bets (listing A.1), in the order drawn; returns how many.

    An amount is drawn from the smallest allowed one of any face upwards, a face by its weight; a
    pair that is not allowed, or was drawn before, counts as a draw all the same.
    """
    lowest, highest, weights, possible = MAX_QUANTITY, 0, 0, 0
    for face in range(1, FACES + 1):
        low, high = int(sheet[LOW, face]), int(sheet[HIGH, face])
        if low <= high:
            lowest, highest = min(lowest, low), max(highest, high)
            possible += high - low + 1
            weights += FACE_WEIGHT + int(sheet[SAID, face])
        sheet[SHARE, face] = weights
        sheet[DRAWN, face] = 0
    wanted = min(wanted, possible)
    heaviest = AMOUNT_TAILS[lowest]
    span = heaviest - AMOUNT_TAILS[highest + 1]
    count = 0
    for _ in range(MAX_DRAWS):
        if count >= wanted:
            break
        word = next_word(stream)
        ticket = scale(word, weights)
        face = 1
        for lower in range(1, FACES):  # no branches: they would be guessed wrongly half the time
            face += sheet[SHARE, lower] <= ticket
        tail = heaviest - span * (float(word & np.uint64(0xFFFFFFFF)) * 2.0**-32)
        amount = lowest
        while amount < highest and tail <= AMOUNT_TAILS[amount + 1]:
            amount += 1
        mark = amount - lowest
        if sheet[LOW, face] <= amount <= sheet[HIGH, face] and mark <= LAST_MARK:
            drawn = int(sheet[DRAWN, face])
            if (drawn >> mark) & 1 == 0:
                sheet[DRAWN, face] = drawn | (1 << mark)
                bets[count] = bid_code(amount, face)
                count += 1
    return count


# --- decisions ----------------------------------------------------------------------------------
@kernel
def plays_one_die(observation: Record, parameters: Parameters) -> bool:
    """Whether the rule for players with one die applies: bet that die, and call every bet."""
    return bool(own_dice(observation) == 1 and parameters[ONE_DIE_RULE])


@kernel
def open_round(
    observation: Record,
    parameters: Parameters,
    dice: int,
    sheet: Sheet,
    stream: Stream,
    thoughts: Record,
) -> int:
    """Any opening amount of any face alike; a single die is bet as it is, unless it is wild."""
    allow_legal_bids(observation, sheet)
    low, high = int(parameters[OPENING_LOW]), int(parameters[OPENING_HIGH])
    weight = float(parameters[HISTORY_WEIGHT])
    if plays_one_die(observation, parameters):
        low, high = 1, 1
        for face in range(1, FACES + 1):
            own = bid_code(1, face)
            if sheet[OPEN, face] and count_in_hand(observation.hands[observation.viewer], face):
                consider(thoughts, own, 1.0, score(own, dice, sheet, weight))
                return own
    high = min(high, int(observation.total))
    low = min(low, high)
    faces = 0
    for face in range(1, FACES + 1):
        faces += int(sheet[OPEN, face])
    share = 1.0 / (faces * (high - low + 1))
    for face in range(1, FACES + 1):
        for amount in range(low, high + 1):
            bet = bid_code(amount, face)
            if sheet[OPEN, face]:
                consider(thoughts, bet, share, score(bet, dice, sheet, weight))
    return choose(thoughts, stream)


@kernel
def bluff_chance(parameters: Parameters) -> float:
    """The chance of a random bet; with ``legacy_bluff`` rounded as the report's code did."""
    stated = float(parameters[BLUFF])
    if parameters[LEGACY_BLUFF] and stated > 0.0:
        return 1.0 / int(1.0 / stated)
    return stated


@dataclass(frozen=True)
class BetGenerator(CompiledAgent):
    """Parameters of the Maynooth report's players; each has defaults of its own.

    Where the report's text and code differ, openings follow the text (2 to 4 of any face) and calls
    the code (when no bet exceeds ``prob``, not when any falls below). A single die that is wild,
    which the code would bet illegally, is told as any other face.
    """

    source = "Maynooth report, sections 4.1, 4.3 and 4.5, listings A.1 and B.1 to B.4"

    prob: float = chance(0.25)
    """The score that a bet must exceed; a call is worth as much."""
    bluff: float = chance(0.1)
    """The chance of some random bet in place of the best."""
    history_weight: float = number(0.0, 0.0, 1.0)
    """What a bet on a face adds to its score, for each die of the bet (D in equation 4.5)."""
    history: str = choice("highest", HISTORIES)
    """What D is: the highest amount bet on a face in this round, or the number of bets on it."""
    generated: int = number(50, 1, MAX_DRAWS)
    """How many different bets are drawn to choose from, at most."""
    opening_low: int = number(2, 1, MAX_QUANTITY)
    """The smallest opening bet."""
    opening_high: int = number(4, 1, MAX_QUANTITY)
    """The largest opening bet."""
    one_die_rule: bool = flag(True)
    """With one die: open with it, and call every bet. Its author wished for fewer needless calls by
    those with few dice: ``no`` decides with one die as with more."""
    legacy_bluff: bool = flag(False)
    """Bluff with chance 1/int(1/bluff) as the report's code did: 0.4 acts as 0.5."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.opening_low > self.opening_high:
            raise PerudoError(f"{self.name}: opening_low is above opening_high")
