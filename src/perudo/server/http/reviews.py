"""HTTP: reviews of finished games, and retries of their decisions."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi import APIRouter

from perudo.games.errors import PerudoError
from perudo.record import MatchRecord
from perudo.review import require_reviewable
from perudo.server.ai.budget import payer_of
from perudo.server.ai.catalogue import opponent
from perudo.server.history import records
from perudo.server.history.retries import play_again, table_log, table_options
from perudo.server.history.reviews import steps
from perudo.server.http.auth import ServerHere, Visitor
from perudo.server.server import Server
from perudo.server.wire.bodies import Done, TableName
from perudo.server.wire.reviews import (
    BegunReview,
    NewReview,
    Retry,
    RetryState,
    RetryTable,
    ReviewSoFar,
)
from perudo.transcript import parse_record

router = APIRouter(prefix="/api", tags=["reviews"])


def notation_of(record: MatchRecord) -> str | None:
    """Return a record as text short enough for a link; None if that text could not be parsed."""
    text = record.transcript()
    try:
        parse_record(text)
    except PerudoError:  # for example, a game that began with other dice than its rules say
        return None
    return text


@router.post("/reviews", status_code=201)
async def new_review(body: NewReview, person: Visitor, server: ServerHere) -> BegunReview:
    """Start a review; ``GET /api/reviews/{id}`` returns its decisions as they are found."""
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
    most_work = server.settings.ai_work
    agents = [opponent(name, None, most_work=most_work).spec for name in body.agents]
    begun = await server.reviews.begin(record, agents, body.seat, person)
    return {
        "players": record.players,
        "rules": str(record.setting),
        "game": body.game,
        "notation": await asyncio.to_thread(notation_of, record) if body.game is None else None,
        "steps": await asyncio.to_thread(steps, record),
        **begun.so_far,
    }


@router.get("/reviews/{review}")
async def one_review(review: str, server: ServerHere) -> ReviewSoFar:
    """Return a review with the decisions found so far."""
    return (await server.reviews.find(review)).so_far


@router.delete("/reviews/{review}")
async def cancel_review(review: str, person: Visitor, server: ServerHere) -> Done:
    """Cancel a review that is not done; only who asked for it can."""
    await server.reviews.cancel(review, person)
    return {"done": True}


@router.post("/reviews/{review}/retries")
async def retry(review: str, body: Retry, person: Visitor, server: ServerHere) -> RetryState:
    """Play on from a decision with other actions."""
    record = await record_of(review, server)
    service = server.service
    service.budget.require(person)
    caller = service.budget.caller(payer_of(person))
    return await play_again(record, body.n, body.actions, body.seed, service.pool, caller)


@router.post("/reviews/{review}/tables", status_code=201)
async def retry_table(
    review: str, body: RetryTable, person: Visitor, server: ServerHere
) -> TableName:
    """Create a table where the visitor makes a decision of the game and plays on from there."""
    record = await record_of(review, server)
    server.service.budget.require(person)
    options = table_options(record, body.n)
    log = await asyncio.to_thread(table_log, record, body.n, person, options)
    return {"table": await server.lobby.open(person, options, log)}


async def record_of(review: str, server: Server) -> MatchRecord:
    """Return the record of a review's game."""
    return await asyncio.to_thread((await server.reviews.find(review)).record)
