"""The events of a table as the server sends them.

Only the fields declared here leave a table's log.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypeAliasType, TypedDict

from perudo.protocol import Settled

PlayerKind = Literal["person", "bot", "ai"]
AbsenceAction = Literal["ai", "wait"]
By = Literal["player", "ai", "timer", "fallback", "window"]


class Player(TypedDict):
    """The occupant of a seat."""

    name: str
    kind: PlayerKind
    id: str | None
    """The person's id; null for AIs."""
    agent: str | None
    """The AI's name with its parameters; null for people and bots."""


class Stamp(TypedDict):
    """The number and time of an event."""

    n: int
    at: float
    """Seconds since 1970."""


class AnchorEvent(Stamp):
    """The server has drawn the secrets of the dice of a game, or of all games of a series."""

    kind: Literal["anchor"]
    game: int
    anchor: str
    """SHA-256 of the game's secret."""
    last: NotRequired[int]
    """The last game that the anchor commits to, if there are several (see Fair dice)."""


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
    """The seats that the players had when the series began, by current seat. In a series between
    AIs every player has every seat equally often; ``wins`` move with the players."""
    commit: str | None
    """Commitment to the first round's dice."""


def stored_seating(started: Any) -> list[int] | None:
    """Return the seating in the stored data of a ``started`` event; None: the seats as before."""
    found: list[int] | None = started.get("sitting")
    return found


class FairDeal(TypedDict):
    """The commitments sent with a deal (see Fair dice)."""

    commit: str
    next: str
    """Commitment to the next round's dice."""
    locks: list[str]
    anchor: NotRequired[str]
    seeds: NotRequired[list[str]]
    later_games: NotRequired[int]
    """The number of later games that the anchor commits to as well."""
    start_key: NotRequired[str]


class DealEvent(Stamp):
    """A round has been dealt."""

    kind: Literal["deal"]
    round: int
    opener: int
    dice: list[str | None]
    """Dice of each seat; null if hidden from the viewer."""
    fair: NotRequired[FairDeal]
    start_roll: NotRequired[list[list[int | None]]]
    """Faces rolled to choose the opener: for each attempt, the face of each seat."""


class ActEvent(Stamp):
    """A player has acted."""

    kind: Literal["act"]
    seat: int
    action: str
    by: By
    """``fallback``: the server acted for an AI that failed; ``window``: the calza window closed."""


class AnsweredEvent(Stamp):
    """A player has answered in the calza window."""

    kind: Literal["answered"]
    seat: int
    action: NotRequired[str]
    """The answer; sent only to the player who gave it."""


class FairResult(TypedDict):
    """The keys of the revealed hands (see Fair dice)."""

    keys: list[str | None]


class ResultEvent(Stamp, Settled):
    """A round has been settled."""

    kind: Literal["result"]
    fair: NotRequired[FairResult]


class FairEnd(TypedDict):
    """The secret from which all dice of the game are derived (see Fair dice)."""

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
    """The clocks have been stopped, or go on."""

    kind: Literal["paused"]
    on: bool
    by: str | None
    """The name of who did it; null: the server, when a pause was over or a limit was reached."""
    limit: NotRequired[str]
    """The limit that the creator has reached, if the server paused a table of AIs for that."""


class AbsenceEvent(Stamp):
    """The creator has chosen how the table handles absent players."""

    kind: Literal["absence"]
    action: AbsenceAction
    seconds: float | None


class RematchEvent(Stamp):
    """A player asks for another series."""

    kind: Literal["rematch"]
    seat: int


class SeededEvent(Stamp):
    """A player has sent a fresh seed for the next game."""

    kind: Literal["seeded"]
    seat: int
    game: int


class SaidEvent(Stamp):
    """A player has said something."""

    kind: Literal["said"]
    seat: int
    reaction: str | None
    phrase: str | None
    text: str | None


class MutedEvent(Stamp):
    """The creator has muted or unmuted a seat."""

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
    | SeededEvent
    | SaidEvent
    | MutedEvent
    | ClosedEvent
)
"""Events of a table, apart from those of the game's own record."""
RecordEvent = DealEvent | ActEvent | ResultEvent | EndEvent
"""Events of the game's own record."""
Event = TypeAliasType("Event", Annotated[PublicEvent | RecordEvent, Field(discriminator="kind")])
"""One numbered event of a table."""
