"""People: guests and accounts, with their sessions and tokens.

Tokens are 256 random bits; the database stores only their SHA-256 hashes.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.db.store import Store
from perudo.server.errors import Refused
from perudo.server.people.names import check_name, guest_name, name_key
from perudo.server.people.passwords import (
    NOBODYS_PASSWORD,
    check_password,
    code_hash,
    hash_password,
    is_password,
    new_codes,
    set_password,
    store_codes,
)
from perudo.server.wire.bodies import Filters
from perudo.server.wire.server_messages import PersonKind, You

SESSION_SECONDS = 180 * 86400.0


@dataclass(frozen=True)
class Person:
    """A guest, account or bot."""

    id: str
    kind: PersonKind
    name: str
    owner: str | None = None
    banned: bool = False
    muted: bool = False

    @property
    def public(self) -> You:
        """The fields that the server sends to the person."""
        return {"id": self.id, "name": self.name, "kind": self.kind}

    @property
    def answerable(self) -> str:
        """The id of the person responsible: the owner of a bot, else the person."""
        return self.owner or self.id


def token_hash(token: str) -> str:
    """Return the stored hash of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_id() -> str:
    """Return a random id that nobody can guess."""
    return secrets.token_urlsafe(12)


def person_of(row: Any) -> Person:
    """Return the person in a row of the database."""
    return Person(row.id, row.kind, row.name, row.owner, row.banned, row.muted)


