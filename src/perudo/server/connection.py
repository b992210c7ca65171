"""One WebSocket: reads messages, hands them to tables, sends what it is given.

It never waits for a slow reader: whoever does not keep up is closed, and gets what it missed when
it comes back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json
from starlette.websockets import WebSocket, WebSocketDisconnect

from perudo.games.errors import PerudoError
from perudo.protocol import ProtocolError
from perudo.server import messages
from perudo.server.commands import COMMANDS
from perudo.server.limits import PLAYING_RATE, TALK_RATE, WATCHING_RATE, Bucket
from perudo.server.people import Person
from perudo.server.room import Room
from perudo.server.service import Refused
from perudo.server.settings import FRAME_BYTES

if TYPE_CHECKING:
    from perudo.server.house import House

log = logging.getLogger("perudo.connection")

OUTBOX = 512
"""Messages that may wait for a slow reader."""
MOST_TABLES = 200
"""Tables that one connection may follow."""
PATIENCE = 30
"""Refusals for sending too much, after which the connection is closed."""

TOO_SLOW, TOO_MUCH = 4008, 4029


class WebConnection:
    """A person's or program's connection."""

    def __init__(
        self, house: House, socket: WebSocket, person: Person, program: bool, address: str
    ) -> None:
        self.person = person
        self.program = program
        self._house = house
        self._socket = socket
        self._address = address
        self._outbox: asyncio.Queue[str | int] = asyncio.Queue()
        self._tables: set[str] = set()
        now = house.service.clock.now()
        self._playing = Bucket.full(PLAYING_RATE, now)
        self._watching = Bucket.full(WATCHING_RATE, now)
        self._talk = Bucket.full(TALK_RATE, now)
        self._refusals = 0

    def send(self, message: dict[str, Any]) -> None:
        """Put a message into the outbox."""
        if self._outbox.qsize() >= OUTBOX:
            self.close(TOO_SLOW)
        else:
            self._outbox.put_nowait(to_json(message).decode())

    def close(self, code: int) -> None:
        """End the connection when what was said before has been sent."""
        self._outbox.put_nowait(code)

    async def run(self) -> None:
        """Serve the connection until it ends."""
        sending = asyncio.create_task(self._send_all())
        try:
            seated = await self._house.tables_of(self.person)
            self.send(
                {
                    "type": "welcome",
                    "protocol": messages.SERVICE_PROTOCOL,
                    "you": self.person.public,
                    "tables": seated,
                }
            )
            if self.program:
                for table in seated:
                    await self.follow(table)
            receiving = asyncio.create_task(self._receive_all())
            done, pending = await asyncio.wait(
                (sending, receiving), return_when=asyncio.FIRST_COMPLETED
            )
            for task in (*done, *pending):
                task.cancel()
            results = await asyncio.gather(*done, *pending, return_exceptions=True)
            for result in results:
                if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
                    raise result
        finally:
            sending.cancel()
            self._house.queue.leave(self)
            for room in self._rooms():
                room.post(partial(self._let_go, room))

    def _rooms(self) -> Iterator[Room]:
        """The tables that this connection follows."""
        found = (self._house.lobby.find(table) for table in list(self._tables))
        return (room for room in found if room is not None)

    async def _let_go(self, room: Room) -> None:
        room.shut(self)

    async def _send_all(self) -> None:
        while True:
            item = await self._outbox.get()
            if isinstance(item, int):
                await self._socket.close(item)
                return
            await self._socket.send_text(item)

    async def _receive_all(self) -> None:
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text")
            if text is None or len(text) > FRAME_BYTES:
                self._error("unreadable", "a message is JSON text of at most 8 KiB", None, None)
                continue
            if not self._may_send():
                self._refusals += 1
                if self._refusals > PATIENCE:
                    self.close(TOO_MUCH)
                    return
                self._error("too_fast", "too many messages; wait a moment", None, None)
                continue
            await self._take(text)

    def _may_send(self) -> bool:
        now = self._house.service.clock.now()
        plays = any(room.state.seat_of(self.person.id) is not None for room in self._rooms())
        bucket = self._playing if plays else self._watching
        return bucket.take(now) and self._house.address_messages.take(self._address)

    async def _take(self, text: str) -> None:
        try:
            message = messages.read(text)
        except ProtocolError as error:
            self._error(error.code, str(error), None, None)
            return
        table = getattr(message, "table", None)
        ref = getattr(message, "move", None) or getattr(message, "ref", None)
        try:
            answer = await self._do(message)
        except PerudoError as error:
            self._error(getattr(error, "code", "refused"), str(error), table, ref)
            return
        if answer is not None:
            self.send({"type": "ack", "table": table, "ref": ref, **answer})

    async def _do(self, message: Any) -> dict[str, Any] | None:
        match message:
            case messages.Ping():
                self.send({"type": "pong"})
                return None
            case messages.Open():
                return {"n": await self._open(message), "repeated": False}
            case messages.Shut():
                room = self._house.lobby.find(message.table)
                repeated = message.table not in self._tables
                self._tables.discard(message.table)
                if room is not None:
                    await room.perform(partial(self._let_go, room))
                return {"n": None, "repeated": repeated}
            case messages.Queue():
                await self._house.queue.take(self, message)
                return {"n": None, "repeated": False}
            case messages.Invite():
                await self._house.invite(self.person, message)
                return {"n": None, "repeated": False}
        if isinstance(message, messages.Say) and not self._talk.take(
            self._house.service.clock.now()
        ):
            raise Refused("too_fast", "you talk too much; wait a moment")
        room = await self._house.lobby.room(message.table)
        command = COMMANDS[type(message)]
        answer: dict[str, Any] = await room.perform(lambda: command(room, self.person, message))
        if self.program and isinstance(message, messages.Sit):
            await self.follow(message.table)
        return answer

    async def follow(self, table: str) -> None:
        """Follow a table unasked: programs hear of all at which they sit.

        Of a game that is over they are not told again.
        """
        room = await self._house.lobby.room(table)
        over = room.state.match is not None and room.state.match.over
        after = room.state.n if over else None
        await self._open(messages.Open(type="open", table=table, after=after))

    async def _open(self, message: messages.Open) -> int:
        if len(self._tables) >= MOST_TABLES:
            raise Refused("too_many", f"one connection can follow {MOST_TABLES} tables")
        room = await self._house.lobby.room(message.table)
        n: int = await room.perform(lambda: room.open(self, message.after, message.odds))
        self._tables.add(message.table)
        return n

    def _error(self, code: str, text: str, table: Any, ref: str | None) -> None:
        room = self._house.lobby.find(table) if table in self._tables else None
        self.send(
            {
                "type": "error",
                "code": code,
                "message": text,
                "table": table,
                "ref": ref,
                "n": None if room is None else room.state.n,
                "question": None if room is None else room.state.question,
            }
        )
