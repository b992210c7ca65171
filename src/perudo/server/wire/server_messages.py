"""The messages that the server sends: a closed union of typed dictionaries.

docs/protocol.md and /asyncapi.json are generated from this module and ``client_messages``.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, final

from pydantic import Field
from typing_extensions import TypedDict

from perudo import protocol
from perudo.protocol import Settled
from perudo.server.wire.events import AbsenceAction, Event, Player, SaidEvent

PersonKind = Literal["guest", "account", "bot"]
SeatKind = Literal["open", "invited", "ai"]
Status = Literal["waiting", "playing", "finished", "closed"]


# --- parts --------------------------------------------------------------------------------------
class You(TypedDict):
    """The owner of a connection."""

    id: str
    name: str
    kind: PersonKind


class SeatView(TypedDict):
    """One seat of a table."""

    kind: SeatKind
    player: Player | None
    here: bool
    """True if the player is connected; always true for AIs."""
    stand_in: str | None
    """The AI that plays for the player, if one does."""
    muted: bool


class TableInfo(TypedDict):
    """A table, apart from the game on it."""

    id: str
    rules: str
    options: dict[str, bool | int | str]
    """Every option of the rules by name."""
    creator: str
    status: Status
    private: bool
    rated: bool
    timer: int | None
    games: int
    game: int
    """The number of the game being played, from 1; 0 before the first."""
    wins: list[int]
    """Games of the series won by each seat."""
    paused: bool
    limit: NotRequired[str]
    """The limit that the creator has reached, if the server has paused the table for that."""
    absence: AbsenceAction
    absence_seconds: float
    pace: float
    calza_window: float
    seats: list[SeatView]
    watching: int
    anchor: str | None
    """Commitment to the dice of the game being played, or of the next game."""
    rematch: list[int]
    """Seats that have asked for another series."""
    pausing: NotRequired[list[int]]
    """Seats that have asked for a pause of a rated game, if any have."""


class Window(TypedDict):
    """An open calza window: other seats may claim calza on the standing bid."""

    seats: list[int]
    answered: list[int]
    seconds: float


class Facts(TypedDict):
    """Public facts about a game that bids do not change."""

    round: int
    counts: list[int]
    """Number of dice of each seat; 0 if out."""
    wild: int | None
    palafico: int | None
    been_palafico: list[int]
    opener: int | None
    total: int
    last: Settled | None
    """The outcome of the last round, as in ``result``."""
    winner: int | None
    over: bool


class PublicView(Facts):
    """The part of a view that is the same for every viewer."""

    game: int
    turn: int | None
    bid: str | None
    bidder: int | None
    history: list[tuple[int, str]]
    """The round's bids and passes."""


class View(PublicView):
    """The current state of a game as one viewer may see it."""

    seat: int | None
    """The viewer's seat; null for spectators."""
    question: int
    """The number that an action must quote."""
    dice: str | None
    """The viewer's own dice."""
    legal: list[str] | None
    """All legal actions of the viewer; null when the viewer has no decision to make."""
    odds: dict[str, float | None] | None
    """Probability that each legal action's claim is true, if requested and allowed."""
    window: Window | None
    seconds: float | None
    """Seconds left for the turn; null without a timer or while paused."""


# --- messages -----------------------------------------------------------------------------------
@final
class Welcome(TypedDict):
    """The first message of a connection."""

    type: Literal["welcome"]
    protocol: int
    you: You
    tables: list[str]
    """Tables where the player has a seat."""


class Table(TypedDict):
    """The whole state of a table: after opening it, or when too many events were missed."""

    type: Literal["table"]
    table: str
    n: int
    info: TableInfo
    events: list[Event]
    """Events of the game being played; of its talk the newest."""
    view: View | None


class Events(TypedDict):
    """The events since the last message, and the current state of the game."""

    type: Literal["events"]
    table: str
    n: int
    info: TableInfo | None
    """Null if nothing apart from the game has changed."""
    events: list[Event]
    view: View | None


@final
class Earlier(TypedDict):
    """Older talk, as asked for with ``earlier``; its `ack` follows."""

    type: Literal["earlier"]
    table: str
    events: list[SaidEvent]
    more: bool
    """True if there is still older talk of this game."""


class Ack(TypedDict):
    """Confirmation that a message was carried out and its effect stored."""

    type: Literal["ack"]
    table: str | None
    ref: str | None
    """``move`` or ``ref`` of the confirmed message."""
    n: int | None
    """The number of the first event that it caused, or of the table's last event if it caused none;
    null for messages without a table."""
    repeated: bool
    """True if the message had been carried out before and changed nothing now."""


class Error(TypedDict):
    """Refusal of a message."""

    type: Literal["error"]
    code: str
    message: str
    table: str | None
    ref: str | None
    n: int | None
    """The table's current number."""
    question: int | None
    """The number that an action must quote now."""
    limit: NotRequired[str]
    """The limit that was reached, if it was one."""
    seconds: NotRequired[float]
    """The time until it is worth trying again."""


@final
class Challenge(TypedDict):
    """A player invites you to their table; answer with ``sit``, or not at all."""

    type: Literal["challenge"]
    table: str
    by: str
    info: TableInfo
    key: str | None
    """The invitation key; ``sit`` needs it if all free seats are of kind `invited`."""


@final
class Matched(TypedDict):
    """The queue has found a table and given you a seat there."""

    type: Literal["matched"]
    table: str
    anchor: str | None
    """Commitment to the first game's dice, for which a `seed` can be sent now."""


@final
class Pong(TypedDict):
    """The answer to ``ping``."""

    type: Literal["pong"]


class Where(TypedDict):
    """The table and number of the event that a program's message is about."""

    table: str
    n: int


class Hello(protocol.Hello, Where):
    """A match begins (programs)."""


class Decide(protocol.Decide, Where):
    """A decision is wanted (programs)."""


class Result(protocol.Result, Where):
    """A round has been settled (programs)."""


class End(protocol.End, Where):
    """The match is over (programs)."""


ProgramMessage = Hello | Decide | Result | End
"""The messages that programs also read from standard input, each with its table."""

ServerMessage = Annotated[
    Welcome | Table | Events | Earlier | Ack | Error | Challenge | Matched | Pong | ProgramMessage,
    Field(discriminator="type"),
]
"""Any message that the server sends."""
