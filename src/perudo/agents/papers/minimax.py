"""The Maynooth report's agents that search by minimax, with or without alpha-beta pruning.

``bet_generator`` cites the report. The state of a search is an array with a row for each level; two
small kernels update it. ``search_tree`` runs them over an explicit tree and ``search_bets`` over
random bets. The maximiser moves at the root and at every second level below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perudo.agents.papers.bet_generator import (
    BLUFF,
    GENERATED,
    HISTORY,
    HISTORY_WEIGHT,
    LEGACY_BLUFF,
    MAX_DRAWS,
    PROB,
    SHEET_ROWS,
    BetGenerator,
    Sheet,
    allow_higher_bids,
    allow_legal_bids,
    bluff_chance,
    generate_bets,
    open_round,
    plays_one_die,
    read_table,
    score,
)
from perudo.agents.parameters import chance, flag, number
from perudo.agents.table_facts import NO_BID, asked_out_of_turn, call
from perudo.games.chance import Stream, below, combine, next_word, uniform
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.rules import FACES
from perudo.games.policy import Memory, Parameters, begin, consider, surely

Levels = npt.NDArray[np.float64]
ALPHA, BETA, BEST, CHOICE, NEXT, CHILDREN = range(6)
"""Columns of a search's levels: the two bounds, the best value so far and its child, the next child
to search, and the number of children."""
LEVEL_COLUMNS = 6
MAX_DEPTH = 6

DEPTH, PRUNING = LEGACY_BLUFF + 1, LEGACY_BLUFF + 2
"""Indices of the parameters that follow the ones shared by all bet generators."""
BLUFF_BETS = 50
"""Number of bets drawn for a bluff."""


# --- the search ---------------------------------------------------------------------------------
@kernel
def enter_node(levels: Levels, level: int, children: int) -> None:
    """Initialise a node's row with the bounds of its parent."""
    levels[level, ALPHA] = levels[level - 1, ALPHA] if level > 0 else -np.inf
    levels[level, BETA] = levels[level - 1, BETA] if level > 0 else np.inf
    levels[level, BEST] = -np.inf if level % 2 == 0 else np.inf
    levels[level, CHOICE] = -1
    levels[level, NEXT] = 0
    levels[level, CHILDREN] = children


@kernel
def take_value(levels: Levels, level: int, value: float, pruning: bool) -> None:
    """Update a node with the value of the child just searched; skip the others on a cut-off."""
    row = levels[level]
    if level % 2 == 0:
        if value > row[BEST]:
            row[BEST] = value
            row[CHOICE] = row[NEXT] - 1
            row[ALPHA] = max(row[ALPHA], value)
    elif value < row[BEST]:
        row[BEST] = value
        row[CHOICE] = row[NEXT] - 1
        row[BETA] = min(row[BETA], value)
    if pruning and row[BETA] <= row[ALPHA]:
        row[NEXT] = row[CHILDREN]


@kernel
def search_tree(
    first_child: npt.NDArray[np.int64],
    children: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    pruning: bool,
) -> tuple[float, int, int]:
    """Return the value of a tree's node 0, the index of its best child, and the leaves searched.

    A node's children are consecutive from ``first_child``; a node without children is a leaf and
    has a value. All values are from the maximiser's side.
    """
    levels = np.zeros((len(values), LEVEL_COLUMNS))
    path = np.zeros(len(values), np.int64)
    leaves, level = 0, 0
    enter_node(levels, 0, int(children[0]))
    while True:
        if levels[level, NEXT] == levels[level, CHILDREN]:
            if level == 0:
                return float(levels[0, BEST]), int(levels[0, CHOICE]), leaves
            level -= 1
            take_value(levels, level, float(levels[level + 1, BEST]), pruning)
            continue
        child = int(first_child[path[level]]) + int(levels[level, NEXT])
        levels[level, NEXT] += 1
        if children[child] == 0:
            leaves += 1
            take_value(levels, level, float(values[child]), pruning)
        else:
            level += 1
            path[level] = child
            enter_node(levels, level, int(children[child]))


@kernel
def leaf_value(bet: int, level: int, dice: int, sheet: Sheet, history_weight: float) -> float:
    """Return the score of the last bet, negated if the maximiser has to answer it."""
    worth = score(bet, dice, sheet, history_weight)
    return -worth if level % 2 == 0 else worth


