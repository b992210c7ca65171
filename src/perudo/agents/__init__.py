"""Players of Perudo and other games: an interface, a registry, and the players themselves."""

from perudo.agents.agent import Agent, CompiledAgent, Decision, Player, Thoughts
from perudo.agents.registry import AGENTS, agent_named, split_agents

__all__ = [
    "AGENTS",
    "Agent",
    "CompiledAgent",
    "Decision",
    "Player",
    "Thoughts",
    "agent_named",
    "split_agents",
]
