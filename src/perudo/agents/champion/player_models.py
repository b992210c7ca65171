"""Models of players: the probability that each kind of player makes each move.

Agents that decide at once, and state their probabilities, are models themselves. The others are
modelled by a small network fitted to their decisions: its hidden layer is shared, and each model
has an output layer. A hidden unit is a rectified linear unit of the features of position and move;
a model's score of a move is linear in these units, and its policy is the softmax of the scores.
The weights lie in the champion's parameters.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.champion.features import (
    MAX_MOVES,
    MOVE_WIDTH,
    POSITION_WIDTH,
    Codes,
    Numbers,
    describe,
)
from perudo.agents.papers.boros import BorosBluff
from perudo.agents.papers.heuristic import HmaxRandom
from perudo.agents.papers.observer import Observer
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
from perudo.games.perudo import PERUDO
from perudo.games.policy import Memory, Parameters, chance_of, number_of, policy_at
from perudo.search.online.beliefs import Shares, cumulate

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
"""The agents that are modelled."""
MODEL_COUNT = len(MODELS)
OWN = MODEL_COUNT - 1
"""Index of the champion's own model."""
POLICY_MODELS: tuple[type[CompiledAgent], ...] = (Observer, BorosBluff, HmaxRandom)
"""The models that need no network: their policies are called."""
BY_NETWORK = -1
POLICY_ROWS = np.array([BY_NETWORK] * MODEL_COUNT)
"""Index of each model among POLICY_MODELS, or BY_NETWORK."""
for _row, _player in enumerate(POLICY_MODELS):
    POLICY_ROWS[MODELS.index(_player.name)] = _row
HIDDEN_UNITS = 48
MOVE_WEIGHTS = POSITION_WIDTH * HIDDEN_UNITS
UNIT_WEIGHTS = MOVE_WEIGHTS + MOVE_WIDTH * HIDDEN_UNITS
WEIGHT_COUNT = UNIT_WEIGHTS + MODEL_COUNT * HIDDEN_UNITS
"""Offsets of the weights of moves and of hidden units, and the number of all weights."""
POLICY_ROW_WIDTH = 16
"""Width of a policy model's row among the parameters: its address and its parameters."""
POLICIES_BEGIN = WEIGHT_COUNT
POLICIES_END = POLICIES_BEGIN + len(POLICY_MODELS) * POLICY_ROW_WIDTH
"""Range of the rows of policy models: after the weights."""
NOT_LISTED = -1
SURPRISE = 0.06
"""Probability that a player makes a uniformly random move instead of the model's."""


class Network(NamedTuple):
    """The weights, by layer."""

    of_position: Numbers  # (POSITION_WIDTH, HIDDEN_UNITS)
    of_move: Numbers  # (MOVE_WIDTH, HIDDEN_UNITS)
    of_units: Numbers  # (MODEL_COUNT, HIDDEN_UNITS)


class Room(NamedTuple):
    """Workspace for one decision; rows are its moves."""

    position: Numbers  # (POSITION_WIDTH,)
    codes: Codes  # (MAX_MOVES,)
    moves: Numbers  # (MAX_MOVES, MOVE_WIDTH)
    units: Numbers  # (MAX_MOVES, HIDDEN_UNITS)
    chances: Shares  # (MAX_MOVES,)
    memory: Memory  # (1, 1): empty, for the policy models


class PlayerModels(NamedTuple):
    """All models, and the workspace in which they decide.

    Kernels cannot return it: numba does not return a record in a tuple.
    """

    network: Network
    asked: Parameters  # (len(POLICY_MODELS) * POLICY_ROW_WIDTH,)
    room: Room
    thoughts: Record


@functools.cache
def policy_rows() -> Parameters:
    """Return the rows of the policy models."""
    rows = np.zeros((len(POLICY_MODELS), POLICY_ROW_WIDTH))
    for row, player in zip(rows, POLICY_MODELS, strict=True):
        own = player().parameters
        row[0] = number_of(player.policy, PERUDO.dtype)
        row[1 : 1 + own.size] = own
    return rows.ravel()


@kernel
def new_room() -> Room:
    """Return a workspace for decisions."""
    return Room(
        np.zeros(POSITION_WIDTH, np.float32),
        np.zeros(MAX_MOVES, np.int64),
        np.zeros((MAX_MOVES, MOVE_WIDTH), np.float32),
        np.zeros((MAX_MOVES, HIDDEN_UNITS), np.float32),
        np.zeros(MAX_MOVES),
        np.zeros((1, 1)),
    )


@kernel
def network_of(weights: Numbers) -> Network:
    """Return the layers, as views of the weights."""
    return Network(
        weights[:MOVE_WEIGHTS].reshape((POSITION_WIDTH, HIDDEN_UNITS)),
        weights[MOVE_WEIGHTS:UNIT_WEIGHTS].reshape((MOVE_WIDTH, HIDDEN_UNITS)),
        weights[UNIT_WEIGHTS:].reshape((MODEL_COUNT, HIDDEN_UNITS)),
    )


