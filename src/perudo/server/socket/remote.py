"""Clients of other processes that use tables of this one."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any

from perudo.server.people.people import Person
from perudo.server.server import Server
from perudo.server.socket.conversation import Conversation
from perudo.server.wire import client_messages
from perudo.server.wire.server_messages import ServerMessage

log = logging.getLogger("perudo.remote")


class RemoteConversation(Conversation):
    """A client of another process, whose messages are handled one by one."""

    def __init__(
        self,
        server: Server,
        origin: str,
        number: int,
        person: Person,
        program: bool,
    ) -> None:
        super().__init__(server, person, program)
        assert server.cluster is not None
        self._tell = partial(server.cluster.tell, origin)
        self._origin = origin
        self._number = number
        self._inbox: asyncio.Queue[tuple[str, bool]] = asyncio.Queue()
        self._task = asyncio.create_task(self._run())

    def send(self, message: ServerMessage) -> None:
        """Send the client a message through the process of its connection."""
        self._tell({"kind": "send", "connection": self._number, "message": message})

    def moved(self, table: str, odds: bool, after: int | None) -> None:
        """Have the process of the connection follow the table at its new owner."""
        self._tables.discard(table)
        self._tell(
            {
                "kind": "moved",
                "connection": self._number,
                "table": table,
                "odds": odds,
                "after": after,
            }
        )

    def _pass_on(self, owner: str, message: Any) -> None:
        table = getattr(message, "table", None)
        self._tell({"kind": "elsewhere", "connection": self._number, "table": table})

    def put(self, person: Person, text: str, unasked: bool) -> None:
        """Queue a message that the other process passes on.

        ``unasked`` messages come from that process itself, and are not acknowledged.
        """
        self.person = person
        self._inbox.put_nowait((text, unasked))

    def end(self) -> None:
        """Stop serving the client: its connection or process is gone."""
        self._task.cancel()
        self.let_go()

    async def _run(self) -> None:
        while True:
            text, unasked = await self._inbox.get()
            message = client_messages.read(text)
            if unasked:
                await self._follow_again(message)
                continue
            try:
                await self.take(message)
            except Exception:  # answer it all the same, and go on with the next
                log.exception("what was passed on by process %s failed", self._origin)
                ref = getattr(message, "move", None) or getattr(message, "ref", None)
                table = getattr(message, "table", None)
                self._error("try_again", "the server could not do this; try again", table, ref)

    async def _follow_again(self, message: client_messages.Open) -> None:
        try:
            if self.program:
                await self.follow(message.table, message.after)
            else:
                await self._open(message)
        except Exception as error:  # the table has moved, is moving, or does not exist
            if getattr(error, "code", "try_again") == "try_again":
                log.warning("table %s cannot be followed here: %s", message.table, error)
                self.moved(message.table, message.odds, message.after)
