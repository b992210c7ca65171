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

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, draw_at, uniform
from perudo.games.kernel import kernel
from perudo.search.cfr.fsicfr import CHUNK, GraphSolver, average_of, chunks
from perudo.search.trees.memory_graph import Layout, MemoryGraph, most_moves
from perudo.search.trees.outcomes import Numbers, Players, Real
from perudo.search.trees.public_tree import PLAYERS

NOBODY = -1
"""No player has an opponent that is known."""
GOLDEN = 0.6180339887498949
PASSES_PER_AVERAGE = 16
"""Passes between two additions of the strategies to the averages."""
EXPLORING = 0.05
"""The share of a player's own moves, on the way to a position, that is taken to be uniform."""


class Learnt(NamedTuple):
    """What both players have learnt."""

    regrets: Players
    """Rows by move, columns by hand; so are the sums."""
    sums: Players
    own: Players
    """The reach of each node by the player's own will, with each hand, some passes ago."""


class Known(NamedTuple):
    """Opponents of one of the players whose strategies are known to it."""

    learner: int
    """The player who meets them, or NOBODY."""
    strategies: Numbers
    """Their strategies: opponents by moves by hands."""
    share: float
    """The share of the learner's passes that is against one of them."""


class Workspace(NamedTuple):
    """Arrays that one pass of a player writes besides regrets."""

    mixture: Numbers
    """One node's strategies: moves by hands."""
    joint: Numbers
    """The reach of each node by both wills, with each hand."""
    values: Numbers
    """The value of each node with each hand."""
    worth: Numbers
    """The payoff of each leaf table to the player with each hand."""
    chosen: Numbers
    """The chance of each edge's move by the other player, with the hand drawn."""
    reached: npt.NDArray[np.bool_]
    """True for the nodes that the other's will leads to."""


@kernel
def part_of(buffer: Numbers, rows: int, columns: int) -> Numbers:
    """Return the first numbers of a buffer as a matrix."""
    return buffer[: rows * columns].reshape((rows, columns))


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
    player: int, graph: Layout, learnt: Learnt, mixture: Numbers, weight: float
) -> None:
    """Add a player's strategies to its averages, by how far its own will leads there.

    ``learnt.own`` is left with that reach when a few moves are any at all.
    """
    actors, edges, targets, ways = graph.actors, graph.edges, graph.targets, graph.ways
    regrets, sums, own = learnt.regrets[player], learnt.sums[player], learnt.own[player]
    hands = own.shape[1]
    surely, rarely = np.float32(1.0 - EXPLORING), np.float32(EXPLORING)
    own[:] = 0.0
    own[0] = 1.0
    for node in range(actors.size):
        begin, end = edges[node], edges[node + 1]
        reach = own[node]
        if actors[node] == player:
            moves = end - begin
            place = graph.offsets[node]
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
    player: int, other: int, graph: Layout, regrets: Numbers, space: Workspace
) -> None:
    """Compute what the other of ``player`` does with one hand, and where that can lead."""
    actors, edges, targets = graph.actors, graph.edges, graph.targets
    chosen, reached = space.chosen, space.reached
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
        place, total = graph.offsets[node] - begin, nothing
        for edge in range(begin, end):
            chosen[edge] = max(regrets[place + edge, other], nothing)
            total += chosen[edge]
        even = np.float32(1.0 / (end - begin))
        for edge in range(begin, end):
            chosen[edge] = chosen[edge] / total if total > nothing else even
            if targets[edge] >= 0 and chosen[edge] > nothing:
                reached[targets[edge]] = True


