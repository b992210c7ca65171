"""A client's WebSocket connection, which passes messages between the client and tables.

The server never waits for a slow client: it closes the connection, and the client gets what it
missed when it reconnects. The connection passes messages for a table on to the process that owns
it. If that process ends, the connection follows the table at its next owner.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json
from starlette.websockets import WebSocket, WebSocketDisconnect

from perudo.games.errors import PerudoError
from perudo.protocol import ProtocolError
from perudo.server.cluster.leases import Elsewhere
from perudo.server.errors import Refused, waiting_of
from perudo.server.people.people import Person, token_hash
from perudo.server.rate_limits import MESSAGE_SECONDS, Bucket, too_fast
from perudo.server.rooms.room import Answer
from perudo.server.server import Server
from perudo.server.settings import FRAME_BYTES
from perudo.server.socket.conversation import Conversation
from perudo.server.wire import client_messages
from perudo.server.wire.server_messages import ServerMessage

log = logging.getLogger("perudo.connection")

OUTBOX = 512
"""Most messages that may wait for a slow client."""
PATIENCE = 30
"""Refusals for sending too fast after which the server closes the connection."""
FOLLOW_SECONDS = 0.5
"""Delay before the next attempt to follow a table that is moving between processes."""

TOO_SLOW, TOO_MUCH = 4008, 4029
"""WebSocket close codes: the client reads too slowly, or sends too much."""


@dataclass
class Away:
    """A table of another process that the client follows."""

    owner: str
    odds: bool = False
    n: int | None = None
    """The number of the last event that the process sent."""


class WebConnection(Conversation):
    """The connection of a person or program by WebSocket."""

    def __init__(
        self,
        server: Server,
        socket: WebSocket,
        person: Person,
        program: bool,
        address: str,
        token: str,
    ) -> None:
        super().__init__(server, person, program)
        self._socket = socket
        self._address = address
        self.token_hash = token_hash(token)
        """Hash of the session or bot token that opened the connection."""
        self._outbox: list[str | int] = []  # an empty deque takes 760 bytes, and most are idle
        """Messages to send, and finally the code with which to close the connection."""
        self._sending: asyncio.Task[None] | None = None
        """Sends the outbox, as long as there is something in it."""
        self._closing = False
        now, messages = server.service.clock.now(), float(server.settings.connection_messages)
        self._playing = Bucket.full((messages, MESSAGE_SECONDS), now)
        self._watching = Bucket.full((messages / 2, MESSAGE_SECONDS), now)
        self._refusals = 0
        self._away: dict[str, Away] = {}
        self._met: set[str] = set()
        """Other processes that this connection has sent messages to."""
        self._wish: client_messages.Queue | None = None
        """The client's request to join the queue; None if the client is not waiting."""
        self._unanswered: defaultdict[str, deque[Any]] = defaultdict(deque)
        """Unanswered messages to each process, in the order of its answers."""
        self._moving: set[asyncio.Task[None]] = set()

    def send(self, message: ServerMessage) -> None:
        """Queue a message for sending; close the connection if too many are waiting."""
        if len(self._outbox) >= OUTBOX:
            self.close(TOO_SLOW)
        elif not self._closing:
            self._send_soon(to_json(message).decode())

    def close(self, code: int) -> None:
        """Close the connection once all earlier messages have been sent."""
        if not self._closing:
            self._closing = True
            self._send_soon(code)

    async def run(self) -> None:
        """Serve the connection until it ends."""
        try:
            seated = await self._server.tables_of(self.person)
            self.send(
                {
                    "type": "welcome",
                    "protocol": client_messages.SERVICE_PROTOCOL,
                    "you": self.person.public,
                    "tables": seated,
                }
            )
            if self.program:
                for table in seated:
                    await self._follow_again(table, False, None)
            await self._receive_all()
        finally:
            self._closing = True
            if self._sending is not None:
                self._sending.cancel()
            for task in self._moving:
                task.cancel()
            self.let_go()
            if self._server.cluster is not None:
                self._server.cluster.forget(self, self._met)

    def _send_soon(self, item: str | int) -> None:
        self._outbox.append(item)
        if self._sending is None:
            self._sending = asyncio.create_task(self._send_all())

    async def _send_all(self) -> None:
        """Send what is in the outbox; an idle connection needs no task for this."""
        try:
            while self._outbox:
                item = self._outbox.pop(0)
                if isinstance(item, int):
                    await self._socket.close(item)
                else:
                    await self._socket.send_text(item)
        except WebSocketDisconnect:
            self._closing = True  # the client is gone, as the next message received says
        finally:
            self._sending = None

    async def _receive_all(self) -> None:
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            if self._closing:
                continue
            text = received.get("text")
            if text is not None and len(text.encode()) > FRAME_BYTES:
                text = None
            try:
                self._require_may_send()
            except Refused as error:
                self._refusals += 1
                ref = None if text is None else client_messages.ref_of(text)
                self._error(error.code, str(error), None, ref, waiting_of(error))
                if self._refusals > PATIENCE:
                    self.close(TOO_MUCH)
                continue
            if text is None:
                self._error("unreadable", "a message is JSON text of at most 8 KiB", None, None)
                continue
            try:
                message = client_messages.read(text)
            except ProtocolError as error:
                self._error(error.code, str(error), None, client_messages.ref_of(text))
                continue
            await self.take(message)

    def _require_may_send(self) -> None:
        now = self._server.service.clock.now()
        # Only their owners know the seats of tables elsewhere: assume that the client plays there.
        plays = bool(self._away) or any(
            room.table.seat_of(self.person.id) is not None for room in self._rooms()
        )
        bucket = self._playing if plays else self._watching
        if not bucket.take(now):
            raise too_fast("too many messages", "connection_messages", bucket.wait)
        self._server.limits.messages.take(self._address)

    # --- tables of other processes --------------------------------------------------------------
    async def _do(self, message: Any) -> Answer | None:
        if isinstance(message, client_messages.Shut) and message.table in self._away:
            raise Elsewhere(self._away.pop(message.table).owner)
        if isinstance(message, client_messages.Queue):
            self._wish = message.model_copy(update={"ref": None}) if message.on else None
        return await super()._do(message)

    async def matched(self, table: str, anchor: str | None) -> None:
        """Send the client the table that the queue has found."""
        self._wish = None
        await super().matched(table, anchor)

    def _pass_on(self, owner: str, message: Any) -> None:
        if isinstance(message, client_messages.Open):
            self._tables.discard(message.table)
            self._away[message.table] = Away(owner, message.odds, message.after)
        elif self.program and isinstance(message, client_messages.Sit):
            self._away.setdefault(message.table, Away(owner))
        self._unanswered[owner].append(message)
        self._ask_owner(owner, message)

    def _ask_owner(self, owner: str, message: Any, unasked: bool = False) -> None:
        assert self._server.cluster is not None
        self._met.add(owner)
        self._server.cluster.pass_on(owner, self, message, unasked)

    def hear(self, owner: str, message: ServerMessage) -> None:
        """Send the client a message from another process, and keep track of its answers."""
        if message["type"] == "matched":
            self._wish = None
            if self.program:
                self._away[message["table"]] = Away(owner)
        if message["type"] == "ack" or message["type"] == "error":
            if self._unanswered[owner]:
                self._unanswered[owner].popleft()
        if "n" in message and message["n"] is not None and message["type"] != "error":
            away = self._away.get(message["table"] or "")
            if away is not None:
                away.n = max(away.n or 0, message["n"])
        self.send(message)

    def turned_away(self, owner: str) -> None:
        """Handle the oldest unanswered message again: its process no longer has the table."""
        if self._unanswered[owner]:
            self._do_soon(self.take(self._unanswered[owner].popleft()))

    def moved(self, table: str, odds: bool, after: int | None) -> None:
        """Follow a table again that has moved to another process."""
        self._away.pop(table, None)
        self._tables.discard(table)
        self._do_soon(self._follow_again(table, odds, after))

    def lost(self, owner: str) -> None:
        """Recover from the loss of a process or of its messages: follow its tables, ask again."""
        for table, away in list(self._away.items()):
            if away.owner == owner:
                self.moved(table, away.odds, away.n)
        self._do_soon(self._ask_again(list(self._unanswered.pop(owner, ()))))

    async def _ask_again(self, unanswered: list[Any]) -> None:
        """Handle unanswered messages again; tables acknowledge those already done as repeated."""
        if self._wish is not None:  # the lost process may have had the queue
            await self.take(self._wish)
        for message in unanswered:
            if isinstance(message, client_messages.Say):  # a second attempt could say it twice
                problem = "this message may not have been sent"
                self._error("try_again", problem, message.table, message.ref)
            elif not isinstance(message, client_messages.Queue):
                await self.take(message)

    def _do_soon(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._moving.add(task)
        task.add_done_callback(self._moving.discard)

    async def _follow_again(self, table: str, odds: bool, after: int | None) -> None:
        message = client_messages.Open(type="open", table=table, odds=odds, after=after)
        while True:
            try:
                if self.program:
                    await self.follow(table, after)
                else:
                    await self._open(message)
                return
            except Elsewhere as place:
                self._away[table] = Away(place.owner, odds, after)
                self._ask_owner(place.owner, message, unasked=True)
                return
            except PerudoError as error:
                if getattr(error, "code", None) != "try_again":
                    log.warning("table %s cannot be followed again: %s", table, error)
                    return
                await asyncio.sleep(FOLLOW_SECONDS)
