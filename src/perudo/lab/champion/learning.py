"""Watching players, and fitting the champion's network to what they did.

``watch`` seats agents of several kinds at tables and keeps every decision: what the player saw, who
it was and what was done. ``fit`` then raises the likelihood of these decisions step by step (Adam,
Kingma and Ba 2015); each kind of player has its own last layer, the rest is everybody's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents.champion.features import MOVE, POSITION, Numbers
from perudo.agents.champion.player_models import (
    HIDDEN,
    NOWHERE,
    Network,
    Room,
    desk,
    judge_as,
    network_in,
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

Whole = npt.NDArray[np.int64]
MEAN, SQUARE, TINY = 0.9, 0.999, 1e-8
"""Adam's usual constants."""


@kernel
def note_round(before: Record, after: Record, note: Whole) -> None:
    """How a round began and what it changed, as ``champion_standings`` wants it."""
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
def watch(
    starts: Record,
    states: Record,
    policies: Any,
    learners: Any,
    learns: npt.NDArray[np.bool_],
    parameters: Any,
    memories: Any,
    shares: Any,
    views: Record,
    kinds: Whole,
    saids: Whole,
    rounds: Whole,
    stream: Stream,
    streams: Any,
    thoughts: Record,
) -> int:
    """Fill ``views`` with decisions of agents that are drawn for each seat by running ``shares``.

    ``kinds`` and ``saids`` get who it was and what was done, ``rounds`` how rounds ended (see
    ``champion_standings``); returns how many there were. ``states`` is room for the table, what is
    seen of it, and the table before the round.
    """
    match, view, before = states[0], states[1], states[2]
    sitting = np.zeros(match.counts.size, np.int64)
    seen, ended = 0, 0
    while seen < views.size:
        copy(match, starts[below(stream, starts.size)])
        players = whole(match.players)
        for seat in range(players):
            memories[seat] = 0.0
            sitting[seat] = np.searchsorted(shares, uniform(stream), side="right")
        while actor(match) != OVER and seen < views.size:
            if actor(match) == CHANCE:
                copy(before, match)
                deal(match, next_word(stream))
                continue
            who = whole(actor(match))
            agent = sitting[who]
            copy(view, match)
            observe(view, who)
            said = policy_at(policies[agent], view)(
                view, parameters[agent], memories[who], streams[who], thoughts
            )
            copy(views[seen], view)
            kinds[seen], saids[seen] = agent, said
            seen += 1
            apply(match, said)
            if round_over(match):
                note_round(before, match, rounds[ended])
                ended += 1
                for seat in range(players):
                    agent = sitting[seat]
                    if learns[agent]:
                        copy(view, match)
                        observe(view, seat)
                        policy_at(learners[agent], view)(
                            view, parameters[agent], memories[seat], streams[seat], thoughts
                        )
    return ended


@kernel
def look_at(view: Record, model: int, said: int, network: Network, room: Room) -> tuple[int, int]:
    """Work out a decision's chances; returns the place of what was said, and how many there are."""
    count = work_out(view, int(view.viewer), network, room)
    judge_as(network, model, count, room)
    return place_of(said, count, room), count


@kernel
def add_slopes(
    network: Network, model: int, said: int, count: int, room: Room, slopes: Network
) -> None:
    """Add how a decision's likelihood falls with each weight; the move at ``said`` was made."""
    of_units = network[2][model]
    position, _, moves, units, chances, _ = room
    nothing = np.float32(0.0)
    back, backs = np.zeros((2, HIDDEN), np.float32)
    for place in range(count):
        slope = np.float32(chances[place] - (place == said))
        for unit in range(HIDDEN):
            slopes[2][model, unit] += slope * units[place, unit]
            back[unit] = slope * of_units[unit] if units[place, unit] > nothing else nothing
            backs[unit] += back[unit]
        for number in range(MOVE):
            if moves[place, number] != nothing:
                for unit in range(HIDDEN):
                    slopes[1][number, unit] += moves[place, number] * back[unit]
    for number in range(POSITION):
        for unit in range(HIDDEN):
            slopes[0][number, unit] += position[number] * backs[unit]


@kernel
def fit(
    views: Record,
    kinds: Whole,
    saids: Whole,
    order: Whole,
    weights: Numbers,
    means: Numbers,
    squares: Numbers,
    steps: int,
    batch: int,
    rate: float,
) -> float:
    """Go through decisions in an order, with a step after each batch; returns the mean log-chance.

    ``means`` and ``squares`` are the slopes' running means; ``steps`` were made before.
    """
    room, slopes = desk(), np.zeros(weights.size, np.float32)
    network, slopes_of = network_in(weights), network_in(slopes)
    told, total = 0, 0.0
    for index in range(order.size):
        at = order[index]
        place, count = look_at(views[at], kinds[at], saids[at], network, room)
        if place != NOWHERE:
            told += 1
            total += math.log(max(room[4][place], TINY))
            add_slopes(network, kinds[at], place, count, room, slopes_of)
        if (index + 1) % batch == 0:
            steps += 1
            # the running means begin at zero, which is made up for
            pace = np.float32(rate * math.sqrt(1.0 - SQUARE**steps) / (1.0 - MEAN**steps))
            for number in range(weights.size):
                slope = slopes[number] / np.float32(batch)
                slopes[number] = 0.0
                means[number] += np.float32(1.0 - MEAN) * (slope - means[number])
                squares[number] += np.float32(1.0 - SQUARE) * (slope * slope - squares[number])
                step = pace * means[number] / (math.sqrt(squares[number]) + TINY)
                weights[number] -= np.float32(step)
    return total / max(told, 1)


@kernel
def judge(views: Record, kinds: Whole, saids: Whole, weights: Numbers, chances: Any) -> None:
    """Fill in the logarithm of each decision's chance by its own model; 0 if it was not told of."""
    room, network = desk(), network_in(weights)
    for at in range(views.size):
        place, _ = look_at(views[at], kinds[at], saids[at], network, room)
        chances[at] = math.log(room[4][place]) if place != NOWHERE else 0.0
