"""A table apart from the game on it: for those who follow it, and for the list of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic_core import to_json

from perudo.server.table.table import TableState
from perudo.server.wire.bodies import TableSummary
from perudo.server.wire.server_messages import TableInfo
from perudo.server.wire.table_options import options_of

if TYPE_CHECKING:
    from perudo.server.rooms.room import Room


def table_info(room: Room) -> TableInfo:
    """``TableInfo`` of a table that is awake."""
    state, options = room.state, room.state.options
    following = state.game + 1 if state.match is None or state.match.over else state.game
    secret = state.secrets.get(following)
    return {
        "id": state.id,
        "rules": options.rules_text,
        "options": options_of(options.rules),
        "creator": state.creator,
        "status": state.status,
        "private": options.private,
        "rated": options.rated,
        "timer": options.timer,
        "games": options.games,
        "game": state.game,
        "wins": list(state.wins),
        "paused": state.paused,
        "absence": state.absence,
        "absence_seconds": room.dealer.pacing.absence_seconds,
        "pace": room.dealer.pacing.pace_seconds,
        "calza_window": room.dealer.pacing.calza_seconds,
        "seats": [
            {
                "kind": seat.choice.kind,
                "player": None if seat.occupant is None else seat.occupant.public,
                "here": room.is_here(number),
                "stand_in": seat.stand_in,
                "muted": seat.muted,
            }
            for number, seat in enumerate(state.seats)
        ],
        "watching": sum(room.viewer_of(follower) < 0 for follower in room.followers),
        "anchor": None if secret is None else anchor_of(secret),
        "rematch": sorted(state.rematch),
    }


def anchor_of(secret: bytes) -> str:
    """What is published of a game's secret before anybody adds their seed."""
    from perudo.fair_dice import sha

    return sha(secret)


def table_summary(state: TableState) -> str:
    """What the list of tables shows, as JSON."""
    summary: TableSummary = {
        "rules": state.options.rules,
        "rated": state.options.rated,
        "timer": state.options.timer,
        "games": state.options.games,
        "game": state.game,
        "seats": [
            {
                "kind": seat.choice.kind,
                "player": None if seat.occupant is None else seat.occupant.public,
            }
            for seat in state.seats
        ],
    }
    return to_json(summary).decode()
