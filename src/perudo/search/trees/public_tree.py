"""The public tree of one round between two players, with the payoffs of its leaves by hand.

A node is the public history; private information is kept in vectors over hands. One walk over the
tree then handles all deals at once. It is built from a game's generic operations, and needs a game
in which both players see every move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.chance import combine
from perudo.games.errors import PerudoError
from perudo.games.game import (
    CHANCE,
    OVER,
    ROUND,
    Record,
    State,
    action,
    action_count,
    actor,
    apply,
    chance_count,
    chance_outcome,
    copy,
    information_key,
    payoff,
    round_over,
    settlement_key,
)
from perudo.games.kernel import kernel
from perudo.search.trees.outcomes import Keys, Outcomes, Real, Small, gather, match_state_key

PLAYERS = 2
MAX_DEPTH = 256
"""The length, in moves, of the longest round that can be solved."""
TOO_LARGE = -1
LEAF = -1
"""The value of ``actors`` for a leaf."""
LEAF_SALT = 77


class TooLargeError(PerudoError):
    """The tree of a round exceeds a limit."""


@kernel
def is_leaf(state: Record) -> bool:
    """Return true if the round has been settled."""
    who = actor(state)
    return bool(who == OVER or who == CHANCE or round_over(state))


@kernel
def grow(
    states: Record,
    actors: npt.NDArray[np.int8],
    first: Small,
    counts: Small,
    parents: Small,
    actions: Small,
    leaf_keys: npt.NDArray[np.uint64],
) -> int:
    """Write the tree below ``states[0]`` into arrays; return its number of nodes, or TOO_LARGE.

    The children of a node have consecutive numbers, all greater than its own. ``states`` holds a
    workspace for each depth.
    """
    path = np.zeros(MAX_DEPTH, np.int32)
    cursor = np.zeros(MAX_DEPTH, np.int32)
    room = actors.size
    parents[0] = -1
    actors[0] = actor(states[0])
    first[0] = 1
    counts[0] = action_count(states[0])
    size = 1 + int(counts[0])
    if size > room:
        return TOO_LARGE
    depth = 0
    while depth >= 0:
        node = int(path[depth])
        index = int(cursor[depth])
        if index == counts[node]:
            depth -= 1
            continue
        cursor[depth] = index + 1
        child = int(first[node]) + index
        state = states[depth + 1]
        copy(state, states[depth])
        code = action(state, index)
        apply(state, code)
        parents[child] = node
        actions[child] = code
        if is_leaf(state):
            actors[child] = LEAF
            key = settlement_key(state)
            leaf_keys[child] = key if key != 0 else np.uint64(child)
            continue
        actors[child] = actor(state)
        first[child] = size
        counts[child] = action_count(state)
        size += int(counts[child])
        if size > room or depth + 2 == MAX_DEPTH:
            return TOO_LARGE
        depth += 1
        path[depth] = child
        cursor[depth] = 0
    return size


@kernel
def find_hands(states: Record, keys: npt.NDArray[np.uint64]) -> None:
    """Fill in each player's information key after each deal."""
    for index in range(keys.shape[0]):
        copy(states[1], states[0])
        chance_outcome(states[1], index)
        for seat in range(PLAYERS):
            keys[index, seat] = information_key(states[1], seat)


@kernel
def pay(states: Record, path: Small, deals: Small, horizon: int, payoffs: Real, keys: Keys) -> None:
    """Fill in the first player's payoff and the next match state at a leaf, by pairs of hands.

    ``path`` is the actions that lead to the leaf.
    """
    for one in range(deals.shape[0]):
        for other in range(deals.shape[1]):
            if deals[one, other] >= 0:
                copy(states[1], states[0])
                chance_outcome(states[1], int(deals[one, other]))
                for index in range(path.size):
                    apply(states[1], int(path[index]))
                payoffs[one, other] = payoff(states[1], horizon, 0)
                keys[one, other] = match_state_key(states[1])


