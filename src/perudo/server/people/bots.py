"""Bots: programs that belong to an account, with a token instead of a password."""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.db.store import Store
from perudo.server.errors import Refused
from perudo.server.people.names import check_name, name_key
from perudo.server.people.people import Person, add_session, new_id, person_of
from perudo.server.wire.bodies import Filters

BOTS_PER_ACCOUNT = 20


class Bots:
    """The bots of all accounts."""

    def __init__(self, store: Store, now: Any) -> None:
        self._store = store
        self._now = now

    async def new(self, owner: Person, name: str) -> tuple[Person, str]:
        """Create a bot of an account, and return it with its token, stored only as a hash."""
        if owner.kind != "account":
            raise Refused("needs_account", "bots belong to accounts; create an account first")
        name = check_name(name)
        bot = Person(new_id(), "bot", name, owner.id)
        token = secrets.token_urlsafe(32)
        now = self._now()

        def work(connection: Connection) -> None:
            taken = schema.people.c.name_key == name_key(name)
            if connection.execute(sa.select(schema.people.c.id).where(taken)).first():
                raise Refused("name_taken", f"the name {name!r} is taken")
            owned = schema.people.c.owner == owner.id
            if (
                len(connection.execute(sa.select(schema.people.c.id).where(owned)).all())
                >= BOTS_PER_ACCOUNT
            ):
                problem = f"an account can have {BOTS_PER_ACCOUNT} bots"
                raise Refused("too_many", problem, "bots_per_account")
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
            add_session(connection, token, bot.id, "bot", now, None)

        await self._store.write(work)
        return bot, token

    async def of(self, owner: Person) -> list[Person]:
        """Return an account's bots, oldest first."""
        owned = schema.people.c.owner == owner.id
        rows = await self._store.read(
            lambda connection: connection.execute(
                sa.select(schema.people).where(owned).order_by(schema.people.c.created)
            ).all()
        )
        return [person_of(row) for row in rows]

    async def renew_token(self, owner: Person, bot_id: str) -> str:
        """Replace a bot's token, and return the new one."""
        token = secrets.token_urlsafe(32)
        now = self._now()

        def work(connection: Connection) -> None:
            _require_owner(connection, owner, bot_id)
            connection.execute(schema.sessions.delete().where(schema.sessions.c.person == bot_id))
            add_session(connection, token, bot_id, "bot", now, None)

        await self._store.write(work)
        return token

    async def set_filters(self, owner: Person, bot_id: str, filters: Filters) -> None:
        """Set the challenges that a bot receives."""

        def work(connection: Connection) -> None:
            _require_owner(connection, owner, bot_id)
            connection.execute(
                schema.people.update()
                .where(schema.people.c.id == bot_id)
                .values(filters=filters.model_dump_json(exclude_none=True))
            )

        await self._store.write(work)


def _require_owner(connection: Connection, owner: Person, bot_id: str) -> None:
    wanted = (schema.people.c.id == bot_id) & (schema.people.c.owner == owner.id)
    if connection.execute(sa.select(schema.people.c.id).where(wanted)).first() is None:
        raise Refused("unknown_bot", "you have no such bot")
