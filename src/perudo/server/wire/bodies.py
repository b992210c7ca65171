"""Bodies of HTTP requests and responses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue
from typing_extensions import TypedDict

from perudo.server.wire.events import Player
from perudo.server.wire.server_messages import PersonKind, SeatKind, TableInfo, You
from perudo.server.wire.server_messages import Status as TableStatus
from perudo.server.wire.table_options import MAX_SEATS, NAME, Strict

Name = Annotated[str, Field(min_length=1, max_length=32, pattern=NAME)]
Password = Annotated[str, Field(min_length=1, max_length=200)]


class Problem(Strict):
    """Reason for a refusal; ``code`` is stable."""

    code: str
    message: str
    limit: str | None = None
    """The limit that was reached, if it was one."""
    seconds: float | None = None
    """The time until it is worth trying again, as in Retry-After."""


class NewGuest(Strict):
    """A guest to create; a random name if it is null."""

    name: Name | None = None


class Credentials(Strict):
    """An account's name and password."""

    name: Name
    password: Password


class PasswordChange(Strict):
    """A change of password; the old one is required."""

    old: Password
    new: Password


class Recovery(Strict):
    """A new password, set with a recovery code."""

    name: Name
    code: Annotated[str, Field(min_length=1, max_length=64)]
    password: Password


class NewBot(Strict):
    """A bot to create."""

    name: Name


class Filters(Strict):
    """Challenges that a bot accepts; empty: all."""

    rules: list[Annotated[str, Field(max_length=24)]] | None = None
    rated: bool | None = None
    players: list[Annotated[int, Field(ge=2, le=MAX_SEATS)]] | None = None
    closed: bool = False


Status = Literal["waiting", "playing", "finished"]


# --- answers ------------------------------------------------------------------------------------
class Me(TypedDict):
    """The caller's name and kind."""

    you: You


class Session(Me):
    """A session that has just started."""

    token: str
    """The session's token, for programs; browsers get it as a cookie."""


class Account(Me):
    """An account with new recovery codes."""

    recovery_codes: list[str]
    """Codes that each set a new password once; the server does not show them again."""


class Done(TypedDict):
    """Confirmation that a request was carried out."""

    done: bool


class Ended(TypedDict):
    """Number of sessions that have ended."""

    ended: int


class BotList(TypedDict):
    """The bots of an account."""

    bots: list[You]


class BotToken(TypedDict):
    """A bot's new token."""

    token: str


class CreatedBot(TypedDict):
    """A new bot and its token."""

    bot: You
    token: str


class RulePreset(TypedDict):
    """A preset of the rules."""

    name: str
    summary: str
    max_players: int
    options: dict[str, bool | int | str]
    differs: list[str]
    """Options with other values than in the official rules."""


class RuleBook(TypedDict):
    """Presets, and all options with their values."""

    presets: list[RulePreset]
    options: dict[str, list[bool | int | str]]


class LevelChoice(TypedDict):
    """A level of AI that players choose from."""

    name: str
    agent: str
    summary: str


class Levels(TypedDict):
    """All levels, weakest first."""

    levels: list[LevelChoice]


class AgentParameter(TypedDict):
    """A parameter of a built-in AI."""

    name: str
    default: bool | int | float | str
    lowest: int | float | None
    highest: int | float | None
    values: list[str] | None


class AgentChoice(TypedDict):
    """An AI that players can choose by name."""

    name: str
    idea: str
    source: str
    work: list[str]
    """The parameters whose product is the work of a decision (``Agents.most_work``)."""
    parameters: list[AgentParameter]


class Agents(Levels):
    """All levels and all built-in AIs."""

    agents: list[AgentChoice]
    most_work: int
    """Maximum of the work of a decision, in simulations."""


class ListedSeat(TypedDict):
    """A seat as the list of tables shows it."""

    kind: SeatKind
    player: Player | None


class TableSummary(TypedDict):
    """A table as the list of tables shows it, and as the database stores it."""

    rules: str
    rated: bool
    timer: int | None
    games: int
    game: int
    seats: list[ListedSeat]


class TableRow(TypedDict):
    """The part of a table that the database can search."""

    id: str
    status: TableStatus
    created: float
    updated: float


class ListedTable(TableRow, TableSummary):
    """A table in the list of tables."""


class TableList(TypedDict):
    """Public tables, newest first."""

    tables: list[ListedTable]


class TableName(TypedDict):
    """The id of a new table."""

    table: str


class TableAnswer(TypedDict):
    """One table without its game."""

    info: TableInfo


class InvitationLink(TypedDict):
    """The link to a table, for others."""

    link: str
    invites: bool
    """True if the link leads to a seat, false if only to watch."""


class GamePlayer(TypedDict):
    """A player of a finished game."""

    name: str
    id: str | None
    agent: str | None
    place: int
    left: bool


class FinishedGame(TypedDict):
    """A game that has been played to its end."""

    id: str
    table: str
    rules: str
    rated: bool
    private: bool
    started: float
    ended: float
    winner: int | None
    players: list[GamePlayer]


class GameList(TypedDict):
    """Finished games, newest first."""

    games: list[FinishedGame]


class GameStory(FinishedGame):
    """A finished game with its record."""

    record: list[dict[str, JsonValue]]
    """The header, then the events (docs/rules.md, part 12)."""


class Statistics(TypedDict):
    """Statistics over a player's finished games."""

    games: int
    wins: int
    left: int
    mean_place: float | None
    call_accuracy: float | None
    """Share of calls that were right."""
    calls: int
    bluff_rate: float | None
    """Share of bids that were false."""
    bids: int
    bids_by_face: list[int]
    dice_left_when_won: float | None
    rounds_lost: int


class RatingPoints(TypedDict):
    """A rating, its standard deviation and its 95 % interval."""

    rating: float
    deviation: float
    low: float
    high: float


class RatedGame(TypedDict):
    """A game that changed a rating."""

    at: float
    game: str


class RatingChange(RatedGame, RatingPoints):
    """A rating after a game."""


class PersonPage(TypedDict):
    """A player's page."""

    person: You
    statistics: dict[str, Statistics]
    """Statistics by number of players: ``2`` and ``3-6``."""
    ratings: dict[str, list[RatingChange]]
    """Rating changes, by ladder."""


class LadderPlayer(TypedDict):
    """A player on a ladder."""

    id: str | None
    """Null for built-in AIs."""
    name: str
    kind: PersonKind | Literal["ai"]


class LadderEntry(LadderPlayer, RatingPoints):
    """A player's place on a ladder."""

    games: int


class Ladder(TypedDict):
    """A ladder, best player first."""

    ladder: str
    entries: list[LadderEntry]


class Health(TypedDict):
    """Response of a healthy server."""

    ready: bool
    """True once games can be played."""
    version: str
