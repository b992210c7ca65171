"""The messages of the service: one closed union for each direction.

Clients' messages are read with these models, strictly. The server's own are made as plain
dictionaries (``views``), which the tests hold against the models; docs/protocol.md and
/asyncapi.json are generated from here.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from perudo.protocol import ProtocolError
from perudo.server.options import MAX_SEATS, NAME, Strict

SERVICE_PROTOCOL = 1
"""Raised when a field is taken away or comes to mean something else."""

TableId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{4,32}$")]
Seat = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
Number = Annotated[int, Field(ge=0, lt=2**31)]
Move = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
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


# --- from the client ----------------------------------------------------------------------------
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
    """Take somebody's seat away (creator)."""

    type: Literal["kick"]
    table: TableId
    seat: Seat
    ref: Move | None = None


class Pause(Strict):
    """Stop all clocks of a table, or let them go on (creator)."""

    type: Literal["pause"]
    table: TableId
    on: bool
    ref: Move | None = None


class Absence(Strict):
    """Choose what an absence does (creator)."""

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
    """When only AIs are left in the game: let them finish at once."""

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


_CODES = {
    "json_invalid": "unreadable",
    "model_attributes_type": "unreadable",
    "union_tag_invalid": "unknown_type",
    "union_tag_not_found": "unknown_type",
    "extra_forbidden": "unknown_field",
    "missing": "missing_field",
}


# --- from the server ----------------------------------------------------------------------------
class You(Strict):
    """Whom a connection belongs to."""

    id: str
    name: str
    kind: Literal["guest", "account", "bot"]


class Welcome(Strict):
    """The first message of a connection."""

    type: Literal["welcome"]
    protocol: int
    you: You
    tables: list[str]
    """Where one has a seat."""


class Player(Strict):
    """Who has a seat."""

    name: str
    kind: Literal["person", "bot", "ai"]
    id: str | None
    agent: str | None


class SeatView(Strict):
    """One seat of a table."""

    kind: Literal["open", "invited", "ai"]
    player: Player | None
    here: bool
    """Whether the player is connected; AIs always are."""
    stand_in: str | None
    """The AI that plays for the player, if one does."""
    muted: bool


class TableInfo(Strict):
    """A table, apart from the game on it."""

    id: str
    rules: str
    options: dict[str, Any]
    """Every option of the rules by name."""
    creator: str
    status: Literal["waiting", "playing", "finished", "closed"]
    private: bool
    rated: bool
    timer: int | None
    games: int
    game: int
    """The number of the game that is played, from 1; 0 before the first."""
    wins: list[int]
    """Games of the series won by each seat."""
    paused: bool
    absence: Literal["ai", "wait"]
    absence_seconds: float
    pace: float
    calza_window: float
    seats: list[SeatView]
    watching: int
    anchor: str | None
    """Of the next game's dice."""
    rematch: list[int]
    """Seats that have asked for another series."""


class Window(Strict):
    """Others may claim calza on the standing bid."""

    seats: list[int]
    answered: list[int]
    seconds: float


class View(Strict):
    """What one viewer may know about the game on a table, now."""

    game: int
    seat: int | None
    """The viewer's own; null: a spectator."""
    question: int
    """The number that an action must quote."""
    round: int
    dice: str | None
    """The viewer's own."""
    counts: list[int]
    turn: int | None
    bid: str | None
    bidder: int | None
    history: list[tuple[int, str]]
    wild: int | None
    palafico: int | None
    been_palafico: list[int]
    opener: int | None
    total: int
    legal: list[str] | None
    """All that the viewer may do now; null when nothing is asked."""
    odds: dict[str, float | None] | None
    """The chance that what each legal action claims is so, if it was wished and may be told."""
    window: Window | None
    seconds: float | None
    """What is left of the turn's time."""
    last: dict[str, Any] | None
    """How the last round was settled, as in ``result``."""
    winner: int | None
    over: bool


class Event(Strict):
    """One numbered event of a table; what else it has depends on its kind."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    n: int
    at: float
    kind: str


class Table(Strict):
    """Everything about a table: after opening it, or when too much was missed."""

    type: Literal["table"]
    table: str
    n: int
    info: TableInfo
    events: list[Event]
    """Of the game that is played."""
    view: View | None


class Events(Strict):
    """What has happened since, and how things stand now."""

    type: Literal["events"]
    table: str
    n: int
    info: TableInfo | None
    """If the table apart from the game has changed."""
    events: list[Event]
    view: View | None


class Ack(Strict):
    """Done, and stored."""

    type: Literal["ack"]
    table: str | None
    ref: str | None
    """``move`` or ``ref`` of what is acknowledged."""
    n: int | None
    """The number of the event that it caused."""
    repeated: bool
    """Whether it had been done before, and was not done again."""


class Error(Strict):
    """Not done."""

    type: Literal["error"]
    code: str
    message: str
    table: str | None
    ref: str | None
    n: int | None
    """The table's current number."""
    question: int | None
    """The number that an action must quote now."""


class Challenge(Strict):
    """Somebody wants one at their table; answer with ``sit``, or not at all."""

    type: Literal["challenge"]
    table: str
    by: str
    info: TableInfo


class Matched(Strict):
    """The queue has found a table, at which one has a seat."""

    type: Literal["matched"]
    table: str


class Pong(Strict):
    """Here."""

    type: Literal["pong"]


class Message(Strict):
    """The messages to programs: the same as on a standard input, and where they belong."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    type: Literal["hello", "decide", "result", "end"]
    table: str
    n: int


ServerMessage = Annotated[
    Welcome | Table | Events | Ack | Error | Challenge | Matched | Pong | Message,
    Field(discriminator="type"),
]
"""All that the server sends."""
