"""Inference about opponents: which models fit a player's decisions, once hands have been shown.

Memory has a number for each seat and model: the log-likelihood of that player's decisions under the
model, minus the likeliest model's. It has a floor, so that no model is ruled out for good and
no player can mislead the champion far.
"""

from __future__ import annotations

import math

import numpy as np

from perudo.agents.champion.player_models import (
    MODEL_COUNT,
    POLICIES_BEGIN,
    POLICIES_END,
    WEIGHT_COUNT,
    PlayerModels,
    network_of,
    new_room,
    weigh_saying,
)
from perudo.games.chance import Stream, whole
from perudo.games.game import ARRIVED, Record, actor, apply, copy, move_towards, rewind, workspace
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import (
    BIDDING,
    CALZA,
    CALZA_RIGHT,
    CALZA_WRONG,
    DUDO,
    NOBODY,
    history_seat,
)
from perudo.games.policy import Memory, Parameters

MEMORY_DECAY = 0.98
"""Factor on the memory at each round, because players change."""
MIN_LOG_LIKELIHOOD = -8.0
"""Floor of the log-likelihoods in memory."""


@kernel
def undo_settlement(state: Record) -> None:
    """Restore the dice of the round that was just settled, as far as hands were shown."""
    reveal = state.reveal
    live, total = 0, 0
    for seat in range(int(state.players)):
        if not state.rules.single_round:
            state.counts[seat] += reveal.lost[seat] - reveal.gained[seat]
        state.hands[seat] = reveal.hands[seat]
        live += state.counts[seat] > 0
        total += int(state.counts[seat])
    state.live = live
    state.total = total
    state.phase = BIDDING
    state.winner = NOBODY
    state.palafico_due = NOBODY
    state.opener = history_seat(int(state.history[0]))


@kernel
def read_opponents(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Update memory by the others' decisions in a settled round."""
    if observation.actions > 0:
        for seat in range(whole(observation.players)):
            for model in range(MODEL_COUNT):
                memory[seat, model] *= MEMORY_DECAY
        network = network_of(parameters[:WEIGHT_COUNT].astype(np.float32))
        asked = parameters[POLICIES_BEGIN:POLICIES_END]
        models = PlayerModels(network, asked, new_room(), thoughts)
        weigh_round(workspace(observation, 2), observation, models, memory, stream)
        for seat in range(whole(observation.players)):
            best = memory[seat, 0]
            for model in range(1, MODEL_COUNT):
                best = max(best, memory[seat, model])
            for model in range(MODEL_COUNT):
                memory[seat, model] = max(memory[seat, model] - best, MIN_LOG_LIKELIHOOD)
    return 0


@kernel
def weigh_round(
    states: Record, observation: Record, models: PlayerModels, memory: Memory, stream: Stream
) -> None:
    """Replay the round, and add the log-likelihood of each decision under each model to memory.

    The caller allocates the states, because records taken from an array do not keep it alive.
    """
    target, state = states[0], states[1]
    copy(target, observation)
    undo_settlement(target)
    copy(state, target)
    rewind(state)
    likely, everybody = np.zeros(MODEL_COUNT), np.ones(MODEL_COUNT)
    viewer = whole(observation.viewer)
    while True:
        said = move_towards(state, target)
        who = whole(actor(state))
        last = said == ARRIVED
        if last:
            reason = int(observation.reveal.reason)
            said = CALZA if reason == CALZA_RIGHT or reason == CALZA_WRONG else DUDO
            if who != observation.reveal.caller:
                break
        if who != viewer and target.hands[who] != 0:
            weigh_saying(models, everybody, state, who, said, stream, likely)
            for model in range(MODEL_COUNT):
                memory[who, model] += math.log(likely[model])
        if last:
            break
        apply(state, said)