@kernel
def go_forward(player: int, graph: Layout, regrets: Numbers, space: Workspace) -> None:
    """Compute how far both wills lead to each node with each of the player's hands."""
    actors, edges, targets, ways = graph.actors, graph.edges, graph.targets, graph.ways
    chosen, reached, joint = space.chosen, space.reached, space.joint
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
            moves, place = end - begin, graph.offsets[node]
            mixed, few = space.mixture[:moves], rarely * np.float32(1.0 / moves)
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
def go_back(player: int, graph: Layout, learnt: Learnt, space: Workspace, weight: float) -> None:
    """Compute values, and add regrets, by node and the player's hand."""
    actors, edges, targets = graph.actors, graph.edges, graph.targets
    chosen, values, worth = space.chosen, space.values, space.worth
    regrets, own = learnt.regrets[player], learnt.own[player]
    hands = values.shape[1]
    nothing = np.float32(0.0)
    sums, evens = np.zeros(hands, np.float32), np.zeros(hands, np.float32)
    totals = np.zeros(hands, np.float32)
    for node in range(actors.size - 1, -1, -1):
        if not space.reached[node]:
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
        place = graph.offsets[node]
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
        both, alone = space.joint[node], own[node]
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
def learn_passes(
    graph: Layout,
    shares: tuple[Real, Real],
    learnt: Learnt,
    known: Known,
    points: Real,
    stream: Stream,
    done: int,
    wanted: int,
) -> None:
    """Passes for either player in turn, against hands of the other drawn evenly.

    In its share of the passes the learner meets one of the known players instead.
    """
    most, nodes, tables = most_moves(graph), graph.actors.size, graph.payoffs.shape[0]
    reached, chosen = np.zeros(nodes, np.bool_), np.zeros(graph.targets.size, np.float32)
    # Made once: fresh memory for each pass would take longer than the pass.
    larger = max(learnt.own[0].shape[1], learnt.own[1].shape[1])
    mixtures = np.zeros(most * larger, np.float32)
    joints = np.zeros(nodes * larger, np.float32)
    all_values = np.zeros(nodes * larger, np.float32)
    worths = np.zeros(tables * larger, np.float32)
    for done_now in range(done, done + wanted):
        weight = float(done_now + 1)
        for player in range(2):
            hands = learnt.own[player].shape[1]
            mixture, worth = part_of(mixtures, most, hands), part_of(worths, tables, hands)
            joint, values = part_of(joints, nodes, hands), part_of(all_values, nodes, hands)
            space = Workspace(mixture, joint, values, worth, chosen, reached)
            if done_now % PASSES_PER_AVERAGE == 0:
                add_averages(player, graph, learnt, mixture, weight)
            points[player] = (points[player] + GOLDEN) % 1.0
            other = draw_at(shares[1 - player], points[player])
            for table in range(tables):
                for hand in range(hands):
                    one, two = (hand, other) if player == 0 else (other, hand)
                    row, column = graph.row_kinds[table, one], graph.column_kinds[table, two]
                    paid = graph.payoffs[table, row, column]
                    worth[table, hand] = paid if player == 0 else -paid
            will = learnt.regrets[1 - player]
            if player == known.learner:
                point = uniform(stream)
                if point < known.share:
                    will = known.strategies[int(point / known.share * known.strategies.shape[0])]
            follow_other(player, other, graph, will, space)
            go_forward(player, graph, learnt.regrets[player], space)
            go_back(player, graph, learnt, space, weight)


class HandsSolver(GraphSolver):
    """CFR for all hands at once. Regrets and sums are by move and hand."""

    variant = "fsicfr over all hands"

    def __init__(
        self,
        graph: MemoryGraph,
        seed: int = 0,
        learner: int = NOBODY,
        known: Sequence[Numbers] = (),
        share: float = 0.0,
    ) -> None:
        """Begin with no regrets.

        In a ``share`` of its passes the ``learner`` meets one of the ``known`` opponents, whose
        strategies are by hand and laid out as averages.
        """
        super().__init__(graph, seed)
        (one, first), (two, second) = self._sizes()
        self.regrets = np.zeros((first, one), np.float32), np.zeros((second, two), np.float32)
        self.sums = np.zeros((first, one), np.float32), np.zeros((second, two), np.float32)
        nodes = graph.nodes
        own = np.zeros((nodes, one), np.float32), np.zeros((nodes, two), np.float32)
        self._learnt = Learnt(self.regrets, self.sums, own)
        self._points = np.array([uniform(self._stream), uniform(self._stream)])
        by_move = [chances.T for chances in known] or [np.zeros((0, 0), np.float32)]
        self._known = Known(learner, np.array(by_move, np.float32, order="C"), share)

    def iterate(self, times: int) -> None:
        """Make this many passes for each player."""
        for some in chunks(times, CHUNK):
            learn_passes(
                self._layout,
                self._shares,
                self._learnt,
                self._known,
                self._points,
                self._stream,
                self.iterations,
                some,
            )
            self.iterations += some

    def average(self) -> Players:
        """Return each player's average strategy, by hand and by ``offsets``."""
        first, second = (
            np.ascontiguousarray(average_of(self.graph, player, self.sums[player].T))
            for player in range(PLAYERS)
        )
        return first, second


def restricted_response(
    graph: MemoryGraph, seed: int, passes: int, known: list[Players], share: float
) -> Players:
    """Return strategies of either player that meet known ones in a share of their passes."""
    learnt = []
    for learner in range(PLAYERS):
        met = [strategies[1 - learner] for strategies in known]
        solver = HandsSolver(graph, seed, learner, met, share)
        solver.iterate(passes)
        learnt.append(solver.average()[learner])
    return learnt[0], learnt[1]
