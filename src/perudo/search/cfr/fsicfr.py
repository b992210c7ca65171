"""Fixed-strategy iteration CFR on the graph of a round with a short memory (Neller and Hnath 2011).

Each iteration draws one deal. A forward pass over all nodes computes strategies from the regrets so
far, and each player's reach of every node; a backward pass computes values and adds the regrets.
Positions that players with so short a memory cannot distinguish share one strategy. Their values
are exact for the deal; their reaches are means over all paths to them.

An iteration's weight in regrets and averages is its number (linear CFR).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from perudo.games.chance import Stream, draw, stream_of
from perudo.games.kernel import kernel
from perudo.search.files.page import Page, page_of_graph
from perudo.search.files.sealed import About
from perudo.search.trees.memory_graph import Layout, MemoryGraph, most_moves
from perudo.search.trees.outcomes import Numbers, Players, Real
from perudo.search.trees.public_tree import PLAYERS

CHUNK = 2000
"""Iterations in one call of the kernel. The program can be interrupted only between calls."""


class Workspace(NamedTuple):
    """The scratch arrays of an iteration."""

    strategy: Numbers
    """The probability of each edge's move."""
    own: Real
    """Each player's own reach of each node."""
    values: Numbers
    """The value of each node to the first player."""
    below: Numbers
    """The values of one node's moves."""
    worth: Numbers
    """The payoff of each leaf table for this deal."""


@kernel
def go_forward(
    graph: Layout, regrets: Players, sums: Players, space: Workspace, weight: float
) -> None:
    """Compute strategies and reaches, and add the strategies to the sums.

    ``regrets`` and ``sums`` are the rows of the hands dealt. A node's reach is the mean over all
    paths to it. Loops run over slices, which is much faster.
    """
    actors, edges, targets, shares = graph.actors, graph.edges, graph.targets, graph.ways
    strategy, own, nothing = space.strategy, space.own, np.float32(0.0)
    own[:] = 0.0
    own[0, 0] = 1.0
    own[0, 1] = 1.0
    for node in range(actors.size):
        by_first, by_second = own[node, 0], own[node, 1]
        if by_first == 0.0 and by_second == 0.0:
            continue
        begin, end = edges[node], edges[node + 1]
        place, size = graph.offsets[node], end - begin
        is_first = actors[node] == 0
        regret = (regrets[0] if is_first else regrets[1])[place : place + size]
        mixture = strategy[begin:end]
        total = nothing
        for move in range(size):
            mixture[move] = max(regret[move], nothing)
            total += mixture[move]
        factor = np.float32(1.0) / total if total > nothing else nothing
        even = np.float32(1.0 / size) if total <= nothing else nothing
        for move in range(size):
            mixture[move] = mixture[move] * factor + even
        gain = np.float32(weight * (by_first if is_first else by_second))
        if gain > nothing:
            summed = (sums[0] if is_first else sums[1])[place : place + size]
            for move in range(size):
                summed[move] += gain * mixture[move]
        into, parts = targets[begin:end], shares[begin:end]
        mine, theirs = (0, 1) if is_first else (1, 0)
        acting, waiting = own[node, mine], own[node, theirs]
        for move in range(size):
            if into[move] >= 0:
                reached = own[into[move]]
                reached[mine] += acting * parts[move] * mixture[move]
                reached[theirs] += waiting * parts[move]


@kernel
def go_back(graph: Layout, regrets: Players, space: Workspace, weight: float) -> None:
    """Compute the values of nodes, and add the regrets of the hands dealt."""
    actors, edges, targets = graph.actors, graph.edges, graph.targets
    own, worth = space.own, space.worth
    values, below = space.values, space.below
    for node in range(actors.size - 1, -1, -1):
        by_first, by_second = own[node, 0], own[node, 1]
        if by_first == 0.0 and by_second == 0.0:
            continue
        begin, size = edges[node], edges[node + 1] - edges[node]
        mixture, into = space.strategy[begin : begin + size], targets[begin : begin + size]
        value = np.float32(0.0)
        for move in range(size):
            target = into[move]
            below[move] = values[target] if target >= 0 else worth[-1 - target]
            value += mixture[move] * below[move]
        values[node] = value
        is_first = actors[node] == 0
        scale = np.float32(weight * by_second if is_first else -weight * by_first)
        if scale != 0.0:
            place = graph.offsets[node]
            regret = (regrets[0] if is_first else regrets[1])[place : place + size]
            for move in range(size):
                regret[move] += scale * (below[move] - value)


