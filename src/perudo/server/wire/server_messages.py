"""The messages that the server sends: one closed union of typed dictionaries.

The server makes exactly these. docs/protocol.md and /asyncapi.json are generated from here and from
``client_messages``. A field of an event's type is what leaves a table's log; nothing else does.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, final

from pydantic import Field
from typing_extensions import TypeAliasType, TypedDict

from perudo import protocol
from perudo.protocol import Settled

PersonKind = Literal["guest", "account", "bot"]
PlayerKind = Literal["person", "bot", "ai"]
SeatKind = Literal["open", "invited", "ai"]
Status = Literal["waiting", "playing", "finished", "closed"]
AbsenceAction = Literal["ai", "wait"]
By = Literal["player", "ai", "timer", "fallback", "window"]


# --- parts --------------------------------------------------------------------------------------
class You(TypedDict):
    """The owner of a connection."""

    id: str
    name: str
    kind: PersonKind


class Player(TypedDict):
    """The occupant of a seat."""

    name: str
    kind: PlayerKind
    id: str | None
    """Of a person or bot."""
    agent: str | None
    """Of an AI."""


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
    absence: AbsenceAction
    absence_seconds: float
    pace: float
    calza_window: float
    seats: list[SeatView]
    watching: int
    anchor: str | None
    """Of the next game's dice."""
    rematch: list[int]
    """Seats that have asked for another series."""


class Window(TypedDict):
    """An open calza window: other seats may claim calza on the standing bid."""

    seats: list[int]
    answered: list[int]
    seconds: float


class Facts(TypedDict):
    """Public facts about a game that stay as they are while players bid."""

    round: int
    counts: list[int]
    """Dice of each seat; 0: out."""
    wild: int | None
    palafico: int | None
    been_palafico: list[int]
    opener: int | None
    total: int
    last: Settled | None
    """How the last round was settled, as in ``result``."""
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
    """The game on a table as one viewer may see it now."""

    seat: int | None
    """The viewer's own; null: a spectator."""
    question: int
    """The number that an action must quote."""
    dice: str | None
    """The viewer's own."""
    legal: list[str] | None
    """Everything the viewer may do now; null when nothing is asked."""
    odds: dict[str, float | None] | None
    """Probability that each legal action's claim is true, if requested and allowed."""
    window: Window | None
    seconds: float | None
    """Time left for the turn."""


# --- events -------------------------------------------------------------------------------------
class Stamp(TypedDict):
    """The number and time of an event."""

    n: int
    at: float
    """Seconds since 1970."""


class AnchorEvent(Stamp):
    """The server has drawn the secret of a game's dice."""

    kind: Literal["anchor"]
    game: int
    anchor: str
    """SHA-256 of the secret."""


class SeatedEvent(Stamp):
    """A player has taken a seat."""

    kind: Literal["seated"]
    seat: int
    player: Player


class LeftEvent(Stamp):
    """A player has left a seat."""

    kind: Literal["left"]
    seat: int
    reason: Literal["left", "kicked"]
    stand_in: str | None
    """The AI that plays on, if a game is being played."""


class StartedEvent(Stamp):
    """A game has begun."""

    kind: Literal["started"]
    game: int
    players: list[Player]
    sitting: NotRequired[list[int]]
    """The seat in which each player sat when the series began, by seat. In a series of AIs alone
    every player has every seat equally often; ``wins`` move with the players."""
    commit: str | None
    """Of the first round's dice."""


class FairDeal(TypedDict):
    """The commitments told with a deal (see Fair dice)."""

    commit: str
    next: str
    """Commit of the next round."""
    locks: list[str]
    anchor: NotRequired[str]
    seeds: NotRequired[list[str]]
    start_key: NotRequired[str]


class DealEvent(Stamp):
    """A round has been dealt."""

    kind: Literal["deal"]
    round: int
    opener: int
    dice: list[str | None]
    """By seat; null: hidden from the viewer."""
    fair: NotRequired[FairDeal]
    start_roll: NotRequired[list[list[int | None]]]
    """The faces rolled for the opener, attempt by attempt, by seat."""


class ActEvent(Stamp):
    """A player has acted."""

    kind: Literal["act"]
    seat: int
    action: str
    by: By
    """``fallback``: for an AI that failed; ``window``: settled when the calza window closed."""


