"""Livingstone's robot that learns two habits of each opponent (``heuristic`` cites the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.papers.heuristic import (
    ENOUGH,
    PAPER,
    answer_to_max,
    favoured,
    favoured_type,
    feasible,
    first_type,
    last_type,
    needed,
    smallest_opening,
    third,
    third_parties,
)
from perudo.agents.parameters import chance, choice, number
from perudo.agents.table_facts import NO_BID, asked_out_of_turn, call, held, ways
from perudo.games.chance import Stream
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import (
    FIRST_BID_CODE,
    count_in_hand,
    face_of,
    history_action,
    history_seat,
    quantity_of,
)
from perudo.games.perudo.reveal import matching
from perudo.games.perudo.rules import FACES
from perudo.games.policy import Memory, Parameters, begin, surely

OPENS_LOW, BIDS_ON_TYPE = range(2)
"""Columns of the memory, which stores each habit minus 0.5 because memory starts at zero."""
HALF = 0.5
PAPERS_DICE = 5

ENOUGH_AT, GAP_AT, RARELY_AT, OFTEN_AT, OPENING_STEP_AT, TYPE_STEP_AT = range(6)
"""Indices of the parameters."""


@kernel
def is_opening_bid(observation: Record) -> bool:
    """Return True if the standing bid is the round's first."""
    bids = 0
    for index in range(int(observation.actions)):
        bids += history_action(int(observation.history[index])) >= FIRST_BID_CODE
        if bids > 1:
            return False
    return bids == 1


@kernel
def is_far_off(observation: Record, gap: float) -> bool:
    """Return True if the bidder would need an implausible number of the type for its bid to hold.

    The paper's gap of four or five assumes a bidder with five dice and no third player.
    """
    bid = int(observation.bid)
    face = face_of(bid)
    missing = quantity_of(bid) - held(observation, face) - third_parties(observation, face)
    return missing >= gap * int(observation.counts[observation.bidder]) / PAPERS_DICE


@kernel
def smallest_raise(observation: Record, face: int) -> int:
    """Return the smallest raise on a type, or a call if there is none."""
    bid = int(observation.bid)
    quantity = quantity_of(bid) + (1 if face <= face_of(bid) else 0)
    return feasible(observation, quantity, face)


@kernel
def decide_adaptive(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Play HMAX_COUNTER, unless the bidder's habits suggest a better answer."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    if observation.bid == NO_BID:
        return surely(thoughts, smallest_opening(observation))
    enough = int(parameters[ENOUGH_AT])
    rarely, often = parameters[RARELY_AT], parameters[OFTEN_AT]
    face = face_of(observation.bid)
    opens_low = HALF + memory[observation.bidder, OPENS_LOW]
    bids_on_type = HALF + memory[observation.bidder, BIDS_ON_TYPE]
    holds_few = held(observation, face) < needed(observation, face, enough)
    if is_opening_bid(observation):
        if opens_low < rarely and holds_few:
            return surely(thoughts, call(observation))
        if opens_low > often:
            kind = face if bids_on_type > HALF else favoured(observation)
            return surely(thoughts, smallest_raise(observation, kind))
    if bids_on_type > often and is_far_off(observation, parameters[GAP_AT]):
        return surely(thoughts, call(observation))
    if bids_on_type < rarely and holds_few:
        return surely(thoughts, call(observation))
    return surely(thoughts, answer_to_max(observation, enough))


# --- learning -----------------------------------------------------------------------------------
@kernel
def dice_in_hand(hand: np.uint64) -> int:
    """Return the number of dice in a hand."""
    dice = 0
    for face in range(1, FACES + 1):
        dice += count_in_hand(hand, face)
    return dice


@kernel
def dice_rolled(observation: Record) -> int:
    """Return the number of dice rolled in the round just settled, before losses and gains."""
    dice = int(observation.total)
    if not observation.rules.single_round:
        for seat in range(int(observation.players)):
            dice += int(observation.reveal.lost[seat]) - int(observation.reveal.gained[seat])
    return dice


@kernel
def shift(memory: Memory, seat: int, column: int, step: float) -> None:
    """Move a habit up or down, clipped to between 0 and 1."""
    memory[seat, column] = min(max(memory[seat, column] + step, -HALF), HALF)


@kernel
def learn_habits(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Compare every bid of the round with its bidder's hand, if that hand was revealed."""
    wild, rolled = int(observation.wild_face), dice_rolled(observation)
    first, last = first_type(observation), last_type(observation)
    opened = False
    for index in range(int(observation.actions)):
        entry = int(observation.history[index])
        seat, bid = history_seat(entry), history_action(entry)
        if bid < FIRST_BID_CODE:
            continue
        opening = not opened
        opened = True
        hand = observation.reveal.hands[seat]
        if seat == observation.viewer or hand == 0:
            continue
        best = favoured_type(hand, wild, first, last)
        on_type = face_of(bid) == best
        step = parameters[TYPE_STEP_AT]
        shift(memory, seat, BIDS_ON_TYPE, step if on_type else -step)
        if opening:
            unseen = rolled - dice_in_hand(hand)
            supported = matching(hand, best, wild) + third(unseen, ways(observation, best))
            step = parameters[OPENING_STEP_AT]
            low = quantity_of(bid) < supported
            shift(memory, seat, OPENS_LOW, step if low else -step)
    return 0


@dataclass(frozen=True)
class HeuristicAdaptive(CompiledAgent):
    """HMAX_COUNTER that learns whether an opponent opens low and bids on its favoured type.

    An opening is low if it is below the bid HEURISTIC_MAX would make with that hand. The paper has
    one opponent; here habits are learned for each seat, so the agent plays at any table.
    """

    name = "heuristic-adaptive"
    idea = "hmax-counter that learns who opens low and who bids on their best face"
    source = PAPER + ": HEURISTIC_ADAPTIVE"
    policy = decide_adaptive
    learning = learn_habits
    memory_width = 2

    enough: str = choice("scaled", ENOUGH)
    """Dice of the type bid needed to raise, as for hmax-counter."""
    gap: float = number(5.0, 0.0, 8.0)
    """Number of dice by which a bid must exceed the dice held before it is called, against a
    bidder who favours its own type (with five dice each; the paper says four or five)."""
    rarely: float = chance(0.3)
    """Probability below which a habit counts as absent."""
    often: float = chance(0.7)
    """Probability above which a habit counts as present."""
    opening_step: float = chance(0.1)
    """Shift of opens_low per observed opening."""
    type_step: float = chance(0.05)
    """Shift of bids_on_type per observed bid."""
