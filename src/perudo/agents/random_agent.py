"""Uniform over the legal actions, in any game."""

from __future__ import annotations

from typing import Any

from perudo.agents.agent import Agent
from perudo.games.chance import Stream, below
from perudo.games.state import State


class RandomAgent(Agent):
    """Every legal action is as likely as any other."""

    name = "random"
    idea = "every legal action is as likely as any other"

    def decide(self, observation: State, memory: Any, stream: Stream) -> Any:
        """Draw one."""
        actions = observation.legal_actions
        return actions[int(below(stream, len(actions)))]
