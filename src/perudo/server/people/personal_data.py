"""Export and erasure of a person's data."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.people.moderation import find_person


def export_person(connection: Connection, who: str) -> dict[str, Any]:
    """Return all data stored about a person."""
    person = find_person(connection, who)
    told = {
        key: value for key, value in person._mapping.items() if key not in ("password", "name_key")
    }
    seats = schema.game_seats
    said = [
        {"table": row.table_id, "at": row.at, **json.loads(row.data)}
        for row in _said_by(connection, person.id)
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


def _seats_at_tables(connection: Connection, person: str) -> dict[str, set[int]]:
    """Return the seats that a person has had, by table."""
    events = schema.events.c
    seats: dict[str, set[int]] = {}
    for row in connection.execute(
        sa.select(events.table_id, events.data).where(
            events.kind == "seated", events.data.contains(f'"id":"{person}"')
        )
    ):
        seats.setdefault(row.table_id, set()).add(json.loads(row.data)["seat"])
    return seats


def _said_by(connection: Connection, person: str) -> list[Any]:
    events = schema.events.c
    found = []
    for table, seats in _seats_at_tables(connection, person).items():
        rows = connection.execute(
            sa.select(schema.events).where(events.table_id == table, events.kind == "said")
        )
        found += [row for row in rows if json.loads(row.data)["seat"] in seats]
    return found


def erase_person(connection: Connection, who: str) -> None:
    """Erase a person's names and chat; their games stay.

    Games also belong to their other players. Their moves and dice remain, and the name becomes
    "erased" everywhere it is stored.
    """
    person = find_person(connection, who)
    for bot in connection.execute(
        sa.select(schema.people.c.id).where(schema.people.c.owner == person.id)
    ).all():
        erase_person(connection, bot.id)
    for row in _said_by(connection, person.id):
        _change_event(connection, row, {**json.loads(row.data), "text": None})
    _rename_in_logs(connection, person)
    connection.execute(schema.reviews.delete())  # they contain records, and can be made again
    seats = schema.game_seats
    connection.execute(
        seats.update().where(seats.c.person == person.id).values(name="erased", person=None)
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
        .values(name="erased", name_key=None, password=None, owner=None, filters=None, banned=True)
    )


def _rename_in_logs(connection: Connection, person: Any) -> None:
    """Remove the name and id from seatings, record headers and summaries."""
    tables = set(_seats_at_tables(connection, person.id))
    tables |= {
        row.id
        for row in connection.execute(
            sa.select(schema.tables.c.id).where(schema.tables.c.creator == person.id)
        )
    }
    events = schema.events.c
    for table in tables:
        rows = connection.execute(
            sa.select(schema.events).where(
                events.table_id == table, events.kind.in_(("seated", "started", "paused"))
            )
        ).all()
        seated = [json.loads(row.data)["player"] for row in rows if row.kind == "seated"]
        names = {person.name} | {each["name"] for each in seated if each["id"] == person.id}
        for row in rows:
            _change_event(connection, row, _without(json.loads(row.data), person.id, names))
        summary = connection.execute(
            sa.select(schema.tables.c.summary).where(schema.tables.c.id == table)
        ).scalar_one()
        connection.execute(
            schema.tables.update()
            .where(schema.tables.c.id == table)
            .values(
                summary=json.dumps(_without(json.loads(summary), person.id, names)),
                status="closed",
            )
        )


def _without(value: Any, id: str, names: set[str]) -> Any:
    """Return a copy of a part of the log in which a person's names and id are replaced."""
    if isinstance(value, dict):
        return {key: _without(each, id, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_without(each, id, names) for each in value]
    if value == id:
        return None
    return "erased" if isinstance(value, str) and value in names else value


def _change_event(connection: Connection, row: Any, data: object) -> None:
    events = schema.events
    connection.execute(
        events.update()
        .where(events.c.table_id == row.table_id, events.c.n == row.n)
        .values(data=json.dumps(data, separators=(",", ":"), ensure_ascii=False))
    )
