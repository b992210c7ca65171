"""A tournament: many agents at tables of a few, with rotated seats and the same dice each time.

The games of a block depend only on the tournament and the block's number. So any worker can play
any block in any order, and missing blocks can be played later.
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

DEALS_WITH_MEMORY = 20
"""Deals in a block if an agent remembers: enough to learn something about the others."""

MakeAgent = Callable[[str, float], Agent]
"""A function that makes an agent from its name and its time limit in seconds."""


@dataclass(frozen=True)
class Tournament:
    """The settings of a tournament: plain values that can be sent to a worker or stored."""

    agents: tuple[str, ...]
    players: int
    seed: int = 1
    game: str = "perudo"
    rules: str = "official"
    series: int = 1
    """Deals in a block; agents remember from one to the next within a rotation."""
    teams: bool = False
    """True if two agents share every table, with half of the seats each."""

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
        """The number of games in a block: one for each deal and rotation."""
        return self.series * self.players

    def blocks(self, games: int) -> int:
        """Return the number of blocks that make at least this many games."""
        return -(-games // self.games_per_block)

    def schedule(self) -> Schedule:
        """Return the schedule of the tables."""
        return Schedule(len(self.agents), self.players, self.seed, self.teams)

    def identity(self) -> Identity:
        """Return everything that the games depend on."""
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
        """Return the heading of the results: a summary of the games played."""
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
        """Return a directory name that no other tournament has."""
        return hashlib.sha256(repr(asdict(self.identity())).encode()).hexdigest()[:12]


def code_fingerprint(agents: Sequence[str]) -> str:
    """Return a hash of the sources that games depend on: rules, arena, agents and their files."""
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
    """Return the hash of a module and its imports, as first seen by this process."""
    return source_fingerprint(module)


@dataclass(frozen=True)
class Contestant:
    """A contestant's name and properties, known before it plays."""

    spec: str
    remembers: bool
    uses_clock: bool


def enter(
    make_agent: MakeAgent,
    words: Sequence[str],
    game: Game,
    setting: Any,
    players: int,
    timeout: float,
) -> list[Contestant]:
    """Check that every agent can play at such a table; raise an error if one cannot.

    Each agent prepares itself here once, so that workers find the result.
    """
    start = game.start(setting, players)
    contestants = []
    for word in words:
        agent = make_agent(word, timeout)
        try:
            if isinstance(agent, HumanAgent):
                raise PerudoError("people play with 'perudo play', not in tournaments")
            reason = agent.cannot_play(game, setting, players)
            if reason is not None:
                raise PerudoError(reason)
            agent.prepare(start).close()
            contestants.append(Contestant(agent.spec, agent.memory_width > 0, agent.uses_clock))
        finally:
            agent.close()
    return contestants
