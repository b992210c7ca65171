"""CFR on the graph of a round with a short memory, for all hands of one player at once.

FSICFR draws a deal for each iteration, so a hand of five dice learns from one in 252 of them, each
time against one hand. Here one hand of the *other* player is drawn, and every hand of the learner
is gone through against it: a pass is as good as 252 deals, and its loops run over hands, side by
side in memory. Parts of the graph that the drawn hand would never lead to are left out.

Who has forgotten how a position came about should judge it by how it mostly comes about. FSICFR
weighs all ways to a position alike, those included that the learner would never take. Here a
regret is weighed by the chance that both players' wills lead to the position, over the chance that
the learner's alone does: the other's part in it, given how the learner plays. Where nothing is
forgotten both are the same, and CFR.

A learner may also be told how somebody plays, and meet that player in a share of its passes: a
restricted Nash response (Johanson, Zinkevich and Bowling 2007). What it learns wins more from such
a player the larger the share is, and costs less against others the smaller it is. The passes of
its opponent are against the learner alone, so the two players have to be learnt one at a time.

The hands drawn are spread evenly over all deals (a sequence of golden sections), which leaves less
to luck than drawing each by itself. Later passes weigh more, by their number (linear CFR).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, stream_of, uniform
from perudo.games.kernel import kernel
from perudo.search.cfr.fsicfr import CHUNK, Numbers, Places, average_of, shares_of_ways, value_of
from perudo.search.trees.memory_graph import MemoryGraph
from perudo.search.trees.outcomes import Real, Small
from perudo.search.trees.public_tree import PLAYERS

Actors = npt.NDArray[np.int8]
Strategies = tuple[Numbers, Numbers]
"""Of both players, by hand and laid out as averages."""
NOBODY = -1
"""No player has an opponent that is known."""
GOLDEN = 0.6180339887498949
PASSES_PER_AVERAGE = 16
"""After so many passes the strategies are added to the averages."""
EXPLORING = 0.05
"""Of a player's own moves on the way to a position, so many are taken to be any at all."""


@kernel
def mix_moves(block: Numbers, mixture: Numbers) -> None:
    """Strategies from regrets, both by move and hand."""
    moves, hands = block.shape
    total = np.zeros(hands, np.float32)
    for move in range(moves):
        regrets, shares = block[move], mixture[move]
        for hand in range(hands):
            share = max(regrets[hand], np.float32(0.0))
            shares[hand] = share
            total[hand] += share
    even = np.float32(1.0 / moves)
    for hand in range(hands):
        if total[hand] > 0:
            total[hand] = np.float32(1.0) / total[hand]
        else:
            total[hand] = np.float32(-1.0)
    for move in range(moves):
        shares = mixture[move]
        for hand in range(hands):
            shares[hand] = shares[hand] * total[hand] if total[hand] > 0 else even


@kernel
def add_averages(
    player: int,
    actors: Actors,
    edges: Places,
    targets: Small,
    ways: Real,
    offsets: Places,
    regrets: Numbers,
    sums: Numbers,
    own: Numbers,
    mixture: Numbers,
    weight: float,
) -> None:
    """Add a player's strategies to its averages, by how far its own will leads there.

    ``own`` (by node and hand) is left with that reach when a few moves are any at all.
    """
    hands = own.shape[1]
    surely, rarely = np.float32(1.0 - EXPLORING), np.float32(EXPLORING)
    own[:] = 0.0
    own[0] = 1.0
    for node in range(actors.size):
        begin, end = edges[node], edges[node + 1]
        reach = own[node]
        if actors[node] == player:
            moves = end - begin
            place = offsets[node]
            mixed = mixture[:moves]
            mix_moves(regrets[place : place + moves], mixed)
            gain, even = np.float32(weight), np.float32(1.0 / moves)
            for move in range(moves):
                shares, total = mixed[move], sums[place + move]
                into = targets[begin + move]
                for hand in range(hands):
                    total[hand] += gain * reach[hand] * shares[hand]
                if into >= 0:
                    part, reached = np.float32(ways[begin + move]), own[into]
                    for hand in range(hands):
                        share = surely * shares[hand] + rarely * even
                        reached[hand] += part * reach[hand] * share
        else:
            for edge in range(begin, end):
                if targets[edge] >= 0:
                    part, reached = np.float32(ways[edge]), own[targets[edge]]
                    for hand in range(hands):
                        reached[hand] += part * reach[hand]


