"""HTTP: series of games for the page's lab, and the reproduced results."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter
from fastapi.responses import FileResponse, PlainTextResponse
from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.errors import Refused
from perudo.server.history import records
from perudo.server.http.auth import ServerHere
from perudo.server.http.records import TEXT

router = APIRouter(prefix="/api", tags=["lab"])
DOCS = Path(__file__).resolve().parents[4] / "docs"
"""Documents in the source tree; an installed package does not have them."""
PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/png": {}}}}


@router.get("/tables/{table}/records", responses=TEXT)
async def table_records(table: str, server: ServerHere) -> PlainTextResponse:
    """Return the records of all finished games of a table, one after the other, as JSON lines."""
    lines = await server.service.store.read(lambda connection: _all_lines(connection, table))
    if not lines:
        raise Refused("no_game", "this table has no finished games")
    headers = {"content-disposition": f'attachment; filename="{_safe(table)}.jsonl"'}
    return PlainTextResponse("".join(f"{line}\n" for line in lines), headers=headers)


def _all_lines(connection: Connection, table: str) -> list[str]:
    games = schema.games.c
    rows = connection.execute(
        sa.select(games.id)
        .where(games.table_id == table, games.ended.is_not(None))
        .order_by(games.first_event)
    ).all()
    return [line for row in rows for line in records.record_lines(connection, row.id)]


def _safe(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum() or letter in "-_")


@router.get("/lab/results", responses=TEXT)
async def results() -> PlainTextResponse:
    """Return the papers' experiments, reported and measured, as Markdown."""
    page = DOCS / "results.md"
    if not page.is_file():
        raise Refused("no_results", "the results are only in the source tree: docs/results.md")
    return PlainTextResponse(await asyncio.to_thread(page.read_text, "utf-8"))


@router.get("/lab/figures/{name}", responses=PICTURE)
async def figure(name: str) -> FileResponse:
    """Return a figure of the results."""
    known = {path.name: path for path in (DOCS / "figures").glob("*.png")}
    if name not in known:
        raise Refused("no_results", "there is no such figure")
    return FileResponse(known[name], media_type="image/png")
