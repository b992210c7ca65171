"""What a compiled agent says that it would do in every position of a small round of Perudo.

As ``exploiting.strategy_of``, which asks any agent of any game from Python, but faster: in a
kernel, and only about what the agent's own play may lead to. Elsewhere its chances stay zero.
"""

from __future__ import annotations

from typing import Any

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


@kernel
def kind_of(begin: Whole, node: int) -> int:
    """To which kind of nodes a node belongs."""
    return int(np.searchsorted(begin, node, side="right")) - 1


@kernel
def ask_everywhere(
    states: Record,
    hands: npt.NDArray[np.uint64],
    policy: Any,
    parameters: Parameters,
    memory: Memory,
    stream: Stream,
    thoughts: Record,
    actors: npt.NDArray[np.int8],
    begin: Whole,
    members: Whole,
    edges: Whole,
    targets: Whole,
    actions: npt.NDArray[np.int32],
    offsets: Whole,
    sizes: Whole,
    chances: Vector,
) -> int:
    """Walk over the tree below ``states[0]``; returns how many decisions state no chances."""
    nodes, cursors = np.zeros(MAX_DEPTH, np.int64), np.zeros(MAX_DEPTH, np.int64)
    reach = np.ones((MAX_DEPTH, PLAYERS, hands.shape[1]), np.bool_)
    luck, unstated, depth = stream[0], 0, 0
    view = states[states.size - 1]
    while depth >= 0:
        node = int(nodes[depth])
        kind = kind_of(begin, node)
        first, last = int(edges[kind]), int(edges[kind + 1])
        seat = int(actors[kind])
        count, moves = int(sizes[seat]), last - first
        place = int(offsets[kind]) + (node - int(begin[kind])) * count
        apart = int(members[kind]) * count
        if cursors[depth] == 0:
            for hand in range(count):
                if not reach[depth, seat, hand]:
                    continue
                copy(view, states[depth])
                view.hands[seat] = hands[seat, hand]
                observe(view, seat)
                stream[0] = luck
                policy_at(policy, view)(view, parameters, memory, stream, thoughts)
                unstated += thoughts.mixed == SAMPLED
                for move in range(moves):
                    stated = 1.0 / moves if thoughts.mixed == UNIFORM else 0.0
                    for index in range(int(thoughts.considered)):
                        if thoughts.actions[index] == actions[first + move]:
                            stated += thoughts.probabilities[index]
                    chances[place + move * apart + hand] = stated
        edge = first + int(cursors[depth])
        if edge == last:
            depth -= 1
            continue
        cursors[depth] += 1
        child = int(targets[edge]) + node - int(begin[kind])
        if actors[kind_of(begin, child)] == LEAF:
            continue
        for who in range(PLAYERS):
            for hand in range(int(sizes[who])):
                reach[depth + 1, who, hand] = reach[depth, who, hand]
        some = False
        for hand in range(count):
            if chances[place + (edge - first) * apart + hand] == 0.0:
                reach[depth + 1, seat, hand] = False
            some |= reach[depth + 1, seat, hand]
        for hand in range(int(sizes[1 - seat])):
            some |= reach[depth, 1 - seat, hand]
        if not some:
            continue  # it is not led here in either seat
        copy(states[depth + 1], states[depth])
        apply(states[depth + 1], int(actions[edge]))
        depth += 1
        nodes[depth] = child
        cursors[depth] = 0
    return unstated


def stated_strategy(agent: CompiledPlayer, solver: Solver) -> Vector:
    """The agent's mixtures, laid out as a solver's sums."""
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
    unstated = ask_everywhere(
        states,
        hands,
        address if INTERPRETED else np.uint64(address),
        agent.parameters,
        agent.new_memory(),
        stream_of(0),
        new_thoughts(),
        tree.actors,
        tree.begin,
        tree.members,
        tree.edges,
        tree.targets,
        tree.actions,
        np.asarray(solver.offsets, np.int64),
        np.array([len(one) for one in tree.hands], np.int64),
        chances,
    )
    if unstated:
        raise PerudoError(f"{agent.spec} states no chances in {unstated:,} positions")
    return chances
