"""Rollouts: the value of each action if every player then follows one policy.

All actions are tried on the same deals with the same luck (common random numbers), so that their
difference is known far better than either value. Hidden hands are sampled from the seat's belief:
hands are weighed by how likely the policy would have made their owners' moves with them.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from perudo.games.chance import combine
from perudo.games.game import (
    CHANCE,
    MATCH,
    OVER,
    SEATS,
    Game,
    Record,
    actor,
    apply,
    copy,
    deal,
    observe,
    payoff,
)
from perudo.games.kernel import kernel
from perudo.games.policy import Model, Parameters, ask, model_of
from perudo.search.online.beliefs import believe, deal_believed, no_belief

HIDDEN, LUCK = 1 << 20, 1 << 21
"""Salts of a sample's random keys, above all numbers of rounds."""
WEIGHING = 1 << 40
"""The salt of the belief's random key, above all numbers of samples. Only games with dependent
hands use it, to sample the deals that they weigh."""

Real = npt.NDArray[np.float64]


@kernel
def play_on(
    states: Record,
    model: Model,
    seat: int,
    actions: npt.NDArray[np.int64],
    resample: bool,
    key: np.uint64,
    wins: Real,
) -> None:
    """Fill ``wins[sample, action]`` with 1 where the seat won the match, else 0.

    ``states`` are the position and three workspaces: the sampled deal, the game, and the actor's
    view. With ``resample`` each sample deals all that the seat cannot see from the seat's belief;
    the position must then be the seat's observation.
    """
    players = int(states[0].players)
    stream = np.zeros(1, np.uint64)
    streams = np.zeros((players, 1), np.uint64)
    dealt, table, view = states[1], states[2], states[3]
    belief = no_belief(states)
    if resample:
        stream[0] = combine(key, WEIGHING)
        belief = believe(states[0], seat, model, stream)
    for sample in range(wins.shape[0]):
        sample_key = combine(key, sample)
        copy(dealt, states[0])
        if resample:
            stream[0] = combine(sample_key, HIDDEN)
            deal_believed(dealt, seat, belief, stream)
        for index in range(actions.size):
            luck = combine(sample_key, LUCK)
            for each in range(players):
                streams[each, 0] = combine(luck, each)
            copy(table, dealt)
            choice = actions[index]
            while True:
                apply(table, choice)
                while actor(table) == CHANCE:
                    deal(table, sample_key)
                acting = actor(table)
                if acting == OVER:
                    break
                copy(view, table)
                observe(view, acting)
                choice = ask(model, view, streams[acting])
            wins[sample, index] = 1.0 if payoff(table, MATCH, seat) > 0.0 else 0.0


class CompiledPlayer(Protocol):
    """A compiled policy with its parameters, which it keeps alive."""

    @property
    def policy(self) -> Any:
        """The compiled policy."""

    @property
    def parameters(self) -> Parameters:
        """The parameters of the policy."""

    @property
    def memory_width(self) -> int:
        """The count of numbers that the policy remembers about each seat."""


def win_samples(
    game: Game,
    position: Record,
    seat: int,
    actions: list[int],
    player: CompiledPlayer,
    samples: int,
    key: np.uint64,
    *,
    resample: bool,
) -> Real:
    """Return samples by actions: 1 where the seat wins when ``player`` plays all seats, else 0."""
    states = np.zeros(4, game.dtype)
    states[0] = position
    wins = np.zeros((samples, len(actions)))
    numbers = player.parameters if player.parameters.size else np.zeros(1)
    memory = np.zeros((len(SEATS), max(player.memory_width, 1)))
    model = model_of(player.policy, game.dtype, numbers, memory)
    play_on(states, model, seat, np.array(actions, np.int64), resample, key, wins)
    return wins
