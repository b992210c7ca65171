"""The contract of a game, and the games of this package."""

from perudo.games import king_up, perudo, rock_paper_scissors
from perudo.games.game import Game, Properties, State, game_named, games, register

__all__ = [
    "Game",
    "Properties",
    "State",
    "game_named",
    "games",
    "king_up",
    "perudo",
    "register",
    "rock_paper_scissors",
]
