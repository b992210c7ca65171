"""``perudo perft``: count the tree of one round."""

from __future__ import annotations

from typing import Any, TypedDict

from perudo.games.errors import PerudoError
from perudo.games.game import Game
from perudo.games.perft import perft
from perudo.lab.solve.solving import start_of


class TreeCount(TypedDict):
    """The size of a round's tree."""

    game: str
    rules: str
    players: int
    chance_outcomes: int
    decision_nodes: int
    terminal_nodes: int
    information_sets: int
    deepest: int


def count_tree(game: Game, setting: Any, players: int | None, dice: str | None) -> TreeCount:
    """Count the tree of a round from a fresh start, with the first seat opening."""
    seats, counts = players or game.properties.min_players, None
    if dice is not None:
        counts = parse_dice(dice)
        seats = players or max(len(counts), 2)
        counts = counts * seats if len(counts) == 1 else counts
    counted = perft(start_of(game, setting, counts, seats))
    return {
        "game": game.name,
        "rules": game.describe_setting(setting),
        "players": seats,
        "chance_outcomes": counted.chance_outcomes,
        "decision_nodes": counted.decision_nodes,
        "terminal_nodes": counted.terminal_nodes,
        "information_sets": counted.information_sets,
        "deepest": counted.deepest,
    }


def parse_dice(text: str) -> list[int]:
    """Read ``2`` or ``2,1``."""
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise PerudoError(f"--dice {text} should be a number, or one for each seat: 2 or 2,1")
    return [int(part) for part in parts]


def dice_by_seat(text: str | None, seats: int) -> list[int] | None:
    """Return the dice of every seat, given one number for all or one for each."""
    if text is None:
        return None
    counts = parse_dice(text)
    return counts * seats if len(counts) == 1 else counts
