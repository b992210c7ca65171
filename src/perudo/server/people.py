"""Who somebody is: guests, accounts and bots, their sessions and tokens.

Tokens are 256 random bits; the database has their SHA-256 only. Passwords are kept as argon2id.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.server import schema
from perudo.server.service import Refused
from perudo.server.store import Store

SESSION_SECONDS = 180 * 86400.0
RECOVERY_CODES = 8
NAME_PATTERN = re.compile(r"[^\W_][\w .'-]{0,22}[\w.]|[^\W_]")
"""Names begin with a letter or digit and hold letters, digits, spaces and a few marks."""
_FIRST = ("Amber", "Blue", "Brave", "Calm", "Clever", "Lucky", "Merry", "Quick", "Quiet", "Sly")
_SECOND = ("Condor", "Cup", "Die", "Fox", "Heron", "Llama", "Otter", "Puma", "Tapir", "Vicuña")


@dataclass(frozen=True)
class Person:
    """Somebody who can sit at a table."""

    id: str
    kind: str
    """guest, account or bot"""
    name: str
    owner: str | None = None
    banned: bool = False
    muted: bool = False

    @property
    def public(self) -> dict[str, Any]:
        """What they are told about themselves."""
        return {"id": self.id, "name": self.name, "kind": self.kind}

    @property
    def answerable(self) -> str:
        """Who answers for this one: the owner of a bot, else the person."""
        return self.owner or self.id


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_id() -> str:
    """A name nobody can guess."""
    return secrets.token_urlsafe(12)


def check_name(name: str) -> str:
    """The name, with single spaces; raises if it cannot be one."""
    name = " ".join(name.split())
    if not NAME_PATTERN.fullmatch(name):
        raise Refused(
            "bad_name",
            "a name has 1 to 24 letters, digits, spaces or . ' - and begins with a letter or digit",
        )
    return name


def name_key(name: str) -> str:
    """What two names must not share."""
    return name.casefold()


def check_password(password: str) -> None:
    """Raise unless a password can be taken."""
    if not 8 <= len(password) <= 200:
        raise Refused("bad_password", "a password has 8 to 200 characters")


def _hasher() -> Any:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def _person(row: Any) -> Person:
    return Person(row.id, row.kind, row.name, row.owner, row.banned, row.muted)


class People:
    """Everybody known to the service."""

    def __init__(self, store: Store, now: Any, registration: bool = True) -> None:
        self._store = store
        self._now = now
        self._registration = registration

    # --- guests and sessions --------------------------------------------------------------------
    async def new_guest(self, name: str | None) -> tuple[Person, str]:
        """Somebody new, and their session's token."""
        chosen = check_name(name) if name else _guest_name()
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
            _add_session(connection, token, person.id, "session", now, now + SESSION_SECONDS)

        await self._store.write(work)
        return person, token

    async def by_token(self, token: str) -> Person | None:
        """Whose session or bot token this is."""
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
            return _person(row)

        return await self._store.read(work)

    async def by_name(self, name: str) -> Person | None:
        """The account or bot of this name."""
        wanted = schema.people.c.name_key == name_key(name)
        row = await self._store.read(
            lambda connection: connection.execute(sa.select(schema.people).where(wanted)).first()
        )
        return None if row is None else _person(row)

    async def by_id(self, id: str) -> Person | None:
        """Somebody."""
        wanted = schema.people.c.id == id
        row = await self._store.read(
            lambda connection: connection.execute(sa.select(schema.people).where(wanted)).first()
        )
        return None if row is None else _person(row)

    async def end_session(self, token: str) -> None:
        """A token is worth nothing any more."""
        wanted = schema.sessions.c.token_hash == token_hash(token)
        await self._store.write(
            lambda connection: connection.execute(schema.sessions.delete().where(wanted))
        )

    async def end_other_sessions(self, person: Person, token: str) -> int:
        """All sessions but this one are over."""
        sessions = schema.sessions.c
        wanted = (sessions.person == person.id) & (sessions.token_hash != token_hash(token))
        return await self._store.write(
            lambda connection: connection.execute(schema.sessions.delete().where(wanted)).rowcount
        )

    # --- accounts -------------------------------------------------------------------------------
    async def register(self, guest: Person, name: str, password: str) -> tuple[Person, list[str]]:
        """Make a guest an account; returns it and its recovery codes, which are told once."""
        if not self._registration:
            raise Refused("closed", "no new accounts are made here; ask the host")
        if guest.kind != "guest":
            raise Refused("has_account", f"{guest.name} has an account already")
        name = check_name(name)
        check_password(password)
        hashed = await _in_thread(_hasher().hash, password)
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
        """A session for whoever knows the password."""
        wanted = schema.people.c.name_key == name_key(" ".join(name.split()))
        row = await self._store.read(
            lambda connection: connection.execute(sa.select(schema.people).where(wanted)).first()
        )
        # Whether the name exists is not told: an unknown one takes as long.
        known = row is not None and row.kind == "account" and row.password is not None
        hashed = row.password if known and row is not None else _NOBODYS_PASSWORD
        right = await _in_thread(_verify, hashed, password)
        if row is None or not known or not right:
            raise Refused("wrong_password", "this name and password do not belong together")
        if row.banned:
            raise Refused("banned", "this account is banned; ask the host")
        token = secrets.token_urlsafe(32)
        now = self._now()
        await self._store.write(
            lambda connection: _add_session(
                connection, token, row.id, "session", now, now + SESSION_SECONDS
            )
        )
        return _person(row), token

    async def change_password(self, person: Person, old: str, new: str) -> None:
        """Another password, for whoever knows the old one."""
        await self.log_in(person.name, old)
        check_password(new)
        hashed = await _in_thread(_hasher().hash, new)
        await self._store.write(
            lambda connection: connection.execute(
                schema.people.update()
                .where(schema.people.c.id == person.id)
                .values(password=hashed)
            )
        )

    async def recover(self, name: str, code: str, password: str) -> tuple[Person, list[str]]:
        """A new password for whoever has a recovery code; all sessions end, the codes are new."""
        check_password(password)
        hashed = await _in_thread(_hasher().hash, password)
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
                raise Refused("wrong_code", "this name and recovery code do not belong together")
            set_password(connection, row.id, hashed)
            store_codes(connection, row.id, codes)
            return _person(row)

        return await self._store.write(work), codes

    # --- bots -----------------------------------------------------------------------------------
    async def new_bot(self, owner: Person, name: str) -> tuple[Person, str]:
        """A bot of an account, and its token, which is told once."""
        if owner.kind != "account":
            raise Refused("needs_account", "bots belong to accounts; make one first")
        name = check_name(name)
        bot = Person(new_id(), "bot", name, owner.id)
        token = secrets.token_urlsafe(32)
        now = self._now()

        def work(connection: Connection) -> None:
            taken = schema.people.c.name_key == name_key(name)
            if connection.execute(sa.select(schema.people.c.id).where(taken)).first():
                raise Refused("name_taken", f"the name {name!r} is taken")
            owned = schema.people.c.owner == owner.id
            if len(connection.execute(sa.select(schema.people.c.id).where(owned)).all()) >= 20:
                raise Refused("too_many", "an account can have 20 bots")
            connection.execute(
                schema.people.insert().values(
                    id=bot.id,
                    kind="bot",
                    name=name,
                    name_key=name_key(name),
                    owner=owner.id,
                    banned=False,
                    muted=False,
                    created=now,
                    seen=now,
                )
            )
            _add_session(connection, token, bot.id, "bot", now, None)

        await self._store.write(work)
        return bot, token

    async def bots(self, owner: Person) -> list[Person]:
        """An account's bots."""
        owned = schema.people.c.owner == owner.id
        rows = await self._store.read(
            lambda connection: connection.execute(
                sa.select(schema.people).where(owned).order_by(schema.people.c.created)
            ).all()
        )
        return [_person(row) for row in rows]

    async def renew_bot_token(self, owner: Person, bot_id: str) -> str:
        """The bot's old token is worth nothing; here is another."""
        token = secrets.token_urlsafe(32)
        now = self._now()

        def work(connection: Connection) -> None:
            _require_owner(connection, owner, bot_id)
            connection.execute(schema.sessions.delete().where(schema.sessions.c.person == bot_id))
            _add_session(connection, token, bot_id, "bot", now, None)

        await self._store.write(work)
        return token

    async def set_filters(self, owner: Person, bot_id: str, filters: dict[str, Any]) -> None:
        """Which challenges a bot wants to hear of."""

        def work(connection: Connection) -> None:
            _require_owner(connection, owner, bot_id)
            connection.execute(
                schema.people.update()
                .where(schema.people.c.id == bot_id)
                .values(filters=json.dumps(filters))
            )

        await self._store.write(work)

    async def filters(self, id: str) -> dict[str, Any]:
        """Which challenges somebody wants to hear of; empty: all."""
        wanted = schema.people.c.id == id
        text = await self._store.read(
            lambda connection: connection.execute(
                sa.select(schema.people.c.filters).where(wanted)
            ).scalar()
        )
        return {} if text is None else dict(json.loads(text))


