"""Collect decisions of players, and fit the champion's network to them.

``watch`` seats agents of several kinds at tables and stores every decision: the player's view, its
kind and its action. ``fit`` then maximises the likelihood of these decisions by Adam (Kingma and
Ba, "Adam: A Method for Stochastic Optimization", 2015); each kind of player has its own last layer,
and all share the other weights.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.agents.champion.features import MOVE_WIDTH, POSITION_WIDTH, Numbers
from perudo.agents.champion.player_models import (
    HIDDEN_UNITS,
    NOT_LISTED,
    Network,
    Room,
    judge_as,
    network_of,
    new_room,
    place_of,
    work_out,
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
from perudo.games.policy import policy_at
from perudo.lab.arena import LineUp

Whole = npt.NDArray[np.int64]
MEAN_DECAY, SQUARE_DECAY, EPSILON = 0.9, 0.999, 1e-8
"""The default constants of Adam: decay rates of the means and squares, and epsilon."""


class Cast(NamedTuple):
    """The players from which the seats of the tables are drawn."""

    line_up: LineUp
    shares: npt.NDArray[np.float64]
    """(players,): the cumulative probability of each to be drawn for a seat."""


class Workspace(NamedTuple):
    """The arrays that a kernel needs while agents play."""

    states: Record
    """[3]: the table, the actor's view of it, and the table before the round."""
    memories: npt.NDArray[np.float64]
    """[seats, seats, numbers]: the memory of each seat about the others."""
    streams: npt.NDArray[np.uint64]
    """[seats, 1]: the random stream of each seat."""
    thoughts: Record


class Watched(NamedTuple):
    """The observed decisions, and the outcomes of rounds."""

    views: Record
    """[decisions]: the player's view."""
    kinds: Whole
    """[decisions]: the kind of the player."""
    saids: Whole
    """[decisions]: the action."""
    rounds: Whole
    """[rounds, players + 2], as ``match_worth`` describes it."""


class Adam(NamedTuple):
    """The state of a fit; each array is [weights]."""

    weights: Numbers
    means: Numbers
    """Running means of the gradients."""
    squares: Numbers
    """Running means of the squared gradients."""


@kernel
def note_round(before: Record, after: Record, note: Whole) -> None:
    """Write the dice at the start of a round and its outcome, as ``match_worth`` describes."""
    note[:] = 0
    note[0] = before.live
    seat = int(before.opener)
    for turn in range(int(before.live)):
        note[1 + turn] = before.counts[seat]
        if after.counts[seat] < before.counts[seat]:
            note[-1] = 1 + turn
        elif after.counts[seat] > before.counts[seat]:
            note[-1] = -1 - turn
        seat = next_live(before, seat)


@kernel
def watch(starts: Record, cast: Cast, work: Workspace, stream: Stream, found: Watched) -> int:
    """Fill ``found`` with decisions of agents drawn at random for each seat.

    Return the number of rounds that ended.
    """
    match, view, before = work.states[0], work.states[1], work.states[2]
    memories, streams, thoughts = work.memories, work.streams, work.thoughts
    players = cast.line_up
    seated = np.zeros(match.counts.size, np.int64)
    seen, ended = 0, 0
    while seen < found.views.size:
        copy(match, starts[below(stream, starts.size)])
        seats = whole(match.players)
        for seat in range(seats):
            memories[seat] = 0.0
            seated[seat] = np.searchsorted(cast.shares, uniform(stream), side="right")
        while actor(match) != OVER and seen < found.views.size:
            if actor(match) == CHANCE:
                copy(before, match)
                deal(match, next_word(stream))
                continue
            who = whole(actor(match))
            agent = seated[who]
            copy(view, match)
            observe(view, who)
            said = policy_at(players.policies[agent], view)(
                view, players.parameters[agent], memories[who], streams[who], thoughts
            )
            copy(found.views[seen], view)
            found.kinds[seen], found.saids[seen] = agent, said
            seen += 1
            apply(match, said)
            if round_over(match):
                note_round(before, match, found.rounds[ended])
                ended += 1
                for seat in range(seats):
                    agent = seated[seat]
                    if players.learns[agent]:
                        copy(view, match)
                        observe(view, seat)
                        policy_at(players.learners[agent], view)(
                            view, players.parameters[agent], memories[seat], streams[seat], thoughts
                        )
    return ended


