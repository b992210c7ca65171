"""The champion's blueprint, by external-sampling CFR over situations, in matches of itself.

A match is played round by round with the strategies so far. Before each round one player in turn
tries all moves of each of their situations, chance and the others being sampled (Lanctot et al.
2009); what rounds lead to is valued by what the standings after them are worth to that player, and
that is learnt too, from each standing to the next (temporal differences).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents.champion.models import any_action_in, draw_slot
from perudo.agents.champion.situation import NO_SLOT, SHEET, SLOTS, Sheet, situate, slot_of
from perudo.agents.champion.standings import (
    Worth,
    place_in_table,
    worth_after_loss,
    worth_to,
)
from perudo.games.chance import Stream, below, next_word, uniform, whole
from perudo.games.game import (
    CHANCE,
    OVER,
    Record,
    actor,
    apply,
    copy,
    deal,
    observe,
    round_over,
)
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import next_live
from perudo.games.policy import MIXED, Parameters, policy_at

Table = npt.NDArray[Any]
"""A row for each situation, a column for each slot."""
MAX_FRAMES = 24
"""Decisions of one player that all moves are tried of; later ones are sampled."""
LEAST_STAKE = 0.01
"""A die is worth at least this much, when what it is worth is still learnt."""
FRESH_STARTS = 0.15
"""How often a match is left for a new one."""
SLOWEST = 0.01
"""Standings learn at least at this rate."""


@kernel
def mix(table: Table, number: int, sheet: Sheet, mixture: Table) -> None:
    """Play in proportion to positive regret; if there is none, all slots alike."""
    total, count = 0.0, 0
    for slot in range(SLOTS):
        mixture[slot] = 0.0
        if sheet[slot] > 0:
            mixture[slot] = max(table[number, slot], 0.0)
            total += mixture[slot]
            count += 1
    for slot in range(SLOTS):
        if sheet[slot] > 0:
            mixture[slot] = mixture[slot] / total if total > 0.0 else 1.0 / count


@kernel
def next_slot(sheet: Sheet, slot: int) -> int:
    """The next slot that has actions, or SLOTS."""
    slot += 1
    while slot < SLOTS and sheet[slot] == 0:
        slot += 1
    return slot


@kernel
def train(
    starts: Record,
    states: Record,
    regrets: Table,
    sums: Table,
    worth: Worth,
    visits: npt.NDArray[np.int64],
    rounds: int,
    weight: float,
    stream: Stream,
) -> int:
    """Learn from so many rounds; returns how many matches were begun.

    ``states`` are the match, the round, and one for each frame. ``weight`` is what this share of
    the training weighs. There is one place that plays an action of a traversal.
    """
    match, state = states[0], states[1]
    begun = 0
    sheets = np.zeros((MAX_FRAMES + 1, SHEET), np.int64)
    mixtures = np.zeros((MAX_FRAMES + 1, SLOTS))
    below_slots = np.zeros((MAX_FRAMES + 1, SLOTS))
    frames = np.zeros((MAX_FRAMES, 2), np.int64)  # the situation, the slot tried now
    for turn in range(rounds):
        if actor(match) != CHANCE or uniform(stream) < FRESH_STARTS:
            copy(match, starts[below(stream, starts.size)])
            begun += 1
        # one player in turn tries all moves
        seat = int(match.opener)
        if seat < 0:
            seat = 0
        for _ in range(turn % int(match.live)):
            seat = next_live(match, seat)
        here = worth_to(match, worth, seat)
        stake = max(here - worth_after_loss(match, worth, seat, seat), LEAST_STAKE)
        copy(state, match)
        deal(state, next_word(stream))
        depth = 0
        while True:
            who = actor(state)
            said = 0
            if who == OVER or round_over(state):
                value = (worth_to(state, worth, seat) - here) / stake
                finished = True
                while depth > 0:
                    frame = depth - 1
                    tried = frames[frame, 1]
                    below_slots[frame, tried] = value
                    following = next_slot(sheets[frame], tried)
                    if following < SLOTS:
                        frames[frame, 1] = following
                        copy(state, states[2 + frame])
                        said = any_action_in(state, sheets[frame], following, stream)
                        finished = False
                        break
                    value = 0.0
                    for slot in range(SLOTS):
                        if sheets[frame, slot] > 0:
                            value += mixtures[frame, slot] * below_slots[frame, slot]
                    number = frames[frame, 0]
                    for slot in range(SLOTS):
                        if sheets[frame, slot] > 0:
                            regrets[number, slot] += weight * (below_slots[frame, slot] - value)
                    depth -= 1
                if finished:
                    break
            else:
                row = depth if who == seat and depth < MAX_FRAMES else MAX_FRAMES
                number = situate(state, who, sheets[row])
                mix(regrets, number, sheets[row], mixtures[row])
                if row < MAX_FRAMES:
                    first = next_slot(sheets[row], -1)
                    frames[row, 0] = number
                    frames[row, 1] = first
                    copy(states[2 + row], state)
                    depth += 1
                    said = any_action_in(state, sheets[row], first, stream)
                else:
                    if who != seat:
                        for slot in range(SLOTS):
                            sums[number, slot] += weight * mixtures[row, slot]
                    slot = draw_slot(mixtures[row], stream)
                    said = any_action_in(state, sheets[row], slot, stream)
            apply(state, said)
        # the round is played, and the match goes on
        copy(state, match)
        deal(match, next_word(stream))
        while not round_over(match) and actor(match) != OVER:
            who = actor(match)
            number = situate(match, who, sheets[MAX_FRAMES])
            mix(regrets, number, sheets[MAX_FRAMES], mixtures[MAX_FRAMES])
            slot = draw_slot(mixtures[MAX_FRAMES], stream)
            apply(match, any_action_in(match, sheets[MAX_FRAMES], slot, stream))
        if state.opener >= 0:
            place = place_in_table(state, -1)
            if place >= 0:
                visits[place] += 1
                rate = max(SLOWEST, 1.0 / (2.0 + visits[place]) ** 0.7)
                at = int(state.opener)
                for offset in range(int(state.live)):
                    after = worth_to(match, worth, at)
                    worth[place + offset] += rate * (after - worth[place + offset])
                    at = next_live(state, at)
    return begun


# --- watching -----------------------------------------------------------------------------------
@kernel
def watch(
    starts: Record,
    states: Record,
    policy: Any,
    parameters: Parameters,
    memories: Any,
    other: Any,
    other_parameters: Parameters,
    other_memories: Any,
    counts: Any,
    decisions: int,
    stream: Stream,
    thoughts: Record,
) -> None:
    """Add up what a policy does, by situation and slot, at tables with others or copies of it."""
    match, view = states[0], states[1]
    sheet = np.zeros(SHEET, np.int64)
    watched = np.zeros(16, np.bool_)
    seen = 0
    while seen < decisions:
        copy(match, starts[below(stream, starts.size)])
        for seat in range(int(match.players)):
            watched[seat] = uniform(stream) < 0.5
        while actor(match) != OVER:
            if actor(match) == CHANCE:
                deal(match, next_word(stream))
                continue
            who = whole(actor(match))
            copy(view, match)
            observe(view, who)
            if not watched[who]:
                said = policy_at(other, view)(
                    view, other_parameters, other_memories[who], stream, thoughts
                )
                apply(match, said)
                continue
            said = policy_at(policy, view)(view, parameters, memories[who], stream, thoughts)
            number = situate(view, who, sheet)
            seen += 1
            if thoughts.mixed == MIXED:
                for place in range(int(thoughts.considered)):
                    slot = slot_of(view, sheet, int(thoughts.actions[place]))
                    if slot != NO_SLOT:
                        counts[number, slot] += thoughts.probabilities[place]
            else:
                slot = slot_of(view, sheet, said)
                if slot != NO_SLOT:
                    counts[number, slot] += 1.0
            apply(match, said)
