"""Middleware for every request: allowed origins, size and rate limits, and security headers."""

from __future__ import annotations

import json

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from perudo.server.errors import STATUS, Refused, retry_after, waiting_of
from perudo.server.open_connections import OpenConnections
from perudo.server.rate_limits import Limits, network_of

BODY_BYTES = 65536
SERVICE = ("/api", "/ws", "/healthz", "/metrics", "/openapi.json", "/asyncapi.json")
"""Paths of the service, with all paths below them; all others are the page's files."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; manifest-src 'self'; media-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


def address_of(scope: Scope) -> str:
    """Return the client's address as limits count it; a trusted proxy reports whose it is."""
    client = scope.get("client")
    return network_of(client[0]) if client else "unknown"


class Guard:
    """Middleware that refuses requests of other origins, and requests too large or too frequent."""

    def __init__(
        self, app: ASGIApp, origins: set[str], limits: Limits, sockets: OpenConnections
    ) -> None:
        self._app = app
        self._origins = origins
        self._limits = limits
        self._sockets = sockets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        address = address_of(scope)
        try:
            self._require_allowed(scope, address)
            if scope["type"] == "websocket":
                self._sockets.enter(address)
        except Refused as error:
            await _refuse(scope, send, error)
            return
        if scope["type"] == "http":
            await self._app(scope, _limited(receive), _with_headers(send))
            return
        try:
            await self._app(scope, receive, send)
        finally:
            self._sockets.leave(address)

    def _require_allowed(self, scope: Scope, address: str) -> None:
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and origin is not None and origin not in self._origins:
            raise Refused("origin", f"origin {origin[:80]} is not allowed")
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:  # no database text has it
            raise Refused("unreadable", "the address has a NUL")
        limits = self._limits
        (limits.requests if _is_of_service(scope["path"]) else limits.files).take(address)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > BODY_BYTES:
            raise Refused("too_large", "the body is larger than 64 KiB")


def _is_of_service(path: str) -> bool:
    """Return False for the page's many small files, which are cheap.

    A school behind one address may open the page a hundred times in a minute.
    """
    return path in SERVICE or path.startswith(tuple(f"{each}/" for each in SERVICE))


def _limited(receive: Receive) -> Receive:
    """Wrap ``receive`` to cut off a body of unknown length when it becomes too large."""
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > BODY_BYTES:
            return {"type": "http.disconnect"}
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, error: Refused) -> None:
    """Answer a request, or the first request of a WebSocket, with a refusal."""
    waiting = waiting_of(error)
    body = json.dumps({"code": error.code, "message": str(error), **waiting}).encode()
    headers = {"content-type": "application/json", **retry_after(waiting)}
    kind = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    start: Message = {
        "type": f"{kind}.start",
        "status": STATUS.get(error.code, 400),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    await (send if scope["type"] == "websocket" else _with_headers(send))(start)
    await send({"type": f"{kind}.body", "body": body})
