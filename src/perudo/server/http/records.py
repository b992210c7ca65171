"""HTTP: finished games, players and ladders."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse

from perudo.games.errors import PerudoError
from perudo.server.errors import Refused
from perudo.server.history import records
from perudo.server.history.ratings import category, ranking, rating_curve
from perudo.server.hosted import HOSTING
from perudo.server.http.auth import ServerHere, token_of
from perudo.server.server import Server
from perudo.server.wire.bodies import GameList, GameStory, Ladder, PersonPage

router = APIRouter(prefix="/api", tags=["records"])
TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {}}}}


async def visitor_id(request: Request, server: Server) -> str | None:
    """Return the id of the visitor, or None if they have no session."""
    token = token_of(request)
    asking = await server.people.by_token(token) if token else None
    return None if asking is None else asking.id


@router.get("/games")
async def games(
    request: Request,
    server: ServerHere,
    person: Annotated[str | None, Query(max_length=32)] = None,
    before: float | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> GameList:
    """List finished games, newest first, of one player or of all.

    The games are public; players also see their private games in their own lists.
    """
    visitor = None if person is None else await visitor_id(request, server)
    find = partial(records.games_of, person=person, before=before, limit=limit, visitor=visitor)
    return {"games": await server.service.store.read(find)}


@router.get("/games/{game}")
async def one_game(game: str, server: ServerHere) -> GameStory:
    """Return a finished game with its record."""
    return await server.service.store.read(partial(records.game_story, id=game))


@router.get("/games/{game}/record", responses=TEXT)
async def game_record(game: str, server: ServerHere) -> PlainTextResponse:
    """Return the record as JSON lines, the input of ``perudo verify`` and ``perudo review``."""
    lines = await server.service.store.read(partial(records.record_lines, id=game))
    headers = {"content-disposition": f'attachment; filename="{game}.jsonl"'}
    return PlainTextResponse("".join(f"{line}\n" for line in lines), headers=headers)


@router.get("/games/{game}/notation", responses=TEXT)
async def game_notation(game: str, server: ServerHere) -> PlainTextResponse:
    """Return the game as a readable transcript, with one line per round."""
    text = await server.service.store.read(
        lambda connection: records.record_of(connection, game).transcript()
    )
    return PlainTextResponse(text + "\n")


@router.get("/people/{person}")
async def one_person(person: str, request: Request, server: ServerHere) -> PersonPage:
    """Return a player's profile: name, statistics and rating changes.

    Only the player's own page counts private games.
    """
    found = await server.people.by_id(person)
    if found is None:
        raise Refused("no_person", "there is no person with this id")
    store, visitor = server.service.store, await visitor_id(request, server)
    count = partial(records.statistics, person=person, visitor=visitor)
    return {
        "person": found.public,
        "statistics": await store.read(count),
        "ratings": await store.read(partial(rating_curve, person=person, visitor=visitor)),
    }


@router.get("/ladder")
async def ladder(
    server: ServerHere,
    rules: Annotated[str, Query(max_length=24)] = "official",
    players: Annotated[int, Query(ge=2, le=6)] = 4,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Ladder:
    """Return a ladder of people and bots with 95 % intervals, and built-in AIs for reference."""
    if rules not in HOSTING.game.presets:
        raise PerudoError(f"unknown rules {rules!r}; there are: {', '.join(HOSTING.game.presets)}")
    name = category(rules, players)
    work = partial(ranking, ladder=name, limit=limit)
    return {"ladder": name, "entries": await server.service.store.read(work)}
