"""One sweep over the public tree for one player: down with reaches, back up with values.

Nodes of one kind lie side by side, so all loops run over long vectors of (node, hand), in blocks
that fit into the fastest cache. Strategies are recomputed from regrets wherever they are needed,
since reading memory takes longer than computing. Leaves are evaluated with their parent, by kinds
of hands, and have no storage of their own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.kernel import kernel
from perudo.search.trees.outcomes import Small
from perudo.search.trees.public_tree import LEAF, PublicTree

Vector = npt.NDArray[Any]
"""A vector over (node, hand), in 32 or 64 bits."""
Places = npt.NDArray[np.int64]

LEARN, RESPOND, EVALUATE = range(3)
"""The purposes of a sweep: to learn, to find the best response, to evaluate strategies."""
BLOCK = 1024
"""The length of a block of a vector."""


class Layout(NamedTuple):
    """The arrays of a public tree for the kernels, by kind of decision or by edge."""

    actors: npt.NDArray[np.int8]
    begins: Places
    members: Places
    edges: Places
    targets: Places
    tables: Small
    """The payoff table of the leaves that each edge leads to, or LEAF if it leads to none."""
    offsets: Places
    """The start of each kind's regrets, by (move, node, hand)."""
    hands: Places
    weights: tuple[Vector, Vector]
    """The probability of each hand, by player."""
    row_kinds: Small
    column_kinds: Small
    payoffs: Vector


class Workspace(NamedTuple):
    """The scratch arrays of a sweep."""

    reaches: tuple[Vector, Vector]
    """Each player's own reach of each decision, by (node, hand)."""
    values: Vector
    """The value of each decision, by (node, hand) of the player whose sweep it is."""
    scale: Vector
    """One half of a strategy: a move's probability is its positive regret * scale + base."""
    base: Vector
    leaf_reach: Vector
    leaf_values: Vector
    by_kind: Vector
    """Sums of a block by kind of hand: the first half for reaches, the second for values."""


def layout(tree: PublicTree, precision: type[np.floating[Any]]) -> Layout:
    """Arrange a tree for the kernels, without leaves: nodes are sorted so that leaves come last."""
    decisions = int((tree.actors != LEAF).sum())
    hands = np.array([len(weights) for weights in tree.weights], np.int64)
    edges = tree.edges[: decisions + 1].copy()
    kinds = np.searchsorted(tree.begin, tree.targets, side="right") - 1
    sizes = np.diff(edges) * tree.members[:decisions] * hands[tree.actors[:decisions]]
    return Layout(
        actors=tree.actors[:decisions].copy(),
        begins=tree.begin[:decisions].copy(),
        members=tree.members[:decisions].copy(),
        edges=edges,
        targets=tree.targets,
        tables=np.where(tree.actors[kinds] == LEAF, tree.leaves[kinds], LEAF).astype(np.int32),
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        hands=hands,
        weights=(tree.weights[0].astype(precision), tree.weights[1].astype(precision)),
        row_kinds=tree.row_kinds,
        column_kinds=tree.column_kinds,
        payoffs=tree.payoffs.astype(precision),
    )


def workspace(tree: Layout, precision: type[np.floating[Any]]) -> Workspace:
    """Allocate the scratch arrays for sweeps over a tree."""
    decisions, widest = int(tree.members.sum()), int(tree.hands.max())
    block = BLOCK + widest
    leaf_moves = max(
        int((tree.tables[first:last] != LEAF).sum())
        for first, last in zip(tree.edges[:-1], tree.edges[1:], strict=True)
    )
    first, second = (np.zeros(decisions * int(hands), precision) for hands in tree.hands)
    return Workspace(
        reaches=(first, second),
        values=np.zeros(decisions * widest, precision),
        scale=np.zeros(block, precision),
        base=np.zeros(block, precision),
        leaf_reach=np.zeros(block, precision),
        leaf_values=np.zeros(max(1, leaf_moves) * block, precision),
        by_kind=np.zeros(2 * max(tree.payoffs.shape[1:]) * block, precision),
    )


@kernel
def match_regrets(
    regrets: Vector, place: int, stride: int, moves: int, scale: Vector, base: Vector
) -> None:
    """Fill in strategies in proportion to positive regret, uniform if no regret is positive.

    The regrets of a move begin ``stride`` after those of the previous move.
    """
    number = scale.dtype.type
    size = scale.size
    scale[:] = 0
    for move in range(moves):
        regret = regrets[place + move * stride : place + move * stride + size]
        for index in range(size):
            scale[index] += max(regret[index], number(0))
    even, least = number(1.0 / moves), number(1e-30)  # smaller totals are rounding errors
    for index in range(size):
        total = scale[index]
        scale[index] = number(1) / total if total > least else number(0)
        base[index] = number(0) if total > least else even


