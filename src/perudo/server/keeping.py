"""What a host does to a database: backups, bans, passwords, export and erasure, retention.

Each is a function on a connection or a file, used by ``perudo admin``; the server need not stop.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from perudo.games.errors import PerudoError
from perudo.server import schema
from perudo.server.people import hash_password, name_key, set_password

DAY_SECONDS = 86400.0


# --- backups ------------------------------------------------------------------------------------
def sqlite_file(engine: Engine) -> Path:
    """The file of an SQLite database."""
    name = engine.url.database
    if engine.dialect.name != "sqlite" or not name:
        raise PerudoError("this works on an SQLite file")
    return Path(name)


def back_up(engine: Engine, target: Path) -> None:
    """Copy a database that may be in use; the copy is whole and checked."""
    if target.exists():
        raise PerudoError(f"{target} exists already; choose another name")
    if engine.dialect.name == "sqlite":
        origin = sqlite_file(engine)
        if not origin.exists():
            raise PerudoError(f"there is no database {origin}")
        unfinished = target.with_name(target.name + ".part")
        source, copy = sqlite3.connect(origin), sqlite3.connect(unfinished)
        try:
            source.backup(copy)
            check = copy.execute("PRAGMA integrity_check").fetchone()[0]
        finally:
            source.close()
            copy.close()
        if check != "ok":
            raise PerudoError(f"the copy is damaged: {check}")
        unfinished.rename(target)
    else:
        address = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        _run(["pg_dump", "--format=custom", f"--file={target}", address])


def restore(engine: Engine, source: Path) -> Path | None:
    """Put a backup in the place of the database; what was there is kept beside it."""
    if not source.exists():
        raise PerudoError(f"there is no backup {source}")
    if engine.dialect.name != "sqlite":
        address = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        _run(["pg_restore", "--clean", "--if-exists", f"--dbname={address}", str(source)])
        return None
    connection = sqlite3.connect(f"file:{source}?mode=ro", uri=True)
    try:
        if connection.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            raise PerudoError(f"{source} is damaged")
    except sqlite3.DatabaseError as error:
        raise PerudoError(f"{source} is not a backup: {error}") from None
    finally:
        connection.close()
    place = sqlite_file(engine)
    kept = None
    if place.exists():
        kept = place.with_name(f"{place.name}.before-{time.strftime('%Y%m%d-%H%M%S')}")
        back_up(engine, kept)
    engine.dispose()
    origin, target = sqlite3.connect(source), sqlite3.connect(place)
    try:
        origin.backup(target)
    finally:
        origin.close()
        target.close()
    return kept


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise PerudoError(f"{command[0]} is not installed") from None
    if done.returncode != 0:
        raise PerudoError(f"{command[0]} failed: {done.stderr.strip()[-300:]}")


# --- people -------------------------------------------------------------------------------------
def find_person(connection: Connection, who: str) -> Any:
    """Somebody by name or id."""
    people = schema.people
    wanted = (people.c.id == who) | (people.c.name_key == name_key(who))
    row = connection.execute(sa.select(people).where(wanted)).first()
    if row is None:
        raise PerudoError(f"nobody is called {who!r} and has an account, a bot or this id")
    return row


def reset_password(connection: Connection, who: str) -> str:
    """A new password for an account; its sessions end."""
    person = find_person(connection, who)
    if person.kind != "account":
        raise PerudoError(f"{who} is a {person.kind} and has no password")
    password = secrets.token_urlsafe(12)
    set_password(connection, person.id, hash_password(password))
    return password


def set_banned(connection: Connection, who: str, banned: bool) -> None:
    """Let somebody in no longer, with all their bots, or again."""
    person = find_person(connection, who)
    people = schema.people
    theirs = (people.c.id == person.id) | (people.c.owner == person.id)
    connection.execute(people.update().where(theirs).values(banned=banned))
    if banned and person.kind != "bot":
        sessions = schema.sessions
        connection.execute(sessions.delete().where(sessions.c.person == person.id))


def set_muted(connection: Connection, who: str, muted: bool) -> None:
    """Let somebody's free text through nowhere, or again."""
    person = find_person(connection, who)
    people = schema.people
    connection.execute(people.update().where(people.c.id == person.id).values(muted=muted))


def export_person(connection: Connection, who: str) -> dict[str, Any]:
    """Everything that is stored about somebody."""
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
    }


def _rows(connection: Connection, table: Any, wanted: Any) -> list[dict[str, Any]]:
    columns = [column for column in table.c if column.name != "token_hash"]
    rows = connection.execute(sa.select(*columns).where(wanted))
    return [dict(row._mapping) for row in rows]


def _seats_at_tables(connection: Connection, person: str) -> dict[str, set[int]]:
    """The seats that somebody has had, by table."""
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
    """Forget who somebody was: names and words go, games stay without them.

    Games also belong to those who played them: their moves and dice remain, the name becomes
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
    seats = schema.game_seats
    connection.execute(
        seats.update().where(seats.c.person == person.id).values(name="erased", person=None)
    )
    for table in (schema.ratings, schema.rating_changes):
        connection.execute(table.delete().where(table.c.player == person.id))
    for table in (schema.sessions, schema.recovery_codes):
        connection.execute(table.delete().where(table.c.person == person.id))
    connection.execute(
        schema.people.update()
        .where(schema.people.c.id == person.id)
        .values(name="erased", name_key=None, password=None, owner=None, filters=None, banned=True)
    )


def _rename_in_logs(connection: Connection, person: Any) -> None:
    """Take the name and id out of seatings, record headers and summaries."""
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
    """A part of the log in which somebody's names and id are replaced."""
    if isinstance(value, dict):
        return {key: _without(each, id, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_without(each, id, names) for each in value]
    if value == id:
        return None
    return "erased" if isinstance(value, str) and value in names else value


def _change_event(connection: Connection, row: Any, data: dict[str, Any]) -> None:
    events = schema.events
    connection.execute(
        events.update()
        .where(events.c.table_id == row.table_id, events.c.n == row.n)
        .values(data=json.dumps(data, separators=(",", ":"), ensure_ascii=False))
    )


# --- retention ----------------------------------------------------------------------------------
def forget_old(connection: Connection, days: int, now: float) -> dict[str, int]:
    """Delete tables without rated games, and guests, that nobody has used for so long."""
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
