"""Passwords, stored as argon2id hashes, and recovery codes for forgotten ones."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.errors import Refused

RECOVERY_CODES = 8
NOBODYS_PASSWORD = (
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)
"""Hash to check for unknown names, so that these take as long as known ones."""


def check_password(password: str) -> None:
    """Raise unless a new password has an allowed length."""
    if not 8 <= len(password) <= 200:
        raise Refused("bad_password", "a password has 8 to 200 characters")


def _hasher() -> Any:
    from argon2 import PasswordHasher

    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def new_codes() -> list[str]:
    """Return recovery codes that people can write down."""
    alphabet = "abcdefghjkmnpqrstuvwxyz23456789"
    return [
        "-".join("".join(secrets.choice(alphabet) for _ in range(5)) for _ in range(4))
        for _ in range(RECOVERY_CODES)
    ]


def code_hash(person: str, code: str) -> str:
    """Return the stored hash of a recovery code, whose 99 random bits need no slow hash."""
    return hashlib.sha256(f"{person} {code.strip().lower()}".encode()).hexdigest()


def store_codes(connection: Connection, person: str, codes: list[str]) -> None:
    """Replace a person's recovery codes."""
    table = schema.recovery_codes
    connection.execute(table.delete().where(table.c.person == person))
    rows = [{"code_hash": code_hash(person, code), "person": person} for code in codes]
    connection.execute(table.insert(), rows)


def set_password(connection: Connection, person: str, hashed: str, kept: str = "") -> None:
    """Store a new password hash, and end all sessions but that with the kept token's hash."""
    connection.execute(
        schema.people.update().where(schema.people.c.id == person).values(password=hashed)
    )
    sessions = schema.sessions
    ended = (sessions.c.person == person) & (sessions.c.token_hash != kept)
    connection.execute(sessions.delete().where(ended))


def hash_password(password: str) -> str:
    """Return the hash of a password; raise if the password is not allowed."""
    check_password(password)
    return str(_hasher().hash(password))


def is_password(hashed: str, password: str) -> bool:
    """Return True if the password matches a stored hash."""
    from argon2.exceptions import VerificationError

    try:
        return bool(_hasher().verify(hashed, password))
    except VerificationError:
        return False
