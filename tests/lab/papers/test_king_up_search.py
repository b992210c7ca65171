"""POMCP in a public game tree wins King UP against random players, from every seat.

A small sample; docs/search.md has the large one.
"""

from __future__ import annotations

import pytest

from perudo.agents import agent_named
from perudo.games import game_named
from perudo.lab.arena import run
from perudo.lab.contest import Contest, interval

RANDOM_SHARE = (0.38, 0.34, 0.29)
"""Share won by a random player in each of three seats; ties go to the lowest seat."""


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("agent", ["pomcp-pgt-ucb", "pomcp-pgt-rm"])
def test_random_players_are_beaten(agent: str, seat: int) -> None:
    game, games = game_named("king_up"), 60
    players = [agent_named("random") for _ in range(3)]
    players[seat] = agent_named(f"{agent}:iterations=500,prior=0")
    contest = Contest(game, game.setting("thesis"), players, games, seating="fixed")
    wins = run(contest).agent(seat)["wins"]
    low, _ = interval(wins, games) or (0.0, 0.0)
    assert low > RANDOM_SHARE[seat]
