"""Random play of any game, without leaving compiled code."""

from __future__ import annotations

import numpy as np

from perudo.games.chance import Stream, combine
from perudo.games.game import CHANCE, OVER, ROUND, Record, actor, copy, deal, finish_round_randomly
from perudo.games.kernel import kernel


@kernel
def play_randomly(state: Record, horizon: int, key: np.uint64, stream: Stream) -> int:
    """Uniform legal actions to the end of the round or the match; returns the number of actions."""
    actions: int = 0
    while True:
        if actor(state) == CHANCE:
            deal(state, key)
        actions += finish_round_randomly(state, stream)
        if horizon == ROUND or actor(state) == OVER:
            return actions


@kernel
def random_games(states: Record, horizon: int, games: int, seed: np.uint64, stream: Stream) -> int:
    """Play games from ``states[0]`` in the workspace ``states[1]``; returns their actions."""
    actions = 0
    for game in range(games):
        copy(states[1], states[0])
        actions += play_randomly(states[1], horizon, combine(seed, game), stream)
    return actions
