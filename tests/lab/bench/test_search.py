"""The rows of ``perudo bench`` about solving and searching."""

from __future__ import annotations

from typing import Any

import pytest

from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.bench import rates
from perudo.lab.bench import search as bench_search
from perudo.lab.bench.search import PEER_SIMULATIONS, SEARCHED, SEARCHERS
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.trees.public_tree import build


def test_both_searches_are_measured_and_compared() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel comes with the extra 'peers'")
    rates = bench_search.search_rates(seconds=0.02, slices=2)
    assert len(rates) == len(SEARCHED) * (len(SEARCHERS) + 1)
    assert all(len(slices) == 2 and min(slices) > 0 for slices in rates.values())
    ratios = bench_search.search_ratios({name: round(max(rates[name])) for name in rates})
    assert len(ratios) == len(SEARCHED) * len(SEARCHERS)
    assert min(ratios.values()) > 1


def test_a_search_says_how_many_simulations_it_made() -> None:
    name, place = next(iter(SEARCHERS.values())), SEARCHED["answer"]
    assert bench_search._searcher(name, place)() == 10_000
    peer = bench_search._open_spiel_searcher([15])
    if peer is not None:
        assert peer() == PEER_SIMULATIONS


def test_both_solvers_are_measured_at_the_same_exploitability(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel comes with the extra 'peers'")
    monkeypatch.setattr(bench_search, "TARGETS", (0.2,))
    monkeypatch.setattr(bench_search, "_memory_in_a_process", lambda who: {"growth": 1.0})
    result = bench_search.solving()
    row: Any
    (row,) = result["targets"]
    ours = Solver(build(PERUDO.start(Rules.parse("openspiel"), 2, [1, 1], opener=0)), "cfr+")
    ours.iterate(row["cfr+"]["iterations"] - 1)
    assert ours.exploitability() > 0.2
    ours.iterate()
    assert ours.exploitability() <= 0.2
    assert row["open_spiel"]["exploitability"] == pytest.approx(ours.exploitability(), abs=1e-12)
    assert row["open_spiel"]["iterations_made"] == row["cfr+"]["iterations"]
    assert row["ratio_cfr+"] > 1
    assert result["evaluation_ms"]["open_spiel"] > result["evaluation_ms"]["ours"]
    rates.show(rates.Measurements({}, result, ""))


def test_iterations_that_would_take_too_long_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel comes with the extra 'peers'")
    monkeypatch.setattr(pyspiel, "exploitability", lambda game, policy: 0.5)  # takes seconds
    monkeypatch.setattr(bench_search, "PEER_CHUNK", 1)
    monkeypatch.setattr(bench_search, "PEER_SECONDS", 1e-9)
    found = bench_search._solve_with_open_spiel({0.005: 100}, lambda: None)
    assert found is not None
    assert found.targets[0.005]["iterations_made"] == 1
    assert found.seconds[0.005] > 1


def test_solving_takes_memory() -> None:
    memory = bench_search._memory_of("ours")
    assert 0 <= memory["growth"] < memory["whole"]


def test_unknown_sections_are_refused() -> None:
    with pytest.raises(PerudoError, match="unknown section 'speed'; there are: rounds, "):
        rates.run(0.1, ["speed"])
