"""Fixed-strategy iteration CFR on the graph of a round with a short memory (Neller and Hnath 2011).

One deal is drawn for each iteration. A first pass goes forward over all nodes, with strategies from
the regrets so far, and adds up how often, and by how much will of either player, each node is
reached; a second goes back with values and adds the regrets. Positions that players with so short
a memory take for the same have one strategy; the values behind them are exact for the deal, the
chances of reaching them are averages over the ways there.

Later iterations weigh more, by their number, in regrets and averages (linear CFR).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, stream_of
from perudo.games.kernel import kernel
from perudo.search.online.beliefs import draw
from perudo.search.trees.memory_graph import MemoryGraph
from perudo.search.trees.outcomes import Real, Small
from perudo.search.trees.public_tree import PLAYERS

Numbers = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]
CHUNK = 2000
"""Iterations in one call of the kernel, so that it can be interrupted."""


@kernel
def shares_of_ways(edges: Places, targets: Small) -> Real:
    """Of each edge to a node: which share of all ways to that node leads over it."""
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


@kernel
def go_forward(
    actors: npt.NDArray[np.int8],
    edges: Places,
    targets: Small,
    shares: Real,
    offsets: Places,
    first: Numbers,
    second: Numbers,
    first_sums: Numbers,
    second_sums: Numbers,
    strategy: Numbers,
    own: Real,
    weight: float,
) -> None:
    """Strategies, and how nodes are reached: ``own[n, p]`` by the will of player p.

    A node's reach is the mean over all ways to it. Loops run over slices, which is much faster.
    """
    nothing = np.float32(0.0)
    own[:] = 0.0
    own[0, 0] = 1.0
    own[0, 1] = 1.0
    for node in range(actors.size):
        by_first, by_second = own[node, 0], own[node, 1]
        if by_first == 0.0 and by_second == 0.0:
            continue
        begin, end = edges[node], edges[node + 1]
        place, size = offsets[node], end - begin
        is_first = actors[node] == 0
        regrets = (first if is_first else second)[place : place + size]
        mixture = strategy[begin:end]
        total = nothing
        for move in range(size):
            mixture[move] = max(regrets[move], nothing)
            total += mixture[move]
        factor = np.float32(1.0) / total if total > nothing else nothing
        even = np.float32(1.0 / size) if total <= nothing else nothing
        for move in range(size):
            mixture[move] = mixture[move] * factor + even
        gain = np.float32(weight * (by_first if is_first else by_second))
        if gain > nothing:
            sums = (first_sums if is_first else second_sums)[place : place + size]
            for move in range(size):
                sums[move] += gain * mixture[move]
        into, parts = targets[begin:end], shares[begin:end]
        mine, theirs = (0, 1) if is_first else (1, 0)
        acting, waiting = own[node, mine], own[node, theirs]
        for move in range(size):
            if into[move] >= 0:
                reached = own[into[move]]
                reached[mine] += acting * parts[move] * mixture[move]
                reached[theirs] += waiting * parts[move]


@kernel
def go_back(
    actors: npt.NDArray[np.int8],
    edges: Places,
    targets: Small,
    offsets: Places,
    worth: Numbers,
    first: Numbers,
    second: Numbers,
    strategy: Numbers,
    own: Real,
    values: Numbers,
    below: Numbers,
    weight: float,
) -> None:
    """Values to the first player, and regrets; ``worth`` is what each leaf table pays this deal."""
    for node in range(actors.size - 1, -1, -1):
        by_first, by_second = own[node, 0], own[node, 1]
        if by_first == 0.0 and by_second == 0.0:
            continue
        begin, size = edges[node], edges[node + 1] - edges[node]
        mixture, into = strategy[begin : begin + size], targets[begin : begin + size]
        value = np.float32(0.0)
        for move in range(size):
            target = into[move]
            below[move] = values[target] if target >= 0 else worth[-1 - target]
            value += mixture[move] * below[move]
        values[node] = value
        is_first = actors[node] == 0
        scale = np.float32(weight * by_second if is_first else -weight * by_first)
        if scale != 0.0:
            place = offsets[node]
            regrets = (first if is_first else second)[place : place + size]
            for move in range(size):
                regrets[move] += scale * (below[move] - value)


@kernel
def learn_from_deals(
    actors: npt.NDArray[np.int8],
    edges: Places,
    targets: Small,
    shares: Real,
    offsets: Places,
    payoffs: Real,
    row_kinds: Small,
    column_kinds: Small,
    first_shares: Real,
    second_shares: Real,
    first_regrets: Numbers,
    second_regrets: Numbers,
    first_sums: Numbers,
    second_sums: Numbers,
    done: int,
    wanted: int,
    stream: Stream,
) -> float:
    """Iterate on deals drawn at random; returns the mean value to the first player."""
    strategy = np.zeros(targets.size, np.float32)
    own, values = np.zeros((actors.size, 2)), np.zeros(actors.size, np.float32)
    worth = np.zeros(payoffs.shape[0], np.float32)
    most = 0
    for node in range(actors.size):
        most = max(most, edges[node + 1] - edges[node])
    below = np.zeros(most, np.float32)
    mean = 0.0
    for iteration in range(done, done + wanted):
        one, other = draw(first_shares, stream), draw(second_shares, stream)
        for table in range(worth.size):
            worth[table] = payoffs[table, row_kinds[table, one], column_kinds[table, other]]
        weight = float(iteration + 1)
        go_forward(
            actors,
            edges,
            targets,
            shares,
            offsets,
            first_regrets[one],
            second_regrets[other],
            first_sums[one],
            second_sums[other],
            strategy,
            own,
            weight,
        )
        go_back(
            actors,
            edges,
            targets,
            offsets,
            worth,
            first_regrets[one],
            second_regrets[other],
            strategy,
            own,
            values,
            below,
            weight,
        )
        mean += values[0]
    return mean / wanted


@kernel
def value_of_deals(
    actors: npt.NDArray[np.int8],
    edges: Places,
    targets: Small,
    offsets: Places,
    payoffs: Real,
    row_kinds: Small,
    column_kinds: Small,
    weights: tuple[Real, Real],
    chances: tuple[Numbers, Numbers],
    one: int,
) -> float:
    """What strategies are worth to the first player with one hand, over all hands of the second."""
    values, worth = np.zeros(actors.size), np.zeros(payoffs.shape[0])
    mean = 0.0
    for other in range(weights[1].size):
        for table in range(worth.size):
            worth[table] = payoffs[table, row_kinds[table, one], column_kinds[table, other]]
        for node in range(actors.size - 1, -1, -1):
            mixture = chances[0][one] if actors[node] == 0 else chances[1][other]
            place, value = offsets[node] - edges[node], 0.0
            for edge in range(edges[node], edges[node + 1]):
                into = targets[edge]
                value += mixture[place + edge] * (values[into] if into >= 0 else worth[-1 - into])
            values[node] = value
        mean += weights[1][other] * values[0]
    return mean


def value_of(graph: MemoryGraph, first: Numbers, second: Numbers) -> float:
    """What strategies are worth to the first player, over all deals."""
    by_hand = [
        value_of_deals(
            graph.actors,
            graph.edges,
            graph.targets,
            graph.offsets,
            graph.payoffs,
            graph.outcomes.row_kinds,
            graph.outcomes.column_kinds,
            graph.weights,
            (first, second),
            hand,
        )
        for hand in range(len(graph.weights[0]))
    ]
    return float(np.dot(graph.weights[0], by_hand))


def average_of(graph: MemoryGraph, player: int, sums: Numbers) -> Numbers:
    """A player's average strategy, from sums by hand and move; evenly where nothing was added."""
    mine = np.flatnonzero(graph.actors == player)
    moves = np.diff(graph.edges)[mine]
    totals: Any = np.add.reduceat(sums, graph.offsets[mine], axis=1) if len(mine) else sums
    spread = np.repeat(totals, moves, axis=1)
    even = np.repeat(1.0 / moves, moves).astype(np.float32)
    average: Numbers = np.where(spread > 0, sums / np.where(spread > 0, spread, 1), even)
    return average