@kernel
def learn_from_deals(
    graph: Layout,
    shares: tuple[Real, Real],
    regrets: Players,
    sums: Players,
    done: int,
    wanted: int,
    stream: Stream,
) -> float:
    """Iterate on random deals; return the mean value to the first player."""
    nodes = graph.actors.size
    worth, values = np.zeros(graph.payoffs.shape[0], np.float32), np.zeros(nodes, np.float32)
    space = Workspace(
        np.zeros(graph.targets.size, np.float32),
        np.zeros((nodes, 2)),
        values,
        np.zeros(most_moves(graph), np.float32),
        worth,
    )
    mean = 0.0
    for iteration in range(done, done + wanted):
        one, other = draw(shares[0], stream), draw(shares[1], stream)
        for table in range(worth.size):
            row, column = graph.row_kinds[table, one], graph.column_kinds[table, other]
            worth[table] = graph.payoffs[table, row, column]
        weight = float(iteration + 1)
        dealt = regrets[0][one], regrets[1][other]
        go_forward(graph, dealt, (sums[0][one], sums[1][other]), space, weight)
        go_back(graph, dealt, space, weight)
        mean += values[0]
    return mean / wanted


@kernel
def value_of_deals(graph: Layout, weights: tuple[Real, Real], chances: Players, one: int) -> float:
    """Return the value of one hand of the first player, over all hands of the second."""
    actors, edges, targets, offsets = graph.actors, graph.edges, graph.targets, graph.offsets
    values, worth = np.zeros(actors.size), np.zeros(graph.payoffs.shape[0])
    mean = 0.0
    for other in range(weights[1].size):
        for table in range(worth.size):
            row, column = graph.row_kinds[table, one], graph.column_kinds[table, other]
            worth[table] = graph.payoffs[table, row, column]
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
    """Return the value of strategies to the first player, over all deals."""
    layout, hands = graph.layout(), range(len(graph.weights[0]))
    by_hand = [value_of_deals(layout, graph.weights, (first, second), hand) for hand in hands]
    return float(np.dot(graph.weights[0], by_hand))


def average_of(graph: MemoryGraph, player: int, sums: Numbers) -> Numbers:
    """Return a player's average strategy, from sums by hand and move; uniform where they are 0."""
    mine = np.flatnonzero(graph.actors == player)
    moves = np.diff(graph.edges)[mine]
    totals: Any = np.add.reduceat(sums, graph.offsets[mine], axis=1) if len(mine) else sums
    spread = np.repeat(totals, moves, axis=1)
    even = np.repeat(1.0 / moves, moves).astype(np.float32)
    average: Numbers = np.where(spread > 0, sums / np.where(spread > 0, spread, 1), even)
    return average


def chunks(times: int, most: int) -> Iterator[int]:
    """Split a number of iterations into parts of at most ``most``, one for each kernel call."""
    while times > 0:
        yield min(times, most)
        times -= most


class GraphSolver(ABC):
    """Base class of learners for a round in which two players remember only the last moves."""

    variant: ClassVar[str]
    regrets: Players
    sums: Players

    def __init__(self, graph: MemoryGraph, seed: int = 0) -> None:
        self.graph, self.iterations = graph, 0
        self.offsets = graph.offsets
        self._layout = graph.layout()
        first, second = (np.cumsum(weights) / weights.sum() for weights in graph.weights)
        self._shares = first, second
        self._stream = stream_of(seed, graph.memory)

    def _sizes(self) -> list[tuple[int, int]]:
        """Return the numbers of hands and of moves of each player."""
        moves = np.diff(self.graph.edges)
        return [
            (len(self.graph.weights[player]), int(moves[self.graph.actors == player].sum()))
            for player in range(PLAYERS)
        ]

    @property
    def bytes(self) -> int:
        """The memory of regrets and strategy sums, in bytes."""
        return sum(part.nbytes for part in (*self.regrets, *self.sums))

    @abstractmethod
    def average(self) -> Players:
        """Return both players' average strategies, by hand and by ``offsets``."""

    def value(self) -> float:
        """Return the value of the average strategies to the first player, over all deals."""
        first, second = self.average()
        return value_of(self.graph, first, second)

    def page(self, about: About) -> Page:
        """Return the average strategies as a page."""
        return page_of_graph(self.graph, self.average(), about)


class MemorySolver(GraphSolver):
    """The FSICFR solver. Regrets and sums are indexed by hand and move."""

    variant = "fsicfr"

    def __init__(self, graph: MemoryGraph, seed: int = 0) -> None:
        super().__init__(graph, seed)
        first, second = self._sizes()
        self.regrets = np.zeros(first, np.float32), np.zeros(second, np.float32)
        self.sums = np.zeros(first, np.float32), np.zeros(second, np.float32)

    def iterate(self, times: int) -> float:
        """Learn from this many deals; return their mean value to the first player."""
        value = 0.0
        for some in chunks(times, CHUNK):
            value += some * learn_from_deals(
                self._layout,
                self._shares,
                self.regrets,
                self.sums,
                self.iterations,
                some,
                self._stream,
            )
            self.iterations += some
        return value / times

    def average(self) -> Players:
        """Return both players' average strategies, by hand and by ``offsets``."""
        first, second = (average_of(self.graph, seat, self.sums[seat]) for seat in range(PLAYERS))
        return first, second