class AnsweredEvent(Stamp):
    """A player has answered in the calza window."""

    kind: Literal["answered"]
    seat: int
    action: NotRequired[str]
    """Only to the player who answered."""


class FairResult(TypedDict):
    """The keys of the hands that were shown."""

    keys: list[str | None]


class ResultEvent(Stamp, Settled):
    """A round has been settled."""

    kind: Literal["result"]
    fair: NotRequired[FairResult]


class FairEnd(TypedDict):
    """The secret from which all dice of the game follow."""

    secret: str


class EndEvent(Stamp):
    """A game is over."""

    kind: Literal["end"]
    payoffs: list[float]
    fair: NotRequired[FairEnd]


class FreeEvent(Stamp):
    """The seats of players who left the game are free again."""

    kind: Literal["free"]
    seats: list[int]


class AbsentEvent(Stamp):
    """An AI plays for an absent player."""

    kind: Literal["absent"]
    seat: int
    agent: str


class BackEvent(Stamp):
    """An absent player plays again."""

    kind: Literal["back"]
    seat: int


class PausedEvent(Stamp):
    """The creator has stopped the clocks or let them go on."""

    kind: Literal["paused"]
    on: bool
    by: str


class AbsenceEvent(Stamp):
    """The creator has chosen what an absence does."""

    kind: Literal["absence"]
    action: AbsenceAction
    seconds: float | None


class RematchEvent(Stamp):
    """A player asks for another series."""

    kind: Literal["rematch"]
    seat: int


class SaidEvent(Stamp):
    """A player has said something."""

    kind: Literal["said"]
    seat: int
    reaction: str | None
    phrase: str | None
    text: str | None


class MutedEvent(Stamp):
    """The creator has muted a seat or lets it speak again."""

    kind: Literal["muted"]
    seat: int
    on: bool


class ClosedEvent(Stamp):
    """The table is closed."""

    kind: Literal["closed"]
    reason: str


PublicEvent = (
    AnchorEvent
    | SeatedEvent
    | LeftEvent
    | StartedEvent
    | AnsweredEvent
    | FreeEvent
    | AbsentEvent
    | BackEvent
    | PausedEvent
    | AbsenceEvent
    | RematchEvent
    | SaidEvent
    | MutedEvent
    | ClosedEvent
)
"""Events of a table, apart from those of the game's own record."""
RecordEvent = DealEvent | ActEvent | ResultEvent | EndEvent
"""Events of the game's own record."""
Event = TypeAliasType("Event", Annotated[PublicEvent | RecordEvent, Field(discriminator="kind")])
"""One numbered event of a table."""


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
    """Everything about a table: after opening it, or when too much was missed."""

    type: Literal["table"]
    table: str
    n: int
    info: TableInfo
    events: list[Event]
    """Of the game being played."""
    view: View | None


class Events(TypedDict):
    """What has happened since the last message, and the game as it is now."""

    type: Literal["events"]
    table: str
    n: int
    info: TableInfo | None
    """Null if nothing apart from the game has changed."""
    events: list[Event]
    view: View | None


class Ack(TypedDict):
    """A message was carried out and its effect stored."""

    type: Literal["ack"]
    table: str | None
    ref: str | None
    """``move`` or ``ref`` of the message."""
    n: int | None
    """The number of the event that it caused."""
    repeated: bool
    """True if it had been carried out before and was not done again."""


class Error(TypedDict):
    """A message was refused."""

    type: Literal["error"]
    code: str
    message: str
    table: str | None
    ref: str | None
    n: int | None
    """The table's current number."""
    question: int | None
    """The number that an action must quote now."""


@final
class Challenge(TypedDict):
    """A player invites you to their table; answer with ``sit``, or not at all."""

    type: Literal["challenge"]
    table: str
    by: str
    info: TableInfo
    key: str | None
    """Of the invitation: ``sit`` needs it where all free seats are of kind `invited`."""


@final
class Matched(TypedDict):
    """The queue has found a table and given you a seat there."""

    type: Literal["matched"]
    table: str


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
"""The messages that a program gets on its standard input, and the table they are about."""

ServerMessage = Annotated[
    Welcome | Table | Events | Ack | Error | Challenge | Matched | Pong | ProgramMessage,
    Field(discriminator="type"),
]
"""Everything that the server sends."""
