"""Checks for authors of games and agents, that these keep their contracts.

    from perudo.testing import check_agent, check_game
    check_game(MY_GAME)
    check_agent(MyAgent())

They work for any registered game and any agent. A violation raises ``ContractError``, which names
the game or agent, the position, and the problem.
"""

from __future__ import annotations

from perudo.testing.agent_check import AgentReport, check_agent
from perudo.testing.contract import ContractError
from perudo.testing.game_check import GameReport, check_game

__all__ = ["AgentReport", "ContractError", "GameReport", "check_agent", "check_game"]
