"""The host's actions on people: new accounts and passwords, bans, and mutes."""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.games.errors import PerudoError
from perudo.server.db import schema
from perudo.server.people.names import check_name, name_key
from perudo.server.people.passwords import hash_password, new_codes, set_password, store_codes
from perudo.server.people.people import new_id


def find_person(connection: Connection, who: str) -> Any:
    """Find a person by name or id; raise if there is none."""
    people = schema.people
    wanted = (people.c.id == who) | (people.c.name_key == name_key(who))
    row = connection.execute(sa.select(people).where(wanted)).first()
    if row is None:
        raise PerudoError(f"there is no account, bot or id {who!r}")
    return row


def new_account(connection: Connection, name: str, now: float) -> tuple[str, list[str]]:
    """Create an account, and return its new password and recovery codes."""
    name = check_name(name)
    people = schema.people
    if connection.execute(sa.select(people).where(people.c.name_key == name_key(name))).first():
        raise PerudoError(f"the name {name!r} is taken")
    id, password, codes = new_id(), secrets.token_urlsafe(12), new_codes()
    connection.execute(
        people.insert().values(
            id=id,
            kind="account",
            name=name,
            name_key=name_key(name),
            password=hash_password(password),
            banned=False,
            muted=False,
            created=now,
            seen=now,
        )
    )
    store_codes(connection, id, codes)
    return password, codes


def reset_password(connection: Connection, who: str) -> str:
    """Set a new password for an account, end its sessions, and return the password."""
    person = find_person(connection, who)
    if person.kind != "account":
        raise PerudoError(f"{who} is a {person.kind} and has no password")
    password = secrets.token_urlsafe(12)
    set_password(connection, person.id, hash_password(password))
    return password


def set_banned(connection: Connection, who: str, banned: bool) -> None:
    """Ban a person with all their bots, or lift the ban."""
    person = find_person(connection, who)
    people = schema.people
    theirs = (people.c.id == person.id) | (people.c.owner == person.id)
    connection.execute(people.update().where(theirs).values(banned=banned))
    if banned and person.kind != "bot":
        sessions = schema.sessions
        connection.execute(sessions.delete().where(sessions.c.person == person.id))


def set_muted(connection: Connection, who: str, muted: bool) -> None:
    """Block a person's free text everywhere, or allow it again."""
    person = find_person(connection, who)
    people = schema.people
    connection.execute(people.update().where(people.c.id == person.id).values(muted=muted))
