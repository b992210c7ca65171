"""Callers of the AIs: the names that pay for a question's processor time, and its urgency."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Urgency(IntEnum):
    """Urgency of a question; the lowest goes first."""

    PEOPLE = 0
    """People or bots wait for the answer."""
    AIS_ALONE = 1
    """It is for a game of AIs alone."""
    AHEAD = 2
    """It prepares an AI that nobody needs yet."""


@dataclass(frozen=True)
class Payer:
    """The person who answers for a table or a request: an account or a guest."""

    person: str
    guest: bool


@dataclass(frozen=True)
class Caller:
    """The names under which a question is charged, and its urgency."""

    names: tuple[str, ...] = ()
    """The person first; for a guest also the address. Empty: the server asks for itself."""
    urgency: Urgency = Urgency.PEOPLE


SERVER = Caller()
"""The server itself, which nobody pays for."""
