"""The Maynooth report's three agents that score random bets and make the best one.

``bet_generator`` cites the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from perudo.agents.papers.bet_generator import (
    BLUFF,
    GENERATED,
    HISTORY,
    HISTORY_WEIGHT,
    LEGACY_BLUFF,
    MAX_DRAWS,
    PROB,
    SHEET_ROWS,
    BetGenerator,
    allow_legal_bids,
    bluff_chance,
    generate_bets,
    open_round,
    plays_one_die,
    read_table,
    score,
)
from perudo.agents.parameters import chance, number
from perudo.agents.table_facts import NO_BID, asked_out_of_turn, call
from perudo.games.chance import Stream, below, uniform
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.rules import FACES
from perudo.games.policy import Memory, Parameters, begin, consider, surely

SEES_OWN_DICE = LEGACY_BLUFF + 1
"""Index of the parameter that distinguishes these agents; it follows their fields."""


@kernel
def decide_best_of_random(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Make the best of some random bets, or sometimes any, or call if none is good (listing B.4).

    Bets are scored by equation 4.2 if the agent ignores its own dice, by 4.4 if it sees them, and
    by 4.5 with a weight for history. The candidate bets are random, so the agent states no
    probabilities after the opening.
    """
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    sheet = np.zeros((SHEET_ROWS, FACES + 1), np.int64)
    sees_own_dice = parameters[SEES_OWN_DICE] != 0.0
    dice = read_table(observation, sees_own_dice, int(parameters[HISTORY]), sheet)
    bid = int(observation.bid)
    if bid == NO_BID:
        return open_round(observation, parameters, dice, sheet, stream, thoughts)
    thoughts.chance = score(bid, dice, sheet, 0.0)
    if plays_one_die(observation, parameters):
        return surely(thoughts, call(observation))

    thoughts.mixed = 0
    allow_legal_bids(observation, sheet)
    bets = np.empty(MAX_DRAWS, np.int64)
    count = generate_bets(sheet, int(parameters[GENERATED]), stream, bets)
    best, best_score = call(observation), float(parameters[PROB])
    consider(thoughts, best, np.nan, best_score)
    for index in range(count):
        bet = int(bets[index])
        worth = score(bet, dice, sheet, float(parameters[HISTORY_WEIGHT]))
        consider(thoughts, bet, np.nan, worth)
        if worth > best_score:
            best, best_score = bet, worth
    if best_score > parameters[PROB] and parameters[BLUFF] > 0.0:
        if uniform(stream) < bluff_chance(parameters):
            return int(bets[below(stream, count)])
    return best


@dataclass(frozen=True)
class Dumb(BetGenerator):
    """Scores random bets by the odds of all dice, ignoring its own.

    The defaults are the parameters stated in the report; by its own table bluff=0.1 is better.
    """

    name = "dumb"
    idea = "makes the likeliest of 50 random bets, ignoring its own dice; calls if none is likely"
    policy = decide_best_of_random
    sees_own_dice: ClassVar[bool] = False

    bluff: float = chance(0.25)
    """Probability of a random bet in place of the best."""

    @property
    def parameters(self) -> Parameters:
        """The fields as numbers, then 1 if the agent sees its own dice, else 0."""
        return np.append(super().parameters, float(self.sees_own_dice))


@dataclass(frozen=True)
class SlightlyLessDumb(Dumb):
    """``dumb`` with knowledge of its own dice."""

    name = "sl-dumb"
    idea = "dumb with knowledge of its own dice"
    sees_own_dice = True

    bluff: float = chance(0.1)
    """Probability of a random bet in place of the best."""


@dataclass(frozen=True)
class LessDumb(SlightlyLessDumb):
    """``sl-dumb`` with some belief in the bets made this round.

    The report's equation 4.5 adds the bet itself, which would forbid nearly every call; its code
    adds a hundredth of it. ``history=count`` is the variant that the report's author proposed.
    """

    name = "l-dumb"
    idea = "sl-dumb, scoring a face higher by a hundredth per die of the highest bet on it"

    prob: float = chance(0.4)
    """Score that a bet must exceed, and the value of a call."""
    history_weight: float = number(0.01, 0.0, 1.0)
    """Weight in the score of earlier bets on a face (of D in equation 4.5)."""
