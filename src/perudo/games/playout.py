"""Random play of any game, entirely in compiled code."""

from __future__ import annotations

import numpy as np

from perudo.games.chance import Stream, combine
from perudo.games.kernel import kernel
from perudo.games.operations import (
    CHANCE,
    OVER,
    ROUND,
    Record,
    actor,
    copy,
    deal,
    finish_round_randomly,
)


@kernel
def random_games(states: Record, horizon: int, games: int, seed: np.uint64, stream: Stream) -> int:
    """Play rounds or matches from ``states[0]`` in the workspace ``states[1]``.

    All actions are uniformly random. Return their total number.
    """
    actions = 0
    state = states[1]
    for game in range(games):
        key = combine(seed, game)
        copy(state, states[0])
        while True:
            if actor(state) == CHANCE:
                deal(state, key)
            actions += finish_round_randomly(state, stream)
            if horizon == ROUND or actor(state) == OVER:
                break
    return actions
