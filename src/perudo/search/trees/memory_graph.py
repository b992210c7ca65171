"""The graph of a round between two players who remember only its last moves.

Public positions with equal ``memory_key`` are one node, so a round whose tree is astronomical
becomes a graph of thousands of nodes. The hands of the game must be independent of each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import whole
from perudo.games.errors import PerudoError
from perudo.games.game import (
    ROUND,
    Record,
    State,
    action,
    action_count,
    actor,
    apply,
    copy,
    memory_key,
    payoff,
    put_hand,
    settlement_key,
)
from perudo.games.kernel import kernel
from perudo.search.trees.outcomes import Keys, Outcomes, Real, Small, gather, match_state_key
from perudo.search.trees.public_tree import PLAYERS, TOO_LARGE, TooLargeError, is_leaf

Places = npt.NDArray[np.int64]
Actors = npt.NDArray[np.int8]
NOWHERE = -1
FREE = np.uint64(0)


@kernel
def find(table: Keys, key: np.uint64) -> int:
    """Return the index of a key in an open hash table, or the free index for it."""
    mask = np.uint64(table.size - 1)
    place = key & mask
    while table[place] != FREE and table[place] != key:
        place = (place + np.uint64(1)) & mask
    return whole(place)


class Growth(NamedTuple):
    """The arrays that a graph is written into, by node or by edge."""

    keys: Keys
    actors: Actors
    edges: Places
    """The first edge of each node; the next node's edges follow."""
    targets: Small
    actions: Small
    leaf_keys: Keys
    table: Keys
    """A hash table of memory keys."""
    places: Small
    """The node of each key."""


@kernel
def grow_graph(states: Record, memory: int, growth: Growth) -> int:
    """Write the graph below ``states[0]`` into arrays; return its number of nodes, or TOO_LARGE.

    ``states`` holds the state of each node, and one workspace more.
    """
    # One by one, because numba drops stores into arrays that were unpacked from a tuple.
    keys, actors = growth.keys, growth.actors
    edges, targets = growth.edges, growth.targets
    actions, leaf_keys = growth.actions, growth.leaf_keys
    table, places = growth.table, growth.places
    room = actors.size
    scratch = states[room]
    nodes, used = 1, 0
    keys[0] = memory_key(states[0], memory)
    start = find(table, keys[0])
    table[start] = keys[0]
    places[start] = 0
    node = 0
    while node < nodes:
        state = states[node]
        actors[node] = actor(state)
        edges[node] = used
        count = action_count(state)
        if used + count > targets.size:
            return TOO_LARGE
        for index in range(count):
            code = action(state, index)
            copy(scratch, state)
            apply(scratch, code)
            actions[used] = code
            targets[used] = NOWHERE
            if is_leaf(scratch):
                leaf_keys[used] = settlement_key(scratch)
            else:
                key = memory_key(scratch, memory)
                place = find(table, key)
                if table[place] == FREE:
                    if nodes == room:
                        return TOO_LARGE
                    table[place] = key
                    places[place] = nodes
                    keys[nodes] = key
                    copy(states[nodes], scratch)
                    nodes += 1
                targets[used] = places[place]
            used += 1
        node += 1
    edges[nodes] = used
    return nodes


@kernel
def settle_pairs(states: Record, code: int, hands: Places, payoffs: Real, keys: Keys) -> None:
    """Fill in the payoff and the match state after a final action, for each pair of hands.

    The action ``code`` settles the round in ``states[0]``.
    """
    state = states[1]
    for one in range(hands[0]):
        for other in range(hands[1]):
            copy(state, states[0])
            put_hand(state, 0, one)
            put_hand(state, 1, other)
            apply(state, code)
            payoffs[one, other] = payoff(state, ROUND, 0)
            keys[one, other] = match_state_key(state)


@kernel
def shares_of_ways(edges: Places, targets: Small) -> Real:
    """Return each edge's share of all paths to the node that it leads to."""
    ways, shares = np.zeros(edges.size - 1), np.zeros(targets.size)
    ways[0] = 1.0
    for node in range(edges.size - 1):
        for edge in range(edges[node], edges[node + 1]):
            if targets[edge] >= 0:
                shares[edge] = ways[node]
                ways[targets[edge]] += ways[node]
    for edge in range(targets.size):
        if targets[edge] >= 0:
            shares[edge] /= ways[targets[edge]]
    return shares


