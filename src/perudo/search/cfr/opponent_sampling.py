"""CFR on the graph of a round with a short memory, for all hands of one player at once.

FSICFR draws a deal for each iteration, so a hand of five dice learns from one in 252 of them, each
time against one hand. Here a pass draws one hand of the *other* player, and all hands of the
learner play against it: a pass is as good as 252 deals, and its loops run over hands, side by side
in memory. A pass skips the parts of the graph that the drawn hand never leads to.

A player who has forgotten how a position came about should weigh its paths by how likely they are.
FSICFR weighs all paths to a position equally, even those that the learner would never take. Here
the weight of a regret is the joint reach of both players divided by the learner's own reach: the
other's reach, given how the learner plays. With perfect recall both weights are equal, as in CFR.

A learner may also be given the strategies of known opponents, and meet them in a share of its
passes: a restricted Nash response (Johanson, Zinkevich and Bowling, Computing robust
counter-strategies, 2007). A larger share wins more from these opponents, and loses more to others.
The opponent's own passes are always against the learner, so the two players have to be learnt one
at a time.

The hands drawn are spread evenly over all deals (by the golden ratio sequence), which has less
variance than independent draws. A pass's weight is its number (linear CFR).
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
"""The learner of a solver without known opponents."""
GOLDEN = 0.6180339887498949
PASSES_PER_AVERAGE = 16
"""The number of passes between two updates of the average strategies."""
EXPLORING = 0.05
"""The share of uniformly random moves that is mixed into a player's own reach of a position."""


class Learnt(NamedTuple):
    """The regrets, strategy sums and reaches of both players."""

    regrets: Players
    """Regrets, with rows by move and columns by hand; ``sums`` has the same layout."""
    sums: Players
    own: Players
    """The player's own reach of each node with each hand, as of the last update of averages."""


class Known(NamedTuple):
    """Opponents whose strategies one of the players knows."""

    learner: int
    """The player who meets them, or NOBODY."""
    strategies: Numbers
    """Their strategies: opponents by moves by hands."""
    share: float
    """The share of the learner's passes that are against one of them."""


class Workspace(NamedTuple):
    """The scratch arrays of a pass."""

    mixture: Numbers
    """One node's strategies: moves by hands."""
    joint: Numbers
    """The joint reach of each node by both players, with each hand."""
    values: Numbers
    """The value of each node with each hand."""
    worth: Numbers
    """The payoff of each leaf table to the player with each hand."""
    chosen: Numbers
    """The probability of each edge's move by the other player, with the hand drawn."""
    reached: npt.NDArray[np.bool_]
    """True for the nodes that the other player's moves can lead to."""


@kernel
def part_of(buffer: Numbers, rows: int, columns: int) -> Numbers:
    """Return the first numbers of a buffer as a matrix."""
    return buffer[: rows * columns].reshape((rows, columns))


@kernel
def mix_moves(block: Numbers, mixture: Numbers) -> None:
    """Fill in strategies by regret matching, indexed by move and hand like the regrets."""
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
    """Add a player's strategies to its sums, weighted by its own reach.

    This also updates ``learnt.own``, with a share ``EXPLORING`` of random moves.
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
    """Fill in the strategy of the opponent of ``player`` with one hand, and the reached nodes."""
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
    """Fill in the joint reach of each node with each of the player's hands."""
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
    """Compute values and add regrets, by node and by the player's hand."""
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
            # ``own`` is some passes old, so the quotient may exceed 1.
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
    """Run passes for either player in turn, against evenly spread hands of the other.

    In a share of its passes the learner meets one of the known opponents instead.
    """
    most, nodes, tables = most_moves(graph), graph.actors.size, graph.payoffs.shape[0]
    reached, chosen = np.zeros(nodes, np.bool_), np.zeros(graph.targets.size, np.float32)
    # Allocated once, because allocating for each pass would take longer than the pass.
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
    """The solver for all hands at once. Regrets and sums are indexed by move and hand."""

    variant = "fsicfr over all hands"

    def __init__(
        self,
        graph: MemoryGraph,
        seed: int = 0,
        learner: int = NOBODY,
        known: Sequence[Numbers] = (),
        share: float = 0.0,
    ) -> None:
        """Start with no regrets.

        In a ``share`` of its passes the ``learner`` meets one of the ``known`` opponents, whose
        strategies are laid out like the result of ``average``.
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
        """Run this many passes for each player."""
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
        """Return both players' average strategies, by hand and by ``offsets``."""
        first, second = (
            np.ascontiguousarray(average_of(self.graph, player, self.sums[player].T))
            for player in range(PLAYERS)
        )
        return first, second


def restricted_response(
    graph: MemoryGraph, seed: int, passes: int, known: list[Players], share: float
) -> Players:
    """Return both players' restricted Nash responses to the known strategies."""
    learnt = []
    for learner in range(PLAYERS):
        met = [strategies[1 - learner] for strategies in known]
        solver = HandsSolver(graph, seed, learner, met, share)
        solver.iterate(passes)
        learnt.append(solver.average()[learner])
    return learnt[0], learnt[1]