@kernel
def hash_subtrees(
    actors: npt.NDArray[np.int8],
    first: Small,
    counts: Small,
    actions: Small,
    leaves: Small,
    hashes: npt.NDArray[np.uint64],
    heights: Small,
) -> None:
    """Fill in hashes, equal for equal subtrees, and each node's height above the leaves."""
    for node in range(actors.size - 1, -1, -1):
        if actors[node] == LEAF:
            hashes[node] = combine(np.uint64(LEAF_SALT), int(leaves[node]))
            continue
        key = combine(np.uint64(int(actors[node])), int(counts[node]))
        height = 0
        for child in range(int(first[node]), int(first[node] + counts[node])):
            key = combine(key ^ hashes[child], int(actions[child]))
            height = max(height, int(heights[child]) + 1)
        hashes[node] = key
        heights[node] = height


@dataclass(frozen=True)
class PublicTree:
    """One round's tree, arranged so that solvers can handle many nodes as one long vector.

    Nodes with equal subtrees (*a kind*) are numbered one after the other, and so are their n-th
    children.

    Arrays are by kind, in an order in which parents come before children, or by edge: an action of
    a kind, which leads each of its nodes to one of consecutive nodes.
    """

    start: State
    nodes: int
    actors: npt.NDArray[np.int8]
    """The actor of each kind, or LEAF."""
    begin: npt.NDArray[np.int64]
    """The first node of each kind."""
    members: npt.NDArray[np.int64]
    """The number of nodes of each kind."""
    edges: npt.NDArray[np.int64]
    """The first edge of each kind; edges of the next kind follow."""
    targets: npt.NDArray[np.int64]
    """The first of the nodes that each edge leads to."""
    actions: Small
    """The action of each edge."""
    leaves: Small
    """The leaf table of each kind, or -1."""
    hands: tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]
    """Each player's hands, as information keys after the deal."""
    weights: tuple[Real, Real]
    """The probability of each hand, by player."""
    deals: Small
    """A deal (``chance_outcome``) for every pair of hands; -1 where there is none."""
    outcomes: Outcomes
    """The leaf tables, with the match states after the leaves."""
    payoffs: Real
    """The first player's payoff times ``Outcomes.ratios``, by leaf table and kinds of hands."""

    @property
    def row_kinds(self) -> Small:
        """The kinds of the first player's hands, by leaf table; one kind has one row of payoffs."""
        return self.outcomes.row_kinds

    @property
    def column_kinds(self) -> Small:
        """The kinds of the second player's hands, by leaf table."""
        return self.outcomes.column_kinds

    def for_match(self, values: Real) -> PublicTree:
        """Return this tree with payoffs from the values, to the first player, of match states."""
        return replace(self, payoffs=self.outcomes.payoffs(values))

    @property
    def decisions(self) -> int:
        """The number of nodes that are not leaves."""
        return int(self.members[self.actors != LEAF].sum())

    @property
    def information_sets(self) -> int:
        """The number of information sets: pairs of a node and a hand of its actor."""
        return sum(
            int(self.members[self.actors == seat].sum()) * len(self.hands[seat])
            for seat in range(PLAYERS)
        )


def build(start: State, largest: int = 50_000_000) -> PublicTree:
    """Build the public tree of the round that is about to be dealt."""
    game = start.game
    if start.players != PLAYERS or game.properties.hidden_moves:
        raise PerudoError("only two-player rounds without hidden moves have a public tree")
    deals = int(chance_count(start.record))
    if not 0 < deals <= 6**8:
        raise TooLargeError("there are too many deals to solve this round exactly")
    hands, weights, joint, representative = _hands(start, deals)
    states = np.zeros(MAX_DEPTH, game.dtype)
    states[0] = start.record
    chance_outcome(states[0], 0)
    arrays = _grow(states, largest)
    actors, first, counts, parents, actions, leaf_keys = arrays
    is_leaf_node = actors == LEAF
    _, example, table = np.unique(leaf_keys[is_leaf_node], return_index=True, return_inverse=True)
    leaves = np.full(actors.size, -1, np.int32)
    leaves[is_leaf_node] = table
    states[0] = start.record
    payoffs, keys, paths = [], [], []
    for node in np.flatnonzero(is_leaf_node)[example]:
        paths.append(_path(parents, actions, int(node)))
        payoffs.append(np.zeros(joint.shape))
        keys.append(np.zeros(joint.shape, np.uint64))
        pay(states, paths[-1], representative, ROUND, payoffs[-1], keys[-1])

    def after(table: int, one: int, other: int) -> State:
        record = start.record
        if representative[one, other] >= 0:
            game.operations.chance_outcome(record, int(representative[one, other]))
            for code in paths[table]:
                game.operations.apply(record, int(code))
            game.operations.forget_round(record)
        return type(start)(record)

    outcomes = gather(payoffs, keys, joint / np.outer(*weights), after)
    return PublicTree(
        start=start,
        nodes=actors.size,
        hands=hands,
        weights=weights,
        deals=representative,
        outcomes=outcomes,
        payoffs=outcomes.payoffs(),
        **_arrange(actors, first, counts, actions, leaves),
    )


