"""Models of players: how likely each kind of player is to make each move.

One small network tells all of them apart by its last layer only: what is worked out of a position
and a move is the same for all. The weights lie in a policy's parameters. A hidden unit is the
positive part of a sum over the position's numbers and the move's; a model's score of a move is a
sum over these units, and moves are made in proportion to its exponential.
"""

from __future__ import annotations

import math

import numpy as np

from perudo.agents.champion.features import MOVE, MOVES, POSITION, Codes, Numbers, describe
from perudo.games.chance import Stream, uniform, whole
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
from perudo.search.beliefs import Shares, cumulate

MODELS = (
    "pomcp-pgt-ucb",
    "pomcp-pgt-ucb:iterations=10000",
    "pomcp-pgt-rm",
    "ensemble",
    "observer",
    "boros-bluff",
    "macleod",
    "l-dumb",
    "hmax-random",
    "champion",
)
"""Who was watched."""
KINDS = len(MODELS)
OWN = KINDS - 1
"""The model of the champion itself."""
HIDDEN = 48
OF_MOVE = POSITION * HIDDEN
OF_UNITS = OF_MOVE + MOVE * HIDDEN
WEIGHTS = OF_UNITS + KINDS * HIDDEN
"""Where the weights of moves begin, those of hidden units, and how many there are in all."""
NOWHERE = -1
SURPRISE = 0.06
"""How often somebody is thought to do anything at all: no model is right about everybody."""

Network = tuple[Numbers, Numbers, Numbers]
"""Weights from position and from move to the hidden units, and from those to models."""
Room = tuple[Numbers, Codes, Numbers, Numbers, Shares]
"""Where a decision is worked out: position, and by move codes, numbers, hidden units, chances."""


@kernel
def desk() -> Room:
    """Room for a decision."""
    return (
        np.zeros(POSITION, np.float32),
        np.zeros(MOVES, np.int64),
        np.zeros((MOVES, MOVE), np.float32),
        np.zeros((MOVES, HIDDEN), np.float32),
        np.zeros(MOVES),
    )


@kernel
def network_in(weights: Numbers) -> Network:
    """The layers, as views of the weights."""
    return (
        weights[:OF_MOVE].reshape((POSITION, HIDDEN)),
        weights[OF_MOVE:OF_UNITS].reshape((MOVE, HIDDEN)),
        weights[OF_UNITS:].reshape((KINDS, HIDDEN)),
    )


@kernel
def work_out(state: Record, seat: int, network: Network, room: Room) -> int:
    """Describe a decision, and find the hidden units; returns how many moves there are.

    The loops are such that the compiler does many units at a time.
    """
    of_position, of_move, _ = network
    position, codes, moves, units, _ = room
    count = describe(state, seat, position, codes, moves)
    nothing = np.float32(0.0)
    base = units[count]  # the last move's room is free: fewer are described
    for unit in range(HIDDEN):
        total = nothing
        for number in range(POSITION):
            total += position[number] * of_position[number, unit]
        base[unit] = total
    for place in range(count):
        for unit in range(HIDDEN):
            total = base[unit]
            for number in range(MOVE):
                total += moves[place, number] * of_move[number, unit]
            units[place, unit] = max(total, nothing)
    return count


@kernel
def judge_as(network: Network, model: int, count: int, room: Room) -> None:
    """The chances of a decision's moves by a model."""
    of_units, units, chances = network[2][model], room[3], room[4]
    nothing = np.float32(0.0)
    for place in range(count):
        # four sums, which do not wait for each other
        one, two, three, four = nothing, nothing, nothing, nothing
        for unit in range(0, HIDDEN, 4):
            one += units[place, unit] * of_units[unit]
            two += units[place, unit + 1] * of_units[unit + 1]
            three += units[place, unit + 2] * of_units[unit + 2]
            four += units[place, unit + 3] * of_units[unit + 3]
        chances[place] = (one + two) + (three + four)
    most = chances[0]
    for place in range(1, count):
        most = max(most, chances[place])
    total = 0.0
    for place in range(count):
        chances[place] = math.exp(chances[place] - most)
        total += chances[place]
    for place in range(count):
        chances[place] /= total


@kernel
def play_as(
    state: Record, seat: int, network: Network, model: int, room: Room, stream: Stream
) -> int:
    """Draw a model's move for a seat, whose hand alone is looked at."""
    count = work_out(state, seat, network, room)
    judge_as(network, model, count, room)
    codes, chances = room[1], room[4]
    point = uniform(stream)
    for place in range(count - 1):
        point -= chances[place]
        if point < 0.0:
            return int(codes[place])
    return int(codes[count - 1])


@kernel
def place_of(said: int, count: int, room: Room) -> int:
    """Where among the moves of a decision one is, or NOWHERE: it is hardly ever made."""
    for place in range(count):
        if room[1][place] == said:
            return place
    return NOWHERE


@kernel
def weigh_saying(
    state: Record,
    seat: int,
    said: int,
    network: Network,
    asked: Shares,
    room: Room,
    likely: Shares,
) -> None:
    """How likely each model that is ``asked`` (above 0) is to say this in a seat of a state."""
    count = work_out(state, seat, network, room)
    place = place_of(said, count, room)
    for model in range(KINDS):
        likely[model] = SURPRISE / count
        if asked[model] > 0.0 and place != NOWHERE:
            judge_as(network, model, count, room)
            likely[model] += (1.0 - SURPRISE) * room[4][place]


@kernel
def weigh_hands(
    states: Record,
    observation: Record,
    seat: int,
    network: Network,
    prior: Shares,
    shares: Shares,
) -> None:
    """Fill ``shares[seat]`` with running sums over (model, hand) for each other seat.

    ``prior`` has the weight of each model by seat; ``states`` is a workspace.
    """
    state = states[0]
    copy(state, observation)
    rewind(state)
    room, likely = desk(), np.zeros(KINDS)
    hands = shares.shape[1] // KINDS
    for other in range(whole(observation.players)):
        if other == seat or observation.counts[other] == 0:
            continue
        for hand in range(hand_count(state, other)):
            dealt = put_hand(state, other, hand)
            for model in range(KINDS):
                shares[other, model * hands + hand] = prior[other, model] * dealt
    while True:
        said = move_towards(state, observation)
        if said == ARRIVED:
            break
        who = whole(actor(state))
        if who != seat:
            for hand in range(hand_count(state, who)):
                put_hand(state, who, hand)
                weigh_saying(state, who, said, network, prior[who], room, likely)
                for model in range(KINDS):
                    shares[who, model * hands + hand] *= likely[model]
        apply(state, said)
    for other in range(whole(observation.players)):
        if other != seat and observation.counts[other] > 0:
            cumulate(shares[other])