@kernel
def work_out(state: Record, seat: int, network: Network, room: Room) -> int:
    """Compute the features and hidden units of a decision; returns the number of moves.

    The inner loops run over units, so that the compiler vectorizes them.
    """
    of_position, of_move = network.of_position, network.of_move
    position, moves, units = room.position, room.moves, room.units
    count = describe(state, seat, position, room.codes, moves)
    nothing = np.float32(0.0)
    base = units[count]  # the last row is free: fewer moves are described
    for unit in range(HIDDEN_UNITS):
        total = nothing
        for number in range(POSITION_WIDTH):
            total += position[number] * of_position[number, unit]
        base[unit] = total
    for place in range(count):
        for unit in range(HIDDEN_UNITS):
            total = base[unit]
            for number in range(MOVE_WIDTH):
                total += moves[place, number] * of_move[number, unit]
            units[place, unit] = max(total, nothing)
    return count


@kernel
def judge_as(network: Network, model: int, count: int, room: Room) -> None:
    """Compute a model's policy, for the units in the workspace."""
    of_units, units, chances = network.of_units[model], room.units, room.chances
    nothing = np.float32(0.0)
    for place in range(count):
        # four independent sums, for the processor's pipeline
        one, two, three, four = nothing, nothing, nothing, nothing
        for unit in range(0, HIDDEN_UNITS, 4):
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
def ask(models: PlayerModels, model: int, state: Record, seat: int, stream: Stream) -> int:
    """Return the action of a policy model in a seat; it sees no hand but that seat's."""
    begin, asked = POLICY_ROWS[model] * POLICY_ROW_WIDTH, models.asked
    viewer = state.viewer
    state.viewer = seat
    said = policy_at(np.uint64(asked[begin]), state)(
        state,
        asked[begin + 1 : begin + POLICY_ROW_WIDTH],
        models.room.memory,
        stream,
        models.thoughts,
    )
    state.viewer = viewer
    return int(said)


@kernel
def play_as(models: PlayerModels, model: int, state: Record, seat: int, stream: Stream) -> int:
    """Draw a model's move for a seat, reading no hand but that seat's."""
    if POLICY_ROWS[model] != BY_NETWORK:
        return ask(models, model, state, seat, stream)
    room = models.room
    count = work_out(state, seat, models.network, room)
    judge_as(models.network, model, count, room)
    codes, chances = room.codes, room.chances
    point = uniform(stream)
    for place in range(count - 1):
        point -= chances[place]
        if point < 0.0:
            return int(codes[place])
    return int(codes[count - 1])


@kernel
def place_of(said: int, count: int, room: Room) -> int:
    """Return the row of a move, or NOT_LISTED if the features leave it out."""
    for place in range(count):
        if room.codes[place] == said:
            return place
    return NOT_LISTED


@kernel
def weigh_saying(
    models: PlayerModels,
    wanted: Shares,
    state: Record,
    seat: int,
    said: int,
    stream: Stream,
    likely: Shares,
) -> None:
    """Compute the likelihood of a move in a seat under each model that is ``wanted`` (above 0)."""
    room = models.room
    count = work_out(state, seat, models.network, room)
    place = place_of(said, count, room)
    for model in range(MODEL_COUNT):
        likely[model] = SURPRISE / count
        if wanted[model] > 0.0:
            if POLICY_ROWS[model] != BY_NETWORK:
                ask(models, model, state, seat, stream)
                likely[model] += (1.0 - SURPRISE) * chance_of(models.thoughts, said)
            elif place != NOT_LISTED:
                judge_as(models.network, model, count, room)
                likely[model] += (1.0 - SURPRISE) * room.chances[place]


@kernel
def weigh_hands(
    states: Record,
    observation: Record,
    seat: int,
    models: PlayerModels,
    prior: Shares,
    stream: Stream,
    shares: Shares,
) -> None:
    """Fill each other seat's row of ``shares`` with running sums of the weights of (model, hand).

    ``prior`` has the weight of each model by seat; ``states`` is a workspace.
    """
    state = states[0]
    copy(state, observation)
    rewind(state)
    likely = np.zeros(MODEL_COUNT)
    hands = shares.shape[1] // MODEL_COUNT
    for other in range(whole(observation.players)):
        if other == seat or observation.counts[other] == 0:
            continue
        for hand in range(hand_count(state, other)):
            dealt = put_hand(state, other, hand)
            for model in range(MODEL_COUNT):
                shares[other, model * hands + hand] = prior[other, model] * dealt
    while True:
        said = move_towards(state, observation)
        if said == ARRIVED:
            break
        who = whole(actor(state))
        if who != seat:
            for hand in range(hand_count(state, who)):
                put_hand(state, who, hand)
                weigh_saying(models, prior[who], state, who, said, stream, likely)
                for model in range(MODEL_COUNT):
                    shares[who, model * hands + hand] *= likely[model]
        apply(state, said)
    for other in range(whole(observation.players)):
        if other != seat and observation.counts[other] > 0:
            cumulate(shares[other])
