"""Export and erasure of a person's data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.people.moderation import find_person
from perudo.server.wire.events import stored_seating

ERASED = "erased"
"""The name of everybody who has been erased."""
TELLING = ("seated", "left", "free", "started", "said", "paused")
"""Kinds of events that say who sits where, or that have a name or words in them."""


def export_person(connection: Connection, who: str) -> dict[str, Any]:
    """Return all data stored about a person."""
    person = find_person(connection, who)
    told = {
        key: value for key, value in person._mapping.items() if key not in ("password", "name_key")
    }
    seats = schema.game_seats
    said = [
        {"table": row.table_id, "at": row.at, **data}
        for row, data, _ in _said_by(connection, person.id)
    ]
    return {
        "person": told,
        "sessions": _rows(connection, schema.sessions, schema.sessions.c.person == person.id),
        "games": _rows(connection, seats, seats.c.person == person.id),
        "ratings": _rows(connection, schema.ratings, schema.ratings.c.player == person.id),
        "rating_changes": _rows(
            connection, schema.rating_changes, schema.rating_changes.c.player == person.id
        ),
        "tables": _rows(connection, schema.tables, schema.tables.c.creator == person.id),
        "said": said,
        "ai_time": _rows(
            connection, schema.ai_time, schema.ai_time.c.name == f"person:{person.id}"
        ),
    }


def _rows(connection: Connection, table: Any, wanted: Any) -> list[dict[str, Any]]:
    columns = [column for column in table.c if column.name != "token_hash"]
    rows = connection.execute(sa.select(*columns).where(wanted))
    return [dict(row._mapping) for row in rows]


def _tables_of(connection: Connection, person: str) -> set[str]:
    """Return the tables that a person made or had a seat at."""
    events, tables = schema.events.c, schema.tables.c
    seated = sa.select(events.table_id).where(
        events.kind == "seated", events.data.contains(f'"id":"{person}"', autoescape=True)
    )
    made = sa.select(tables.id).where(tables.creator == person)
    return set(connection.execute(sa.union(seated, made)).scalars())


class Line(NamedTuple):
    """An event that names or quotes people."""

    row: Any
    data: Any
    """The event's data, of any shape: older versions wrote it too."""
    seat: int | None
    """The seat that the person had then."""


def _log_of(connection: Connection, table: str, person: str) -> Iterator[Line]:
    """Iterate over the events that name or quote people.

    A seat may change its owner at any time, and its player between two games of a series.
    """
    seat: int | None = None
    seating: list[int] = []
    events = schema.events.c
    query = sa.select(schema.events).where(events.table_id == table, events.kind.in_(TELLING))
    for row in connection.execute(query.order_by(events.n)).all():
        data = json.loads(row.data)
        match row.kind:
            case "seated" if data["player"]["id"] == person:
                seat = data["seat"]
            case "seated" | "left" if data["seat"] == seat:
                seat = None
            case "free" if seat in data["seats"]:
                seat = None
            case "started":
                before = list(range(len(data["players"]))) if data["first"] else seating
                seating = stored_seating(data) or before
                if seat is not None:
                    seat = seating.index(before[seat])
        yield Line(row, data, seat)


def _said_by(connection: Connection, person: str) -> list[Line]:
    """Return all free text of a person."""
    return [
        line
        for table in sorted(_tables_of(connection, person))
        for line in _log_of(connection, table, person)
        if line.row.kind == "said" and line.data["seat"] == line.seat
        if line.data["text"] is not None
    ]


def erase_person(connection: Connection, who: str) -> None:
    """Erase a person's names and chat; their games stay.

    Games also belong to their other players. Their moves and dice remain, and the name becomes
    ``ERASED`` everywhere it is stored.
    """
    person = find_person(connection, who)
    for bot in connection.execute(
        sa.select(schema.people.c.id).where(schema.people.c.owner == person.id)
    ).all():
        erase_person(connection, bot.id)
    for row, data, _ in _said_by(connection, person.id):
        _change_event(connection, row, {**data, "text": None})
    for id in sorted(_tables_of(connection, person.id)):
        _rename_in_log(connection, id, person)
    connection.execute(schema.reviews.delete())  # they contain records, and can be made again
    seats = schema.game_seats
    connection.execute(
        seats.update().where(seats.c.person == person.id).values(name=ERASED, person=None)
    )
    for table in (schema.ratings, schema.rating_changes):
        connection.execute(table.delete().where(table.c.player == person.id))
    ai_time = schema.ai_time
    connection.execute(ai_time.delete().where(ai_time.c.name == f"person:{person.id}"))
    for table in (schema.sessions, schema.recovery_codes):
        connection.execute(table.delete().where(table.c.person == person.id))
    connection.execute(
        schema.people.update()
        .where(schema.people.c.id == person.id)
        .values(name=ERASED, name_key=None, password=None, owner=None, filters=None, banned=True)
    )


def _rename_in_log(connection: Connection, table: str, person: Any) -> None:
    """Remove the name and id from a table's seatings, record headers and summary."""
    tables, seats = schema.tables, schema.game_seats
    row = connection.execute(sa.select(tables).where(tables.c.id == table)).one()
    is_creator = row.creator == person.id
    names = {person.name}
    """The names that the person has had at this table."""
    for event, data, seat in list(_log_of(connection, table, person.id)):
        match event.kind:
            case "seated" if data["seat"] == seat:
                names.add(data["player"]["name"])
                data["player"] = _erased(data["player"])
            case "started" if seat is not None:
                data["players"][seat] = _erased(data["players"][seat])
                data["header"]["players"][seat] = ERASED
                here = (seats.c.game_id == f"{table}.{data['game']}") & (seats.c.seat == seat)
                connection.execute(seats.update().where(here).values(name=ERASED, person=None))
            case "paused" if data["by"] in names and (is_creator or seat is not None):
                data["by"] = ERASED
            case _:
                continue
        _change_event(connection, event, data)
    summary = json.loads(row.summary)
    for each in summary["seats"]:
        if each["player"] is not None and each["player"]["id"] == person.id:
            each["player"] = _erased(each["player"])
    connection.execute(
        tables.update()
        .where(tables.c.id == table)
        .values(summary=json.dumps(summary), status="closed")
    )


def _erased(player: Mapping[str, str | None]) -> Mapping[str, str | None]:
    """Return a player without name and ids."""
    gone = {"name": ERASED, "id": None, "owner": None}
    return {field: gone.get(field, value) for field, value in player.items()}


def _change_event(connection: Connection, row: Any, data: object) -> None:
    events = schema.events
    connection.execute(
        events.update()
        .where(events.c.table_id == row.table_id, events.c.n == row.n)
        .values(data=json.dumps(data, separators=(",", ":"), ensure_ascii=False))
    )