def _guest_name() -> str:
    return f"{secrets.choice(_FIRST)} {secrets.choice(_SECOND)} {secrets.randbelow(900) + 100}"


def _add_session(
    connection: Connection,
    token: str,
    person: str,
    label: str,
    now: float,
    expires: float | None,
) -> None:
    connection.execute(
        schema.sessions.insert().values(
            token_hash=token_hash(token), person=person, label=label, created=now, expires=expires
        )
    )


def _require_owner(connection: Connection, owner: Person, bot_id: str) -> None:
    wanted = (schema.people.c.id == bot_id) & (schema.people.c.owner == owner.id)
    if connection.execute(sa.select(schema.people.c.id).where(wanted)).first() is None:
        raise Refused("unknown_bot", "you have no such bot")


# --- passwords and codes ------------------------------------------------------------------------
def new_codes() -> list[str]:
    """Recovery codes that people can write down."""
    alphabet = "abcdefghjkmnpqrstuvwxyz23456789"
    return [
        "-".join("".join(secrets.choice(alphabet) for _ in range(5)) for _ in range(4))
        for _ in range(RECOVERY_CODES)
    ]


def code_hash(person: str, code: str) -> str:
    """What is stored of a recovery code: 99 random bits need no slow hash."""
    return hashlib.sha256(f"{person} {code.strip().lower()}".encode()).hexdigest()


def store_codes(connection: Connection, person: str, codes: list[str]) -> None:
    """These codes and no others."""
    table = schema.recovery_codes
    connection.execute(table.delete().where(table.c.person == person))
    rows = [{"code_hash": code_hash(person, code), "person": person} for code in codes]
    connection.execute(table.insert(), rows)


def set_password(connection: Connection, person: str, hashed: str) -> None:
    """Another password; whoever was logged in is no longer."""
    connection.execute(
        schema.people.update().where(schema.people.c.id == person).values(password=hashed)
    )
    connection.execute(schema.sessions.delete().where(schema.sessions.c.person == person))


def hash_password(password: str) -> str:
    """A password as it is stored."""
    check_password(password)
    return str(_hasher().hash(password))


_NOBODYS_PASSWORD = (
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)


def _verify(hashed: str, password: str) -> bool:
    from argon2.exceptions import VerificationError

    try:
        return bool(_hasher().verify(hashed, password))
    except VerificationError:
        return False


async def _in_thread(function: Any, *arguments: Any) -> Any:
    import asyncio

    return await asyncio.to_thread(function, *arguments)
