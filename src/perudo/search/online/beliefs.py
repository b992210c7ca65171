"""Beliefs about the other players' hands, inferred from their moves.

By Bayes' rule the weight of a hand is its prior probability times the likelihood of its owner's
moves in this round, as a model of the owner would make them. The round is replayed from its start,
and the model gives the probabilities of its actions at each of those decisions.

Games with independent hands weigh every hand, seat by seat. Other games weigh whole deals:
particles with importance weights, resampled when few of them carry most of the weight.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, draw, uniform, whole
from perudo.games.game import (
    ARRIVED,
    Record,
    action_count,
    actor,
    apply,
    copy,
    hand_count,
    move_towards,
    observe,
    put_hand,
    redeal,
    rewind,
    workspace,
)
from perudo.games.kernel import kernel
from perudo.games.policy import UNIFORM, Model, ask, chance_of

Shares = npt.NDArray[np.float64]
"""Cumulative probabilities, ending with 1: a row for each seat's hands, or one row for all
particles. A seat that knows nothing has no rows."""

SURPRISE = 0.05
"""The probability of a uniformly random action that is mixed into the model: no model fits
every player."""
PARTICLES = 512
LEAST_EFFECTIVE = 0.5
"""Particles are resampled when their effective number falls below this share."""


class Belief(NamedTuple):
    """A seat's belief about the other players' hands."""

    shares: Shares
    particles: Any
    """The deals that a single row of shares refers to, and a workspace behind them."""


@kernel
def no_belief(states: Record) -> Belief:
    """Return the belief of a seat that knows nothing."""
    return Belief(np.zeros((0, 0)), states)


@kernel
def chance_of_saying(view: Record, said: int, model: Model, stream: Stream) -> float:
    """Return the probability of an action under a model, given the actor's view."""
    ask(model, view, stream)
    count, thoughts = action_count(view), model.thoughts
    chance = 1.0 / count if thoughts.mixed == UNIFORM else chance_of(thoughts, said)
    return (1.0 - SURPRISE) * chance + SURPRISE / float(count)


@kernel
def room_for(observation: Record, seat: int) -> tuple[int, int, int]:
    """Return the numbers of rows and columns of the shares, and of states to allocate."""
    most = 0
    for other in range(whole(observation.players)):
        if other != seat:
            most = max(most, hand_count(observation, other))
    if most == 0:
        return 1, PARTICLES, PARTICLES + 1
    return whole(observation.players), most, 2


@kernel
def weigh(
    states: Record,
    shares: Shares,
    observation: Record,
    seat: int,
    model: Model,
    stream: Stream,
) -> bool:
    """Fill in arrays of the sizes from ``room_for``; return False if the game cannot rewind.

    ``seat`` knows its own hand; a SPECTATOR's belief is about every seat. The last of ``states`` is
    the model's view, the others are the particles.
    """
    rows, columns = shares.shape
    particles = states.size - 1
    by_hand = particles == 1
    view = states[particles]
    for particle in range(particles):
        state = states[particle]
        copy(state, observation)
        if not by_hand:
            redeal(state, seat, stream)
        if not rewind(state):
            return False
    for row in range(rows):
        for column in range(columns):
            shares[row, column] = 0.0 if by_hand else 1.0
        if by_hand and row != seat:
            for hand in range(hand_count(observation, row)):
                shares[row, hand] = put_hand(states[0], row, hand)
    while True:
        said = move_towards(states[0], observation)
        if said == ARRIVED:
            break
        for particle in range(particles):
            state = states[particle]
            who = actor(state)
            hands = hand_count(state, who) if by_hand else 1
            if who == seat:
                hands = 0
            for hand in range(hands):
                if by_hand:
                    put_hand(state, who, hand)
                copy(view, state)
                observe(view, who)
                chance = chance_of_saying(view, said, model, stream)
                if by_hand:
                    shares[who, hand] *= chance
                else:
                    shares[0, particle] *= chance
            apply(state, said)
        if not by_hand:
            resample(states, shares[0], stream)
    for row in range(rows):
        cumulate(shares[row])
    return True


@kernel
def cumulate(weights: npt.NDArray[np.float64]) -> None:
    """Replace weights by their cumulative sums, scaled so that the last is 1."""
    total = 0.0
    for column in range(weights.size):
        total += weights[column]
        weights[column] = total
    if total > 0.0:
        for column in range(weights.size):
            weights[column] /= total


@kernel
def resample(states: Record, weights: npt.NDArray[np.float64], stream: Stream) -> None:
    """Resample systematically if weights are too uneven: heavy particles replace light ones."""
    total, squares = 0.0, 0.0
    for particle in range(weights.size):
        total += weights[particle]
    for particle in range(weights.size):
        weights[particle] /= total
        squares += weights[particle] * weights[particle]
    if 1.0 / squares >= LEAST_EFFECTIVE * weights.size:
        return
    # The copies of each particle: evenly spaced points on the cumulative weights.
    copies = np.zeros(weights.size, np.int64)
    reached, point = 0.0, uniform(stream) / weights.size
    for particle in range(weights.size):
        reached += weights[particle]
        while point < reached and point < 1.0:
            copies[particle] += 1
            point += 1.0 / weights.size
    spare = 0
    for particle in range(weights.size):
        while copies[particle] > 1:
            while spare < weights.size and copies[spare] != 0:
                spare += 1
            if spare == weights.size:
                break
            copy(states[spare], states[particle])
            copies[spare] = 1
            copies[particle] -= 1
    for particle in range(weights.size):
        weights[particle] = 1.0 / weights.size


@kernel
def deal_believed(state: Record, seat: int, belief: Belief, stream: Stream) -> None:
    """Sample the hidden hands from a seat's belief, or by ``redeal`` if it has none."""
    shares, particles = belief.shares, belief.particles
    if shares.shape[0] == 0:
        redeal(state, seat, stream)
    elif particles.size > 2:
        copy(state, particles[draw(shares[0], stream)])
    else:
        for other in range(shares.shape[0]):
            if other != seat:
                put_hand(state, other, draw(shares[other], stream))


@kernel
def believe(observation: Record, seat: int, model: Model, stream: Stream) -> Belief:
    """Return the belief of a seat that expects the others to play like the model."""
    rows, columns, count = room_for(observation, seat)
    states = workspace(observation, count)
    shares = np.zeros((rows, columns))
    if not weigh(states, shares, observation, seat, model, stream):
        return no_belief(states)
    return Belief(shares, states)
