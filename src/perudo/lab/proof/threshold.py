"""Who calls by chances alone: the plainest sensible player, to be beaten however it is tuned.

It is no member of the ladder. ``perudo match champion
src/perudo/lab/proof/threshold.py:ThresholdCaller:call=0.3`` plays against it.
"""

from __future__ import annotations

from dataclasses import dataclass

from perudo.agents.agent import CompiledAgent
from perudo.agents.parameters import number
from perudo.agents.table_facts import NO_BID, asked_out_of_turn, call, chance_of, lowest_bid
from perudo.games.chance import Stream
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import bid_code, face_of, quantity_of
from perudo.games.perudo.rules import FACES
from perudo.games.policy import Memory, Parameters, begin, surely

CALL, OPENING = range(2)
"""Its parameters."""


@kernel
def likely_opening(observation: Record, lowest: int, chance: float) -> int:
    """The highest bid on a face that is at least so likely, or the lowest that is legal."""
    bid = lowest
    while True:
        higher = bid_code(quantity_of(bid) + 1, face_of(bid))
        if chance_of(observation, higher) < chance:
            return bid
        bid = higher


@kernel
def decide_by_threshold(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Call what is too unlikely; else the likeliest of the lowest raises on each face."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    standing = int(observation.bid)
    if standing != NO_BID and chance_of(observation, standing) < parameters[CALL]:
        return surely(thoughts, call(observation))
    best, most = NO_BID, -1.0
    for face in range(1, FACES + 1):
        bid = lowest_bid(observation, face)
        if bid == NO_BID:
            continue
        score = chance_of(observation, bid)
        if standing == NO_BID:
            bid = likely_opening(observation, bid, parameters[OPENING])
            score = quantity_of(bid) + 0.1 * chance_of(observation, bid)
        if score > most:
            best, most = bid, score
    return surely(thoughts, best if best != NO_BID else call(observation))


@dataclass(frozen=True)
class ThresholdCaller(CompiledAgent):
    """Calls a bid that is less likely than ``call``, given its own dice, and raises otherwise."""

    name = "threshold"
    idea = "calls what is too unlikely, else the likeliest raise; opens as high as is likely enough"
    source = "this project, to measure the champion"
    policy = decide_by_threshold

    call: float = number(0.3, 0.0, 1.0)
    """Bids that are less likely are called."""
    opening: float = number(0.7, 0.01, 2.0)
    """It opens as high as is at least so likely; above 1: as low as it may."""
