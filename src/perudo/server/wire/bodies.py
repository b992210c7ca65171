"""What the HTTP API takes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from perudo.server.wire.table_options import MAX_SEATS, Strict

Name = Annotated[str, Field(min_length=1, max_length=32)]
Password = Annotated[str, Field(min_length=1, max_length=200)]


class Problem(Strict):
    """Why something was not done; ``code`` is stable."""

    code: str
    message: str


class NewGuest(Strict):
    """Play at once."""

    name: Name | None = None


class Credentials(Strict):
    """A name and its password."""

    name: Name
    password: Password


class PasswordChange(Strict):
    """Another password."""

    old: Password
    new: Password


class Recovery(Strict):
    """A new password by a recovery code."""

    name: Name
    code: Annotated[str, Field(min_length=1, max_length=64)]
    password: Password


class NewBot(Strict):
    """A bot of one's own."""

    name: Name


class Filters(Strict):
    """Which challenges a bot wants to hear of; empty: all."""

    rules: list[Annotated[str, Field(max_length=24)]] | None = None
    rated: bool | None = None
    players: list[Annotated[int, Field(ge=2, le=MAX_SEATS)]] | None = None
    closed: bool = False


Status = Literal["waiting", "playing", "finished"]
