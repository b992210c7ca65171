"""The Maynooth report's players that look ahead by minimax, with or without alpha-beta pruning.

The state of a search is an array with a row for each level; two small kernels keep it, and are
driven over a tree that is written down (``search_tree``) and over random bets (``search_bets``).
The maximiser moves at the root and at every second level below it.
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
"""Columns of a search's levels: the two bounds, the best value yet and the child it came from, the
child to look at next, and how many there are."""
LEVEL_COLUMNS = 6
MAX_DEPTH = 6

DEPTH, PRUNING = LEGACY_BLUFF + 1, LEGACY_BLUFF + 2
"""Places of the parameters that follow those of all generators."""
BLUFF_BETS = 50
"""Bets that are drawn for a bluff."""


# --- the search ---------------------------------------------------------------------------------
@kernel
def enter_node(levels: Levels, level: int, children: int) -> None:
    """Begin a node, with the bounds of the one above it."""
    levels[level, ALPHA] = levels[level - 1, ALPHA] if level > 0 else -np.inf
    levels[level, BETA] = levels[level - 1, BETA] if level > 0 else np.inf
    levels[level, BEST] = -np.inf if level % 2 == 0 else np.inf
    levels[level, CHOICE] = -1
    levels[level, NEXT] = 0
    levels[level, CHILDREN] = children


@kernel
def take_value(levels: Levels, level: int, value: float, pruning: bool) -> None:
    """Take the value of the child just looked at; skip the others if they cannot matter."""
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
    """The value of node 0 of a tree, which of its children to choose, and leaves looked at.

    A node's children stand in a row from ``first_child``; a node without any is a leaf, and has a
    value. Both from the maximiser's side.
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
    """The score of the last bet: bad for the maximiser who has to answer it, else good."""
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
    """The value of the root, which of its bets to choose (-1: there is none), and leaves looked at.

    ``bets`` has a row for each level; the first will hold the root's. The bets of a node are drawn
    from a stream of its own, found from the path to it: pruning does not change what is drawn.
    A node without a higher bet is a leaf.
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
    """Sort the bets by score, best first, and pick one from place 0 to count // 2."""
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
    """Listing C.3: the bet that minimax finds, at times another, or a call if that bet is unlikely.

    Which bets are drawn is chance, so no probabilities can be stated after the opening. The stated
    values are scores: pruning leaves only bounds of what the search made of most bets.
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
    """Looks four bets ahead; a bet that is hard to answer is good.

    A node where no higher bet was drawn is a leaf; the report's code returned nothing there. Bets
    in the tree are ordered by amount, then face, on the faces that can be bid now: rules that
    restrict raises further count at the root only.
    """

    name = "sl-minimax"
    idea = "minimax over 10 random bets a node, scored like sl-dumb; calls if its bet is unlikely"
    source = "Maynooth report, sections 4.3.3, 4.3.4 and 4.5.2, listings C.1 to C.3"
    policy = decide_minimax

    generated: int = number(10, 1, MAX_DRAWS)
    """How many different bets are drawn at each node, at most."""
    depth: int = number(4, 1, MAX_DEPTH)
    """How many bets it looks ahead."""
    pruning: bool = flag(True)
    """Alpha-beta pruning, or plain minimax: the same move, later."""


@dataclass(frozen=True)
class LessMinimax(SlightlyLessMinimax):
    """Like ``sl-minimax``, with the score of ``l-dumb``."""

    name = "l-minimax"
    idea = "minimax over 10 random bets a node, scored like l-dumb; calls if its bet is unlikely"

    prob: float = chance(0.4)
    """The score that a bet must reach; a call is worth as much."""
    history_weight: float = number(0.01, 0.0, 1.0)
    """What a bet on a face adds to its score, for each die of the bet (D in equation 4.5)."""