class Layout(NamedTuple):
    """The arrays of a graph, as kernels take them."""

    actors: Actors
    edges: Places
    targets: Small
    ways: Real
    """Each edge's share of all paths to the node that it leads to."""
    offsets: Places
    payoffs: Real
    row_kinds: Small
    column_kinds: Small


@kernel
def most_moves(graph: Layout) -> int:
    """Return the largest number of moves of a node."""
    most = 0
    for node in range(graph.actors.size):
        most = max(most, graph.edges[node + 1] - graph.edges[node])
    return most


@dataclass(frozen=True)
class MemoryGraph:
    """A round's graph; every edge leads to a later node, or to a leaf."""

    start: State
    memory: int
    """The number of last moves that players remember."""
    keys: Keys
    """Each node's memory key."""
    actors: Actors
    edges: Places
    """The first edge of each node; the next node's edges follow."""
    targets: Small
    """The node that each edge leads to, or -1 - t for leaf table t."""
    actions: Small
    weights: tuple[Real, Real]
    """The probability of each hand, in ``put_hand`` order."""
    outcomes: Outcomes
    payoffs: Real

    @property
    def nodes(self) -> int:
        """The number of distinct public positions."""
        return len(self.actors)

    @property
    def information_sets(self) -> int:
        """The number of information sets: pairs of a node and a hand of its actor."""
        return sum(
            int((self.actors == seat).sum()) * len(self.weights[seat]) for seat in range(PLAYERS)
        )

    @property
    def offsets(self) -> Places:
        """The index of each node's first move among all moves of its player."""
        moves, found = np.diff(self.edges), np.zeros(self.nodes, np.int64)
        for player in range(PLAYERS):
            mine = self.actors == player
            found[mine] = np.cumsum(moves[mine]) - moves[mine]
        return found

    def layout(self) -> Layout:
        """Return the arrays of the graph for kernels."""
        return Layout(
            actors=self.actors,
            edges=self.edges,
            targets=self.targets,
            ways=shares_of_ways(self.edges, self.targets),
            offsets=self.offsets,
            payoffs=self.payoffs,
            row_kinds=self.outcomes.row_kinds,
            column_kinds=self.outcomes.column_kinds,
        )

    def for_match(self, values: Real) -> MemoryGraph:
        """Return this graph with payoffs from the values, to the first player, of match states."""
        return replace(self, payoffs=self.outcomes.payoffs(values))


def longest_memory(start: State, least: int, most: int, largest: int) -> int:
    """Return the longest memory, in moves, whose graph has at most ``largest`` nodes.

    It lies between ``least``, which is not checked, and ``most``.
    """
    record = start.record
    start.game.operations.deal(record, np.uint64(1))
    memory = least
    while memory < most:
        try:
            _, grown = _grow(record, memory + 1, 4 * largest)
        except TooLargeError:
            break
        if len(grown.keys) > largest:
            break
        memory += 1
    return memory


def build(start: State, memory: int, largest: int = 2_000_000) -> MemoryGraph:
    """Build the graph of the round that is about to be dealt."""
    game = start.game
    record = start.record
    if start.players != PLAYERS or game.properties.hidden_moves:
        raise PerudoError("only two-player rounds without hidden moves have a memory graph")
    if not game.operations.hand_count(record, 0):
        raise PerudoError(f"{game.name} has no rounds that can be solved with a short memory")
    game.operations.deal(record, np.uint64(1))
    states, grown = _grow(record, memory, largest)
    keys, actors, edges, targets, actions, leaf_keys, _, _ = grown
    order = _topological(edges, targets)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=np.int32)
    counts = np.diff(edges)
    sorted_edges = np.concatenate([np.arange(edges[n], edges[n + 1]) for n in order])
    targets, actions, leaf_keys = (a[sorted_edges] for a in (targets, actions, leaf_keys))
    parents = np.repeat(order, counts[order])
    leaves = targets == NOWHERE
    _, example, tables = np.unique(leaf_keys[leaves], return_index=True, return_inverse=True)
    settling = np.flatnonzero(leaves)[example]
    outcomes, weights = _settle(start, states, parents[settling], actions[settling])
    return MemoryGraph(
        start=start,
        memory=memory,
        keys=keys[order],
        actors=actors[order],
        edges=np.concatenate([[0], np.cumsum(counts[order])]).astype(np.int64),
        targets=_join(leaves, tables, rank[targets]),
        actions=actions,
        weights=weights,
        outcomes=outcomes,
        payoffs=outcomes.payoffs(),
    )


