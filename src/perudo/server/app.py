"""The web application: HTTP endpoints, the WebSocket and the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import WebSocketRoute

from perudo import __version__
from perudo.games.errors import PerudoError
from perudo.server.errors import STATUS, retry_after, waiting_of
from perudo.server.http import invitations, lab, people, records, reviews, service, tables
from perudo.server.http.auth import SUBPROTOCOL, token_of
from perudo.server.http.middleware import Guard, address_of
from perudo.server.http.static import PageFiles
from perudo.server.lan import own_addresses, own_names
from perudo.server.server import NO_SESSION, Server
from perudo.server.settings import Settings
from perudo.server.socket.connection import WebConnection
from perudo.server.socket.remote import RemoteConversation
from perudo.server.wire.bodies import Problem

PAGE = Path(__file__).resolve().parents[1] / "web"
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in sorted({400, 422, *STATUS.values()})
}


def origins_of(settings: Settings) -> set[str]:
    """Return the web origins whose pages may use the service."""
    own = {settings.host, "localhost", "127.0.0.1"}
    if settings.lan:
        own |= {*own_addresses(), *own_names()}
    allowed = {origin.rstrip("/") for origin in settings.origins}
    return {f"http://{host}:{settings.port}" for host in own} | allowed


def make_app(settings: Settings, server: Server | None = None) -> FastAPI:
    """Return the application, with a new server unless one is given."""
    server = server or Server(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await server.start()
        try:
            yield
        finally:
            await server.stop()

    app = FastAPI(
        title="perudo",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        responses=PROBLEMS,
    )
    app.state.server = server
    app.state.descriptions = service.Descriptions(app)
    server.remote = RemoteConversation
    app.add_middleware(
        Guard, origins=origins_of(settings), limits=server.limits, sockets=server.sockets
    )
    for part in (people, tables, records, service):
        app.include_router(part.router)
    for part in (invitations, reviews, lab):  # needed by the page, not for play
        app.include_router(part.router)
    _add_errors(app)

    async def websocket(socket: WebSocket) -> None:
        token = token_of(socket)
        person = await server.people.by_token(token) if token else None
        if token is None or person is None:
            await socket.close(NO_SESSION, "no session")
            return
        offered = socket.scope.get("subprotocols", [])
        await socket.accept(SUBPROTOCOL if SUBPROTOCOL in offered else None)
        style = socket.query_params.get("style", "")
        program = style == "program" or (person.kind == "bot" and style != "page")
        address = address_of(socket.scope)
        server.service.budget.saw(person, address)
        connection = WebConnection(server, socket, person, program, address, token)
        server.connections.add(connection)
        try:
            await connection.run()
        finally:
            server.connections.discard(connection)

    # Not FastAPI's route, which keeps 5 KB of its own for each connection.
    app.routes.append(WebSocketRoute("/ws", websocket))
    if PAGE.is_dir():
        app.mount("/", PageFiles(directory=PAGE, html=True), name="page")
    return app


def _add_errors(app: FastAPI) -> None:
    """Answer every error in the same form: a stable code and a message."""

    @app.exception_handler(PerudoError)
    async def refused(request: Request, error: PerudoError) -> JSONResponse:
        code = getattr(error, "code", "refused")
        waiting = waiting_of(error)
        content = {"code": code, "message": str(error), **waiting}
        return JSONResponse(content, STATUS.get(code, 400), retry_after(waiting))

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        content = {"code": "wrong_field", "message": f"{where}: {first['msg']}"[:300]}
        return JSONResponse(content, 422)

    @app.exception_handler(HTTPException)
    async def missing(request: Request, error: HTTPException) -> JSONResponse:
        content = {"code": f"http_{error.status_code}", "message": str(error.detail)}
        return JSONResponse(content, error.status_code, error.headers)
