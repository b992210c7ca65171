"""The messages that clients send: one closed union, read strictly.

docs/protocol.md and /asyncapi.json are generated from here and from ``server_messages``.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from perudo.protocol import ProtocolError
from perudo.server.wire.table_options import MAX_SEATS, NAME, Strict

SERVICE_PROTOCOL = 1
"""Raised when a field is taken away or comes to mean something else."""

TableId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{4,32}$")]
Seat = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
Number = Annotated[int, Field(ge=0, lt=2**31)]
MOVE_PATTERN = r"^[A-Za-z0-9_.:-]{1,64}$"
Move = Annotated[str, Field(pattern=MOVE_PATTERN)]
Seed = Annotated[str, Field(pattern=r"^[0-9a-f]{0,64}$")]

REACTIONS = ("👍", "👎", "😀", "😮", "😢", "🤔", "🎲", "👏")
PHRASES = (
    "hello",
    "good_luck",
    "well_played",
    "thank_you",
    "oops",
    "you_are_bluffing",
    "trust_me",
    "hurry_up",
    "good_game",
    "bye",
)


class Open(Strict):
    """Follow a table: as the seat that one has there, else as a spectator."""

    type: Literal["open"]
    table: TableId
    after: Number | None = None
    """The last event that the client has; it gets those after it, or everything."""
    odds: bool = False
    """Whether to tell the odds of each legal action; never at rated tables."""
    ref: Move | None = None


class Shut(Strict):
    """Follow a table no longer."""

    type: Literal["shut"]
    table: TableId
    ref: Move | None = None


class Action(Strict):
    """Answer ``decide``, or act on what ``view.legal`` offers."""

    type: Literal["action"]
    table: TableId
    id: Number
    """The number of the question (``decide.id``, ``view.question``)."""
    action: Annotated[str, Field(max_length=16)]
    move: Move | None = None
    """The client's own name for the move: sent again, it has one effect."""
    thoughts: Annotated[str, Field(max_length=2000)] | None = None


class Sit(Strict):
    """Take a seat."""

    type: Literal["sit"]
    table: TableId
    seat: Seat | None = None
    seed: Seed = ""
    """The player's part of the dice (docs/protocol.md, fair dice)."""
    key: Annotated[str, Field(max_length=64)] | None = Field(default=None, repr=False)
    """Of the invitation, from its link or from a ``challenge``: for seats of kind `invited`."""
    ref: Move | None = None


class Stand(Strict):
    """Leave one's seat; during a game an AI plays on and the player is placed last."""

    type: Literal["stand"]
    table: TableId
    ref: Move | None = None


class Fill(Strict):
    """Give an empty seat to an AI (creator)."""

    type: Literal["fill"]
    table: TableId
    seat: Seat
    agent: Annotated[str, Field(max_length=200)] | None = None
    level: Annotated[str, Field(max_length=32)] | None = None
    ref: Move | None = None


class Kick(Strict):
    """Take somebody's seat away (creator; not during rated games)."""

    type: Literal["kick"]
    table: TableId
    seat: Seat
    ref: Move | None = None


class Pause(Strict):
    """Stop all clocks of a table, or let them go on (creator; not in rated games with others)."""

    type: Literal["pause"]
    table: TableId
    on: bool
    ref: Move | None = None


class Absence(Strict):
    """Choose what an absence does (creator; not at rated tables)."""

    type: Literal["absence"]
    table: TableId
    action: Literal["ai", "wait"]
    seconds: Annotated[float, Field(ge=5, le=3600)] | None = None
    ref: Move | None = None


class Rematch(Strict):
    """Ask for another series; it begins when everybody who is there has asked."""

    type: Literal["rematch"]
    table: TableId
    seed: Seed = ""
    ref: Move | None = None


class Hurry(Strict):
    """When only AIs are left in the game: let them finish at once (who played, or the creator)."""

    type: Literal["hurry"]
    table: TableId
    ref: Move | None = None


class Auto(Strict):
    """Decline calza out of turn without being asked, or be asked again."""

    type: Literal["auto"]
    table: TableId
    decline: bool
    ref: Move | None = None


class Say(Strict):
    """React, say a set phrase, or, at a private table, anything."""

    type: Literal["say"]
    table: TableId
    reaction: Literal[REACTIONS] | None = None  # type: ignore[valid-type]  # one list for all
    phrase: Literal[PHRASES] | None = None  # type: ignore[valid-type]
    text: Annotated[str, Field(min_length=1, max_length=200, pattern=NAME)] | None = None
    ref: Move | None = None


class Mute(Strict):
    """Let a seat's free text through no longer, or again (creator)."""

    type: Literal["mute"]
    table: TableId
    seat: Seat
    on: bool
    ref: Move | None = None


class Invite(Strict):
    """Challenge a bot or player by name to an empty seat (creator)."""

    type: Literal["invite"]
    table: TableId
    player: Annotated[str, Field(max_length=32)]
    ref: Move | None = None


class Queue(Strict):
    """Look for others who want to play by the same rules, or stop looking."""

    type: Literal["queue"]
    on: bool = True
    rules: Annotated[str, Field(max_length=24)] = "official"
    players: Annotated[int, Field(ge=2, le=MAX_SEATS)] = 2
    rated: bool = True
    seed: Seed = ""
    """The player's part of the dice, as in ``sit``."""
    ref: Move | None = None


class Ping(Strict):
    """Answered with ``pong``."""

    type: Literal["ping"]


ClientMessage = Annotated[
    Open
    | Shut
    | Action
    | Sit
    | Stand
    | Fill
    | Kick
    | Pause
    | Absence
    | Rematch
    | Hurry
    | Auto
    | Say
    | Mute
    | Invite
    | Queue
    | Ping,
    Field(discriminator="type"),
]
"""All that a client may send."""

_reader: TypeAdapter[Any] = TypeAdapter(ClientMessage)


def read(text: str) -> Any:
    """A client's message; raises ``ProtocolError`` that says what is wrong with it."""
    try:
        return _reader.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        # The first step of the path is the message's type, which the client knows.
        where = ".".join(str(step) for step in first["loc"][1:])
        code = _CODES.get(first["type"], "wrong_field")
        problem = first["msg"] if not where else f"{where}: {first['msg']}"
        raise ProtocolError(code, problem[:300]) from None


def ref_of(text: str) -> str | None:
    """The client's own name for a message that is refused unread, if it has a proper one."""
    try:
        message = from_json(text)
    except ValueError:
        return None
    if not isinstance(message, dict):
        return None
    given = message.get("move") or message.get("ref")
    return given if isinstance(given, str) and re.fullmatch(MOVE_PATTERN, given) else None


_CODES = {
    "json_invalid": "unreadable",
    "model_attributes_type": "unreadable",
    "union_tag_invalid": "unknown_type",
    "union_tag_not_found": "unknown_type",
    "extra_forbidden": "unknown_field",
    "missing": "missing_field",
}
