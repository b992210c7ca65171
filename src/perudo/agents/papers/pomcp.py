"""Searching players for any game: POMCP, and POMCP in a public game tree."""

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
PLAYERS_OF_ROLLOUTS: dict[str, type[CompiledAgent]] = {
    "observer": Observer,
    "probabilistic": Probabilistic,
    "heuristic-max": HeuristicMax,
}
USUAL = "usual"
ROLLOUTS = (USUAL, "random", *PLAYERS_OF_ROLLOUTS)


@dataclass(frozen=True)
class Pomcp(CompiledAgent):
    """Searches its own moves only: the others are part of the world, and play as in rollouts."""

    name = "pomcp"
    idea = "tree search over its own moves and what it sees; the others play as in rollouts"
    source = "King UP thesis, algorithm 1 (Silver and Veness 2010), corrected"
    policy = decide_by_search
    any_game = True
    whose: ClassVar[int] = SEARCHER

    iterations: int = number(1000, 1, 10_000_000)
    """How many simulations."""
    c: float = number(1.4142135623730951, 0.0, 100.0)
    """How much UCB explores."""
    rollout: str = choice(USUAL, ROLLOUTS)
    """Who plays games out: usually the observer in Perudo, and random moves in other games."""
    root: str = choice("own", SAMPLINGS)
    """Sample what the searcher cannot see, or all that is not public."""
    repeats: int = number(1, 1, 1000)
    """How often a leaf is played out."""
    prior: float = number(10.0, 0.0, 1000.0)
    """Visits for each move after which an information set is searched; before, it is played as in
    rollouts. 0: at once, as in the thesis."""
    informed: bool = flag(True)
    """Weigh what the others may hold by what they have said, with the rollout player as model."""
    time_limit: float = number(0.0, 0.0, 3600.0)
    """Seconds after which it stops; 0: never. With a limit its play depends on the machine."""

    @property
    def estimation(self) -> int:
        """How a move is chosen from what was learnt."""
        return UCB

    @property
    def uses_clock(self) -> bool:  # type: ignore[override]  # known when the agent is made
        """Only with a time limit."""
        return self.time_limit > 0.0

    @property
    def parameters(self) -> Parameters:
        """Those of the search, with the rollout policy's address and parameters."""
        rollout = [0.0, 0.0]
        if self.rollout != "random":
            kind = PLAYERS_OF_ROLLOUTS.get(self.rollout, Observer)
            where = number_of(kind.policy, PERUDO.dtype)
            rollout = [PERUDO.dtype.itemsize, where, *kind().parameters]
        return np.concatenate([self.search_parameters, rollout])

    @property
    def search_parameters(self) -> Parameters:
        """In the order of the search."""
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
        """Rollouts by agents of Perudo play Perudo."""
        if self.rollout in PLAYERS_OF_ROLLOUTS and game.name != "perudo":
            return f"{self.name}:rollout={self.rollout} plays perudo, not {game.name}"
        return None


@dataclass(frozen=True)
class PublicTreeUcb(Pomcp):
    """Searches everybody's moves, each by what that player knows; chooses by UCB."""

    name = "pomcp-pgt-ucb"
    idea = "tree search over everybody's moves, each deciding by what they know; UCB"
    source = "King UP thesis, algorithms 2 and 3, corrected"
    whose = EVERYBODY


@dataclass(frozen=True)
class PublicTreeRegret(PublicTreeUcb):
    """The same, with regret matching in place of UCB, and a move drawn by regret in the end."""

    name = "pomcp-pgt-rm"
    idea = "tree search over everybody's moves, each deciding by what they know; regret matching"

    floor: bool = flag(False)
    """Let moves that are worse than the average keep a regret of .01 in the final draw, as in the
    thesis; in the search they always do."""

    @property
    def estimation(self) -> int:
        """Regret matching; with the floor in the end or without."""
        return FLOORED_REGRET_MATCHING if self.floor else REGRET_MATCHING