@kernel
def look_at(view: Record, model: int, said: int, network: Network, room: Room) -> tuple[int, int]:
    """Compute the policy of a model; return the place of the action ``said`` and the move count."""
    count = work_out(view, int(view.viewer), network, room)
    judge_as(network, model, count, room)
    return place_of(said, count, room), count


@kernel
def add_gradient(
    network: Network, model: int, said: int, count: int, room: Room, slopes: Network
) -> None:
    """Add the gradient of the negative log-likelihood of a decision, the move at ``said``."""
    of_units = network[2][model]
    position, _, moves, units, chances, _ = room
    nothing = np.float32(0.0)
    back, backs = np.zeros((2, HIDDEN_UNITS), np.float32)
    for place in range(count):
        slope = np.float32(chances[place] - (place == said))
        for unit in range(HIDDEN_UNITS):
            slopes[2][model, unit] += slope * units[place, unit]
            back[unit] = slope * of_units[unit] if units[place, unit] > nothing else nothing
            backs[unit] += back[unit]
        for number in range(MOVE_WIDTH):
            if moves[place, number] != nothing:
                for unit in range(HIDDEN_UNITS):
                    slopes[1][number, unit] += moves[place, number] * back[unit]
    for number in range(POSITION_WIDTH):
        for unit in range(HIDDEN_UNITS):
            slopes[0][number, unit] += position[number] * backs[unit]


@kernel
def fit(seen: Watched, order: Whole, adam: Adam, steps: int, batch: int, rate: float) -> float:
    """Fit to decisions in the given order, with a step of Adam after each batch.

    ``steps`` is the number of earlier steps. Return the mean log-likelihood of the decisions.
    """
    weights, means, squares = adam.weights, adam.means, adam.squares
    room, slopes = new_room(), np.zeros(weights.size, np.float32)
    network, slopes_of = network_of(weights), network_of(slopes)
    counted, total = 0, 0.0
    for index in range(order.size):
        at = order[index]
        kind = seen.kinds[at]
        place, count = look_at(seen.views[at], kind, seen.saids[at], network, room)
        if place != NOT_LISTED:
            counted += 1
            total += math.log(max(room[4][place], EPSILON))
            add_gradient(network, kind, place, count, room, slopes_of)
        if (index + 1) % batch == 0:
            steps += 1
            # corrects the bias of running means that begin at zero
            pace = np.float32(
                rate * math.sqrt(1.0 - SQUARE_DECAY**steps) / (1.0 - MEAN_DECAY**steps)
            )
            for number in range(weights.size):
                slope = slopes[number] / np.float32(batch)
                slopes[number] = 0.0
                means[number] += np.float32(1.0 - MEAN_DECAY) * (slope - means[number])
                squares[number] += np.float32(1.0 - SQUARE_DECAY) * (
                    slope * slope - squares[number]
                )
                step = pace * means[number] / (math.sqrt(squares[number]) + EPSILON)
                weights[number] -= np.float32(step)
    return total / max(counted, 1)


@kernel
def judge(seen: Watched, weights: Numbers, log_chances: npt.NDArray[np.float64]) -> None:
    """Write the log-likelihood of each decision by its own model; 0 if the move is not listed."""
    room, network = new_room(), network_of(weights)
    for at in range(seen.views.size):
        place, _ = look_at(seen.views[at], seen.kinds[at], seen.saids[at], network, room)
        log_chances[at] = math.log(room[4][place]) if place != NOT_LISTED else 0.0
