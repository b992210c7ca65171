"""Rounds with a short memory: the graph, FSICFR on it, pages on disk, and match values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from perudo.agents.papers.cfr import Cfr, _canonical, allow_solving
from perudo.games.errors import PerudoError
from perudo.games.game import MATCH, State
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.solve.exploitability import exploitability
from perudo.search.cfr.fsicfr import MemorySolver
from perudo.search.cfr.match_values import Effort, MatchSolver, build_round, solve_round
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.files.page import ALL_MOVES, Page
from perudo.search.files.sealed import SealedFileError
from perudo.search.trees.memory_graph import MemoryGraph, build, shares_of_ways
from perudo.search.trees.public_tree import PublicTree
from perudo.search.trees.public_tree import build as build_tree


def start(rules: str, *dice: int) -> State:
    return PERUDO.start(Rules.parse(rules), 2, list(dice), opener=0)


# --- the graph ----------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", ["common", "asmodee", "openspiel"])
def test_a_long_memory_makes_the_graph_the_tree(rules: str) -> None:
    """As many public decisions, and the same leaf tables."""
    tree, graph = build_tree(start(rules, 1, 1)), build(start(rules, 1, 1), ALL_MOVES)
    assert graph.nodes == tree.decisions
    assert graph.information_sets == tree.information_sets
    assert np.unique(graph.payoffs) == pytest.approx(np.unique(tree.payoffs))


def test_a_short_memory_makes_it_small() -> None:
    """With one bid remembered: a node for each bid and player who may have made it, and the start.

    With two, a node for each pair of bids that can follow one another.
    """
    sizes = [build(start("common", 2, 2), memory).nodes for memory in (1, 2, 3)]
    assert sizes == sorted(sizes)
    assert sizes[0] == 40
    assert sizes[1] <= 40 * 40
    for memory in (1, 2):
        graph = build(start("common", 2, 2), memory)
        forward = graph.targets > np.repeat(np.arange(graph.nodes), np.diff(graph.edges))
        assert np.all(forward | (graph.targets < 0))


def test_ways_are_shared_out() -> None:
    """The shares of the edges that lead to a node make 1."""
    graph = build(start("common", 1, 1), 1)
    shares = shares_of_ways(graph.edges, graph.targets)
    sums = np.zeros(graph.nodes)
    np.add.at(sums, graph.targets[graph.targets >= 0], shares[graph.targets >= 0])
    assert sums[1:] == pytest.approx(np.ones(graph.nodes - 1))


def test_only_for_two_players_who_see_all() -> None:
    with pytest.raises(PerudoError, match="two-player"):
        build(PERUDO.start(Rules.parse("common"), 3), 1)


# --- learning -----------------------------------------------------------------------------------
def test_with_a_full_memory_the_known_value_is_found() -> None:
    """One die each, ones wild: -7/327 to the opener."""
    solver = MemorySolver(build(start("common", 1, 1), ALL_MOVES))
    solver.iterate(150_000)
    assert solver.value() == pytest.approx(-7 / 327, abs=4e-3)
    for average in solver.average():
        assert average.min() >= 0.0


def test_the_value_is_that_of_the_strategies() -> None:
    """Evaluated deal by deal, or on the tree with the same strategies."""
    solver = MemorySolver(build(start("asmodee", 1, 1), ALL_MOVES))
    solver.iterate(500)
    page = solver.page({})
    tree = build_tree(start("asmodee", 1, 1))
    exact = Solver(tree)
    again = exact.page({})
    assert sorted(page.keys.tolist()) == sorted(again.keys.tolist())
    chances = np.zeros_like(exact.sums)
    record = tree.start.record
    PERUDO.operations.chance_outcome(record, 0)
    following = [(0, 0, type(tree.start)(record))]
    while following:
        kind, node, state = following.pop()
        key = int(PERUDO.operations.memory_key(state.record, ALL_MOVES))
        edges = range(int(tree.edges[kind]), int(tree.edges[kind + 1]))
        hands = len(tree.weights[int(tree.actors[kind])])
        size, member = int(tree.members[kind]) * hands, node - int(tree.begin[kind])
        for hand, place in enumerate(_places(tree, int(tree.actors[kind]))):
            row = page.row(key, hand)
            for move in range(len(edges)):
                chances[int(exact.offsets[kind]) + move * size + member * hands + place] = row[move]
        for edge in edges:
            child = int(tree.targets[edge]) + member
            into = int(np.searchsorted(tree.begin, child, side="right")) - 1
            if tree.actors[into] >= 0:
                following.append((into, child, state.apply(int(tree.actions[edge]))))
    assert exact.value(chances) == pytest.approx(solver.value(), abs=1e-4)


def _places(tree: PublicTree, seat: int) -> list[int]:
    record = tree.start.record
    PERUDO.operations.chance_outcome(record, 0)
    places = []
    for index in range(len(tree.weights[seat])):
        PERUDO.operations.put_hand(record, seat, index)
        key = PERUDO.operations.information_key(record, seat)
        places.append(int(np.searchsorted(tree.hands[seat], key)))
    return places


def test_the_same_seed_learns_the_same() -> None:
    graph = build(start("common", 2, 1), 1)
    one, other, third = MemorySolver(graph, 1), MemorySolver(graph, 1), MemorySolver(graph, 2)
    for solver in (one, other, third):
        solver.iterate(300)
    assert np.array_equal(one.sums[0], other.sums[0])
    assert not np.array_equal(one.sums[0], third.sums[0])


# --- pages --------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def page() -> Page:
    solver = MemorySolver(build(start("common", 2, 1), 1))
    solver.iterate(300)
    return solver.page({"memory": 1, "dice": [2, 1]})


def test_pages_are_saved_and_read_again(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "one.page"
    page.save(path)
    again = Page.load(path)
    assert again.about == page.about
    assert np.array_equal(again.chances, page.chances)
    assert again.row(int(page.keys[0]), 3).sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match="read-only"):
        again.chances[0] = 1
    with pytest.raises(PerudoError, match="not part of the solved round"):
        again.row(12345, 0)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[:-10], "damaged"),
        (lambda data: data.replace(b'"version": 1', b'"version": 9'), "version 9"),
        (lambda data: b"PK" + data, "not a perudo page file"),
        (lambda data: b"[1]\n" + data, "not a perudo page file"),
        (
            lambda data: data.replace(b'"positions": ', b'"positions": 1'),
            "does not match its header",
        ),
    ],
)
def test_damaged_pages_are_refused(
    page: Page, tmp_path: Path, damage: Callable[[bytes], bytes], reason: str
) -> None:
    path = tmp_path / "one.page"
    page.save(path)
    assert json.loads(path.read_bytes().split(b"\n")[0])["dice"] == [2, 1]
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SealedFileError, match=reason):
        Page.load(path)
    with pytest.raises(SealedFileError, match="cannot read"):
        Page.load(tmp_path / "none")


# --- matches ------------------------------------------------------------------------------------
def test_one_die_each_is_the_match() -> None:
    """The match is the round; its value is as known."""
    solver = MatchSolver([start("common", 1, 1)], Effort(), _canonical)
    solver.solve()
    (valued,) = solver.valued.values()
    assert valued.value == pytest.approx(-7 / 327, abs=2e-4)
    assert valued.error <= 1e-4


def test_the_match_is_worth_what_its_rounds_lead_to() -> None:
    """2 v 1: who loses opens. If A (two dice) loses a die it is 1 v 1 with A opening; else A wins.

    Against the exact solver with those payoffs set by hand.
    """
    solver = MatchSolver([start("common", 2, 1)], Effort(), _canonical)
    solver.solve()
    values = {
        tuple(int(n) for n in valued.start.record.counts[:2]): valued.value
        for valued in solver.valued.values()
    }
    assert set(values) == {(1, 1), (2, 1)}
    tree = build_tree(start("common", 2, 1))
    by_hand = np.array(
        [state.payoffs(MATCH)[0] if state.over else values[1, 1] for state in tree.outcomes.states]
    )
    exact = Solver(tree.for_match(by_hand), "dcfr")
    exact.iterate(300)
    assert exact.value() == pytest.approx(values[2, 1], abs=1e-3)
    assert values[2, 1] > 0.5  # two dice to one


def test_where_calza_wins_dice_back_values_settle() -> None:
    """Match states lead to each other; every value agrees with those that it was made from."""
    rules = "official:calza_two_players=yes,dice=2"
    effort = Effort(
        memory=1, positions=60, target=2e-3, exact_positions=200, iterations=8_000, settled=0.02
    )
    solver = MatchSolver([start(rules, 2, 1)], effort, _canonical)
    assert len(solver.match_states) > 3
    solver.solve()
    assert solver.change <= effort.settled
    for valued in solver.valued.values():
        round = build_round(valued.start, effort)
        values = np.array([solver.value_of(state) for state in round.outcomes.states])
        again = solve_round(valued.start, round, values, effort)
        assert again.value == pytest.approx(valued.value, abs=0.04)
        assert -1 <= valued.value <= 1
        assert math.isnan(valued.error) == isinstance(round, MemoryGraph)


# --- the agent ----------------------------------------------------------------------------------
def test_cfr_is_solved_where_that_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never in a server; what was solved is found again; its exploitability is as stated."""
    monkeypatch.setenv("PERUDO_BOOKS", str(tmp_path))
    monkeypatch.setattr("perudo.agents.papers.cfr._solving", [])
    small = start("common", 1, 1)
    with pytest.raises(PerudoError, match="has not been solved for common with dice 1,1"):
        Cfr().prepare(small)
    told: list[int] = []
    allow_solving(lambda valued, number, rounds: told.append(number))
    Cfr().prepare(small)
    assert told == [1]
    monkeypatch.setattr("perudo.agents.papers.cfr._solving", [])
    agent = Cfr()
    found = exploitability(agent, small)
    assert found["exploitability"] < 2e-4
    assert "tables of two, not of 4" in str(agent.cannot_play(PERUDO, small.rules, 4))  # type: ignore[attr-defined]
