"""Tables' logs in the database: one transaction checks, stores events, and projects them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import sqlalchemy as sa
from pydantic_core import to_json
from sqlalchemy.engine import Connection

from perudo.server.cluster.leases import require
from perudo.server.db import schema
from perudo.server.db.store import EventRow
from perudo.server.errors import Refused
from perudo.server.history.projections import project
from perudo.server.rooms.quotas import use_ai_games
from perudo.server.service import Service
from perudo.server.table.log import Entry, read_event
from perudo.server.table.progress import Progress
from perudo.server.table.views import table_summary

OF_THE_GAME = frozenset({"act", "deal", "result", "answered", "said"})
"""Kinds of events that change nothing about the table apart from the game."""
ROUTINE_KINDS = tuple(sorted(OF_THE_GAME))
"""Kinds of events that a table need not remember of games before the last."""

Part = tuple[Progress, list[Entry]]
"""The outcome of a command, with its events numbered."""


class NotStored(RuntimeError):
    """It is not known whether events were stored."""


class TableLog:
    """The log of one table, written by the one room that holds it."""

    def __init__(self, service: Service, fence: int | None) -> None:
        self._service = service
        self.fence = fence
        """The number under which this process holds the table; None: there is one process."""

    async def append(self, table: str, parts: Sequence[Part]) -> None:
        """Store all events or none. A guard may refuse them; ``NotStored``: nobody knows."""
        rows = [event_row(table, entry) for _, entries in parts for entry in entries]
        is_plain = self.fence is None and all(row["kind"] in OF_THE_GAME for row in rows)
        write = None if is_plain else partial(self._write, parts)
        try:
            await self._service.store.add_events(rows, write)
        except Refused:  # the transaction has been rolled back
            raise
        except Exception as error:
            raise NotStored(f"events from {rows[0]['n']} on of table {table}") from error

    def _write(self, parts: Sequence[Part], connection: Connection) -> None:
        """Do what belongs to storing events, in their transaction."""
        table, entries = parts[-1][0].table, parts[-1][1]
        if self.fence is not None:
            require(connection, table.id, self.fence)
        if any(entry.event.kind not in OF_THE_GAME for entry in entries):
            connection.execute(
                schema.tables.update()
                .where(schema.tables.c.id == table.id)
                .values(updated=entries[-1].at, status=table.status, summary=table_summary(table))
            )
        for progress, numbered in parts:
            for guard in progress.guards:
                use_ai_games(connection, self._service, guard)
            project(connection, progress.table, numbered, self._service.game_ended)


def event_row(table: str, entry: Entry) -> EventRow:
    """Return an event as the database keeps it."""
    hidden = entry.event.hidden_data
    return {
        "table_id": table,
        "n": entry.n,
        "at": entry.at,
        "kind": entry.event.kind,
        "data": to_json(entry.event.data).decode(),
        "hidden": None if hidden is None else to_json(hidden).decode(),
    }


def read_log(connection: Connection, id: str) -> list[Entry]:
    """Return a table's log; of games before the last only what the table remembers."""
    rows = schema.events.c
    last = connection.execute(
        sa.select(sa.func.max(rows.n)).where(rows.table_id == id, rows.kind == "started")
    ).scalar()
    query = sa.select(schema.events).where(rows.table_id == id).order_by(rows.n)
    if last is not None:
        query = query.where(sa.or_(rows.n >= last, rows.kind.not_in(ROUTINE_KINDS)))
    return [_entry(row) for row in connection.execute(query)]


def talk_before(
    connection: Connection, id: str, first: int, before: int, limit: int
) -> list[Entry]:
    """Return a table's last talk between two events, oldest first."""
    rows = schema.events.c
    query = (
        sa.select(schema.events)
        .where(rows.table_id == id, rows.n > first, rows.n < before, rows.kind == "said")
        .order_by(rows.n.desc())
        .limit(limit)
    )
    return [_entry(row) for row in connection.execute(query)][::-1]


def _entry(row: Any) -> Entry:
    hidden = None if row.hidden is None else json.loads(row.hidden)
    return Entry(row.n, row.at, read_event(row.kind, json.loads(row.data), hidden))
