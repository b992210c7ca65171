"""Which of several server processes has which table; the database alone decides.

A process has a row that it must renew every few seconds. As long as the row is there, the tables
of which it is the owner are its own; whoever wants one of them deletes the row first, which can be
done only when it has expired. Each time a table changes hands its *fence* is raised; whoever writes
to a table's log names the fence under which it got the table, so that a process that was thought
dead cannot write any more.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.errors import Refused

LEASE_SECONDS = 4.0
"""A process that has not renewed its row for so long is dead to the others."""

processes, tables = schema.processes, schema.tables
NOW: Any = sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Float)
"""The database's clock: those of machines differ."""


class Elsewhere(Refused):
    """Another process has the table."""

    def __init__(self, owner: str) -> None:
        super().__init__("try_again", "the table is moving to another process; try again")
        self.owner = owner


class LostTable(RuntimeError):
    """Another process has taken the table over: what is known of it here is out of date."""


def enter(connection: Connection, name: str) -> None:
    """Become one of the processes."""
    connection.execute(
        processes.insert().values(id=name, since=NOW, expires=NOW + sa.literal(LEASE_SECONDS))
    )


def leave(connection: Connection, name: str) -> None:
    """Be one no more: others may have the tables at once."""
    connection.execute(processes.delete().where(processes.c.id == name))


def renew(connection: Connection, name: str) -> list[str]:
    """Stay one of them; returns all, the oldest first. Empty: it is too late."""
    connection.execute(processes.delete().where(processes.c.expires < NOW))
    mine = processes.update().where(processes.c.id == name)
    if not connection.execute(mine.values(expires=NOW + sa.literal(LEASE_SECONDS))).rowcount:
        return []
    order = (processes.c.since, processes.c.id)
    return [row.id for row in connection.execute(sa.select(processes.c.id).order_by(*order))]


def claim(connection: Connection, table: str, name: str) -> int | str:
    """Take a table, if it is nobody's; returns its fence, or the name of its owner."""
    row = connection.execute(
        sa.select(tables.c.owner, processes.c.id, (processes.c.expires < NOW).label("late"))
        .join_from(tables, processes, tables.c.owner == processes.c.id, isouter=True)
        .where(tables.c.id == table)
    ).first()
    if row is None:
        raise Refused("no_table", "there is no such table")
    if row.id is not None and row.id != name:
        if not row.late:
            return str(row.id)
        leave(connection, row.id)  # fails, and is tried again, if it has been renewed meanwhile
    taken = tables.update().where(tables.c.id == table).returning(tables.c.fence)
    fence: int = connection.execute(taken.values(owner=name, fence=tables.c.fence + 1)).scalar_one()
    return fence


def release(connection: Connection, table: str, fence: int) -> None:
    """Let a table go that nobody looks at."""
    held = tables.update().where(tables.c.id == table, tables.c.fence == fence)
    connection.execute(held.values(owner=None))


def require(connection: Connection, table: str, fence: int) -> None:
    """Raise unless the table is still held; nobody can take it before this transaction ends."""
    held = sa.select(tables.c.id).where(tables.c.id == table, tables.c.fence == fence)
    if connection.execute(held.with_for_update(read=True)).first() is None:
        raise LostTable(f"table {table} belongs to another process now")


def orphans(connection: Connection) -> list[str]:
    """Tables where a game is being played and that are nobody's."""
    alive = sa.select(processes.c.id).where(processes.c.expires >= NOW)
    lost = sa.or_(tables.c.owner.is_(None), tables.c.owner.not_in(alive))
    query = sa.select(tables.c.id).where(tables.c.status == "playing", lost)
    return [row.id for row in connection.execute(query)]
