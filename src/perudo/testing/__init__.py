"""Checks for authors of games and of agents: whether they keep their contracts.

    from perudo.testing import check_agent, check_game
    check_game(MY_GAME)
    check_agent(MyAgent())

They work for any registered game and for any agent. What is found is raised as ``ContractError``
with the game or the agent, the position, and what was broken.
"""

from __future__ import annotations

from perudo.testing.agent_check import AgentReport, check_agent
from perudo.testing.contract import ContractError
from perudo.testing.game_check import GameReport, check_game

__all__ = ["AgentReport", "ContractError", "GameReport", "check_agent", "check_game"]
