"""Reading opponents: which models a player's decisions fit, once the hands have been shown.

Memory has a number for each seat and model: the logarithm of how likely the model was to do what
that player did, less that of the likeliest. No model is ever ruled out for good, so that nobody can
lead the champion far astray.
"""

from __future__ import annotations

import math

import numpy as np

from perudo.agents.champion.models import COUNT, index_at, rows_at, weigh_saying
from perudo.agents.champion.situation import SHEET
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

FADE = 0.98
"""What a round leaves of what was known before: people change their ways."""
LEAST = -8.0
"""No model is ruled out further than this."""


@kernel
def unsettle(state: Record) -> None:
    """Back to the dice of the round that was just settled, as far as hands were shown."""
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
    """Compare all that the others did in a round with what each model would have done."""
    if observation.actions == 0:
        return 0
    models = int(parameters[COUNT])
    index, rows = index_at(parameters), rows_at(parameters)
    states = workspace(observation, 2)
    target, state = states[0], states[1]
    copy(target, observation)
    unsettle(target)
    copy(state, target)
    rewind(state)
    sheet, chances = np.zeros(SHEET, np.int64), np.zeros(models)
    viewer, players = whole(observation.viewer), whole(observation.players)
    for seat in range(players):
        for model in range(models):
            memory[seat, model] *= FADE
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
            weigh_saying(state, who, said, index, rows, models, sheet, chances)
            for model in range(models):
                memory[who, model] += math.log(chances[model])
        if last:
            break
        apply(state, said)
    for seat in range(players):
        best = memory[seat, 0]
        for model in range(1, models):
            best = max(best, memory[seat, model])
        for model in range(models):
            memory[seat, model] = max(memory[seat, model] - best, LEAST)
    return int(states.size) - 2  # records do not keep their array alive: it is used to the end
