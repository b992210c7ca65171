"""The uvicorn protocols of a connection, which also limit connections and close stuck ones."""

from __future__ import annotations

import asyncio
import json
from asyncio import BaseTransport, TimerHandle
from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from perudo.server.errors import Refused, retry_after, waiting_of
from perudo.server.open_connections import OpenConnections

REQUEST_SECONDS = 20.0
"""Time in which a client has to send a whole request, from its connection or the last response."""
READ_SECONDS = 30.0
"""Time in which a client has to read some of what waits for it."""


class Impatient(asyncio.Protocol):
    """Protocol of a connection that is counted, and closed if the client does not read."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    client: tuple[str, int] | None
    open_connections: OpenConnections
    is_proxy: Callable[[str], bool]
    _read_deadline: TimerHandle | None = None

    @property
    def address(self) -> str:
        """The address from which the connection comes."""
        return self.client[0] if self.client else "unknown"

    def pause_writing(self) -> None:
        """Give the client time to read."""
        super().pause_writing()
        self._read_deadline = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue, as the client has read."""
        super().resume_writing()
        self._forget_read_deadline()

    def _forget_read_deadline(self) -> None:
        if self._read_deadline is not None:
            self._read_deadline.cancel()
            self._read_deadline = None


class HttpProtocol(Impatient, H11Protocol):
    """HTTP, for clients that send whole requests in time."""

    _entered = False
    _deadline: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        """Count the connection, or refuse it."""
        super().connection_made(cast(asyncio.Transport, transport))
        try:
            self.open_connections.enter(self.address, self.is_proxy(self.address))
        except Refused as error:
            self.transport.write(_refusal(error))
            self.transport.close()
        else:
            self._entered = True
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the end of the connection."""
        super().connection_lost(exc)
        self._forget_read_deadline()
        self._forget_deadline()
        if self._entered:
            self.open_connections.leave(self.address)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        """Set a deadline while the client has to send, and only then."""
        request = self.cycle
        waits = request is None or request.response_complete or request.more_body
        if self.transport.get_protocol() is not self:  # it is a WebSocket now
            self._forget_read_deadline()
            waits = False
        if not waits:
            self._forget_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class WebSocketProtocol(Impatient, WebSocketsSansIOProtocol):
    """A WebSocket; its connection was counted when it began as HTTP."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the end of the connection."""
        super().connection_lost(exc)
        self._forget_read_deadline()
        self.open_connections.leave(self.address)

    def keepalive_timeout(self) -> None:
        """Close the connection, even if the client does not read that it is closed."""
        super().keepalive_timeout()
        self.transport.abort()

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; close the connection if its text is no UTF-8.

        uvicorn would close it too, but log an exception, with which anybody could fill the log.
        """
        try:
            if self.curr_msg_data_type == "text":
                b"".join(self.frames).decode()
        except UnicodeDecodeError:
            self.conn.send_close(1007)
            self.handle_parser_exception()
        else:
            super().send_receive_event_to_app()

    async def send(self, message: Any) -> None:
        """Send a message, unless this protocol has closed the connection itself.

        It does so when a frame is too large; answers to earlier messages may then still be on
        their way, and uvicorn would take them for an error of the application.
        """
        await self.writable.wait()
        if self.close_sent:
            raise ClientDisconnected
        await super().send(message)
        if message["type"] == "websocket.accept":
            del self.request, self.response  # 3 KB that an idle connection would keep
        if self.close_timer is not None:
            self.close_timer.cancel()
            self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)


def protocols(
    connections: OpenConnections, proxy: Callable[[str], bool]
) -> tuple[type[HttpProtocol], type[WebSocketProtocol]]:
    """Return the protocols of one server."""

    class Http(HttpProtocol):
        open_connections = connections
        is_proxy = staticmethod(proxy)

    class WebSocket(WebSocketProtocol):
        open_connections = connections

    return Http, WebSocket


def _refusal(error: Refused) -> bytes:
    """Return the response to a client that has not yet sent a request."""
    waiting = waiting_of(error)
    body = json.dumps({"code": error.code, "message": str(error), **waiting})
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "connection": "close",
        **retry_after(waiting),
    }
    lines = ["HTTP/1.1 429 Too Many Requests", *(f"{k}: {v}" for k, v in headers.items()), "", body]
    return "\r\n".join(lines).encode()
