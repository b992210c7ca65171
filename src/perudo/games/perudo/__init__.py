"""Perudo: rules as data, the compiled game, and how positions and actions are written."""

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
from perudo.games.perudo.outcome import Outcome
from perudo.games.perudo.position import position
from perudo.games.perudo.rules import OPTIONS, PRESETS, Preset, Rules
from perudo.games.perudo.state import PerudoState

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
    "Outcome",
    "Palafico",
    "Pass",
    "PerudoGame",
    "PerudoState",
    "Preset",
    "Rules",
    "Word",
    "parse_action",
    "position",
]
