"""What the others may hold, judged by what they have said.

A hand is as likely as it is to be dealt, times how likely a model of its owner is to have made the
owner's moves of this round with it. The round is replayed from its start, and the model is asked at
each of those decisions for the chances of its actions.

Where hands are independent of each other all of them are weighed, seat by seat. In other games
whole deals are: particles with importance weights, drawn anew when few of them carry the weight.
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
"""Running sums of weights, ending with 1: a row for each seat's hands, or one row for particles; no
row at all where nothing is known."""

SURPRISE = 0.05
"""How often somebody is thought to do anything at all: no model is right about everybody."""
PARTICLES = 512
LEAST_EFFECTIVE = 0.5
"""Particles are drawn anew when this share of them would do as well."""


class Belief(NamedTuple):
    """What a seat believes that the others hold."""

    shares: Shares
    particles: Any
    """The deals that a single row of shares is about, and a workspace behind them."""


@kernel
def no_belief(states: Record) -> Belief:
    """Return the belief of a seat that knows nothing."""
    return Belief(np.zeros((0, 0)), states)


@kernel
def chance_of_saying(view: Record, said: int, model: Model, stream: Stream) -> float:
    """Return how likely a model is to say this, seeing what it sees."""
    ask(model, view, stream)
    count, thoughts = action_count(view), model.thoughts
    chance = 1.0 / count if thoughts.mixed == UNIFORM else chance_of(thoughts, said)
    return (1.0 - SURPRISE) * chance + SURPRISE / float(count)


@kernel
def room_for(observation: Record, seat: int) -> tuple[int, int, int]:
    """How many rows and columns the shares take, and how many states."""
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
    """Fill in what ``room_for`` made room for; False if the game cannot go back.

    ``seat`` knows its own hand; a SPECTATOR's belief is about every seat. Of ``states`` the last is
    what the model sees, the others are the particles.
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
    """Make running sums of weights, the last of them 1."""
    total = 0.0
    for column in range(weights.size):
        total += weights[column]
        weights[column] = total
    if total > 0.0:
        for column in range(weights.size):
            weights[column] /= total


@kernel
def resample(states: Record, weights: npt.NDArray[np.float64], stream: Stream) -> None:
    """Keep weights comparable: particles of little weight give way to copies of heavy ones."""
    total, squares = 0.0, 0.0
    for particle in range(weights.size):
        total += weights[particle]
    for particle in range(weights.size):
        weights[particle] /= total
        squares += weights[particle] * weights[particle]
    if 1.0 / squares >= LEAST_EFFECTIVE * weights.size:
        return
    # How many copies each particle gets: evenly spaced points over the running sum.
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
    """Sample what a seat cannot see from its belief; where there is none, as ``redeal`` does."""
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
    """Return the belief of a seat that takes the others for the model."""
    rows, columns, count = room_for(observation, seat)
    states = workspace(observation, count)
    shares = np.zeros((rows, columns))
    if not weigh(states, shares, observation, seat, model, stream):
        return no_belief(states)
    return Belief(shares, states)
