"""POMCP, and POMCP in a public game tree, for any game.

A simulation samples the hidden hands, descends the tree by its statistics, plays out from the first
new position, and backs up the payoffs (Gao Peng, thesis on King UP, Lancaster 2022, algorithms 1
to 3). The tree is indexed by information set, so that every player decides by what that player
knows. For moves that are hidden for a while this is the thesis' LocalSearch, the average over all
nodes of the information set by visits; its division by the visits of the ancestor is corrected to
those of the nodes that match.

In POMCP only the searcher has a tree, and the others play by the rollout policy.

Two settings are not in the thesis. With ``PRIOR`` > 0 the rollout policy plays in an information
set below the root until the set has had ``PRIOR`` visits for each of its moves; only then does the
search choose there. With many hands and many bids, UCB would otherwise try every bid once in each
of thousands of sets: the others seem to play at random, and the search bids far too high.

With ``INFORMED`` the root is sampled from a belief: hands are weighed by how likely the rollout
policy, as a model of the others, would have made their moves with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, below, combine, whole
from perudo.games.game import (
    CHANCE,
    OVER,
    ROUND,
    SEATS,
    SPECTATOR,
    Record,
    State,
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
    Model,
    Parameters,
    ask,
    begin,
    consider,
    new_thoughts,
)
from perudo.search.online.beliefs import Belief, believe, deal_believed, no_belief
from perudo.search.trees.search_tree import (
    NOWHERE,
    SearchTree,
    best_by_ucb,
    count_payoff,
    drawn_by_regret,
    find,
    new_tree,
    open_moves,
    open_set,
)

EVERYBODY, SEARCHER = range(2)
"""The players whose decisions are searched: all in the public tree, only the searcher in POMCP."""
UCB, REGRET_MATCHING, FLOORED_REGRET_MATCHING = range(3)
"""The rules that select a move from the statistics. The last keeps the floor of regrets also in the
final draw, as the thesis does."""
OWN_KNOWLEDGE, PUBLIC_KNOWLEDGE = range(2)
"""The knowledge that root samples agree with. Fixing the searcher's own hand, as the thesis does,
lets simulated opponents learn it. Sampling it too avoids that, but then fewer simulations are about
the actual hand."""

LOWEST_REGRET = 0.01
"""The regret of a move that is worse than the average (the thesis' floor)."""
MAX_PATH = 256
SIMULATIONS_PER_LOOK = 32
"""The number of simulations between two readings of the clock."""
TRACES = 200
"""The number of points in the trace of a search's values."""
Real = npt.NDArray[np.float64]


class Settings(NamedTuple):
    """The settings of a search."""

    whose: int
    """EVERYBODY or SEARCHER."""
    estimation: int
    """UCB, REGRET_MATCHING or FLOORED_REGRET_MATCHING."""
    sampling: int
    """OWN_KNOWLEDGE or PUBLIC_KNOWLEDGE."""
    exploration: float
    horizon: int
    """ROUND or MATCH."""
    time_limit: float
    """The time limit in seconds, or 0 for none."""
    repeats: int
    """The number of rollouts from each leaf."""
    prior: float
    has_policy: bool
    """True if a policy plays the rollouts; else they are random."""


class Payoffs(NamedTuple):
    """The mean payoffs of a search."""

    totals: Real
    """The mean payoff of each player."""
    trace: Real
    """The running means, TRACES points by players; or empty, to keep none."""


@kernel
def index_of(state: Record, code: int, count: int) -> int:
    """Return the index of an action among the actor's legal actions."""
    for index in range(count):
        if action(state, index) == code:
            return index
    return 0  # not reached for a legal action


@kernel
def simulate(
    states: Record,
    tree: SearchTree,
    seat: int,
    settings: Settings,
    model: Model,
    belief: Belief,
    wanted: int,
    payoffs: Payoffs,
    stream: Stream,
) -> int:
    """Run simulations from ``states[0]``, the searcher's view; return how many were finished.

    ``states`` has three workspaces more: the game, its actor's view, and a leaf with several
    rollouts. Actions are applied in one place only, because operations are large to compile.
    """
    sets, moves = tree.sets, tree.moves
    horizon, limit, repeats = settings.horizon, settings.time_limit, settings.repeats
    totals, trace = payoffs.totals, payoffs.trace
    players = totals.size
    knower = seat if settings.sampling == OWN_KNOWLEDGE else SPECTATOR
    path = np.zeros(MAX_PATH, np.int64)
    places = np.zeros(MAX_PATH, np.int64)
    seats = np.zeros(MAX_PATH, np.int64)
    worth = np.zeros(players)
    state, view = states[1], states[2]
    started = now() if limit > 0.0 else 0.0
    for done in range(wanted):
        if limit > 0.0 and done % SIMULATIONS_PER_LOOK == 0 and now() > started + limit:
            return done
        copy(state, states[0])
        deal_believed(state, knower, belief, stream)
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
            searched = in_tree and (settings.whose == EVERYBODY or who == seat)
            place, count = NOWHERE, action_count(state)
            if searched:
                key = combine(information_key(state, who), who)
                place = find(tree, key)
                if sets[place].visits == 0:
                    in_tree = open_set(tree, place, key, count) and depth == 0
                elif depth == MAX_PATH:
                    in_tree = False
                if in_tree and sets[place].first == NOWHERE:
                    in_tree = open_moves(tree, place)
                if not in_tree and repeats > 1:
                    left = repeats
                    copy(states[3], state)
            by_policy = True
            if in_tree and searched:
                by_policy = depth > 0 and float(sets[place].visits) < settings.prior * count
            said, index = NOWHERE, NOWHERE
            if by_policy:
                if settings.has_policy:
                    copy(view, state)
                    observe(view, who)
                    said = ask(model, view, stream)
                elif not in_tree:
                    finish_round_randomly(state, stream)
                    continue
                else:
                    index = below(stream, count)
                    said = action(state, index)
            if in_tree and searched:
                if not by_policy:
                    if settings.estimation == UCB:
                        index = best_by_ucb(tree, place, settings.exploration, stream)
                    else:
                        index = drawn_by_regret(tree, place, LOWEST_REGRET, stream)
                elif index == NOWHERE:
                    index = index_of(state, said, count)
                said = action(state, index)
                path[depth] = int(sets[place].first) + index
                places[depth] = place
                seats[depth] = who
                depth += 1
            apply(state, said)
        times = repeats if not in_tree else 1
        for step in range(depth):
            count_payoff(moves[path[step]], worth[seats[step]] / times)
            sets[places[step]].visits += 1
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
"""Indices of a search's parameters; those of the rollout policy follow. The policy plays games with
records of ROLLOUT_SIZE bytes; rollouts of other games are random."""
MOST_MOVES = 40_000_000
"""The largest tree, in moves. A full tree grows no further, but its leaves are still played out."""
MOVES_PER_SET = 48
"""The moves allocated for each information set; most sets have fewer."""


@kernel
def settings_of(parameters: Parameters, has_policy: bool) -> Settings:
    """Return the settings encoded in a search's parameters."""
    return Settings(
        int(parameters[WHOSE]),
        int(parameters[ESTIMATION]),
        int(parameters[SAMPLING]),
        parameters[EXPLORATION],
        int(parameters[HORIZON]),
        parameters[TIME_LIMIT],
        int(parameters[REPEATS]),
        parameters[PRIOR],
        has_policy,
    )


@kernel
def decide_by_search(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Search, then return the best move, or one drawn by regret."""
    iterations = int(parameters[ITERATIONS])
    size = 64
    while size < 2 * iterations + 2:
        size *= 2
    room = min((iterations + 1) * MOVES_PER_SET + action_count(observation), MOST_MOVES)
    tree = new_tree(size, room)
    states = workspace(observation, 4)
    copy(states[0], observation)
    seat = whole(observation.viewer)
    settings = settings_of(parameters, parameters[ROLLOUT_SIZE] == record_size(observation))
    policy, rollout = np.uint64(parameters[ROLLOUT]), parameters[ROLLOUT + 1 :]
    model = Model(policy, rollout, memory, thoughts)
    belief = no_belief(states)
    if settings.has_policy and parameters[INFORMED] > 0.0:
        knower = seat if settings.sampling == OWN_KNOWLEDGE else SPECTATOR
        belief = believe(observation, knower, model, stream)
    payoffs = Payoffs(np.zeros(int(observation.players)), np.zeros((0, 1)))
    done = simulate(states, tree, seat, settings, model, belief, iterations, payoffs, stream)
    return conclude(observation, settings.estimation, done, tree, stream, thoughts)


@kernel
def conclude(
    observation: Record,
    estimation: int,
    done: int,
    tree: SearchTree,
    stream: Stream,
    thoughts: Record,
) -> int:
    """Write each move's value and share of visits to ``thoughts``, and choose a move."""
    seat = whole(observation.viewer)
    begin(thoughts)
    thoughts.mixed = SAMPLED
    thoughts.rollouts = done
    place = find(tree, combine(information_key(observation, seat), seat))
    found = tree.sets[place]
    first, visits, best, chosen = int(found.first), int(found.visits), -np.inf, 0
    if visits == 0 or first == NOWHERE:
        return int(action(observation, below(stream, action_count(observation))))
    for index in range(int(found.moves)):
        move = tree.moves[first + index]
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
        chosen = drawn_by_regret(tree, place, floor, stream)
    return int(action(observation, chosen))


def trace(observation: State, parameters: Parameters, stream: Stream) -> Real:
    """Return every player's mean payoff during a search: TRACES points by players."""
    record = observation.record
    iterations = max(int(parameters[ITERATIONS]), TRACES)
    tree = new_tree(1 << (2 * iterations + 64).bit_length(), iterations * MOVES_PER_SET)
    payoffs = Payoffs(np.zeros(observation.players), np.zeros((TRACES, observation.players)))
    states = np.zeros(4, record.dtype)
    states[0] = record
    address = parameters[ROLLOUT]
    policy = address if INTERPRETED else np.uint64(address)
    memory = np.zeros((len(SEATS), 1))
    model = Model(policy, parameters[ROLLOUT + 1 :].copy(), memory, new_thoughts())
    settings = settings_of(parameters, bool(parameters[ROLLOUT_SIZE] == record.dtype.itemsize))
    belief = no_belief(states)
    simulate(
        states,
        tree,
        observation.viewer,
        settings,
        model,
        belief,
        iterations,
        payoffs,
        stream,
    )
    return payoffs.trace
