"""A tournament: many agents at tables of some, seats rotated, dice the same in each rotation.

What a block's games are follows from the tournament and the block's number alone. So blocks can be
played by anybody, anywhere, in any order, and what is missing can be played later.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from perudo.agents.agent import Agent
from perudo.agents.external.loading import split_file_word
from perudo.agents.human import HumanAgent
from perudo.agents.registry import AGENTS
from perudo.games.errors import PerudoError
from perudo.games.game import Game
from perudo.games.kernel import source_fingerprint
from perudo.lab.tournament.schedule import Schedule
from perudo.lab.tournament.store import Games, Identity
from perudo.lab.tournament.summaries import Heading

MEMORABLE = 20
"""Deals in a block where an agent remembers: enough to learn something of the others."""

Seating = Callable[[str, float], Agent]
"""Makes an agent from the word that names it, and the seconds that it may think."""


@dataclass(frozen=True)
class Tournament:
    """What is played; all plain values, so that it can be sent to a worker or kept in a file."""

    agents: tuple[str, ...]
    players: int
    seed: int = 1
    game: str = "perudo"
    rules: str = "official"
    series: int = 1
    """Deals in a block. Agents that remember do so from one to the next in the same rotation."""
    teams: bool = False
    """Whether two agents share every table, half of the seats each."""

    def __post_init__(self) -> None:
        if not self.teams:
            for word in self.agents:
                if self.agents.count(word) > 1:
                    raise PerudoError(f"{word} is named twice; each agent enters once")
        if self.series < 1:
            raise PerudoError("a block has at least one deal")
        Schedule(len(self.agents), self.players, self.seed, self.teams)

    @property
    def games_per_block(self) -> int:
        """One for each deal and rotation."""
        return self.series * self.players

    def blocks(self, games: int) -> int:
        """How many blocks make at least so many games."""
        return -(-games // self.games_per_block)

    def schedule(self) -> Schedule:
        """Who meets whom."""
        return Schedule(len(self.agents), self.players, self.seed, self.teams)

    def identity(self) -> Identity:
        """All that the games depend on."""
        return Identity(
            agents=list(self.agents),
            players=self.players,
            seed=self.seed,
            game=self.game,
            rules=self.rules,
            series=self.series,
            teams=self.teams,
            code=code_fingerprint(self.agents),
        )

    def heading(self, games: Games) -> Heading:
        """What was played, to stand above the results."""
        return {
            "game": self.game,
            "rules": self.rules,
            "players": self.players,
            "seed": self.seed,
            "series": self.series,
            "games": len(games),
            "blocks": len(np.unique(games.block)),
            "rounds": int(games.rounds.sum()),
        }

    def directory_name(self) -> str:
        """A name that no other tournament has."""
        return hashlib.sha256(repr(asdict(self.identity())).encode()).hexdigest()[:12]


def code_fingerprint(agents: Sequence[str]) -> str:
    """A hash of the sources that decide what happens: rules, arena, these agents, their files."""
    kinds = {AGENTS[name] for name in (word.partition(":")[0] for word in agents) if name in AGENTS}
    modules = sorted({"perudo.games", "perudo.lab.arena", *(kind.__module__ for kind in kinds)})
    digest = hashlib.sha256(" ".join(map(_module_fingerprint, modules)).encode())
    for word in agents:
        file = split_file_word(word)
        if file is not None and file[0].is_file():  # a command may end in .py as well
            digest.update(file[0].read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _module_fingerprint(module: str) -> str:
    """Of a module and what it imports, when this process began to use it."""
    return source_fingerprint(module)


@dataclass(frozen=True)
class Entrant:
    """What is to be known of an agent before it plays."""

    spec: str
    remembers: bool
    uses_clock: bool


def enter(
    seating: Seating, words: Sequence[str], game: Game, setting: Any, players: int, timeout: float
) -> list[Entrant]:
    """Ask every agent whether it can play; raises if one cannot, or such a table cannot be.

    What an agent has to prepare is done here, so that workers find it.
    """
    start = game.start(setting, players)
    entrants = []
    for word in words:
        agent = seating(word, timeout)
        try:
            if isinstance(agent, HumanAgent):
                raise PerudoError("people play in perudo play, not in tournaments")
            reason = agent.cannot_play(game, setting, players)
            if reason is not None:
                raise PerudoError(reason)
            agent.prepare(start).close()
            entrants.append(Entrant(agent.spec, agent.memory_width > 0, agent.uses_clock))
        finally:
            agent.close()
    return entrants
