"""CFR over all hands of one player at once, on graphs of rounds with a short memory."""

from __future__ import annotations

import numpy as np
import pytest

from perudo.games.game import State
from perudo.games.perudo import PERUDO, Rules
from perudo.search.cfr.fsicfr import MemorySolver, value_of
from perudo.search.cfr.opponent_sampling import HandsSolver, restricted_response
from perudo.search.files.page import ALL_MOVES
from perudo.search.trees.memory_graph import MemoryGraph, build
from perudo.search.trees.outcomes import Numbers, Players, Real


def start(rules: str, *dice: int) -> State:
    return PERUDO.start(Rules.parse(rules), 2, list(dice), opener=0)


def test_with_a_full_memory_the_known_value_is_found() -> None:
    """One die each, ones wild: -7/327 to the opener."""
    solver = HandsSolver(build(start("common", 1, 1), ALL_MOVES))
    solver.iterate(4_000)
    assert solver.value() == pytest.approx(-7 / 327, abs=2e-3)


def test_chances_of_a_row_add_up() -> None:
    solver = HandsSolver(build(start("common", 2, 1), 2))
    solver.iterate(200)
    graph = solver.graph
    for player, chances in enumerate(solver.average()):
        mine = np.flatnonzero(graph.actors == player)
        totals = np.add.reduceat(chances, graph.offsets[mine], axis=1)
        assert totals == pytest.approx(np.ones_like(totals), abs=1e-4)


def test_the_same_seed_learns_the_same_in_any_steps() -> None:
    graph = build(start("common", 2, 1), 1)
    one, other, third = HandsSolver(graph, 1), HandsSolver(graph, 1), HandsSolver(graph, 2)
    one.iterate(100)
    for _ in range(4):
        other.iterate(25)
    third.iterate(100)
    assert np.array_equal(one.sums[0], other.sums[0])
    assert not np.array_equal(one.sums[0], third.sums[0])


def test_strategies_are_laid_out_as_those_of_fsicfr() -> None:
    """So that pages and values are made from either in the same way."""
    graph = build(start("common", 2, 1), 1)
    mine, theirs = HandsSolver(graph), MemorySolver(graph)
    assert np.array_equal(mine.offsets, theirs.offsets)
    assert [a.shape for a in mine.average()] == [a.shape for a in theirs.average()]
    # Nobody has learnt anything: all moves are alike, and worth the same.
    assert mine.value() == pytest.approx(theirs.value())


# --- opponents that are known -------------------------------------------------------------------
def best_response(graph: MemoryGraph, player: int, known: Numbers) -> float:
    """Return the value of the best response to the other's strategies, with perfect recall."""
    kinds = graph.outcomes.row_kinds, graph.outcomes.column_kinds
    sign = 1 if player == 0 else -1

    def worth(node: int, hand: int, reach: Real) -> float:
        values = []
        for move in range(int(graph.edges[node + 1] - graph.edges[node])):
            into, there = int(graph.targets[graph.edges[node] + move]), reach
            if graph.actors[node] != player:
                there = reach * known[:, graph.offsets[node] + move]
            if into >= 0:
                values.append(worth(into, hand, there) if there.any() else 0.0)
            else:
                table = -1 - into
                own, others = kinds[player][table, hand], kinds[1 - player][table]
                paid = graph.payoffs[table]
                row = paid[own, others] if player == 0 else paid[others, own]
                values.append(float(sign * row @ there))
        return max(values) if graph.actors[node] == player else sum(values)

    chances = graph.weights[player]
    other = graph.weights[1 - player]
    return float(sum(chances[hand] * worth(0, hand, other) for hand in range(len(chances))))


def learnt_badly(graph: MemoryGraph, seed: int = 0) -> Players:
    solver = MemorySolver(graph, seed)
    solver.iterate(500)
    first, second = solver.average()
    return first, second


@pytest.mark.parametrize("player", [0, 1])
def test_who_meets_nobody_else_finds_the_best_response(player: int) -> None:
    graph = build(start("common", 1, 1), ALL_MOVES)
    known = learnt_badly(graph)
    found = list(known)
    solver = HandsSolver(graph, 0, player, [known[1 - player]], share=1.0)
    solver.iterate(3_000)
    found[player] = solver.average()[player]
    value = value_of(graph, found[0], found[1]) * (1 if player == 0 else -1)
    best = best_response(graph, player, known[1 - player])
    assert best - 5e-3 < value < best + 1e-5


def test_who_never_meets_the_known_learns_as_without() -> None:
    graph = build(start("common", 2, 1), 1)
    known = learnt_badly(graph)
    one, other = HandsSolver(graph, 1), HandsSolver(graph, 1, 0, [known[1]], share=0.0)
    one.iterate(100)
    other.iterate(100)
    assert np.array_equal(one.sums[0], other.sums[0])
    assert np.array_equal(one.sums[1], other.sums[1])


def test_the_larger_the_share_the_more_is_won_from_the_known() -> None:
    graph = build(start("common", 2, 2), 2)
    known = [learnt_badly(graph, seed) for seed in range(2)]
    won = []
    for share in (0.0, 0.5, 1.0):
        first, second = restricted_response(graph, 0, 1_000, known, share)
        won.append(
            sum(value_of(graph, first, met[1]) - value_of(graph, met[0], second) for met in known)
        )
    assert won[0] < won[1] < won[2]
