"""Who plays: one file per family, one line each in the registry."""

from __future__ import annotations

from perudo.agents.agent import Agent
from perudo.agents.random_agent import RandomAgent
from perudo.games.errors import UnknownNameError

AGENTS: dict[str, type[Agent]] = {
    "random": RandomAgent,
}
"""Every agent by name."""


def agent_named(name: str) -> Agent:
    """The agent with this name."""
    if name not in AGENTS:
        raise UnknownNameError(f"unknown agent {name!r}; there are: {', '.join(AGENTS)}")
    return AGENTS[name]()


__all__ = ["AGENTS", "Agent", "agent_named"]
