"""Perudo: rules as data, the compiled game, and the notation of positions and actions."""

from perudo.games.perudo.actions import (
    Action,
    Bid,
    Calza,
    Decline,
    DoubtPass,
    Dudo,
    Palafico,
    Pass,
    Word,
    parse_action,
)
from perudo.games.perudo.game import PERUDO, PerudoGame
from perudo.games.perudo.hosting import PerudoHosting
from perudo.games.perudo.outcome import Outcome
from perudo.games.perudo.position import position
from perudo.games.perudo.rules import OPTIONS, PRESETS, Preset, Rules
from perudo.games.perudo.state import Facts, PerudoState, facts

__all__ = [
    "OPTIONS",
    "PERUDO",
    "PRESETS",
    "Action",
    "Bid",
    "Calza",
    "Decline",
    "DoubtPass",
    "Dudo",
    "Facts",
    "Outcome",
    "Palafico",
    "Pass",
    "PerudoGame",
    "PerudoHosting",
    "PerudoState",
    "Preset",
    "Rules",
    "Word",
    "facts",
    "parse_action",
    "position",
]
