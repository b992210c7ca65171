"""Start a game in a terminal."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from perudo.agents.agent import Agent
from perudo.games.game import Game
from perudo.terminal.perudo_screen import PlainPerudoScreen
from perudo.terminal.picture_screen import PictureScreen
from perudo.terminal.play import Leave, TerminalGame
from perudo.terminal.screen import Screen

INTERRUPTED = 130


def start(
    game: Game,
    setting: Any,
    names: list[str],
    agents: Sequence[Agent],
    seed: int | None,
    plain: bool,
    save: Path | None,
) -> int:
    """Play one match in this terminal against agents; return the exit code.

    The first name is the person's.
    """
    seed = secrets.randbits(32) if seed is None else seed
    console = Console()

    def make_screen(players: list[str], me: int) -> Screen:
        if game.name != "perudo":
            return Screen(print, players, me)
        if plain:
            return PlainPerudoScreen(print, players, me)
        return PictureScreen(console, players, me)

    match = TerminalGame(game, setting, names, agents, seed, make_screen, input, save)
    try:
        match.play()
    except (Leave, EOFError):
        _say_goodbye(seed, save)
    except KeyboardInterrupt:
        _say_goodbye(seed, save)
        return INTERRUPTED
    else:
        if save is not None:
            print(f"The record is in {save}.")
    finally:
        match.close()
    return 0


def _say_goodbye(seed: int, save: Path | None) -> None:
    kept = f" The unfinished record is in {save}." if save is not None else ""
    print(f"\nYou left the table. --seed {seed} deals the same dice again.{kept}", file=sys.stdout)
