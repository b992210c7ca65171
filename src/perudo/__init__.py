"""Play, host and study Perudo and other games of hidden information.

>>> import perudo
>>> state = perudo.position("common", ["3345", "12"], turn="B", bids=["3x3"])
>>> print(state.apply("dudo").outcome.reason)
dudo too soon
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perudo.games.game import Game, State
    from perudo.games.perudo import (
        PERUDO,
        Bid,
        Calza,
        Decline,
        DoubtPass,
        Dudo,
        Outcome,
        Palafico,
        Pass,
        PerudoState,
        Rules,
        parse_action,
        position,
    )
    from perudo.record import MatchRecord
    from perudo.table import SeededDice, Table

__version__ = "0.1.0"

_HOMES = {
    "Game": "perudo.games.game",
    "MatchRecord": "perudo.record",
    "SeededDice": "perudo.table",
    "State": "perudo.games.game",
    "Table": "perudo.table",
}

__all__ = [
    "PERUDO",
    "Bid",
    "Calza",
    "Decline",
    "DoubtPass",
    "Dudo",
    "Game",
    "MatchRecord",
    "Outcome",
    "Palafico",
    "Pass",
    "PerudoState",
    "Rules",
    "SeededDice",
    "State",
    "Table",
    "parse_action",
    "position",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use: the compiler loads slowly, and ``perudo --help`` needs none."""
    if name not in __all__:
        raise AttributeError(f"module 'perudo' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "perudo.games.perudo")), name)
