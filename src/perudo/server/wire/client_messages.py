"""Messages from clients: one closed union, parsed strictly.

docs/protocol.md and /asyncapi.json are generated from this module and ``server_messages``.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from perudo.protocol import ProtocolError
from perudo.server.wire.table_options import MAX_SEATS, NAME, Strict

SERVICE_PROTOCOL = 1
"""Version of the protocol, incremented when a field is removed or changes its meaning."""

TableId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{4,32}$")]
Seat = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
Number = Annotated[int, Field(ge=0, lt=2**31)]
MOVE_PATTERN = r"^[A-Za-z0-9_.:-]{1,64}$"
Move = Annotated[str, Field(pattern=MOVE_PATTERN)]
SeedText = Annotated[str, Field(pattern=r"^[0-9a-f]{0,64}$")]

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
    """Follow a table, from one's seat there or as a spectator."""

    type: Literal["open"]
    table: TableId
    after: Number | None = None
    """The last event that the client has; it gets the later ones, or everything."""
    odds: bool = False
    """Send the odds of each legal action; never at rated tables."""
    ref: Move | None = None


class Earlier(Strict):
    """Ask for older talk of this game; a table is sent with the newest only."""

    type: Literal["earlier"]
    table: TableId
    before: Number
    """The number of the oldest `said` event that the client has."""
    ref: Move | None = None


class Shut(Strict):
    """Stop following a table."""

    type: Literal["shut"]
    table: TableId
    ref: Move | None = None


class Action(Strict):
    """Answer ``decide``, or play an action from ``view.legal``."""

    type: Literal["action"]
    table: TableId
    id: Number
    """The number of the question (``decide.id``, ``view.question``)."""
    action: Annotated[str, Field(max_length=16)]
    move: Move | None = None
    """The client's own id for the move; a move sent again takes effect only once."""
    thoughts: Annotated[str, Field(max_length=2000)] | None = None


class Sit(Strict):
    """Take a free seat at a table."""

    type: Literal["sit"]
    table: TableId
    seat: Seat | None = None
    seed: SeedText = ""
    """The player's contribution to the dice (docs/protocol.md, fair dice)."""
    seeds: bool = False
    """The client sends a `seed` for every game, which waits for it for up to two seconds."""
    key: Annotated[str, Field(max_length=64)] | None = Field(default=None, repr=False)
    """Key of the invitation, from its link or a ``challenge``; for seats of kind `invited`."""
    ref: Move | None = None


class Seed(Strict):
    """Add a fresh seed to the dice of the next game, whose anchor the client has seen."""

    type: Literal["seed"]
    table: TableId
    game: Number
    """The number of the next game, `info.game` + 1; the first seed for it counts."""
    seed: SeedText
    ref: Move | None = None


class Stand(Strict):
    """Leave one's seat; during a game an AI takes over and the player is placed last."""

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
    """Remove a player from a seat (creator; not during rated games)."""

    type: Literal["kick"]
    table: TableId
    seat: Seat
    ref: Move | None = None


class Pause(Strict):
    """Pause or resume all clocks of a table (creator).

    Every player may ask for a pause of a rated game, and take it back. It begins when all players
    who are here have asked, and each of them may end it.
    """

    type: Literal["pause"]
    table: TableId
    on: bool
    ref: Move | None = None


class Absence(Strict):
    """Choose what happens when a player is absent (creator; not at rated tables)."""

    type: Literal["absence"]
    table: TableId
    action: Literal["ai", "wait"]
    seconds: Annotated[float, Field(ge=5, le=3600)] | None = None
    ref: Move | None = None


class Rematch(Strict):
    """Ask for another series; it begins when everybody present has asked."""

    type: Literal["rematch"]
    table: TableId
    seed: SeedText = ""
    ref: Move | None = None


class Hurry(Strict):
    """Finish the game at once when only AIs are left in it (a player of it, or the creator)."""

    type: Literal["hurry"]
    table: TableId
    ref: Move | None = None


class Auto(Strict):
    """Decline calza out of turn automatically, or be asked again."""

    type: Literal["auto"]
    table: TableId
    decline: bool
    ref: Move | None = None


class Say(Strict):
    """Send a reaction, a set phrase or, at a private table, free text."""

    type: Literal["say"]
    table: TableId
    reaction: Literal[REACTIONS] | None = None  # type: ignore[valid-type]  # one list for all
    phrase: Literal[PHRASES] | None = None  # type: ignore[valid-type]
    text: Annotated[str, Field(min_length=1, max_length=200, pattern=NAME)] | None = None
    ref: Move | None = None


class Mute(Strict):
    """Block a seat's free text, or allow it again (creator)."""

    type: Literal["mute"]
    table: TableId
    seat: Seat
    on: bool
    ref: Move | None = None


class Invite(Strict):
    """Challenge a bot or player, by name, to take an empty seat (creator)."""

    type: Literal["invite"]
    table: TableId
    player: Annotated[str, Field(max_length=32, pattern=NAME)]
    ref: Move | None = None


class Queue(Strict):
    """Join the matchmaking queue for these rules, or leave it."""

    type: Literal["queue"]
    on: bool = True
    rules: Annotated[str, Field(max_length=24)] = "official"
    players: Annotated[int, Field(ge=2, le=MAX_SEATS)] = 2
    rated: bool = True
    seed: SeedText = ""
    """The player's contribution to the dice, as in ``sit``; it is older than the anchor."""
    seeds: bool = False
    """The client sends a `seed` after `matched`, and for every game, as in ``sit``."""
    ref: Move | None = None


class Ping(Strict):
    """Ask for a ``pong``."""

    type: Literal["ping"]


ClientMessage = Annotated[
    Open
    | Earlier
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
    | Seed
    | Ping,
    Field(discriminator="type"),
]
"""Any message of a client."""

_reader: TypeAdapter[Any] = TypeAdapter(ClientMessage)


def read(text: str) -> Any:
    """Parse a client's message; raise ``ProtocolError`` with the problem if it is invalid."""
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
    """Return the client's own id for an invalid message, if it has a valid one."""
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