@kernel
def follow_other(
    player: int,
    other: int,
    actors: Actors,
    edges: Places,
    targets: Small,
    regrets: Numbers,
    offsets: Places,
    chosen: Numbers,
    reached: npt.NDArray[np.bool_],
) -> None:
    """What the other of ``player`` does with one hand (``chosen``), and where that can lead."""
    nothing = np.float32(0.0)
    reached[:] = False
    reached[0] = True
    for node in range(actors.size):
        if not reached[node]:
            continue
        begin, end = edges[node], edges[node + 1]
        if actors[node] == player:
            for edge in range(begin, end):
                if targets[edge] >= 0:
                    reached[targets[edge]] = True
            continue
        place, total = offsets[node] - begin, nothing
        for edge in range(begin, end):
            chosen[edge] = max(regrets[place + edge, other], nothing)
            total += chosen[edge]
        even = np.float32(1.0 / (end - begin))
        for edge in range(begin, end):
            chosen[edge] = chosen[edge] / total if total > nothing else even
            if targets[edge] >= 0 and chosen[edge] > nothing:
                reached[targets[edge]] = True


@kernel
def go_forward(
    player: int,
    actors: Actors,
    edges: Places,
    targets: Small,
    ways: Real,
    offsets: Places,
    regrets: Numbers,
    chosen: Numbers,
    reached: npt.NDArray[np.bool_],
    joint: Numbers,
    mixture: Numbers,
) -> None:
    """By node and the player's hand: how far both wills lead there (``joint``)."""
    hands = joint.shape[1]
    surely, rarely = np.float32(1.0 - EXPLORING), np.float32(EXPLORING)
    for node in range(actors.size):
        if reached[node]:
            joint[node] = 0.0
    joint[0] = 1.0
    for node in range(actors.size):
        if not reached[node]:
            continue
        begin, end = edges[node], edges[node + 1]
        here = joint[node]
        if actors[node] == player:
            moves, place = end - begin, offsets[node]
            mixed, few = mixture[:moves], rarely * np.float32(1.0 / moves)
            mix_moves(regrets[place : place + moves], mixed)
            for move in range(moves):
                into = targets[begin + move]
                if into >= 0:
                    there, shares = joint[into], mixed[move]
                    part = np.float32(ways[begin + move])
                    for hand in range(hands):
                        there[hand] += part * here[hand] * (surely * shares[hand] + few)
        else:
            for edge in range(begin, end):
                if targets[edge] >= 0 and chosen[edge] > np.float32(0.0):
                    there, part = joint[targets[edge]], np.float32(ways[edge]) * chosen[edge]
                    for hand in range(hands):
                        there[hand] += part * here[hand]


