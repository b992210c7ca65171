"""Leases, by which server processes own tables; the database alone decides.

Each process has a row that it must renew every few seconds. While the row exists, the process owns
its tables. A process that wants one of them must delete the row first, which is possible only once
it has expired. Each change of owner increments the table's *fence*. Every write to a table's log
names the fence with which the writer got the table, so that a process that was taken for dead can
no longer write.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.errors import Refused

LEASE_SECONDS = 4.0
"""Lifetime of a row; the others take a process for dead if it is not renewed in this time."""

processes, tables = schema.processes, schema.tables
NOW: Any = sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Float)
"""The database's clock, because the clocks of machines differ."""


class Elsewhere(Refused):
    """Refusal because another process owns the table."""

    def __init__(self, owner: str) -> None:
        super().__init__("try_again", "the table is moving to another process; try again")
        self.owner = owner


class LostTable(RuntimeError):
    """Loss of a table to another process; this process's state of it is out of date."""


def enter(connection: Connection, name: str) -> None:
    """Insert the row of a new process."""
    connection.execute(
        processes.insert().values(id=name, since=NOW, expires=NOW + sa.literal(LEASE_SECONDS))
    )


def leave(connection: Connection, name: str) -> None:
    """Delete a process's row, so that others can take its tables at once."""
    connection.execute(processes.delete().where(processes.c.id == name))


def renew(connection: Connection, name: str) -> list[str]:
    """Renew a process's row, and return all processes, oldest first; empty if it has expired."""
    connection.execute(processes.delete().where(processes.c.expires < NOW))
    mine = processes.update().where(processes.c.id == name)
    if not connection.execute(mine.values(expires=NOW + sa.literal(LEASE_SECONDS))).rowcount:
        return []
    order = (processes.c.since, processes.c.id)
    return [row.id for row in connection.execute(sa.select(processes.c.id).order_by(*order))]


def claim(connection: Connection, table: str, name: str) -> int | str:
    """Take a table without a live owner, and return its fence; else return its owner's name."""
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
        leave(connection, row.id)  # fails, and is retried, if the owner has renewed it meanwhile
    taken = tables.update().where(tables.c.id == table).returning(tables.c.fence)
    fence: int = connection.execute(taken.values(owner=name, fence=tables.c.fence + 1)).scalar_one()
    return fence


def release(connection: Connection, table: str, fence: int) -> None:
    """Give up a table that nobody follows."""
    held = tables.update().where(tables.c.id == table, tables.c.fence == fence)
    connection.execute(held.values(owner=None))


def require(connection: Connection, table: str, fence: int) -> None:
    """Raise unless the table is still owned, and lock it until this transaction ends."""
    held = sa.select(tables.c.id).where(tables.c.id == table, tables.c.fence == fence)
    if connection.execute(held.with_for_update(read=True)).first() is None:
        raise LostTable(f"table {table} belongs to another process now")


def orphans(connection: Connection) -> list[str]:
    """Return the tables with a game in progress and without a live owner."""
    alive = sa.select(processes.c.id).where(processes.c.expires >= NOW)
    lost = sa.or_(tables.c.owner.is_(None), tables.c.owner.not_in(alive))
    query = sa.select(tables.c.id).where(tables.c.status == "playing", lost)
    return [row.id for row in connection.execute(query)]
