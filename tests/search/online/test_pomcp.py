"""POMCP and POMCP in a public game tree: formulas by hand, known values, and all games."""

from __future__ import annotations

from typing import Any

import kuhn_poker
import numpy as np
import pytest

import perudo
from perudo.agents import agent_named
from perudo.games import game_named
from perudo.games.chance import stream_of
from perudo.games.game import State
from perudo.games.king_up import appendix_state
from perudo.search.online.pomcp import TRACES, trace

SEARCHERS = ("pomcp", "pomcp-pgt-ucb", "pomcp-pgt-rm")


def decide(agent: str, state: State, seed: int = 1) -> Any:
    chosen = agent_named(agent)
    seat = state.actor
    assert seat is not None
    return chosen.decide(state.observe(seat), chosen.new_memory(), stream_of(seed))


def throw() -> State:
    game = game_named("rock_paper_scissors")
    return game.start(game.setting("standard"), 2)


@pytest.mark.parametrize("prior", [0, 10])
@pytest.mark.parametrize("agent", ["pomcp-pgt-ucb", "pomcp-pgt-rm"])
def test_rock_paper_scissors_is_worth_a_half(agent: str, prior: int) -> None:
    """To both players (figure 4.14). The throws are hidden: the second thrower's information set
    holds all three first throws. Moves that regret matching seldom makes are known less well."""
    spec = f"{agent}:iterations=20000,prior={prior}"
    parameters = agent_named(spec).parameters  # type: ignore[attr-defined]
    for seed in range(1, 9):
        found = trace(throw().observe(0), parameters, stream_of(seed))[-1]
        assert found == pytest.approx([0.5, 0.5], abs=0.02)
    values = decide(spec, throw()).thoughts.values
    assert values == pytest.approx(dict.fromkeys(values, 0.5), abs=0.05)


def test_the_floor_counts_in_the_final_draw_only_if_asked() -> None:
    """The worst throw has no regret but the floor."""
    worst_thrown = {"no": 0, "yes": 0}
    for floor in worst_thrown:
        for seed in range(200):
            found = decide(f"pomcp-pgt-rm:iterations=50,prior=0,floor={floor}", throw(), seed)
            values = found.thoughts.values
            worst_thrown[floor] += (
                values[found.action] == min(values.values()) < max(values.values())
            )
    assert worst_thrown["no"] == 0
    assert worst_thrown["yes"] > 5


def test_play_by_regret_is_even() -> None:
    """The moves drawn after 20,000 simulations, over many searches."""
    searches = 600
    actions = [
        decide("pomcp-pgt-rm:iterations=20000", throw(), seed).action for seed in range(searches)
    ]
    for action in ("rock", "paper", "scissors"):
        assert actions.count(action) / searches == pytest.approx(1 / 3, abs=0.05)


@pytest.mark.parametrize("agent", ["pomcp-pgt-ucb", "pomcp-pgt-rm"])
def test_king_up_state_4_8(agent: str) -> None:
    """Player 2 ends the round at once and gets the bonus: 15/50."""
    state = appendix_state("4.8", turn=1)
    values = decide(f"{agent}:iterations=20000", state).thoughts.values
    assert max(values.values()) == pytest.approx(0.30, abs=0.01)


@pytest.mark.parametrize("agent", ["pomcp-pgt-ucb", "pomcp-pgt-rm"])
@pytest.mark.parametrize("figure", ["4.1", "4.5", "4.8", "4.9"])
def test_values_settle(figure: str, agent: str) -> None:
    """In the last fifth of the iterations no player's value moves by 0.02."""
    state = appendix_state(figure, turn=1)
    parameters = agent_named(f"{agent}:iterations=20000").parameters  # type: ignore[attr-defined]
    points = trace(state.observe(1), parameters, stream_of(1))
    last = points[4 * TRACES // 5 :]
    assert points.shape == (TRACES, 3)
    assert np.all(last.max(axis=0) - last.min(axis=0) < 0.02)
    assert np.all(points[-1] > 0)


@pytest.mark.parametrize("agent", SEARCHERS)
def test_certain_calls_are_found(agent: str) -> None:
    """Three sixes stand, and only one die is unseen: the own 2 and 3 rule them out."""
    state = perudo.position("common 23/? A 3x6")
    decision = decide(f"{agent}:iterations=4000", state)
    assert str(decision.action) == "dudo"
    assert decision.thoughts.values["dudo"] == 1.0


@pytest.mark.parametrize("agent", SEARCHERS)
def test_the_same_seed_searches_alike(agent: str) -> None:
    state = perudo.position("official 11246/?????/????? A 3x4")
    for options in ("iterations=500", "iterations=500,rollout=observer", "iterations=50,repeats=3"):
        one, other = (decide(f"{agent}:{options}", state, 5) for _ in range(2))
        assert one == other


@pytest.mark.parametrize("agent", SEARCHERS)
@pytest.mark.parametrize("root", ["own", "public"])
def test_every_game_is_searched(agent: str, root: str) -> None:
    kuhn = kuhn_poker.KUHN_POKER
    for state in (
        kuhn.start(kuhn.setting("standard"), 2).deal(1),
        throw(),
        appendix_state("4.5", turn=1),
        perudo.position("official 11246/?????/????? A 3x4"),
    ):
        decision = decide(f"{agent}:iterations=300,root={root}", state)
        assert decision.action in state.legal_actions
        assert decision.thoughts.rollouts == 300


def test_a_time_limit_ends_a_search() -> None:
    decision = decide("pomcp-pgt-ucb:iterations=10000000,time_limit=0.05", throw())
    assert 0 < decision.thoughts.rollouts < 10_000_000
    assert agent_named("pomcp:time_limit=1").uses_clock


def test_rollouts_by_agents_of_perudo_play_perudo() -> None:
    king_up = game_named("king_up")
    reason = agent_named("pomcp:rollout=observer").cannot_play(king_up, None, 3)
    assert reason == "pomcp:rollout=observer plays perudo, not king_up"
    assert agent_named("pomcp").cannot_play(king_up, None, 3) is None
