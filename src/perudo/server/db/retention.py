"""Retention: deletion of old casual games, idle guests and reviews."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.games.errors import PerudoError
from perudo.server.db import schema

DAY_SECONDS = 86400.0


def forget_old(connection: Connection, days: int, now: float) -> dict[str, int]:
    """Delete tables without rated games, and guests, that have been unused for some days.

    Return the numbers deleted.
    """
    if days < 1:
        raise PerudoError("retention needs at least one day")
    before = now - days * DAY_SECONDS
    tables, games = schema.tables, schema.games
    rated = sa.select(games.c.table_id).where(games.c.rated)
    old = connection.execute(
        sa.select(tables.c.id).where(
            tables.c.updated < before,
            tables.c.status.in_(("finished", "closed", "waiting")),
            tables.c.id.not_in(rated),
        )
    ).all()
    for row in old:
        of_table = sa.select(games.c.id).where(games.c.table_id == row.id)
        connection.execute(
            schema.game_seats.delete().where(schema.game_seats.c.game_id.in_(of_table))
        )
        connection.execute(games.delete().where(games.c.table_id == row.id))
        connection.execute(schema.events.delete().where(schema.events.c.table_id == row.id))
        connection.execute(tables.delete().where(tables.c.id == row.id))
    connection.execute(schema.reviews.delete().where(schema.reviews.c.updated < before))
    return {"tables": len(old), "guests": _forget_guests(connection, before, now)}


def _forget_guests(connection: Connection, before: float, now: float) -> int:
    people, sessions = schema.people, schema.sessions
    creators = sa.select(schema.tables.c.creator)
    players = sa.select(schema.game_seats.c.person).where(schema.game_seats.c.person.is_not(None))
    idle = connection.execute(
        sa.select(people.c.id).where(
            people.c.kind == "guest",
            people.c.seen < before,
            people.c.id.not_in(creators),
            people.c.id.not_in(players),
        )
    ).all()
    for row in idle:
        connection.execute(sessions.delete().where(sessions.c.person == row.id))
        connection.execute(people.delete().where(people.c.id == row.id))
    connection.execute(sessions.delete().where(sessions.c.expires < now))
    return len(idle)