@kernel
def go_back(
    player: int,
    actors: Actors,
    edges: Places,
    targets: Small,
    offsets: Places,
    worth: Numbers,
    regrets: Numbers,
    chosen: Numbers,
    reached: npt.NDArray[np.bool_],
    own: Numbers,
    joint: Numbers,
    values: Numbers,
    weight: float,
) -> None:
    """Values and regrets by node and the player's hand; ``worth`` is what leaf tables pay it."""
    hands = values.shape[1]
    nothing = np.float32(0.0)
    sums, evens = np.zeros(hands, np.float32), np.zeros(hands, np.float32)
    totals = np.zeros(hands, np.float32)
    for node in range(actors.size - 1, -1, -1):
        if not reached[node]:
            continue
        begin, end = edges[node], edges[node + 1]
        value = values[node]
        if actors[node] != player:
            value[:] = nothing
            for edge in range(begin, end):
                share = chosen[edge]
                if share > nothing:
                    into = targets[edge]
                    below = values[into] if into >= 0 else worth[-1 - into]
                    for hand in range(hands):
                        value[hand] += share * below[hand]
            continue
        place = offsets[node]
        sums[:] = nothing
        evens[:] = nothing
        totals[:] = nothing
        for move in range(end - begin):
            into = targets[begin + move]
            below = values[into] if into >= 0 else worth[-1 - into]
            regret = regrets[place + move]
            for hand in range(hands):
                share = max(regret[hand], nothing)
                totals[hand] += share
                sums[hand] += share * below[hand]
                evens[hand] += below[hand]
        even, gain = np.float32(1.0 / (end - begin)), np.float32(weight)
        both, alone = joint[node], own[node]
        for hand in range(hands):
            if totals[hand] > nothing:
                value[hand] = sums[hand] / totals[hand]
            else:
                value[hand] = evens[hand] * even
            # ``own`` is some passes old, so that the quotient may be above what it can be.
            totals[hand] = gain * min(both[hand] / alone[hand], np.float32(1.0))
        for move in range(end - begin):
            into = targets[begin + move]
            below = values[into] if into >= 0 else worth[-1 - into]
            regret = regrets[place + move]
            for hand in range(hands):
                regret[hand] += totals[hand] * (below[hand] - value[hand])


@kernel
def draw_from(shares: Real, point: float) -> int:
    """The hand at a point between 0 and 1 of all deals."""
    return min(int(np.searchsorted(shares, point, side="right")), shares.size - 1)


@kernel
def learn_passes(
    actors: Actors,
    edges: Places,
    targets: Small,
    ways: Real,
    offsets: Places,
    payoffs: Real,
    row_kinds: Small,
    column_kinds: Small,
    shares: tuple[Real, Real],
    regrets: tuple[Numbers, Numbers],
    sums: tuple[Numbers, Numbers],
    own: tuple[Numbers, Numbers],
    learner: int,
    known: Numbers,
    share: float,
    points: Real,
    stream: Stream,
    done: int,
    wanted: int,
) -> None:
    """Passes for either player in turn, against hands of the other drawn evenly.

    In a ``share`` of its passes the ``learner`` meets one of the ``known`` players instead.
    """
    most = 0
    for node in range(actors.size):
        most = max(most, edges[node + 1] - edges[node])
    reached, chosen = np.zeros(actors.size, np.bool_), np.zeros(targets.size, np.float32)
    # Made once: fresh memory for each pass would take longer than the pass.
    larger = max(own[0].shape[1], own[1].shape[1])
    mixtures = np.zeros(most * larger, np.float32)
    joints = np.zeros(actors.size * larger, np.float32)
    all_values = np.zeros(actors.size * larger, np.float32)
    worths = np.zeros(payoffs.shape[0] * larger, np.float32)
    for done_now in range(done, done + wanted):
        weight = float(done_now + 1)
        for player in range(2):
            hands = own[player].shape[1]
            mixture = mixtures[: most * hands].reshape((most, hands))
            joint = joints[: actors.size * hands].reshape((actors.size, hands))
            values = all_values[: actors.size * hands].reshape((actors.size, hands))
            worth = worths[: payoffs.shape[0] * hands].reshape((payoffs.shape[0], hands))
            if done_now % PASSES_PER_AVERAGE == 0:
                add_averages(
                    player,
                    actors,
                    edges,
                    targets,
                    ways,
                    offsets,
                    regrets[player],
                    sums[player],
                    own[player],
                    mixture,
                    weight,
                )
            points[player] = (points[player] + GOLDEN) % 1.0
            other = draw_from(shares[1 - player], points[player])
            for table in range(payoffs.shape[0]):
                for hand in range(hands):
                    if player == 0:
                        row, column = row_kinds[table, hand], column_kinds[table, other]
                        worth[table, hand] = payoffs[table, row, column]
                    else:
                        row, column = row_kinds[table, other], column_kinds[table, hand]
                        worth[table, hand] = -payoffs[table, row, column]
            will = regrets[1 - player]
            if player == learner:
                point = uniform(stream)
                if point < share:
                    will = known[int(point / share * known.shape[0])]
            follow_other(
                player,
                other,
                actors,
                edges,
                targets,
                will,
                offsets,
                chosen,
                reached,
            )
            go_forward(
                player,
                actors,
                edges,
                targets,
                ways,
                offsets,
                regrets[player],
                chosen,
                reached,
                joint,
                mixture,
            )
            go_back(
                player,
                actors,
                edges,
                targets,
                offsets,
                worth,
                regrets[player],
                chosen,
                reached,
                own[player],
                joint,
                values,
                weight,
            )


