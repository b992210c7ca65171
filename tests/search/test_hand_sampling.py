"""CFR over all hands of one player at once, on graphs of rounds with a short memory."""

from __future__ import annotations

import numpy as np
import pytest

from perudo.games.perudo import PERUDO, Rules
from perudo.games.state import State
from perudo.search.fsicfr import MemorySolver
from perudo.search.hand_sampling import HandsSolver
from perudo.search.memory_graph import build
from perudo.search.page import ALL_MOVES


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
