"""HTTP: reviews of finished games, and decisions tried again."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field

from perudo.games.errors import PerudoError
from perudo.record import MatchRecord
from perudo.review import ADVISER, require_reviewable
from perudo.server.ai.catalogue import opponent
from perudo.server.history import records
from perudo.server.history.retries import MOST_ACTIONS, play_again, table_log, table_options
from perudo.server.history.reviews import Reviews, steps
from perudo.server.http.auth import Answer, ServerHere, Visitor
from perudo.server.wire.table_options import MAX_SEATS, Strict
from perudo.transcript import parse_record

router = APIRouter(prefix="/api", tags=["reviews"])
SeatNumber = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
AgentName = Annotated[str, Field(max_length=200)]
ActionText = Annotated[str, Field(max_length=16)]


class NewReview(Strict):
    """A finished game by its id, or a record or transcript as text."""

    game: Annotated[str, Field(max_length=64)] | None = None
    record: Annotated[str, Field(max_length=60_000)] | None = None
    seat: SeatNumber | None = None
    """Whose decisions; null: everybody's."""
    agents: Annotated[list[AgentName], Field(min_length=1, max_length=3)] = Field(
        default_factory=lambda: [ADVISER]
    )
    """Who is asked what they would have done."""


class Retry(Strict):
    """All that was said since the decision."""

    n: Annotated[int, Field(ge=1, lt=2**31)]
    actions: Annotated[list[ActionText], Field(max_length=MOST_ACTIONS)] = Field(
        default_factory=list
    )
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1


class RetryTable(Strict):
    """Where the game goes on differently."""

    n: Annotated[int, Field(ge=1, lt=2**31)]


def notation_of(record: MatchRecord) -> str | None:
    """A record as text that is short enough for a link; None if it could not be read again."""
    text = record.transcript()
    try:
        parse_record(text)
    except PerudoError:  # such as a game that began with other dice than its rules say
        return None
    return text


def reviews_of(request: Request) -> Reviews:
    """The reviews of this server process."""
    state: Any = request.app.state
    if not hasattr(state, "reviews"):
        state.reviews = Reviews()
    found: Reviews = state.reviews
    return found


@router.post("/reviews", status_code=201)
async def new_review(
    body: NewReview, request: Request, person: Visitor, server: ServerHere
) -> Answer:
    """Begin a review; its decisions come one by one, see ``GET /api/reviews/{id}``."""
    if (body.game is None) == (body.record is None):
        raise PerudoError("a review needs either a game or a record")
    record: MatchRecord
    if body.game is not None:
        record = await server.service.store.read(partial(records.record_of, id=body.game))
    else:
        record = await asyncio.to_thread(parse_record, body.record or "")
    require_reviewable(record)
    if body.seat is not None and body.seat >= len(record.players):
        raise PerudoError(f"there is no seat {body.seat}; this game has {len(record.players)}")
    agents = [opponent(name, None).spec for name in body.agents]
    job = reviews_of(request).begin(record, agents, body.seat)
    return {
        "players": record.players,
        "rules": str(record.setting),
        "game": body.game,
        "notation": await asyncio.to_thread(notation_of, record) if body.game is None else None,
        "steps": await asyncio.to_thread(steps, record),
        **job.data(),
    }


@router.get("/reviews/{review}")
async def one_review(review: str, request: Request) -> Answer:
    """What has been found so far."""
    return reviews_of(request).find(review).data()


@router.post("/reviews/{review}/retries")
async def retry(
    review: str, body: Retry, request: Request, person: Visitor, server: ServerHere
) -> Answer:
    """Play on from a decision, differently."""
    job = reviews_of(request).find(review)
    pool = server.service.pool
    return await play_again(job.record, body.n, body.actions, body.seed, pool)


@router.post("/reviews/{review}/tables", status_code=201)
async def retry_table(
    review: str, body: RetryTable, request: Request, person: Visitor, server: ServerHere
) -> Answer:
    """A table at which a decision is one's own, and the game goes on from there."""
    job = reviews_of(request).find(review)
    options = table_options(job.record, body.n)
    log = await asyncio.to_thread(table_log, job.record, body.n, person, options)
    return {"table": await server.lobby.open(person, options, log)}
