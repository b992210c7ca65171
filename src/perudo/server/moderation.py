"""What a host does about people: passwords, bans, and silence."""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.games.errors import PerudoError
from perudo.server import schema
from perudo.server.names import name_key
from perudo.server.passwords import hash_password, set_password


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
