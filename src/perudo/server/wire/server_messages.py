"""The messages that the server sends: one closed union.

They are made as plain dictionaries (``views``, ``info``); the tests hold these against the models.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from perudo.server.wire.table_options import Strict


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
    key: str | None
    """Of the invitation: ``sit`` needs it where all free seats are of kind `invited`."""


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
