"""The agents' ratings, and the levels of strength that people choose from.

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
    """A level of strength, and the agents that play at it."""

    name: str
    summary: str
    rating: float
    """The mean rating of its agents on the ladder; levels are about evenly spaced."""
    agents: tuple[str, ...]
    """Agents of different styles, with their budgets, as ``agent_named`` takes them."""

    @property
    def agent(self) -> str:
        """The main agent: the nearest to the level's rating."""
        return self.agents[0]

    def agent_at(self, place: int) -> str:
        """Return the agent for the n-th seat of this level at a table; styles alternate."""
        return self.agents[place % len(self.agents)]


def _read(name: str) -> Any:
    return json.loads(files("perudo").joinpath("data", name).read_text(encoding="utf-8"))


@functools.cache
def levels() -> Mapping[str, Level]:
    """Return all levels by name, weakest first."""
    found = {
        one["name"]: Level(one["name"], one["summary"], one["rating"], tuple(one["agents"]))
        for one in _read("levels.json")["levels"]
    }
    return MappingProxyType(found)


def level_named(name: str) -> Level:
    """Return the level with this name; raise UnknownNameError if there is none."""
    if name not in levels():
        raise UnknownNameError(f"unknown level {name!r}; there are: {', '.join(levels())}")
    return levels()[name]


@functools.cache
def ratings(players: int) -> Mapping[str, float]:
    """Return ratings by ``Agent.spec`` at the ladder's nearest table size, the larger of two.

    Agents that cannot play at that size are missing.
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
