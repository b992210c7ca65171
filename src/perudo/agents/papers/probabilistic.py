"""The Perudo thesis' simplest rule-based agent, which plays by expectations alone.

Source: Ana Hernandez, "AI for Perudo", MSc thesis, University of Strathclyde, 2021.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.parameters import choice
from perudo.agents.table_facts import (
    NO_BID,
    asked_out_of_turn,
    bid_or_call,
    call,
    legal,
    lowest_bid,
    natural,
    ways,
)
from perudo.games.chance import Stream
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import may_change_face
from perudo.games.perudo.layout import bid_code, face_of, quantity_of
from perudo.games.perudo.rules import FACES
from perudo.games.policy import Memory, Parameters, begin, choose, consider, surely

RAISES = ("plus_one", "minimal")
PLUS_ONE, MINIMAL = range(2)


@kernel
def raise_on(observation: Record, face: int, raise_rule: int) -> int:
    """Return the next bid on a face after the standing one, or a call if there is none.

    It has one die more than the standing bid; between ones and other faces, or with ``minimal``, it
    is the lowest that the rules allow.
    """
    bid = int(observation.bid)
    if bid == NO_BID:
        opening = bid_code(1, face)
        return opening if legal(observation, opening) else lowest_or_call(observation, face)
    changes_scale = (face_of(bid) == 1) != (face == 1)
    if raise_rule == MINIMAL or changes_scale:
        return lowest_or_call(observation, face)
    return bid_or_call(observation, bid_code(quantity_of(bid) + 1, face))


@kernel
def lowest_or_call(observation: Record, face: int) -> int:
    """Return the lowest legal bid on a face, or a call if there is none."""
    lowest = lowest_bid(observation, face)
    return lowest if lowest != NO_BID else call(observation)


@kernel
def decide_probabilistic(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Call above the expected number of dice, else bid one more on the own most common face."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    bid = int(observation.bid)
    if bid != NO_BID:
        expected = int(observation.total) * ways(observation, face_of(bid)) / FACES
        if quantity_of(bid) > expected:
            return surely(thoughts, call(observation))
    if bid != NO_BID and not may_change_face(observation):
        return surely(thoughts, raise_on(observation, face_of(bid), int(parameters[0])))
    first = 2 if bid == NO_BID else 1  # ones cannot open a round
    most, faces = 0, 0
    for face in range(first, FACES + 1):
        count = natural(observation, face)
        if count > most:
            most, faces = count, 0
        faces += count == most
    for face in range(first, FACES + 1):
        if natural(observation, face) == most:
            action = raise_on(observation, face, int(parameters[0]))
            consider(thoughts, action, 1.0 / faces, np.nan)
    return choose(thoughts, stream)


@dataclass(frozen=True)
class Probabilistic(CompiledAgent):
    """Calls bids above the expectation of all dice, ignoring its own."""

    name = "probabilistic"
    idea = "calls above the expected count, else raises its own most common face by one"
    source = "Perudo thesis (Hernandez 2021), section 4.2"
    policy = decide_probabilistic

    raise_rule: str = choice("plus_one", RAISES)
    """Bid one die more than the standing bid, or the lowest legal bid."""
