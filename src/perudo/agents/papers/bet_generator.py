"""Bet generation, scoring and opening shared by the Maynooth report's agents.

Source: Dheeraj Putta, "AI for Modified Perudo and Game Hosting Service", final-year project report,
Maynooth University, 2019.

A *sheet* holds an agent's knowledge of each face in one column; it is made once per decision and
passed around. Bets are generated on faces that may be bid and are not wild (2 to 6 in the report).
The code follows listing A.1 as section 4.3.1 explains it: faces that were bet on are drawn more
often (the listing itself always favours fives).
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
"""Maximum number of draws, distinct or not."""
FACE_WEIGHT = 20
"""Weight with which each face is drawn, 1/5 + D/100, in hundredths and without D."""
SKEW, LOCATION, SCALE = 5.0, 0.5, 4.0
"""Parameters of the skew-normal distribution of amounts."""

Sheet = npt.NDArray[np.int64]
OWN, WAYS, SAID, OPEN, LOW, HIGH, SHARE, DRAWN = range(8)
"""Rows of a sheet: own dice that count, faces of a die that count, the bets made (D), whether the
face is in play; then, for the bets to generate: smallest and largest amount, cumulative weight, and
a bit for each amount already drawn."""
SHEET_ROWS = 8
LAST_MARK = 62
"""Largest amount above the smallest that is drawn; more has a probability below 1e-50."""

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
"""Indices of the parameters that the whole family shares."""


def _amount_tails() -> npt.NDArray[np.float64]:
    """Return, by amount, the summed weight of it and all larger ones, 2 phi(y) Phi(5y) / 4 each."""
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
    """Fill in the rows about each face, and return the number of dice left to chance."""
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
    """Return the score of equation 4.2, or 4.4 if the sheet has own dice, or 4.5 with a weight."""
    face = face_of(bid)
    needed = quantity_of(bid) - int(sheet[OWN, face])
    believed = history_weight * float(sheet[SAID, face])
    return at_least(dice, needed, int(sheet[WAYS, face])) + believed


@kernel
def allow_legal_bids(observation: Record, sheet: Sheet) -> None:
    """Allow generating every bet that is legal now, up to the number of dice in play."""
    for face in range(1, FACES + 1):
        low, high = bid_range(observation, face)
        if face == observation.wild_face:
            high = 0
        sheet[LOW, face] = low
        sheet[HIGH, face] = min(high, int(observation.total))
        sheet[OPEN, face] = sheet[LOW, face] <= sheet[HIGH, face]


@kernel
def allow_higher_bids(bid: int, total: int, sheet: Sheet) -> None:
    """Allow generating bets above an imagined one: more dice, or as many of a higher face."""
    quantity, last = quantity_of(bid), face_of(bid)
    for face in range(1, FACES + 1):
        sheet[LOW, face] = quantity if face > last else quantity + 1
        sheet[HIGH, face] = total if sheet[OPEN, face] else 0


@kernel
def generate_bets(sheet: Sheet, wanted: int, stream: Stream, bets: npt.NDArray[np.int64]) -> int:
    """Draw distinct allowed bets (listing A.1) into ``bets``, and return their number.

    Amounts start at the smallest one allowed on any face; faces are drawn by weight. A pair that
    is not allowed, or was drawn before, still counts as a draw.
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
        for lower in range(1, FACES):  # no branches: half of them would be mispredicted
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
    """Return True if the one-die rule applies: bet that die, and call every bet."""
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
    """Open with a uniformly random amount and face; bet a single die truthfully unless wild."""
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
    """Return the probability of a random bet, rounded as in the report if ``legacy_bluff``."""
    stated = float(parameters[BLUFF])
    if parameters[LEGACY_BLUFF] and stated > 0.0:
        return 1.0 / int(1.0 / stated)
    return stated


@dataclass(frozen=True)
class BetGenerator(CompiledAgent):
    """Parameters of the Maynooth report's agents, each of which has its own defaults.

    Where the report's text and code differ, openings follow the text (2 to 4 of any face) and calls
    follow the code (call if no bet exceeds ``prob``, not if any falls below). The code would bet a
    single wild die illegally; here the agent opens on a random face instead.
    """

    source = "Maynooth report (Putta 2019), sections 4.1, 4.3 and 4.5, listings A.1 and B.1 to B.4"

    prob: float = chance(0.25)
    """Score that a bet must exceed, and the value of a call."""
    bluff: float = chance(0.1)
    """Probability of a random bet in place of the best."""
    history_weight: float = number(0.0, 0.0, 1.0)
    """Weight in the score of earlier bets on a face (of D in equation 4.5)."""
    history: str = choice("highest", HISTORIES)
    """Definition of D: the highest amount bet on a face in this round, or the number of bets."""
    generated: int = number(50, 1, MAX_DRAWS)
    """Maximum number of distinct bets drawn."""
    opening_low: int = number(2, 1, MAX_QUANTITY)
    """Smallest amount of an opening bet."""
    opening_high: int = number(4, 1, MAX_QUANTITY)
    """Largest amount of an opening bet."""
    one_die_rule: bool = flag(True)
    """Apply the one-die rule: open with that die, and call every bet. ``no`` plays one die like
    more; the report's author wanted fewer needless calls from players with few dice."""
    legacy_bluff: bool = flag(False)
    """Bluff with probability 1/int(1/bluff) like the report's code, where 0.4 acts as 0.5."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.opening_low > self.opening_high:
            raise PerudoError(f"{self.name}: opening_low is above opening_high")
