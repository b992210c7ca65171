"""The PettingZoo environment: its own tests, and the same games as the batched one."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from perudo.games.chance import stream_of
from perudo.games.errors import IllegalActionError, InvalidActionError, PerudoError
from perudo.lab.adapters.batched import BatchedPerudo, random_actions

try:
    from pettingzoo.test import api_test, seed_test
except ImportError:
    if os.environ.get("CI"):
        raise
    pytest.skip("PettingZoo is not installed: pip install 'perudo[peers]'", allow_module_level=True)

from perudo.lab.adapters.pettingzoo_env import PerudoEnv, env

# What PettingZoo's test warns about unless an environment is on its list of those with masks.
MASKED = [
    pytest.mark.filterwarnings(f"ignore:{text}")
    for text in (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box",
        "Action mask numpy array is all zeros",  # after the match
    )
]


def masked(test: Any) -> Any:
    for mark in MASKED:
        test = mark(test)
    return test


@masked
@pytest.mark.parametrize(
    "rules, players, payoffs",
    [("official", 2, "match"), ("common", 3, "round"), ("official", 6, "match")],
)
def test_it_is_as_pettingzoo_wants_it(rules: str, players: int, payoffs: str) -> None:
    api_test(env(rules, players, payoffs), num_cycles=60)
    seed_test(lambda: env(rules, players, payoffs), num_cycles=60)


@pytest.mark.parametrize("payoffs", ["match", "round"])
def test_the_games_are_those_of_lane_0(payoffs: str) -> None:
    players = 3
    batch = BatchedPerudo(1, "official:dice=2", players, seed=5, payoffs=payoffs)
    table = PerudoEnv("official:dice=2", players, payoffs)
    stream, step, games = stream_of(1), batch.reset(), 0
    table.reset(seed=5)
    while games < 3:
        seen, *_ = table.last()
        assert table.agent_selection == f"player_{step.seats[0]}"
        assert (seen["observation"] == step.observations[0]).all()
        assert (seen["action_mask"] == step.masks[0]).all()
        action = random_actions(step.masks, stream)
        step = batch.step(action)
        table.step(int(action[0]))
        assert list(table.rewards.values()) == step.payoffs[0].tolist()
        assert set(table.terminations.values()) == {bool(step.dones[0])}
        if step.dones[0]:
            games += 1
            table.reset()


def test_everybody_gets_the_payoff_of_the_match() -> None:
    table = env("common:dice=1", 3)
    table.reset(seed=1)
    got = {}
    for agent in table.agent_iter():
        seen, reward, over, _, _ = table.last()
        if over:
            got[agent] = reward
            table.step(None)
        else:
            table.step(int(np.flatnonzero(seen["action_mask"])[-1]))
    assert sorted(got.values()) == [-0.5, -0.5, 1.0]
    assert table.agents == []


def test_the_mask_is_only_for_the_one_to_act() -> None:
    table = PerudoEnv("common", 3)
    table.reset(seed=1)
    acting = [agent for agent in table.agents if table.observe(agent)["action_mask"].any()]
    assert acting == [table.agent_selection]


def test_what_cannot_be_done_is_refused() -> None:
    table = PerudoEnv("common", 2)
    table.reset(seed=1)
    before = table.observe(table.agent_selection)["observation"]
    with pytest.raises(IllegalActionError, match="there is no bid to doubt"):
        table.step(50)
    with pytest.raises(InvalidActionError, match="numbered 0 to 50"):
        table.step(51)
    with pytest.raises(InvalidActionError, match="there is no action None"):
        table.step(None)
    assert (table.observe(table.agent_selection)["observation"] == before).all()
    with pytest.raises(PerudoError, match="'ansi' or None"):
        PerudoEnv(render_mode="human")
    with pytest.raises(PerudoError, match="'match' or 'round'"):
        PerudoEnv(payoffs="both")


def test_without_a_seed_the_series_goes_on() -> None:
    def openings(count: int) -> list[bytes]:
        table.reset(seed=3)
        found = []
        for _ in range(count):
            found.append(table.observe("player_0")["observation"].tobytes())
            table.reset()
        return found

    table = PerudoEnv("common", 2)
    first = openings(6)
    assert openings(6) == first
    assert len(set(first)) > 3


def test_a_table_can_be_drawn() -> None:
    table = env("common", 2, render_mode="ansi")
    table.reset(seed=1)
    lines = table.render().splitlines()
    assert lines[0].startswith("common, round 1")
    assert sum("?????" in line for line in lines) == 1  # the other's dice
    table.close()
