"""``perudo perft``: how large one round is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from perudo.games.errors import PerudoError
from perudo.games.game import Game
from perudo.games.perft import perft


def count_tree(game: Game, setting: Any, players: int | None, dice: str | None) -> dict[str, Any]:
    """Count a round from a fresh start, with the first seat opening."""
    start: dict[str, Any] = {}
    seats = players or game.properties.min_players
    if game.name == "perudo":
        start["opener"] = 0
        if dice is not None:
            counts = parse_dice(dice)
            seats = players or (len(counts) if len(counts) > 1 else 2)
            start["dice"] = counts * seats if len(counts) == 1 else counts
    elif dice is not None:
        raise PerudoError(f"{game.name} has no dice")
    counted = perft(game.start(setting, seats, **start))
    return {
        "game": game.name,
        "rules": game.describe_setting(setting),
        "players": seats,
        **asdict(counted),
    }


def parse_dice(text: str) -> list[int]:
    """Read ``2`` or ``2,1``."""
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise PerudoError(f"--dice {text} should be a number, or one for each seat: 2 or 2,1")
    return [int(part) for part in parts]


def dice_by_seat(text: str | None, seats: int) -> list[int] | None:
    """The dice of every seat, from one number for all or one for each."""
    if text is None:
        return None
    counts = parse_dice(text)
    return counts * seats if len(counts) == 1 else counts
