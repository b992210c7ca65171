"""How strong the agents are, and the levels that people choose from, weakest first.

``perudo ladder --write`` rates all agents, chooses the levels, and writes the files read here.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from perudo.games.errors import UnknownNameError


@dataclass(frozen=True)
class Level:
    """A strength, and who has it."""

    name: str
    summary: str
    rating: float
    """The mean of its agents on the ladder; levels are about evenly spaced."""
    agents: tuple[str, ...]
    """Agents of different styles, with their budgets, as ``agent_named`` takes them."""

    @property
    def agent(self) -> str:
        """One for all: the agent that is nearest to the level's strength."""
        return self.agents[0]

    def agent_at(self, place: int) -> str:
        """The agent for the n-th seat of this level at a table: styles take turns."""
        return self.agents[place % len(self.agents)]


def _read(name: str) -> Any:
    return json.loads(files("perudo").joinpath("data", name).read_text(encoding="utf-8"))


@functools.cache
def levels() -> Mapping[str, Level]:
    """All levels by name, weakest first."""
    found = {
        one["name"]: Level(one["name"], one["summary"], one["rating"], tuple(one["agents"]))
        for one in _read("levels.json")["levels"]
    }
    return MappingProxyType(found)


def level_named(name: str) -> Level:
    """The level of this name."""
    if name not in levels():
        raise UnknownNameError(f"unknown level {name!r}; there are: {', '.join(levels())}")
    return levels()[name]


@functools.cache
def ratings(players: int) -> Mapping[str, float]:
    """What agents are rated at the ladder's table size nearest to this, the larger of two.

    They are named as ``Agent.spec`` has it; those who cannot play there are not listed.
    """
    ladder = _read("ladder.json")
    size = min(ladder["players"], key=lambda size: (abs(size - players), -size))
    return MappingProxyType(
        {
            row["spec"]: row["ratings"][str(size)]["rating"]
            for row in ladder["agents"]
            if str(size) in row["ratings"]
        }
    )