class People:
    """The guests, accounts and bots of the service."""

    def __init__(self, store: Store, now: Any, registration: bool = True) -> None:
        self._store = store
        self._now = now
        self._registration = registration

    # --- guests and sessions --------------------------------------------------------------------
    async def new_guest(self, name: str | None) -> tuple[Person, str]:
        """Create a guest, and return it with its session's token."""
        chosen = check_name(name) if name else guest_name()
        person = Person(new_id(), "guest", chosen)
        token = secrets.token_urlsafe(32)
        now = self._now()

        def work(connection: Connection) -> None:
            taken = schema.people.c.name_key == name_key(chosen)
            if connection.execute(sa.select(schema.people.c.id).where(taken)).first():
                raise Refused("name_taken", f"the name {chosen!r} belongs to an account")
            connection.execute(
                schema.people.insert().values(
                    id=person.id,
                    kind="guest",
                    name=chosen,
                    banned=False,
                    muted=False,
                    created=now,
                    seen=now,
                )
            )
            add_session(connection, token, person.id, "session", now, now + SESSION_SECONDS)

        await self._store.write(work)
        return person, token

    async def by_token(self, token: str) -> Person | None:
        """Return the person with this session or bot token; None if banned or expired."""
        wanted = token_hash(token)
        now = self._now()

        def work(connection: Connection) -> Person | None:
            joined = schema.sessions.join(
                schema.people, schema.people.c.id == schema.sessions.c.person
            )
            row = connection.execute(
                sa.select(schema.people, schema.sessions.c.expires)
                .select_from(joined)
                .where(schema.sessions.c.token_hash == wanted)
            ).first()
            if row is None or row.banned or (row.expires is not None and row.expires < now):
                return None
            return person_of(row)

        return await self._store.read(work)

    async def by_token_hashes(self, hashes: list[str]) -> dict[str, Person]:
        """Return people, banned or not, by the hashes of their tokens that are still valid."""
        joined = schema.sessions.join(schema.people, schema.people.c.id == schema.sessions.c.person)
        expires, now = schema.sessions.c.expires, self._now()
        query = (
            sa.select(schema.people, schema.sessions.c.token_hash)
            .select_from(joined)
            .where(schema.sessions.c.token_hash.in_(hashes), expires.is_(None) | (expires >= now))
        )
        return await self._store.read(
            lambda connection: {row.token_hash: person_of(row) for row in connection.execute(query)}
        )

    async def by_name(self, name: str) -> Person | None:
        """Return the account or bot of this name, or None."""
        wanted = schema.people.c.name_key == name_key(name)
        row = await self._store.read(
            lambda connection: connection.execute(sa.select(schema.people).where(wanted)).first()
        )
        return None if row is None else person_of(row)

    async def by_id(self, id: str) -> Person | None:
        """Return the person with this id, or None."""
        wanted = schema.people.c.id == id
        row = await self._store.read(
            lambda connection: connection.execute(sa.select(schema.people).where(wanted)).first()
        )
        return None if row is None else person_of(row)

    async def end_session(self, token: str) -> None:
        """End the session of a token."""
        wanted = schema.sessions.c.token_hash == token_hash(token)
        await self._store.write(
            lambda connection: connection.execute(schema.sessions.delete().where(wanted))
        )

    async def end_other_sessions(self, person: Person, token: str) -> int:
        """End all sessions but the token's, and return the number ended."""
        sessions = schema.sessions.c
        wanted = (sessions.person == person.id) & (sessions.token_hash != token_hash(token))
        return await self._store.write(
            lambda connection: connection.execute(schema.sessions.delete().where(wanted)).rowcount
        )

    # --- accounts -------------------------------------------------------------------------------
    async def register(self, guest: Person, name: str, password: str) -> tuple[Person, list[str]]:
        """Turn a guest into an account, and return it with its recovery codes."""
        if not self._registration:
            raise Refused("closed", "registration is closed; ask the host")
        if guest.kind != "guest":
            raise Refused("has_account", f"{guest.name} has an account already")
        name = check_name(name)
        check_password(password)
        hashed = await asyncio.to_thread(hash_password, password)
        codes = new_codes()

        def work(connection: Connection) -> None:
            taken = (schema.people.c.name_key == name_key(name)) & (schema.people.c.id != guest.id)
            if connection.execute(sa.select(schema.people.c.id).where(taken)).first():
                raise Refused("name_taken", f"the name {name!r} is taken")
            connection.execute(
                schema.people.update()
                .where(schema.people.c.id == guest.id)
                .values(kind="account", name=name, name_key=name_key(name), password=hashed)
            )
            store_codes(connection, guest.id, codes)

        await self._store.write(work)
        return Person(guest.id, "account", name), codes

    async def log_in(self, name: str, password: str) -> tuple[Person, str]:
        """Check the password, and return the person and a new session's token."""
        person = await self._require_password(name, password)
        token = secrets.token_urlsafe(32)
        now = self._now()
        await self._store.write(
            lambda connection: add_session(
                connection, token, person.id, "session", now, now + SESSION_SECONDS
            )
        )
        return person, token

    async def _require_password(self, name: str, password: str) -> Person:
        """Return the person with this name; raise if the password is wrong."""
        wanted = schema.people.c.name_key == name_key(" ".join(name.split()))
        row = await self._store.read(
            lambda connection: connection.execute(sa.select(schema.people).where(wanted)).first()
        )
        # An unknown name takes as long as a wrong password, to hide which names exist.
        known = row is not None and row.kind == "account" and row.password is not None
        hashed = row.password if known and row is not None else NOBODYS_PASSWORD
        right = await asyncio.to_thread(is_password, hashed, password)
        if row is None or not known or not right:
            raise Refused("wrong_password", "wrong name or password")
        if row.banned:
            raise Refused("banned", "this account is banned; ask the host")
        return person_of(row)

    async def change_password(self, person: Person, token: str, old: str, new: str) -> None:
        """Check the old password, set a new one, and end all sessions but the token's."""
        await self._require_password(person.name, old)
        check_password(new)
        hashed = await asyncio.to_thread(hash_password, new)
        await self._store.write(
            lambda connection: set_password(connection, person.id, hashed, token_hash(token))
        )

    async def recover(self, name: str, code: str, password: str) -> tuple[Person, list[str]]:
        """Set a new password with a recovery code, end all sessions, and return new codes."""
        check_password(password)
        hashed = await asyncio.to_thread(hash_password, password)
        codes = new_codes()
        wanted = (schema.people.c.name_key == name_key(" ".join(name.split()))) & (
            schema.people.c.kind == "account"
        )

        def work(connection: Connection) -> Person:
            row = connection.execute(sa.select(schema.people).where(wanted)).first()
            found = None
            if row is not None:
                given = code_hash(row.id, code)
                found = connection.execute(
                    sa.select(schema.recovery_codes).where(
                        schema.recovery_codes.c.code_hash == given
                    )
                ).first()
            if row is None or found is None:
                raise Refused("wrong_code", "wrong name or recovery code")
            set_password(connection, row.id, hashed)
            store_codes(connection, row.id, codes)
            return person_of(row)

        return await self._store.write(work), codes

    async def filters(self, id: str) -> Filters:
        """Return the challenges that a player or bot accepts; empty filters accept all."""
        wanted = schema.people.c.id == id
        text = await self._store.read(
            lambda connection: connection.execute(
                sa.select(schema.people.c.filters).where(wanted)
            ).scalar()
        )
        return Filters() if text is None else Filters.model_validate_json(text)


def add_session(
    connection: Connection,
    token: str,
    person: str,
    label: str,
    now: float,
    expires: float | None,
) -> None:
    """Store a token of a person; without ``expires`` it never expires."""
    connection.execute(
        schema.sessions.insert().values(
            token_hash=token_hash(token), person=person, label=label, created=now, expires=expires
        )
    )
