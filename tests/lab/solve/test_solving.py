"""``perudo solve``: how large a round is, what is refused, and what comes of the others."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import kuhn_poker
import numpy as np
import pytest

from perudo.cli.solve import SolveSettings, run_solve
from perudo.games import game_named
from perudo.games.errors import PerudoError
from perudo.games.game import State
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.solve import solving
from perudo.lab.solve.solving import Progress, make_solver, solve, start_of, summary
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.trees.public_tree import LEAF, TooLargeError, build
from perudo.search.trees.tree_size import tree_size

GIB = 2**30


def perudo(rules: str, *dice: int) -> State:
    return start_of(PERUDO, Rules.parse(rules), list(dice))


def kuhn() -> State:
    game = kuhn_poker.KUHN_POKER
    return game.start(game.setting("standard"), 2)


@pytest.mark.parametrize(
    "start",
    [
        perudo("common", 2, 1),
        perudo("asmodee", 2, 1),
        perudo("official", 1, 1),
        perudo("common_aces", 1, 1),
        perudo("s0_sim", 1, 1),
    ],
    ids=["common", "asmodee", "official", "common_aces", "s0_sim"],
)
def test_a_tree_is_as_large_as_was_said(start: State) -> None:
    size, tree = tree_size(start), build(start)
    assert size.complete
    assert size.positions == tree.nodes
    assert size.information_sets == tree.information_sets
    assert size.hands == tuple(len(hands) for hands in tree.hands)
    moves = np.diff(tree.edges) * tree.members
    assert size.moves == tuple(int(moves[tree.actors == seat].sum()) for seat in (0, 1))
    assert size.leaves == int(tree.members[tree.actors == LEAF].sum())


def test_an_estimate_is_right_on_average() -> None:
    """In Kuhn poker a bet can be called as a check can be followed by a bet: two moves each, but
    the check can be answered once more. So both are counted as one of them: 7 or 11 for 9."""
    found = [tree_size(kuhn(), seed).positions for seed in range(300)]
    assert set(found) == {7, 11}
    assert np.mean(found) == pytest.approx(9, abs=0.5)


def test_the_memory_is_what_was_said() -> None:
    start = perudo("common", 2, 1)
    for precision in (np.float32, np.float64):
        said = tree_size(start).bytes(precision)
        assert Solver(build(start), precision=precision).bytes == pytest.approx(said, rel=0.1)


def test_full_dudo_has_as_many_information_sets_as_is_known() -> None:
    """2.9e20 (Neller and Hnath 2011): every set of the 60 claims, with each of 252 hands."""
    assert tree_size(perudo("openspiel", 5, 5)).information_sets == 252 * 2**60


@pytest.mark.parametrize(
    "rules, dice, gib, reason",
    [
        (
            "common",
            (3, 2),
            24,
            "6.7e.07 public positions and 1.3e.09 .* 72 GiB, but only 14 are available;",
        ),
        ("official", (5, 5), 24, "2.8e.23 information sets would take .*; --memory K remembers"),
        (
            "official",
            (2, 2),
            24,
            "18 GiB, but only 14 are available; --precision 32 would take 9.2 GiB",
        ),
        (
            "common",
            (2, 2),
            0.5,
            "1.1 GiB, but only 0.3 are available; --memory K remembers only the last K",
        ),
    ],
)
def test_what_would_not_fit_is_refused_with_an_estimate(
    monkeypatch: pytest.MonkeyPatch, rules: str, dice: Any, gib: float, reason: str
) -> None:
    monkeypatch.setattr(solving, "available_memory", lambda: int(gib * GIB))
    with pytest.raises(TooLargeError, match=reason):
        make_solver(perudo(rules, *dice), "dcfr", np.float64)


def test_a_tree_that_cannot_be_counted_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perudo.search.trees.tree_size.MOST_LOOKS", 50)
    with pytest.raises(TooLargeError, match=r"^more than .* public positions"):
        make_solver(perudo("common", 1, 1), "dcfr", np.float64)


def test_solving_goes_on_to_the_target_and_reports() -> None:
    solver = make_solver(perudo("asmodee", 1, 1), "dcfr", np.float64)
    reports: list[Progress] = []
    last = solve(solver, 1e-3, report=reports.append)
    assert reports[-1] == last
    assert [progress.iterations for progress in reports[:3]] == [10, 12, 14]
    assert last.exploitability <= 1e-3 < reports[-2].exploitability
    found = summary(solver, last, 1e-3)
    assert found["reached"] is True
    assert found["dice"] == [1, 1]
    assert found["value"] == last.value


def test_solving_stops_in_time() -> None:
    solver = make_solver(perudo("asmodee", 1, 1), "cfr", np.float64)
    last = solve(solver, 1e-12, limit=0.05)
    assert last.exploitability > 1e-12
    assert not summary(solver, last, 1e-12)["reached"]


def test_hidden_moves_are_solved_too() -> None:
    game = game_named("rock_paper_scissors")
    start = start_of(game, game.setting("standard"), None)
    solver = make_solver(start, "cfr+", np.float64)
    assert solve(solver, 1e-6).value == pytest.approx(0.5, abs=1e-6)
    with pytest.raises(PerudoError, match="rock_paper_scissors has no dice"):
        start_of(game, game.setting("standard"), [1, 1])


def test_the_command_prints_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    settings = SolveSettings(rules="asmodee", json=True)
    assert run_solve(settings) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["exploitability"] <= 1e-3
    with pytest.raises(PerudoError, match="--precision 32 or 64, not dcfr and 16"):
        run_solve(replace(settings, precision=16))
