"""POMCP, and POMCP in a public game tree, for any game.

A simulation samples what the searcher cannot see, walks down by what has been learnt, is played out
from the first new position, and is counted on the way back (Wang, thesis on King UP, algorithms 1
to 3). Statistics are kept by information set: every player decides by what that player knows. For
moves that are hidden for a while this is the thesis' LocalSearch, the average over all nodes of
the information set by visits; its division by the visits of the ancestor is corrected to those of
the nodes that match.

In POMCP only the searcher has a tree, and the others play by the rollout policy.

What the thesis does not have is ``PRIOR``: below the root, an information set is searched only
after so many visits for each of its moves, and until then the rollout policy moves there. Where
there are many hands and many bids, UCB would otherwise try every bid once in each of thousands of
sets: the others seem to play at random, and the search bids far too high. 0 is the thesis.

Nor has it beliefs: with ``INFORMED`` the root is sampled not only consistently with what is known,
but as likely as the rollout policy, as a model of the others, would have said what they said.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, below, combine, uniform, whole
from perudo.games.game import (
    CHANCE,
    OVER,
    ROUND,
    SPECTATOR,
    Record,
    action,
    action_count,
    actor,
    apply,
    copy,
    deal,
    finish_round_randomly,
    information_key,
    observe,
    payoff,
    round_over,
    workspace,
)
from perudo.games.kernel import INTERPRETED, kernel, now, record_size
from perudo.games.policy import (
    SAMPLED,
    Memory,
    Parameters,
    begin,
    consider,
    new_thoughts,
    policy_at,
)
from perudo.games.state import SEATS, State
from perudo.search.online.beliefs import Shares, believe, deal_believed

EVERYBODY, SEARCHER = range(2)
"""Whose decisions are searched: in the public tree everybody's, in POMCP the searcher's own."""
UCB, REGRET_MATCHING, FLOORED_REGRET_MATCHING = range(3)
"""How a move is chosen from what has been learnt of it. The last keeps the floor of regrets in the
final draw too, as the thesis does."""
OWN_KNOWLEDGE, PUBLIC_KNOWLEDGE = range(2)
"""What the root is sampled from. With the searcher's own hand fixed, as in the thesis, simulated
opponents come to know it; sampled from what all know, they do not, but fewer simulations concern
the hand that is held."""

LOWEST_REGRET = 0.01
"""What a move keeps that is worse than the average (the thesis' floor)."""
MAX_PATH = 256
SIMULATIONS_PER_LOOK = 32
"""How many simulations there are between two looks at the clock."""
TRACES = 200
"""How many points of a search's values are kept."""
NOWHERE = -1

INFORMATION_SET: np.dtype[Any] = np.dtype(
    (np.record, [("key", "u8"), ("first", "i8"), ("visits", "i4"), ("moves", "i4")])
)
MOVE: np.dtype[Any] = np.dtype((np.record, [("value", "f8"), ("doubt", "f4"), ("visits", "i4")]))
"""Values are running means: Q += (r - Q) / n, which the thesis prints as Q += r / n. Doubt is
1 / sqrt(n): it is used far oftener than it changes.
Records are small, since most of a search waits for memory."""

Table = Any
Real = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@kernel
def find(table: Table, key: np.uint64) -> int:
    """The place of an information set, or the free place for it."""
    mask = np.uint64(table.size - 1)
    place = key & mask
    while table[place].visits > 0 and table[place].key != key:
        place = (place + np.uint64(1)) & mask
    return whole(place)


@kernel
def best_by_ucb(moves: Table, first: int, count: int, visits: int, c: float, stream: Stream) -> int:
    """The move with the highest mean + c sqrt(ln N / n); those never made come first.

    The thesis prints a bonus that is added to the last bound; it is added to the mean. Of equals,
    one is drawn: else two who throw rock, paper, scissors may go round in step, the one ahead.
    """
    best, chosen, equals = -np.inf, 0, 1
    spread = c * math.sqrt(math.log(float(visits)))
    for index in range(count):
        move = moves[first + index]
        if move.visits == 0:
            return index
        bound = move.value + spread * move.doubt
        if bound > best:
            best, chosen, equals = bound, index, 1
        elif bound == best:
            equals += 1
            if below(stream, equals) == 0:
                chosen = index
    return chosen


@kernel
def regret(moves: Table, place: int, mean: float, floor: float) -> float:
    """By how much a move is better than the average, or the floor."""
    gain = moves[place].value - mean
    return gain if gain > 0.0 else floor


@kernel
def mean_value(moves: Table, first: int, count: int) -> float:
    """What an information set is worth, by the moves made in it."""
    total, visits = 0.0, 0
    for index in range(count):
        move = moves[first + index]
        total += move.value * float(move.visits)
        visits += int(move.visits)
    return total / max(visits, 1)


@kernel
def drawn_by_regret(moves: Table, first: int, count: int, floor: float, stream: Stream) -> int:
    """A move drawn in proportion to its regret; those never made come first."""
    mean, total = mean_value(moves, first, count), 0.0
    for index in range(count):
        if moves[first + index].visits == 0:
            return index
        total += regret(moves, first + index, mean, floor)
    if total <= 0.0:
        return below(stream, count)
    draw = uniform(stream) * total
    for index in range(count):
        draw -= regret(moves, first + index, mean, floor)
        if draw < 0.0:
            return index
    return count - 1


@kernel
def index_of(state: Record, code: int, count: int) -> int:
    """Which of the actor's actions this is."""
    for index in range(count):
        if action(state, index) == code:
            return index
    return 0  # not reached for a legal action


@kernel
def open_set(table: Table, used: Whole, place: int, key: np.uint64, count: int) -> bool:
    """Begin to keep an information set, if there is room; its moves follow when it is seen again.

    Most sets are seen once, and their moves would take most of the time and memory.
    """
    if 2 * used[0] >= table.size:
        return False
    table[place].key = key
    table[place].visits = 1
    table[place].first = NOWHERE
    table[place].moves = count
    used[0] += 1
    return True


@kernel
def open_moves(table: Table, moves: Table, used: Whole, place: int) -> bool:
    """Begin to keep the moves of an information set, if there is room."""
    count = table[place].moves
    if used[1] + count > moves.size:
        return False
    table[place].first = used[1]
    for index in range(count):
        moves[used[1] + index].visits = 0
        moves[used[1] + index].value = 0.0
    used[1] += count
    return True


@kernel
def simulate(
    states: Record,
    table: Table,
    moves: Table,
    used: Whole,
    seat: int,
    settings: Real,
    policy: Any,
    has_policy: bool,
    parameters: Parameters,
    memory: Memory,
    shares: Shares,
    particles: Record,
    wanted: int,
    totals: Real,
    trace: Real,
    stream: Stream,
    thoughts: Record,
) -> int:
    """Run simulations from ``states[0]``, what the searcher sees; returns how many there were.

    ``states`` has three workspaces more: the game, what its actor sees, and a leaf that is played
    out repeatedly. ``totals`` becomes the mean payoff of every player, ``trace`` what it was on the
    way. There is one place that plays an action, since operations are large to compile.
    """
    whose, estimation, sampling = int(settings[0]), int(settings[1]), int(settings[2])
    c, horizon, limit, repeats = settings[3], int(settings[4]), settings[5], int(settings[6])
    prior = settings[7]
    players = totals.size
    knower = seat if sampling == OWN_KNOWLEDGE else SPECTATOR
    path = np.zeros(MAX_PATH, np.int64)
    sets = np.zeros(MAX_PATH, np.int64)
    seats = np.zeros(MAX_PATH, np.int64)
    worth = np.zeros(players)
    state, view = states[1], states[2]
    started = now() if limit > 0.0 else 0.0
    for done in range(wanted):
        if limit > 0.0 and done % SIMULATIONS_PER_LOOK == 0 and now() > started + limit:
            return done
        copy(state, states[0])
        deal_believed(state, knower, shares, particles, stream)
        depth, in_tree, left = 0, True, 1
        for player in range(players):
            worth[player] = 0.0
        while True:
            who = actor(state)
            if who == OVER or (horizon == ROUND and round_over(state)):
                for player in range(players):
                    worth[player] += payoff(state, horizon, player)
                left -= 1
                if left == 0:
                    break
                copy(state, states[3])
                continue
            if who == CHANCE:
                in_tree = False  # the tree is about this round
                deal(state, combine(stream[0], left))
                continue
            searched = in_tree and (whose == EVERYBODY or who == seat)
            place, count = NOWHERE, action_count(state)
            if searched:
                key = combine(information_key(state, who), who)
                place = find(table, key)
                if table[place].visits == 0:
                    in_tree = open_set(table, used, place, key, count) and depth == 0
                elif depth == MAX_PATH:
                    in_tree = False
                if in_tree and table[place].first == NOWHERE:
                    in_tree = open_moves(table, moves, used, place)
                if not in_tree and repeats > 1:
                    left = repeats
                    copy(states[3], state)
            by_policy = True
            if in_tree and searched:
                by_policy = depth > 0 and float(table[place].visits) < prior * count
            said, index = NOWHERE, NOWHERE
            if by_policy:
                if has_policy:
                    copy(view, state)
                    observe(view, who)
                    said = policy_at(policy, view)(view, parameters, memory, stream, thoughts)
                elif not in_tree:
                    finish_round_randomly(state, stream)
                    continue
                else:
                    index = below(stream, count)
                    said = action(state, index)
            if in_tree and searched:
                first = int(table[place].first)
                if not by_policy:
                    if estimation == UCB:
                        visits = int(table[place].visits)
                        index = best_by_ucb(moves, first, count, visits, c, stream)
                    else:
                        index = drawn_by_regret(moves, first, count, LOWEST_REGRET, stream)
                elif index == NOWHERE:
                    index = index_of(state, said, count)
                said = action(state, index)
                path[depth] = first + index
                sets[depth] = place
                seats[depth] = who
                depth += 1
            apply(state, said)
        times = repeats if not in_tree else 1
        for step in range(depth):
            move = moves[path[step]]
            move.visits += 1
            move.value += (worth[seats[step]] / times - move.value) / float(move.visits)
            move.doubt = 1.0 / math.sqrt(float(move.visits))
            table[sets[step]].visits += 1
        for player in range(players):
            totals[player] += (worth[player] / times - totals[player]) / (done + 1)
        if (done + 1) * TRACES % wanted < TRACES and trace.shape[0] > 0:
            point = (done + 1) * TRACES // wanted - 1
            for player in range(players):
                trace[point, player] = totals[player]
    return wanted


# --- deciding -----------------------------------------------------------------------------------
(
    WHOSE,
    ESTIMATION,
    SAMPLING,
    EXPLORATION,
    HORIZON,
    TIME_LIMIT,
    REPEATS,
    PRIOR,
    INFORMED,
    ITERATIONS,
    ROLLOUT_SIZE,
    ROLLOUT,
) = range(12)
"""Places of a search's parameters; those of the rollout policy follow. It is for records of
ROLLOUT_SIZE bytes; other games are played out at random."""
MOST_MOVES = 40_000_000
"""A larger tree is not grown further; its leaves are still played out."""
MOVES_PER_SET = 48
"""Room for moves, for each information set: most have fewer."""


@kernel
def decide_by_search(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Search, and make the best move; or draw one by regret."""
    iterations = int(parameters[ITERATIONS])
    size = 64
    while size < 2 * iterations + 2:
        size *= 2
    table = np.zeros(size, INFORMATION_SET)
    room = min((iterations + 1) * MOVES_PER_SET + action_count(observation), MOST_MOVES)
    moves = np.empty(room, MOVE)
    totals = np.zeros(int(observation.players))
    states = workspace(observation, 4)
    copy(states[0], observation)
    seat = whole(observation.viewer)
    policy, rollout = np.uint64(parameters[ROLLOUT]), parameters[ROLLOUT + 1 :]
    has_policy = parameters[ROLLOUT_SIZE] == record_size(observation)
    shares, particles = np.zeros((0, 0)), states
    if has_policy and parameters[INFORMED] > 0.0:
        knower = seat if parameters[SAMPLING] == OWN_KNOWLEDGE else SPECTATOR
        shares, particles = believe(observation, knower, policy, rollout, memory, stream, thoughts)
    done = simulate(
        states,
        table,
        moves,
        np.zeros(2, np.int64),
        seat,
        parameters[:ROLLOUT],
        policy,
        has_policy,
        rollout,
        memory,
        shares,
        particles,
        iterations,
        totals,
        np.zeros((0, 1)),
        stream,
        thoughts,
    )
    return conclude(observation, int(parameters[ESTIMATION]), done, table, moves, stream, thoughts)


@kernel
def conclude(
    observation: Record,
    estimation: int,
    done: int,
    table: Table,
    moves: Table,
    stream: Stream,
    thoughts: Record,
) -> int:
    """Note what each move was found to be worth, and choose."""
    seat = whole(observation.viewer)
    begin(thoughts)
    thoughts.mixed = SAMPLED
    thoughts.rollouts = done
    place = find(table, combine(information_key(observation, seat), seat))
    first, count = int(table[place].first), int(table[place].moves)
    visits, best, chosen = int(table[place].visits), -np.inf, 0
    if visits == 0 or first == NOWHERE:
        return int(action(observation, below(stream, action_count(observation))))
    for index in range(count):
        move = moves[first + index]
        made = move.visits > 0
        consider(
            thoughts,
            action(observation, index),
            float(move.visits) / visits,
            move.value if made else np.nan,
        )
        if made and move.value > best:
            best, chosen = move.value, index
    if estimation != UCB:
        # The floor is for exploring; with sixty bids it would make most of the final mixture.
        floor = LOWEST_REGRET if estimation == FLOORED_REGRET_MATCHING else 0.0
        chosen = drawn_by_regret(moves, first, count, floor, stream)
    return int(action(observation, chosen))


def trace(observation: State, parameters: Parameters, stream: Stream) -> Real:
    """What every player's payoff was found to be as a search went on: TRACES points by players."""
    record = observation.record
    iterations = max(int(parameters[ITERATIONS]), TRACES)
    table = np.zeros(1 << (2 * iterations + 64).bit_length(), INFORMATION_SET)
    moves = np.zeros(iterations * MOVES_PER_SET, MOVE)
    points = np.zeros((TRACES, observation.players))
    states = np.zeros(4, record.dtype)
    states[0] = record
    address = parameters[ROLLOUT]
    simulate(
        states,
        table,
        moves,
        np.zeros(2, np.int64),
        observation.viewer,
        parameters[:ROLLOUT].copy(),
        address if INTERPRETED else np.uint64(address),
        bool(parameters[ROLLOUT_SIZE] == record.dtype.itemsize),
        parameters[ROLLOUT + 1 :].copy(),
        np.zeros((len(SEATS), 1)),
        np.zeros((0, 0)),
        states,
        iterations,
        np.zeros(observation.players),
        points,
        stream,
        new_thoughts(),
    )
    return points
