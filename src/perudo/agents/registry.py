"""The registry of agents: one file per family, one line per agent."""

from __future__ import annotations

from perudo.agents.agent import Agent, parse_parameters
from perudo.agents.champion.champion import Champion
from perudo.agents.human import HumanAgent
from perudo.agents.papers.adaptive import HeuristicAdaptive
from perudo.agents.papers.boros import BorosBasic, BorosBluff, BorosExtended, BorosForeseeing
from perudo.agents.papers.cfr import Cfr
from perudo.agents.papers.dumb import Dumb, LessDumb, SlightlyLessDumb
from perudo.agents.papers.heuristic import HeuristicMax, HmaxCounter, HmaxRandom
from perudo.agents.papers.macleod import Macleod
from perudo.agents.papers.mcts import Ensemble, MctsObserver, MctsRandom
from perudo.agents.papers.minimax import LessMinimax, SlightlyLessMinimax
from perudo.agents.papers.observer import Observer
from perudo.agents.papers.pomcp import Pomcp, PublicTreeRegret, PublicTreeUcb
from perudo.agents.papers.probabilistic import Probabilistic
from perudo.agents.random_agent import RandomAgent
from perudo.games.errors import UnknownNameError

AGENTS: dict[str, type[Agent]] = {
    kind.name: kind
    for kind in (
        RandomAgent,
        Probabilistic,
        Observer,
        MctsRandom,
        MctsObserver,
        Ensemble,
        Dumb,
        SlightlyLessDumb,
        LessDumb,
        SlightlyLessMinimax,
        LessMinimax,
        BorosBasic,
        BorosExtended,
        BorosForeseeing,
        BorosBluff,
        HeuristicMax,
        HmaxCounter,
        HmaxRandom,
        HeuristicAdaptive,
        Macleod,
        Pomcp,
        PublicTreeUcb,
        PublicTreeRegret,
        Cfr,
        Champion,
        HumanAgent,
    )
}
"""Every agent, by name."""


def agent_named(text: str) -> Agent:
    """Return the agent with this name and these parameters: ``dumb:prob=0.4,bluff=0.1``."""
    name, colon, parameters = text.partition(":")
    if name not in AGENTS:
        raise UnknownNameError(f"unknown agent {name!r}; there are: {', '.join(AGENTS)}")
    kind = AGENTS[name]
    return kind(**parse_parameters(kind, name, parameters)) if colon else kind()


def split_agents(text: str) -> list[str]:
    """Split a list of agents: ``random,dumb:prob=0.4,bluff=0.1,random`` names three.

    >>> split_agents("random,dumb:prob=0.4,bluff=0.1,random")
    ['random', 'dumb:prob=0.4,bluff=0.1', 'random']
    """
    agents: list[str] = []
    for part in text.split(","):
        if agents and "=" in part and ":" in agents[-1] and ":" not in part.partition("=")[0]:
            agents[-1] += "," + part
        else:
            agents.append(part)
    return agents
