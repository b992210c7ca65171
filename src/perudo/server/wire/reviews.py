"""Bodies of requests and responses about reviews."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field, JsonValue
from typing_extensions import TypedDict

from perudo.protocol import Settled
from perudo.review import ADVISER
from perudo.server.wire.table_options import MAX_SEATS, NAME, Strict

MOST_ACTIONS = 600
SeatNumber = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
AgentName = Annotated[str, Field(max_length=200)]
ActionText = Annotated[str, Field(max_length=16)]
Number = int | float
"""A number, which JSON may write without a decimal point."""


class NewReview(Strict):
    """A finished game by its id, or a record or transcript as text."""

    game: Annotated[str, Field(max_length=64, pattern=NAME)] | None = None
    record: Annotated[str, Field(max_length=60_000)] | None = None
    seat: SeatNumber | None = None
    """The seat whose decisions are reviewed; null: all seats."""
    agents: Annotated[list[AgentName], Field(min_length=1, max_length=3)] = Field(
        default_factory=lambda: [ADVISER]
    )
    """Agents that give their opinions."""


class Retry(Strict):
    """A decision, and the actions played since then in place of the record's."""

    n: Annotated[int, Field(ge=1, lt=2**31)]
    actions: Annotated[list[ActionText], Field(max_length=MOST_ACTIONS)] = Field(
        default_factory=list
    )
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1


class RetryTable(Strict):
    """The decision from which a table plays on."""

    n: Annotated[int, Field(ge=1, lt=2**31)]


class Step(TypedDict):
    """An event of the record, and the table after it, with all dice shown."""

    n: int
    event: str
    seat: NotRequired[int]
    action: NotRequired[str]
    reason: NotRequired[str]
    caller: NotRequired[int]
    target: NotRequired[int]
    count: NotRequired[int | None]
    lost: NotRequired[list[int]]
    gained: NotRequired[list[int]]
    round: int
    hands: list[str]
    counts: list[int]
    bid: str | None
    bidder: int | None
    turn: int | None
    history: list[tuple[int, str]]
    wild: int | None
    palafico: int | None
    winner: int | None


class ReviewedGame(TypedDict):
    """The game of a new review."""

    players: list[str]
    rules: str
    game: str | None
    notation: str | None
    """The game as text short enough for a link, if the request contained a record."""
    steps: list[Step]


class Opinion(TypedDict):
    """An agent's decision in the same position (``perudo.review.Opinion``)."""

    agent: str
    action: str
    chance: Number | None
    phase: str | None
    probabilities: dict[str, Number] | None
    values: dict[str, Number]
    rollouts: int


class Cost(TypedDict):
    """Loss of winning probability by a decision (``perudo.review.Cost``)."""

    model: str
    samples: int
    best: str
    value: Number
    cost: Number
    low: Number
    high: Number
    flagged: bool
    luck: Number
    compared: list[str]


class DecisionReview(TypedDict):
    """A reviewed decision (``perudo.review.Reviewed``)."""

    n: int
    round: int
    seat: int
    player: str
    action: str
    position: str
    hands: list[str]
    bid: str | None
    chance: Number | None
    standing: Number | None
    truth: bool | None
    opinions: list[Opinion]
    cost: Cost | None


class ReviewSoFar(TypedDict):
    """A review with the decisions found so far."""

    id: str
    agents: list[str]
    seat: int | None
    samples: int
    """Number of samples from which each decision's cost is estimated."""
    position: int | None
    """Number of reviews that are made before this one; null once it is being made."""
    done: bool
    problem: str | None
    code: str | None
    """The problem's code: ``review_late`` or ``review_failed``."""
    decisions: list[DecisionReview]


class BegunReview(ReviewedGame, ReviewSoFar):
    """A review that has just started, and its game."""


class RetryState(TypedDict):
    """The state of a retry at the player's next decision."""

    seat: int
    others: str
    """The AI that plays the other seats."""
    actions: list[str]
    events: list[dict[str, JsonValue]]
    round: int
    dice: str | None
    counts: list[int]
    bid: str | None
    bidder: int | None
    history: list[tuple[int, str]]
    wild: int | None
    palafico: int | None
    total: int
    legal: list[str]
    odds: dict[str, Number | None] | None
    last: Settled | None
    winner: int | None
    over: bool
