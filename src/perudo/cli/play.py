"""``perudo play``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perudo.agents.registry import split_agents
from perudo.cli.contestants import contestants
from perudo.cli.options_of import options_of
from perudo.cli.shared import GameSettings
from perudo.games.errors import PerudoError
from perudo.terminal.online import start_online
from perudo.terminal.start import start

ANONYMOUS = "you"


@dataclass(frozen=True, kw_only=True)
class PlaySettings(GameSettings):
    """Settings of a game in the terminal."""

    against: str = "random,random"
    """Other players, separated by commas."""
    seed: int | None = None
    """Random seed; it determines the dice."""
    plain: bool = False
    """Describe the game in sentences without pictures, for screen readers."""
    save: Path | None = None
    """Save the record of the match to this file."""
    name: str = ANONYMOUS
    """Your name in the record."""
    server: str | None = None
    """Play online: address of a server, such as http://host:8000, or link to a table."""
    table: str | None = None
    """Id or link of the table to join, with --server."""


@options_of(PlaySettings)
def play(settings: PlaySettings) -> int:
    """Play in the terminal, against AIs or online."""
    game, rules = settings.chosen()
    words, save = split_agents(settings.against), settings.save
    if settings.server is not None:
        name = None if settings.name == ANONYMOUS else settings.name
        return start_online(settings.server, settings.table, str(rules), words, name)
    if save is not None and not save.parent.is_dir():
        raise PerudoError(f"cannot save to {save}: there is no directory {save.parent}")
    with contestants(words) as agents:
        names = [settings.name, *words]
        return start(game, rules, names, agents, settings.seed, settings.plain, save)
