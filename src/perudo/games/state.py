"""Aliases of names in ``game`` and ``operations``, until their users import them from there."""

from __future__ import annotations

from perudo.games.game import SEATS as SEATS
from perudo.games.game import LegalActions as LegalActions
from perudo.games.game import State as State
from perudo.games.game import StateType as StateType
from perudo.games.game import action_code as action_code
from perudo.games.game import copied as copied
from perudo.games.game import require_legal as require_legal
from perudo.games.game import seat_name as seat_name
from perudo.games.operations import list_actions as list_actions
