"""Middleware for every request: allowed origins, size and rate limits, and security headers."""

from __future__ import annotations

import json
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from perudo.server.rate_limits import Buckets

BODY_BYTES = 65536
COUNTED = ("/api", "/ws")
"""Paths to which the rate limit applies, with all paths below them."""
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
    """Return the client's address; behind a trusted proxy, the address that the proxy reports."""
    client = scope.get("client")
    return client[0] if client else "unknown"


class Guard:
    """Middleware that refuses requests of other origins, and requests too large or too frequent."""

    def __init__(self, app: ASGIApp, origins: set[str], requests: Buckets) -> None:
        self._app = app
        self._origins = origins
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and origin is not None and origin not in self._origins:
            await _refuse(
                scope, receive, send, 403, "origin", f"origin {origin[:80]} is not allowed"
            )
            return
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:  # no database text has it
            await _refuse(scope, receive, send, 400, "unreadable", "the address has a NUL")
            return
        if _is_counted(scope["path"]) and not self._requests.take(address_of(scope)):
            await _refuse(scope, receive, send, 429, "too_fast", "too many requests; wait a moment")
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > BODY_BYTES:
            await _refuse(scope, receive, send, 413, "too_large", "the body is larger than 64 KiB")
            return
        await self._app(scope, _limited(receive), _with_headers(send))


def _is_counted(path: str) -> bool:
    """Return True if the rate limit applies to a path.

    It does not apply to the page's many small files, which are cheap: a school behind one address
    may open the page a hundred times in a minute.
    """
    return path in COUNTED or path.startswith(tuple(f"{each}/" for each in COUNTED))


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


async def _refuse(
    scope: Scope, receive: Receive, send: Send, status: int, code: str, message: str
) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": code})
        return
    body = json.dumps({"code": code, "message": message}).encode()
    start: dict[str, Any] = {
        "type": "http.response.start",
        "status": status,
        "headers": [(b"content-type", b"application/json")],
    }
    await _with_headers(send)(start)
    await send({"type": "http.response.body", "body": body})
