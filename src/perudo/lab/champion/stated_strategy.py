"""The policy that a compiled agent states in every position of a small round of Perudo.

``exploitability.strategy_of`` evaluates any agent of any game from Python. This kernel is faster,
and evaluates only positions that the agent's own policy can reach; elsewhere probabilities stay 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledPlayer
from perudo.games.chance import Stream, stream_of
from perudo.games.errors import PerudoError
from perudo.games.game import Record, apply, copy, observe
from perudo.games.kernel import INTERPRETED, kernel
from perudo.games.policy import (
    SAMPLED,
    UNIFORM,
    Memory,
    Parameters,
    address_of,
    new_thoughts,
    policy_at,
)
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.cfr.sweep import Vector
from perudo.search.trees.public_tree import LEAF, MAX_DEPTH, PLAYERS

Whole = npt.NDArray[np.int64]


class Asked(NamedTuple):
    """The agent whose policy the kernel evaluates."""

    policy: Any
    """The address of the policy."""
    parameters: Parameters
    memory: Memory
    stream: Stream
    thoughts: Record


class Tree(NamedTuple):
    """A public tree; nodes of one kind are contiguous."""

    actors: npt.NDArray[np.int8]
    """[kinds]: the seat to act, or LEAF if the round is over."""
    begin: Whole
    """[kinds]: the first node of each."""
    members: Whole
    """[kinds]: the number of nodes of each."""
    edges: Whole
    """[kinds + 1]: the first edge of each."""
    targets: Whole
    """[edges]: the child of the first node of the kind."""
    actions: npt.NDArray[np.int32]
    """[edges]: the game's code of the action."""
    offsets: Whole
    """[kinds]: the start of its probabilities, by (move, node, hand)."""
    hands: npt.NDArray[np.uint64]
    """[players, hands]: the hands, encoded as in records."""
    sizes: Whole
    """[players]: the number of hands."""


@kernel
def kind_of(begin: Whole, node: int) -> int:
    """Return the kind that a node belongs to."""
    return int(np.searchsorted(begin, node, side="right")) - 1


@kernel
def ask_everywhere(states: Record, asked: Asked, tree: Tree, chances: Vector) -> int:
    """Walk the tree below ``states[0]``; return the number of decisions without probabilities."""
    nodes, cursors = np.zeros(MAX_DEPTH, np.int64), np.zeros(MAX_DEPTH, np.int64)
    reach = np.ones((MAX_DEPTH, PLAYERS, tree.hands.shape[1]), np.bool_)
    thoughts, luck, unstated, depth = asked.thoughts, asked.stream[0], 0, 0
    view = states[states.size - 1]
    while depth >= 0:
        node = int(nodes[depth])
        kind = kind_of(tree.begin, node)
        first, last = int(tree.edges[kind]), int(tree.edges[kind + 1])
        seat = int(tree.actors[kind])
        count, moves = int(tree.sizes[seat]), last - first
        place = int(tree.offsets[kind]) + (node - int(tree.begin[kind])) * count
        apart = int(tree.members[kind]) * count
        if cursors[depth] == 0:
            for hand in range(count):
                if not reach[depth, seat, hand]:
                    continue
                copy(view, states[depth])
                view.hands[seat] = tree.hands[seat, hand]
                observe(view, seat)
                asked.stream[0] = luck
                policy_at(asked.policy, view)(
                    view, asked.parameters, asked.memory, asked.stream, thoughts
                )
                unstated += thoughts.mixed == SAMPLED
                for move in range(moves):
                    stated = 1.0 / moves if thoughts.mixed == UNIFORM else 0.0
                    for index in range(int(thoughts.considered)):
                        if thoughts.actions[index] == tree.actions[first + move]:
                            stated += thoughts.probabilities[index]
                    chances[place + move * apart + hand] = stated
        edge = first + int(cursors[depth])
        if edge == last:
            depth -= 1
            continue
        cursors[depth] += 1
        child = int(tree.targets[edge]) + node - int(tree.begin[kind])
        if tree.actors[kind_of(tree.begin, child)] == LEAF:
            continue
        for who in range(PLAYERS):
            for hand in range(int(tree.sizes[who])):
                reach[depth + 1, who, hand] = reach[depth, who, hand]
        some = False
        for hand in range(count):
            if chances[place + (edge - first) * apart + hand] == 0.0:
                reach[depth + 1, seat, hand] = False
            some |= reach[depth + 1, seat, hand]
        for hand in range(int(tree.sizes[1 - seat])):
            some |= reach[depth, 1 - seat, hand]
        if not some:
            continue  # the agent's policy reaches this child from neither seat
        copy(states[depth + 1], states[depth])
        apply(states[depth + 1], int(tree.actions[edge]))
        depth += 1
        nodes[depth] = child
        cursors[depth] = 0
    return unstated


def stated_strategy(agent: CompiledPlayer, solver: Solver) -> Vector:
    """Return the agent's policy, laid out like a solver's strategy sums."""
    tree = solver.tree
    game = tree.start.game
    states = np.zeros(MAX_DEPTH + 1, game.dtype)
    hands = np.zeros((PLAYERS, max(len(one) for one in tree.hands)), np.uint64)
    for seat in range(PLAYERS):
        for hand in range(len(tree.hands[seat])):
            row = tree.deals[hand] if seat == 0 else tree.deals[:, hand]
            states[0] = tree.start.record
            game.operations.chance_outcome(states[0], int(row[row >= 0][0]))
            hands[seat, hand] = states[0]["hands"][seat]
    chances = np.zeros_like(solver.sums)
    address = address_of(agent.policy, game.dtype)
    asked = Asked(
        address if INTERPRETED else np.uint64(address),
        agent.parameters,
        agent.new_memory(),
        stream_of(0),
        new_thoughts(),
    )
    layout = Tree(
        tree.actors,
        tree.begin,
        tree.members,
        tree.edges,
        tree.targets,
        tree.actions,
        np.asarray(solver.offsets, np.int64),
        hands,
        np.array([len(one) for one in tree.hands], np.int64),
    )
    unstated = ask_everywhere(states, asked, layout, chances)
    if unstated:
        raise PerudoError(f"{agent.spec} states no chances in {unstated:,} positions")
    return chances