@dataclass(frozen=True)
class Known:
    """Opponents of one of the players whose strategies are known to it."""

    learner: int
    """Whose opponents they are."""
    strategies: list[Numbers]
    """By hand and laid out as averages."""
    share: float
    """How many of the learner's passes are against one of them."""


class HandsSolver:
    """Regrets and strategy sums of a round whose players remember only its last moves."""

    variant = "fsicfr over all hands"

    def __init__(self, graph: MemoryGraph, seed: int = 0, known: Known | None = None) -> None:
        self.graph = graph
        self.iterations = 0
        self.offsets = graph.offsets
        moves = np.diff(graph.edges)
        self.regrets: list[Numbers] = []
        """Of each player, by move and hand."""
        self.sums: list[Numbers] = []
        self._own: list[Numbers] = []
        for player in range(PLAYERS):
            hands = len(graph.weights[player])
            shape = (int(moves[graph.actors == player].sum()), hands)
            self.regrets.append(np.zeros(shape, np.float32))
            self.sums.append(np.zeros(shape, np.float32))
            self._own.append(np.zeros((graph.nodes, hands), np.float32))
        first, second = (np.cumsum(weights) / weights.sum() for weights in graph.weights)
        self._shares = (first, second)
        self._ways = shares_of_ways(graph.edges, graph.targets)
        self._stream: Stream = stream_of(seed, graph.memory)
        self._points = np.array([uniform(self._stream), uniform(self._stream)])
        known = known or Known(learner=NOBODY, strategies=[np.zeros((0, 0), np.float32)], share=0.0)
        self._learner, self._share = known.learner, known.share
        self._known = np.array([chances.T for chances in known.strategies], np.float32, order="C")

    def iterate(self, times: int) -> None:
        """So many passes for each player."""
        graph, left = self.graph, times
        while left > 0:
            some = min(left, CHUNK)
            learn_passes(
                graph.actors,
                graph.edges,
                graph.targets,
                self._ways,
                self.offsets,
                graph.payoffs,
                graph.outcomes.row_kinds,
                graph.outcomes.column_kinds,
                self._shares,
                (self.regrets[0], self.regrets[1]),
                (self.sums[0], self.sums[1]),
                (self._own[0], self._own[1]),
                self._learner,
                self._known,
                self._share,
                self._points,
                self._stream,
                self.iterations,
                some,
            )
            self.iterations += some
            left -= some

    def average(self) -> list[Numbers]:
        """Each player's average strategy, by hand and laid out as FSICFR's."""
        return [
            np.ascontiguousarray(average_of(self.graph, player, self.sums[player].T))
            for player in range(PLAYERS)
        ]

    def value(self) -> float:
        """What the average strategies are worth to the first player, over all deals."""
        first, second = self.average()
        return value_of(self.graph, first, second)


def restricted_response(
    graph: MemoryGraph, seed: int, passes: int, known: list[Strategies], share: float
) -> Strategies:
    """Strategies of either player that meet known ones in a share of their passes."""
    learnt = []
    for learner in range(PLAYERS):
        met = [strategies[1 - learner] for strategies in known]
        solver = HandsSolver(graph, seed, Known(learner, met, share))
        solver.iterate(passes)
        learnt.append(solver.average()[learner])
    return learnt[0], learnt[1]