def _join(leaves: npt.NDArray[np.bool_], tables: Any, nodes: Small) -> Small:
    targets = nodes.copy()
    targets[leaves] = -1 - tables
    return targets


def _grow(record: Record, memory: int, largest: int) -> tuple[Record, Growth]:
    room = 1 << 10
    while True:
        states = np.zeros(room + 1, record.dtype)
        states[0] = record
        branches = room * 64
        growth = Growth(
            keys=np.zeros(room, np.uint64),
            actors=np.zeros(room, np.int8),
            edges=np.zeros(room + 1, np.int64),
            targets=np.zeros(branches, np.int32),
            actions=np.zeros(branches, np.int32),
            leaf_keys=np.zeros(branches, np.uint64),
            table=np.zeros(4 * room, np.uint64),
            places=np.zeros(4 * room, np.int32),
        )
        nodes = int(grow_graph(states, memory, growth))
        if nodes != TOO_LARGE:
            used = int(growth.edges[nodes])
            return states, growth._replace(
                keys=growth.keys[:nodes],
                actors=growth.actors[:nodes],
                edges=growth.edges[: nodes + 1],
                targets=growth.targets[:used].copy(),
                actions=growth.actions[:used].copy(),
                leaf_keys=growth.leaf_keys[:used].copy(),
            )
        room *= 4
        if room > largest:
            raise TooLargeError(
                f"with {memory} remembered moves the round has more than {room // 4:,} positions"
            )


@kernel
def sort_nodes(edges: Places, targets: Small, order: Small) -> int:
    """Sort nodes topologically into ``order``; return how many could be sorted."""
    nodes = edges.size - 1
    awaited = np.zeros(nodes, np.int64)
    for edge in range(edges[nodes]):
        if targets[edge] >= 0:
            awaited[targets[edge]] += 1
    order[0] = 0
    placed, done = 1, 0
    while done < placed:
        node = order[done]
        done += 1
        for edge in range(edges[node], edges[node + 1]):
            into = targets[edge]
            if into >= 0:
                awaited[into] -= 1
                if awaited[into] == 0:
                    order[placed] = into
                    placed += 1
    return placed


def _topological(edges: Places, targets: Small) -> Small:
    order = np.zeros(len(edges) - 1, np.int32)
    if sort_nodes(edges, targets, order) < len(order):
        raise PerudoError("with so short a memory the round has cycles")
    return order


def _settle(
    start: State, states: Record, parents: Small, actions: Small
) -> tuple[Outcomes, tuple[Real, Real]]:
    """Return the outcomes of each leaf table, from one example of it, and the hands' chances."""
    operations = start.game.operations
    record = start.record
    hands = np.array([operations.hand_count(record, seat) for seat in range(PLAYERS)], np.int64)
    weights = tuple(
        np.array([operations.put_hand(record, seat, index) for index in range(hands[seat])])
        for seat in range(PLAYERS)
    )
    payoffs, keys = [], []
    pair = np.zeros(2, states.dtype)
    for parent, code in zip(parents, actions, strict=True):
        pair[0] = states[parent]
        payoffs.append(np.zeros(hands))
        keys.append(np.zeros(hands, np.uint64))
        settle_pairs(pair, int(code), hands, payoffs[-1], keys[-1])

    def after(table: int, one: int, other: int) -> State:
        record = np.frombuffer(bytearray(states[parents[table]].tobytes()), start.game.dtype)[0]
        operations.put_hand(record, 0, one)
        operations.put_hand(record, 1, other)
        operations.apply(record, int(actions[table]))
        operations.forget_round(record)
        return type(start)(record)

    return gather(payoffs, keys, np.ones(hands), after), (weights[0], weights[1])
