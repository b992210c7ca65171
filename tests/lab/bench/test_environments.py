"""The rows about environments measure what they say."""

from __future__ import annotations

import pytest

from perudo.lab.bench import environments
from perudo.lab.bench.environments import (
    LANES,
    TABLES,
    batched,
    environment_rates,
    environment_ratios,
    one_by_one,
)

pytest.importorskip("pettingzoo")


def test_both_ways_are_measured_and_compared() -> None:
    rates = environment_rates(seconds=0.02, slices=2)
    assert [name.removesuffix("_common_2x5") for name in rates][2:] == ["batched", "pettingzoo_aec"]
    assert all(len(slices) == 2 and min(slices) > 0 for slices in rates.values())
    ratios = environment_ratios({"batched_common_2x5": 90, "pettingzoo_aec_common_2x5": 4})
    assert ratios == {"batched_common_2x5 / pettingzoo_aec_common_2x5": 22.5}


def test_a_contender_says_how_many_steps_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, players = TABLES["common_2x5"]
    assert batched(rules, players)() == LANES
    loop = one_by_one(rules, players)
    assert loop is not None
    monkeypatch.setattr(environments, "AEC_STEPS", 1)
    assert loop() > 8  # at least one match: two players with five dice each lose five
