"""The built-in AIs that can take seats: agents of the registry, within the server's limits.

Requests from the network can never name a file or a program.
"""

from __future__ import annotations

from dataclasses import Field, fields, is_dataclass
from functools import lru_cache
from typing import Any, cast

from perudo.agents.agent import Agent, CompiledAgent
from perudo.agents.champion.champion import DEEP_FACTOR
from perudo.agents.registry import AGENTS, agent_named
from perudo.games.errors import PerudoError, UnknownNameError
from perudo.games.options import Setting
from perudo.levels import level_named, levels
from perudo.server.hosted import HOSTING

NOT_FOR_TABLES = frozenset({"human"})
"""Agents of the registry that are not AIs."""

MAXIMA: dict[str, float] = {
    "rollouts": 20_000,
    "iterations": 20_000,
    "cap": 20_000,
    "repeats": 4,
    "depth": 6,
    "generated": 100,
    "time_limit": 2.0,
}
"""Maximum of each parameter on a server, if the agent's own limit is higher."""
UNLIMITED = 1_000.0
"""Maximum of all other whole-number parameters."""
MOST_WORK = 100_000
"""Usual maximum of ``work_of`` (``Settings.ai_work``)."""
COSTLY_WORK = 30_000
"""Work from which an AI is taken for costly until its decisions have been measured."""
SIMULATIONS = ("rollouts", "iterations", "cap")
"""Parameters that say how many simulations a decision has; the first that is not 0 counts."""

LEVELS = levels()
"""Levels of strength that people choose from, as measured by the lab's ladder."""


def opponent(
    agent: str | None, level: str | None, seat: int = 0, most_work: float = MOST_WORK
) -> Agent:
    """Return the AI with this name or level, or raise; ``seat`` selects one of a level's AIs."""
    if (agent is None) == (level is None):
        raise PerudoError("a seat for an AI needs either an agent or a level")
    if level is not None:
        return agent_named(level_named(level).agent_at(seat))
    assert agent is not None
    name = agent.partition(":")[0]
    if name not in AGENTS or name in NOT_FOR_TABLES:
        raise UnknownNameError(f"unknown agent {name!r}; there are: {', '.join(offered())}")
    found = agent_named(agent)
    _check_limits(found, most_work)
    return found


def offered() -> list[str]:
    """Return the names of all AIs that can take seats."""
    return [name for name in AGENTS if name not in NOT_FOR_TABLES]


def parameters_of(agent: Any) -> tuple[Field[Any], ...]:
    """Return the parameters of an AI."""
    return fields(agent) if is_dataclass(agent) else ()


def work_of(agent: Any) -> float:
    """Return the number of simulations, or nodes of a tree, in a decision at most; 0: few.

    Parameters that multiply each other are multiplied, since each alone says little.
    """
    values = {option.name: getattr(agent, option.name) for option in parameters_of(agent)}
    simulations = next((values[name] for name in SIMULATIONS if values.get(name)), 0)
    factor = values.get("repeats", 1) * (DEEP_FACTOR if values.get("deep") else 1)
    nodes = values["generated"] ** values["depth"] if "depth" in values else 0
    return max(float(simulations * factor), float(nodes))


def work_parameters(agent: Any) -> list[str]:
    """Return the parameters on which the work of a decision depends."""
    names = (*SIMULATIONS, "repeats", "deep", "generated", "depth")
    own = [option.name for option in parameters_of(agent)]
    return [name for name in names if name in own] if work_of(agent) else []


@lru_cache(1000)
def is_costly(spec: str) -> bool:
    """Return whether an AI's decisions are expected to take long, as those of unknown AIs are."""
    known = spec.partition(":")[0] in AGENTS
    return not known or work_of(agent_named(spec)) > COSTLY_WORK


def largest(agent: Agent, parameter: str) -> float | None:
    """Return the maximum of a numeric parameter on a server; None for words and flags."""
    option = next(option for option in parameters_of(agent) if option.name == parameter)
    limits = option.metadata.get("range")
    if limits is None:
        return None
    own, usual = float(limits[1]), float(cast(float, option.default))
    if parameter in MAXIMA:
        return min(own, max(MAXIMA[parameter], usual))
    return min(own, max(UNLIMITED, usual)) if isinstance(option.default, int) else own


def _check_limits(agent: Agent, most_work: float) -> None:
    for option in parameters_of(agent):
        most = largest(agent, option.name)
        if most is not None and getattr(agent, option.name) > most:
            raise PerudoError(f"{agent.spec}: {option.name} can be at most {most:g} here")
    if work_of(agent) > most_work:
        product = " x ".join(work_parameters(agent))
        raise PerudoError(
            f"{agent.spec}: a decision would take {work_of(agent):.0f} simulations ({product}); "
            f"here it can take at most {most_work:.0f}"
        )


def require_can_play(agent: Agent, rules: Setting, players: int) -> None:
    """Raise unless the AI can play these rules without solving anything first."""
    reason = agent.cannot_play(HOSTING.game, rules, players)
    if reason is not None:
        raise PerudoError(reason)
    # Others open nothing that may be missing, and their kernels belong into the AI processes.
    if type(agent).prepare is not CompiledAgent.prepare:
        agent.prepare(HOSTING.game.start(rules, players)).close()
