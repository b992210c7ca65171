"""The handling of a client's messages, for connections to this process and to others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

from perudo.games.errors import PerudoError
from perudo.server.ai.catalogue import opponent, require_can_play
from perudo.server.cluster.leases import Elsewhere
from perudo.server.errors import Refused, Waiting, waiting_of
from perudo.server.people.people import Person
from perudo.server.rate_limits import TALK_RATE, Bucket, too_fast
from perudo.server.rooms.audience import TALK_SENT
from perudo.server.rooms.room import Answer, Room
from perudo.server.rooms.table_log import talk_before
from perudo.server.server import Server
from perudo.server.table.commands import COMMANDS, Fill, Pause
from perudo.server.wire import client_messages
from perudo.server.wire.server_messages import ServerMessage

MOST_TABLES = 200
"""Most tables that one connection may follow."""


async def carry_out(room: Room, person: Person, message: Any) -> Answer:
    """Carry out a message to a table; call this in the table's own task."""
    service, options = room.service, room.table.options
    if not isinstance(message, client_messages.Fill):
        command = COMMANDS[type(message)](person, message)
        if isinstance(command, Pause) and command.lets_ais_go_on(room.table):
            service.budget.require(person)
        return await room.do(command)
    Fill.require(room.table, person, message)
    service.budget.require(person)
    agent = opponent(message.agent, message.level, message.seat, service.settings.ai_work)
    await asyncio.to_thread(require_can_play, agent, options.parsed_rules(), len(room.table.seats))
    return await room.do(Fill(person, message, agent.spec))


class Conversation:
    """A client's connection without its transport; subclasses send the messages."""

    def __init__(self, server: Server, person: Person, program: bool) -> None:
        self.person = person
        self.program = program
        self._server = server
        self._tables: set[str] = set()
        """Tables of this process that the client follows."""
        self._talk = Bucket.full(TALK_RATE, server.service.clock.now())

    def send(self, message: ServerMessage) -> None:
        """Send the client a message, without waiting."""
        raise NotImplementedError

    def moved(self, table: str, odds: bool, after: int | None) -> None:
        """Find a followed table again that has moved to another process."""
        raise NotImplementedError

    def _pass_on(self, owner: str, message: Any) -> None:
        """Pass a message on to the process that owns the table."""
        raise NotImplementedError

    def let_go(self) -> None:
        """Leave the queue and stop following all tables."""
        self._server.queue.leave(self)
        for room in self._rooms():
            room.let_go(self)
        self._tables.clear()

    def _rooms(self) -> Iterator[Room]:
        """Return the rooms of this process that the client follows."""
        found = (self._server.lobby.find(table) for table in list(self._tables))
        return (room for room in found if room is not None)

    async def take(self, message: Any) -> None:
        """Carry out a message, and answer it."""
        table = getattr(message, "table", None)
        ref = getattr(message, "move", None) or getattr(message, "ref", None)
        try:
            answer = await self._do(message)
        except Elsewhere as place:
            self._pass_on(place.owner, message)
            return
        except PerudoError as error:
            code = getattr(error, "code", "refused")
            self._error(code, str(error), table, ref, waiting_of(error))
            return
        if answer is not None:
            n, repeated = answer.n, answer.repeated
            self.send({"type": "ack", "table": table, "ref": ref, "n": n, "repeated": repeated})

    async def _do(self, message: Any) -> Answer | None:
        match message:
            case client_messages.Ping():
                self.send({"type": "pong"})
                return None
            case client_messages.Open():
                return Answer(await self._open(message))
            case client_messages.Earlier():
                return Answer(await self._send_talk(message))
            case client_messages.Shut():
                room = self._server.lobby.find(message.table)
                repeated = message.table not in self._tables
                self._tables.discard(message.table)
                if room is not None:
                    await room.perform(partial(room.shut, self))
                return Answer(None, repeated)
            case client_messages.Queue():
                await self._server.queue.take(self, message)
                return Answer(None)
            case client_messages.Invite():
                self._require_may_talk()
                await self._server.invite(self.person, message)
                return Answer(None)
        room = await self._server.lobby.room(message.table)
        if isinstance(message, client_messages.Say):
            self._require_may_talk()
        answer: Answer = await room.perform(partial(carry_out, room, self.person, message))
        if self.program and isinstance(message, client_messages.Sit):
            await self.follow(message.table)
        return answer

    async def _send_talk(self, message: client_messages.Earlier) -> int:
        """Send older talk of this game, without holding up the table's task."""
        room = await self._server.lobby.room(message.table)
        first = room.audience.entries[0].n if room.audience.entries else room.table.n
        find = partial(talk_before, id=message.table, first=first, before=message.before)
        found = await self._server.service.store.read(partial(find, limit=TALK_SENT + 1))
        room.audience.send_talk(self, found[-TALK_SENT:], len(found) > TALK_SENT)
        return room.table.n

    def _require_may_talk(self) -> None:
        if not self._talk.take(self._server.service.clock.now()):
            raise too_fast("you talk too much", "talk", self._talk.wait)

    async def matched(self, table: str, anchor: str | None) -> None:
        """Send the client the table that the queue has found; programs follow it at once."""
        self.send({"type": "matched", "table": table, "anchor": anchor})
        if self.program:
            await self.follow(table)

    async def follow(self, table: str, after: int | None = None) -> None:
        """Follow a table where a program has a seat, without its request.

        The events of a finished game are not sent again.
        """
        room = await self._server.lobby.room(table)
        play = room.table.play
        if after is None and play is not None and play.over:
            after = room.table.n
        await self._open(client_messages.Open(type="open", table=table, after=after))

    async def _open(self, message: client_messages.Open) -> int:
        if len(self._tables) >= MOST_TABLES:
            problem = f"one connection can follow {MOST_TABLES} tables"
            raise Refused("too_many", problem, "tables_per_connection")
        room = await self._server.lobby.room(message.table)
        self._tables.add(message.table)
        n: int = await room.perform(lambda: room.open(self, message.after, message.odds))
        return n

    def _error(
        self, code: str, text: str, table: Any, ref: str | None, waiting: Waiting | None = None
    ) -> None:
        room = self._server.lobby.find(table)
        n, question = (None, None) if room is None else (room.table.n, room.table.question)
        self.send(
            {
                "type": "error",
                "code": code,
                "message": text,
                "table": table,
                "ref": ref,
                "n": n,
                "question": question,
                **(waiting or {}),
            }
        )