@kernel
def go_down(
    tree: Layout,
    space: Workspace,
    regrets: Vector,
    sums: Vector,
    player: int,
    purpose: int,
    weight: float,
) -> None:
    """Fill in each player's own reach of every node, from the root down.

    When learning, also add the player's strategy to its sums.
    """
    own, other = space.reaches[player], space.reaches[1 - player]
    number = own.dtype.type
    mine, others = tree.hands[player], tree.hands[1 - player]
    learns, factor = purpose == LEARN, number(weight)
    own[:mine] = 1
    other[:others] = tree.weights[1 - player]
    for kind in range(tree.actors.size):
        acts = tree.actors[kind] == player
        hands, idle_hands = (mine, others) if acts else (others, mine)
        reaches, idle_reaches = (own, other) if acts else (other, own)
        count = tree.members[kind]
        step = max(1, BLOCK // hands)
        for first in range(0, count, step):
            nodes = min(step, count - first)
            size, node = nodes * hands, tree.begins[kind] + first
            reach = reaches[node * hands : node * hands + size]
            idle = idle_reaches[node * idle_hands : (node + nodes) * idle_hands]
            scale, base = space.scale[:size], space.base[:size]
            if learns or not acts:
                place = tree.offsets[kind] + first * hands
                moves = tree.edges[kind + 1] - tree.edges[kind]
                match_regrets(regrets, place, count * hands, moves, scale, base)
                for index in range(size):
                    scale[index] *= reach[index]
                    base[index] *= reach[index]
            for edge in range(tree.edges[kind], tree.edges[kind + 1]):
                move = edge - tree.edges[kind]
                place = tree.offsets[kind] + (move * count + first) * hands
                regret = regrets[place : place + size]
                inner = tree.tables[edge] == LEAF
                target = tree.targets[edge] + first
                if inner and (learns or acts):
                    to_idle = idle_reaches[target * idle_hands : (target + nodes) * idle_hands]
                    to_idle[:] = idle
                to_reach = reaches[target * hands : target * hands + size] if inner else scale
                if acts and learns:
                    total = sums[place : place + size]
                    if inner:
                        for index in range(size):
                            chance = max(regret[index], number(0)) * scale[index] + base[index]
                            to_reach[index] = chance
                            total[index] += factor * chance
                    else:
                        for index in range(size):
                            chance = max(regret[index], number(0)) * scale[index] + base[index]
                            total[index] += factor * chance
                elif inner and not acts:
                    for index in range(size):
                        to_reach[index] = max(regret[index], number(0)) * scale[index] + base[index]


@kernel
def pay_leaves(
    payoffs: Vector,
    own_kinds: Small,
    other_kinds: Small,
    player: int,
    nodes: int,
    reach: Vector,
    value: Vector,
    by_kind: Vector,
) -> None:
    """Fill in the value of a block of leaves to each of a player's hands."""
    mine, others = own_kinds.size, other_kinds.size
    rows, columns = payoffs.shape
    kinds = max(rows, columns)
    reached, worth = by_kind[: kinds * nodes], by_kind[kinds * nodes : 2 * kinds * nodes]
    reached[:] = 0
    for hand in range(others):
        of_kind = reached[other_kinds[hand] * nodes : (other_kinds[hand] + 1) * nodes]
        of_hand = reach[hand::others]
        for node in range(nodes):
            of_kind[node] += of_hand[node]
    for own in range(rows if player == 0 else columns):
        paid = worth[own * nodes : (own + 1) * nodes]
        for other in range(columns if player == 0 else rows):
            amount = payoffs[own, other] if player == 0 else -payoffs[other, own]
            of_kind = reached[other * nodes : (other + 1) * nodes]
            if other == 0:
                for node in range(nodes):
                    paid[node] = amount * of_kind[node]
            else:
                for node in range(nodes):
                    paid[node] += amount * of_kind[node]
    for hand in range(mine):
        paid = worth[own_kinds[hand] * nodes : (own_kinds[hand] + 1) * nodes]
        of_hand = value[hand::mine]
        for node in range(nodes):
            of_hand[node] = paid[node]


@kernel
def come_back(
    tree: Layout,
    space: Workspace,
    regrets: Vector,
    player: int,
    purpose: int,
    keep_positive: float,
    keep_negative: float,
) -> None:
    """Fill in the values of the player's hands, from the leaves up; when learning, add regrets."""
    other, values = space.reaches[1 - player], space.values
    number = values.dtype.type
    mine, others = tree.hands[player], tree.hands[1 - player]
    step = max(1, BLOCK // max(mine, others))
    for kind in range(tree.actors.size - 1, -1, -1):
        acts = tree.actors[kind] == player
        count = tree.members[kind]
        hands = mine if acts else others
        moves = tree.edges[kind + 1] - tree.edges[kind]
        for first in range(0, count, step):
            nodes = min(step, count - first)
            node, size = tree.begins[kind] + first, nodes * hands
            value = values[node * mine : (node + nodes) * mine]
            reach = other[node * others : (node + nodes) * others]
            scale, base = space.scale[:size], space.base[:size]
            if not (acts and purpose == RESPOND):
                place = tree.offsets[kind] + first * hands
                match_regrets(regrets, place, count * hands, moves, scale, base)
            value[:] = -np.inf if acts and purpose == RESPOND else 0.0
            leaf_place = 0
            for edge in range(tree.edges[kind], tree.edges[kind + 1]):
                place = tree.offsets[kind] + ((edge - tree.edges[kind]) * count + first) * hands
                regret = regrets[place : place + size]
                table = tree.tables[edge]
                target = (tree.targets[edge] + first) * mine
                if table == LEAF:
                    below = values[target : target + value.size]
                else:
                    below = space.leaf_values[leaf_place : leaf_place + value.size]
                    leaf_place += value.size
                    leaf_reach = reach
                    if not acts:
                        leaf_reach = space.leaf_reach[:size]
                        for index in range(size):
                            chance = max(regret[index], number(0)) * scale[index] + base[index]
                            leaf_reach[index] = reach[index] * chance
                    pay_leaves(
                        tree.payoffs[table],
                        tree.row_kinds[table] if player == 0 else tree.column_kinds[table],
                        tree.column_kinds[table] if player == 0 else tree.row_kinds[table],
                        player,
                        nodes,
                        leaf_reach,
                        below,
                        space.by_kind,
                    )
                if not acts:
                    for index in range(value.size):
                        value[index] += below[index]
                elif purpose == RESPOND:
                    for index in range(size):
                        value[index] = max(value[index], below[index])
                else:
                    for index in range(size):
                        chance = max(regret[index], number(0)) * scale[index] + base[index]
                        value[index] += chance * below[index]
            if acts and purpose == LEARN:
                leaf_place = 0
                for edge in range(tree.edges[kind], tree.edges[kind + 1]):
                    place = tree.offsets[kind] + ((edge - tree.edges[kind]) * count + first) * hands
                    target = (tree.targets[edge] + first) * mine
                    if tree.tables[edge] == LEAF:
                        below = values[target : target + size]
                    else:
                        below = space.leaf_values[leaf_place : leaf_place + size]
                        leaf_place += size
                    add_regrets(
                        regrets[place : place + size], below, value, keep_positive, keep_negative
                    )


@kernel
def add_regrets(
    regret: Vector, below: Vector, value: Vector, keep_positive: float, keep_negative: float
) -> None:
    """Add a move's gains to its regrets, after discounting the old ones.

    With ``keep_negative`` 0 the sums are also floored at 0, as in CFR+.
    """
    number = regret.dtype.type
    positive, negative = number(keep_positive), number(keep_negative)
    if keep_negative == 0.0:
        for index in range(regret.size):
            regret[index] = max(regret[index] * positive + below[index] - value[index], number(0))
    else:
        for index in range(regret.size):
            kept = regret[index]
            kept *= positive if kept > 0 else negative
            regret[index] = kept + below[index] - value[index]


@kernel
def sweep(
    tree: Layout,
    space: Workspace,
    regrets: Vector,
    sums: Vector,
    player: int,
    purpose: int,
    turns: Vector,
) -> None:
    """Sweep down and up for each turn, for ``player`` or, when learning, for both players.

    A row of ``turns`` is the weight of the turn's strategy, and the factors for old positive and
    negative regrets.
    """
    for turn in range(turns.shape[0]):
        for seat in range(2):
            if purpose == LEARN or seat == player:
                go_down(tree, space, regrets, sums, seat, purpose, turns[turn, 0])
                come_back(tree, space, regrets, seat, purpose, turns[turn, 1], turns[turn, 2])