class MemorySolver:
    """Regrets and strategy sums of a round whose players remember only its last moves."""

    variant = "fsicfr"

    def __init__(self, graph: MemoryGraph, seed: int = 0) -> None:
        self.graph = graph
        self.iterations = 0
        self.offsets = graph.offsets
        moves = np.diff(graph.edges)
        self.regrets: list[Numbers] = []
        self.sums: list[Numbers] = []
        for player in range(PLAYERS):
            shape = (len(graph.weights[player]), int(moves[graph.actors == player].sum()))
            self.regrets.append(np.zeros(shape, np.float32))
            self.sums.append(np.zeros(shape, np.float32))
        self._shares = [np.cumsum(weights) / weights.sum() for weights in graph.weights]
        self._ways = shares_of_ways(graph.edges, graph.targets)
        self._stream = stream_of(seed, graph.memory)

    @property
    def bytes(self) -> int:
        """Memory of what is learnt."""
        return sum(part.nbytes for part in (*self.regrets, *self.sums))

    def iterate(self, times: int) -> float:
        """Learn from so many deals; returns what they were worth to the first player on average."""
        graph, value, left = self.graph, 0.0, times
        while left > 0:
            some = min(left, CHUNK)
            value += some * learn_from_deals(
                graph.actors,
                graph.edges,
                graph.targets,
                self._ways,
                self.offsets,
                graph.payoffs,
                graph.outcomes.row_kinds,
                graph.outcomes.column_kinds,
                self._shares[0],
                self._shares[1],
                self.regrets[0],
                self.regrets[1],
                self.sums[0],
                self.sums[1],
                self.iterations,
                some,
                self._stream,
            )
            self.iterations += some
            left -= some
        return value / times

    def value(self) -> float:
        """What the average strategies are worth to the first player, over all deals."""
        first, second = self.average()
        return value_of(self.graph, first, second)

    def average(self) -> list[Numbers]:
        """Each player's average strategy, by hand and laid out as the sums."""
        return [average_of(self.graph, player, self.sums[player]) for player in range(PLAYERS)]
