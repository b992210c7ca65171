"""HTTP: series of games for the page's lab, and the reproduced results."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import FileResponse, PlainTextResponse, StreamingResponse

from perudo.server.errors import Refused
from perudo.server.history import records
from perudo.server.http.auth import ServerHere
from perudo.server.http.records import TEXT

router = APIRouter(prefix="/api", tags=["lab"])
LARGEST = 2**31 - 1
"""The largest number of a game that the database can hold."""
AT_ONCE = 100
"""Games of a series that are listed with one query."""
DOCS = Path(__file__).resolve().parents[4] / "docs"
"""Documents in the source tree; an installed package does not have them."""
PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/png": {}}}}


@router.get("/tables/{table}/records", responses=TEXT)
async def table_records(
    table: str,
    server: ServerHere,
    after: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Annotated[int, Query(ge=1, le=LARGEST)] = LARGEST,
) -> StreamingResponse:
    """Return the records of a table's finished games, one after the other, as JSON lines.

    ``after`` is the number of a game, counted from 1: only later ones are returned, at most
    ``limit`` of them.
    """
    store = server.service.store
    list_games = partial(records.finished_games, table=table)
    first = await store.read(partial(list_games, after=after, limit=min(limit, AT_ONCE)))
    if not first:
        raise Refused("no_game", "this table has no finished games, or no later ones")

    async def texts() -> AsyncIterator[str]:
        found, left = first, limit
        while found:
            for game in found:
                lines = await store.read(partial(records.record_lines, id=game.id))
                yield "".join(f"{line}\n" for line in lines)
            left -= len(found)
            more = partial(list_games, after=found[-1].number, limit=min(left, AT_ONCE))
            found = await store.read(more) if left else []

    headers = {"content-disposition": f'attachment; filename="{_safe(table)}.jsonl"'}
    return StreamingResponse(texts(), media_type="text/plain", headers=headers)


def _safe(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum() or letter in "-_")


@router.get("/lab/results", responses=TEXT)
async def results() -> PlainTextResponse:
    """Return the papers' experiments, reported and measured, as Markdown."""
    try:
        text = await asyncio.to_thread((DOCS / "results.md").read_text, "utf-8")
    except FileNotFoundError:
        problem = "the results are only in the source tree: docs/results.md"
        raise Refused("no_results", problem) from None
    return PlainTextResponse(text)


@router.get("/lab/figures/{name}", responses=PICTURE)
async def figure(name: str) -> FileResponse:
    """Return a figure of the results."""
    found = (await asyncio.to_thread(_figures)).get(name)
    if found is None:
        raise Refused("no_results", "there is no such figure")
    return FileResponse(found, media_type="image/png")


def _figures() -> dict[str, Path]:
    return {path.name: path for path in (DOCS / "figures").glob("*.png")}
