"""Agents for any game that search: POMCP, and POMCP in a public game tree.

Sources: Gao Peng, "Partially Observable Monte Carlo Planning in Public Game Tree for complex
imperfect information game King UP", MSc by Research thesis, Lancaster University, 2022; David
Silver and Joel Veness, "Monte-Carlo planning in large POMDPs", 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.papers.heuristic import HeuristicMax
from perudo.agents.papers.observer import Observer
from perudo.agents.papers.probabilistic import Probabilistic
from perudo.agents.parameters import choice, flag, number
from perudo.games.game import ROUND, Game
from perudo.games.perudo import PERUDO
from perudo.games.policy import Parameters, number_of
from perudo.search.online.pomcp import (
    EVERYBODY,
    FLOORED_REGRET_MATCHING,
    REGRET_MATCHING,
    SEARCHER,
    UCB,
    decide_by_search,
)

SAMPLINGS = ("own", "public")
ROLLOUT_AGENTS: dict[str, type[CompiledAgent]] = {
    "observer": Observer,
    "probabilistic": Probabilistic,
    "heuristic-max": HeuristicMax,
}
USUAL = "usual"
ROLLOUTS = (USUAL, "random", *ROLLOUT_AGENTS)


@dataclass(frozen=True)
class Pomcp(CompiledAgent):
    """Searches only its own moves; the others are environment, and play as in rollouts."""

    name = "pomcp"
    idea = "tree search over its own moves and observations; the others play as in rollouts"
    source = "King UP thesis (Gao Peng 2022), algorithm 1 (Silver and Veness 2010), corrected"
    policy = decide_by_search
    any_game = True
    whose: ClassVar[int] = SEARCHER

    iterations: int = number(1000, 1, 10_000_000)
    """Number of simulations per decision."""
    c: float = number(1.4142135623730951, 0.0, 100.0)
    """Exploration constant of UCB."""
    rollout: str = choice(USUAL, ROLLOUTS)
    """Rollout policy; ``usual`` is the observer in Perudo and random moves in other games."""
    root: str = choice("own", SAMPLINGS)
    """Sample only the information hidden from the searcher, or everything that is not public."""
    repeats: int = number(1, 1, 1000)
    """Number of rollouts from each leaf."""
    prior: float = number(10.0, 0.0, 1000.0)
    """Visits per move from which an information set is searched; until then it is played as in
    rollouts. 0: search at once, as in the thesis."""
    informed: bool = flag(True)
    """Weigh the others' possible hands by their actions, with the rollout policy as the model."""
    time_limit: float = number(0.0, 0.0, 3600.0)
    """Seconds after which it stops; 0: never. With a limit its play depends on the machine."""

    @property
    def estimation(self) -> int:
        """Rule by which moves are chosen from the statistics of the search."""
        return UCB

    @property
    def uses_clock(self) -> bool:  # type: ignore[override]  # known when the agent is made
        """True if there is a time limit."""
        return self.time_limit > 0.0

    @property
    def parameters(self) -> Parameters:
        """The parameters of the search, then the rollout policy's address and parameters."""
        rollout = [0.0, 0.0]
        if self.rollout != "random":
            kind = ROLLOUT_AGENTS.get(self.rollout, Observer)
            where = number_of(kind.policy, PERUDO.dtype)
            rollout = [PERUDO.dtype.itemsize, where, *kind().parameters]
        return np.concatenate([self.search_parameters, rollout])

    @property
    def search_parameters(self) -> Parameters:
        """The parameters of the search, in the order of its indices."""
        return np.array(
            [
                self.whose,
                self.estimation,
                SAMPLINGS.index(self.root),
                self.c,
                ROUND,
                self.time_limit,
                self.repeats,
                self.prior,
                self.informed,
                self.iterations,
            ],
            np.float64,
        )

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Return why this agent cannot play at such a table; some rollouts need Perudo."""
        if self.rollout in ROLLOUT_AGENTS and game.name != "perudo":
            return f"{self.name}:rollout={self.rollout} plays perudo, not {game.name}"
        return None


@dataclass(frozen=True)
class PublicTreeUcb(Pomcp):
    """Searches all players' moves, each by its player's information; chooses by UCB."""

    name = "pomcp-pgt-ucb"
    idea = "tree search over all players' moves, each by that player's information; UCB"
    source = "King UP thesis (Gao Peng 2022), algorithms 2 and 3, corrected"
    whose = EVERYBODY


@dataclass(frozen=True)
class PublicTreeRegret(PublicTreeUcb):
    """``PublicTreeUcb`` with regret matching in place of UCB, which also draws the final move."""

    name = "pomcp-pgt-rm"
    idea = "tree search over all players' moves, each by that player's information; regret matching"

    floor: bool = flag(False)
    """Give moves worse than the average a regret of .01 in the final draw, as in the thesis; in the
    search they always have it."""

    @property
    def estimation(self) -> int:
        """Regret matching, with or without the floor in the final draw."""
        return FLOORED_REGRET_MATCHING if self.floor else REGRET_MATCHING
