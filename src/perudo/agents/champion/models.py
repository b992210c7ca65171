"""Models of players: for each situation a mixture of moves, of the blueprint and of others' habits.

The first model is the blueprint, learnt by playing against itself; the others were learnt by
watching. Only situations that occurred have a row; in others all moves are alike.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.agents.champion.situation import (
    NO_SLOT,
    SHEET,
    SITUATIONS,
    SLOTS,
    Sheet,
    action_in,
    situate,
    slot_of,
)
from perudo.games.chance import Stream, below, uniform, whole
from perudo.games.game import (
    ARRIVED,
    Record,
    actor,
    apply,
    copy,
    hand_count,
    move_towards,
    put_hand,
    rewind,
)
from perudo.games.kernel import kernel
from perudo.games.policy import Memory, Parameters, begin, choose, consider
from perudo.search.beliefs import cumulate
from perudo.search.book import chances_at, places_at

Index = npt.NDArray[np.int64]
"""Of each situation its row, or NO_ROW."""
Rows = npt.NDArray[np.uint16]
"""By row, model and slot: a chance, on a scale of its own for each row and model."""
Real = npt.NDArray[np.float64]
NO_ROW = -1
OWN = 7
"""The model of the champion itself."""
SURPRISE = 0.06
"""How often somebody is thought to do anything at all: no model is right about everybody."""
COUNT, INDEX, LENGTH, ROWS = range(4)
"""Parameters of all policies that use models: how many there are, and where the arrays lie."""


@kernel
def index_at(parameters: Parameters) -> Index:
    """The rows of situations."""
    return places_at(parameters[INDEX], SITUATIONS)  # type: ignore[no-any-return]  # an intrinsic


@kernel
def rows_at(parameters: Parameters) -> Rows:
    """The mixtures."""
    return chances_at(parameters[ROWS], parameters[LENGTH])  # type: ignore[no-any-return]  # an intrinsic


@kernel
def mix_slots(
    index: Index, rows: Rows, models: int, model: int, number: int, sheet: Sheet, mixture: Real
) -> None:
    """What a model does in a situation, over the slots that have actions."""
    row = index[number]
    total, count = 0.0, 0
    for slot in range(SLOTS):
        mixture[slot] = 0.0
        if sheet[slot] > 0:
            if row != NO_ROW:
                mixture[slot] = float(rows[(row * models + model) * SLOTS + slot])
            total += mixture[slot]
            count += 1
    for slot in range(SLOTS):
        if sheet[slot] > 0:
            mixture[slot] = mixture[slot] / total if total > 0.0 else 1.0 / count


@kernel
def draw_slot(mixture: Real, stream: Stream) -> int:
    """A slot of a mixture."""
    point, chosen = uniform(stream), NO_SLOT
    for slot in range(SLOTS):
        if mixture[slot] > 0.0:
            chosen = slot
            point -= mixture[slot]
            if point < 0.0:
                break
    return chosen


@kernel
def any_action_in(state: Record, sheet: Sheet, slot: int, stream: Stream) -> int:
    """An action of a slot; all of them are as likely."""
    count = int(sheet[slot])
    return action_in(state, sheet, slot, below(stream, count) if count > 1 else 0)


@kernel
def play_as(
    state: Record,
    seat: int,
    index: Index,
    rows: Rows,
    models: int,
    model: int,
    sheet: Sheet,
    mixture: Real,
    stream: Stream,
) -> int:
    """Draw a model's move for a seat, whose hand alone is looked at."""
    number = situate(state, seat, sheet)
    mix_slots(index, rows, models, model, number, sheet, mixture)
    return any_action_in(state, sheet, draw_slot(mixture, stream), stream)


@kernel
def weigh_saying(
    state: Record,
    seat: int,
    said: int,
    index: Index,
    rows: Rows,
    models: int,
    sheet: Sheet,
    chances: Real,
) -> None:
    """How likely each model is to say this in a seat of a state."""
    number = situate(state, seat, sheet)
    slot = slot_of(state, sheet, said)
    row, available = index[number], 0
    for place in range(SLOTS):
        available += sheet[place]
    for model in range(models):
        chance = 0.0
        if slot != NO_SLOT and row != NO_ROW:
            total = 0.0
            for place in range(SLOTS):
                if sheet[place] > 0:
                    total += float(rows[(row * models + model) * SLOTS + place])
            if total > 0.0:
                chance = float(rows[(row * models + model) * SLOTS + slot]) / total
                chance /= max(int(sheet[slot]), 1)
        chances[model] = (1.0 - SURPRISE) * chance + SURPRISE / max(available, 1)


@kernel
def weigh_hands(
    states: Record,
    observation: Record,
    seat: int,
    index: Index,
    rows: Rows,
    models: int,
    prior: Real,
    shares: Real,
) -> None:
    """Fill ``shares[seat]`` with running sums over (model, hand) for each other seat.

    ``prior`` has the weight of each model by seat; ``states`` is a workspace.
    """
    state = states[0]
    copy(state, observation)
    rewind(state)
    sheet, chances = np.zeros(SHEET, np.int64), np.zeros(models)
    hands = shares.shape[1] // models
    for other in range(whole(observation.players)):
        if other == seat or observation.counts[other] == 0:
            continue
        for hand in range(hand_count(state, other)):
            dealt = put_hand(state, other, hand)
            for model in range(models):
                shares[other, model * hands + hand] = prior[other, model] * dealt
    while True:
        said = move_towards(state, observation)
        if said == ARRIVED:
            break
        who = whole(actor(state))
        if who != seat:
            for hand in range(hand_count(state, who)):
                put_hand(state, who, hand)
                weigh_saying(state, who, said, index, rows, models, sheet, chances)
                for model in range(models):
                    shares[who, model * hands + hand] *= chances[model]
        apply(state, said)
    for other in range(whole(observation.players)):
        if other != seat and observation.counts[other] > 0:
            cumulate(shares[other])


@kernel
def decide_as_model(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Play as one model: state its mixture, and draw from it. The fifth parameter says which."""
    sheet, mixture = np.zeros(SHEET, np.int64), np.zeros(SLOTS)
    number = situate(observation, whole(observation.viewer), sheet)
    index, rows = index_at(parameters), rows_at(parameters)
    mix_slots(index, rows, int(parameters[COUNT]), int(parameters[4]), number, sheet, mixture)
    begin(thoughts)
    for slot in range(SLOTS):
        if mixture[slot] > 0.0:
            count = int(sheet[slot])
            for place in range(count):
                said = action_in(observation, sheet, slot, place)
                consider(thoughts, said, mixture[slot] / count, np.nan)
    return choose(thoughts, stream)
