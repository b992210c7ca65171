"""HTTP: health, metrics and API descriptions."""

from __future__ import annotations

import asyncio
import hmac

import sqlalchemy as sa
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse
from pydantic_core import to_json

from perudo import __version__
from perudo.server.errors import Refused
from perudo.server.http.auth import ServerHere
from perudo.server.http.metrics import exposition
from perudo.server.wire.bodies import Health

router = APIRouter(tags=["service"])
HERE = ("127.0.0.1", "::1")


@router.get("/healthz")
async def health(server: ServerHere) -> Health:
    """Check that the database answers, and report if games can be played yet."""
    await server.service.store.read(lambda connection: connection.execute(sa.text("select 1")))
    return {"ready": server.ready.is_set(), "version": __version__}


@router.get("/metrics", response_class=PlainTextResponse, include_in_schema=False)
async def metrics(request: Request, server: ServerHere) -> PlainTextResponse:
    """Return metrics for Prometheus, to this machine or to a client with the token."""
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    token = server.settings.metrics_token
    # A proxy on this machine, trusted or not, forwards the requests of other machines.
    passed_on = any(name in request.headers for name in ("x-forwarded-for", "forwarded", "via"))
    from_here = request.client is not None and request.client.host in HERE and not passed_on
    right = token is not None and hmac.compare_digest(given.encode(), token.encode())
    if not from_here and not right:
        raise Refused("private", "/metrics is for this machine; see --metrics-token")
    return PlainTextResponse(exposition(server), media_type="text/plain; version=0.0.4")


class Descriptions:
    """The API's descriptions, made in a thread on the first request because it takes 0.3 s."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._making: asyncio.Task[dict[str, bytes]] | None = None

    async def find(self, path: str) -> bytes:
        """Return the description at this path."""
        if self._making is None:
            self._making = asyncio.create_task(asyncio.to_thread(self._make))
        return (await asyncio.shield(self._making))[path]

    def _make(self) -> dict[str, bytes]:
        from perudo.server.wire.descriptions import api_page, asyncapi

        openapi = self._app.openapi()
        endpoints = [
            (path, method.upper(), about.get("description", ""))
            for path, methods in openapi["paths"].items()
            for method, about in methods.items()
        ]
        return {
            "/asyncapi.json": to_json(asyncapi()),
            "/openapi.json": to_json(openapi),
            "/api": api_page(endpoints).encode(),
        }


@router.get("/asyncapi.json", include_in_schema=False)
@router.get("/openapi.json", include_in_schema=False)
async def description(request: Request) -> Response:
    """Return the description of the WebSocket's messages, or of the HTTP endpoints."""
    found = await request.app.state.descriptions.find(request.url.path)
    return Response(found, media_type="application/json")


@router.get("/api", response_class=HTMLResponse, include_in_schema=False)
async def readable_description(request: Request) -> HTMLResponse:
    """Return a readable page with all HTTP endpoints."""
    return HTMLResponse(await request.app.state.descriptions.find("/api"))