def _arrange(
    actors: npt.NDArray[np.int8], first: Small, counts: Small, actions: Small, leaves: Small
) -> dict[str, Any]:
    """Group nodes by kind, so that the n-th children of a kind's nodes have consecutive numbers."""
    hashes, heights = np.zeros(actors.size, np.uint64), np.zeros(actors.size, np.int32)
    hash_subtrees(actors, first, counts, actions, leaves, hashes, heights)
    _, example, kind = np.unique(hashes, return_index=True, return_inverse=True)
    members = np.bincount(kind)
    order = np.argsort(-heights[example], kind="stable")
    begin = np.zeros(len(members), np.int64)
    begin[order] = np.concatenate([[0], np.cumsum(members[order])[:-1]])
    nodes: list[list[npt.NDArray[np.int64]]] = [[] for _ in members]
    filled = np.zeros(len(members), np.int64)
    nodes[int(kind[0])].append(np.zeros(1, np.int64))
    edges: list[int] = []
    targets: list[int] = []
    edge_actions: list[int] = []
    for this in order:
        group = np.concatenate(nodes[this])
        edges.append(len(targets))
        for move in range(int(counts[group[0]])):
            children = first[group].astype(np.int64) + move
            into = int(kind[children[0]])
            targets.append(int(begin[into] + filled[into]))
            edge_actions.append(int(actions[children[0]]))
            nodes[into].append(children)
            filled[into] += len(children)
    example = example[order]
    return {
        "actors": actors[example],
        "begin": begin[order],
        "members": members[order].astype(np.int64),
        "edges": np.array([*edges, len(targets)], np.int64),
        "targets": np.array(targets, np.int64),
        "actions": np.array(edge_actions, np.int32),
        "leaves": leaves[example],
    }


def _hands(start: State, deals: int) -> tuple[Any, Any, Real, Small]:
    """Return both players' hands, their chances, the joint chances, and a deal for every pair."""
    keys = np.zeros((deals, PLAYERS), np.uint64)
    states = np.zeros(2, start.game.dtype)
    states[0] = start.record
    find_hands(states, keys)
    hands, places = zip(
        *(np.unique(keys[:, seat], return_inverse=True) for seat in range(PLAYERS)), strict=True
    )
    joint = np.zeros((len(hands[0]), len(hands[1])))
    representative = np.full(joint.shape, -1, np.int32)
    np.add.at(joint, places, 1.0 / deals)
    representative[places] = np.arange(deals)
    return hands, (joint.sum(axis=1), joint.sum(axis=0)), joint, representative


def _grow(states: Record, largest: int) -> tuple[Any, ...]:
    room = 1 << 14
    while True:
        arrays = (
            np.zeros(room, np.int8),
            np.zeros(room, np.int32),
            np.zeros(room, np.int32),
            np.zeros(room, np.int32),
            np.zeros(room, np.int32),
            np.zeros(room, np.uint64),
        )
        size = int(grow(states, *arrays))
        if size != TOO_LARGE:
            return tuple(array[:size].copy() for array in arrays)
        room *= 4
        if room > 4 * largest:
            raise TooLargeError(f"the round has more than {largest:,} public positions")


def _path(parents: Small, actions: Small, node: int) -> Small:
    path = []
    while node > 0:
        path.append(actions[node])
        node = int(parents[node])
    return np.array(path[::-1], np.int32)