@kernel
def search_bets(
    sheet: Sheet,
    dice: int,
    total: int,
    parameters: Parameters,
    key: np.uint64,
    bets: npt.NDArray[np.int64],
) -> tuple[float, int, int]:
    """Return the root's value, the index of its best bet (-1 if none), and the leaves searched.

    ``bets`` has a row for each level; the function leaves the root's bets in the first. Each node
    draws its bets from its own stream, derived from the path to it, so pruning does not change the
    bets. A node without a higher bet is a leaf.
    """
    wanted, depth = int(parameters[GENERATED]), int(parameters[DEPTH])
    weight, pruning = float(parameters[HISTORY_WEIGHT]), parameters[PRUNING] != 0.0
    levels = np.zeros((depth, LEVEL_COLUMNS))
    keys = np.zeros(depth, np.uint64)
    stream = np.zeros(1, np.uint64)
    keys[0] = key
    stream[0] = key
    leaves, level = 0, 0
    enter_node(levels, 0, generate_bets(sheet, wanted, stream, bets[0]))
    while True:
        child = int(levels[level, NEXT])
        if child == levels[level, CHILDREN]:
            if level == 0:
                return float(levels[0, BEST]), int(levels[0, CHOICE]), leaves
            level -= 1
            take_value(levels, level, float(levels[level + 1, BEST]), pruning)
            continue
        levels[level, NEXT] += 1
        bet = int(bets[level, child])
        count = 0
        if level + 1 < depth:
            allow_higher_bids(bet, total, sheet)
            keys[level + 1] = combine(keys[level], child)
            stream[0] = keys[level + 1]
            count = generate_bets(sheet, wanted, stream, bets[level + 1])
        if count == 0:
            leaves += 1
            value = leaf_value(bet, level + 1, dice, sheet, weight)
            take_value(levels, level, value, pruning)
        else:
            level += 1
            enter_node(levels, level, count)


# --- the players --------------------------------------------------------------------------------
@kernel
def one_of_better_half(
    bets: npt.NDArray[np.int64],
    count: int,
    dice: int,
    sheet: Sheet,
    history_weight: float,
    stream: Stream,
) -> int:
    """Sort the bets by score, best first, and draw one from places 0 to count // 2."""
    for index in range(1, count):
        bet, place = int(bets[index]), index
        worth = score(bet, dice, sheet, history_weight)
        while place > 0 and score(int(bets[place - 1]), dice, sheet, history_weight) < worth:
            bets[place] = bets[place - 1]
            place -= 1
        bets[place] = bet
    return int(bets[below(stream, count // 2 + 1)])


@kernel
def decide_minimax(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Make minimax's bet, or sometimes another, or call if that bet is unlikely (listing C.3).

    The candidate bets are random, so the agent states no probabilities after the opening. It states
    scores as values, because pruning leaves only bounds on the minimax values of most bets.
    """
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    sheet = np.zeros((SHEET_ROWS, FACES + 1), np.int64)
    dice = read_table(observation, True, int(parameters[HISTORY]), sheet)
    bid = int(observation.bid)
    if bid == NO_BID:
        return open_round(observation, parameters, dice, sheet, stream, thoughts)
    thoughts.chance = score(bid, dice, sheet, 0.0)
    if plays_one_die(observation, parameters):
        return surely(thoughts, call(observation))

    thoughts.mixed = 0
    weight = float(parameters[HISTORY_WEIGHT])
    bets = np.zeros((int(parameters[DEPTH]), MAX_DRAWS), np.int64)
    allow_legal_bids(observation, sheet)
    key = next_word(stream)
    _, place, _ = search_bets(sheet, dice, int(observation.total), parameters, key, bets)
    consider(thoughts, call(observation), np.nan, float(parameters[PROB]))
    index = 0
    while index < MAX_DRAWS and bets[0, index] != NO_BID:
        bet = int(bets[0, index])
        consider(thoughts, bet, np.nan, score(bet, dice, sheet, weight))
        index += 1
    if place < 0:
        return call(observation)
    chosen = int(bets[0, place])
    if score(chosen, dice, sheet, weight) < parameters[PROB]:
        return call(observation)
    if parameters[BLUFF] > 0.0 and uniform(stream) < bluff_chance(parameters):
        allow_legal_bids(observation, sheet)
        count = generate_bets(sheet, BLUFF_BETS, stream, bets[0])
        chosen = one_of_better_half(bets[0], count, dice, sheet, weight, stream)
        consider(thoughts, chosen, np.nan, score(chosen, dice, sheet, weight))
    return chosen


@dataclass(frozen=True)
class SlightlyLessMinimax(BetGenerator):
    """Searches four bets ahead, preferring bets that are hard to answer.

    A node where no higher bet was drawn is a leaf; the report's code returns nothing there. Bets in
    the tree are ordered by amount, then face, on the faces that can be bid now: rules that restrict
    raises further apply only at the root.
    """

    name = "sl-minimax"
    idea = "minimax over 10 random bets per node, scored like sl-dumb; calls if its bet is unlikely"
    source = "Maynooth report (Putta 2019), sections 4.3.3, 4.3.4 and 4.5.2, listings C.1 to C.3"
    policy = decide_minimax

    generated: int = number(10, 1, MAX_DRAWS)
    """Maximum number of distinct bets drawn at each node."""
    depth: int = number(4, 1, MAX_DEPTH)
    """Search depth, in bets."""
    pruning: bool = flag(True)
    """Use alpha-beta pruning; otherwise plain minimax, which finds the same move more slowly."""


@dataclass(frozen=True)
class LessMinimax(SlightlyLessMinimax):
    """``sl-minimax`` with the score of ``l-dumb``."""

    name = "l-minimax"
    idea = "minimax over 10 random bets per node, scored like l-dumb; calls if its bet is unlikely"

    prob: float = chance(0.4)
    """Score that a bet must reach, and the value of a call."""
    history_weight: float = number(0.01, 0.0, 1.0)
    """Weight in the score of earlier bets on a face (of D in equation 4.5)."""
