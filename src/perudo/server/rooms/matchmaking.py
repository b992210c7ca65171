"""Matchmaking: a queue that seats players who want the same kind of game at a new table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Protocol

from perudo.games.errors import PerudoError
from perudo.server.errors import Refused
from perudo.server.hosted import HOSTING, parsed
from perudo.server.people.people import Person
from perudo.server.rooms.lobby import Lobby
from perudo.server.table.commands import Sit
from perudo.server.wire import client_messages
from perudo.server.wire.table_options import OpenSeat, TableOptions

Wish = tuple[str, int, bool]
"""The kind of game wanted: preset, number of players, and if it is rated."""
QUEUE_TIMER = 60
"""Seconds for each decision at tables that the queue creates."""


class Connection(Protocol):
    """A connection of a player in the queue."""

    person: Person

    async def matched(self, table: str, anchor: str | None) -> None:
        """Notify the player of their seat at a table, and of the commitment to its dice."""


class Queue:
    """The players waiting for each kind of game, in order of arrival."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._waiting: dict[Wish, dict[Connection, client_messages.Queue]] = {}
        """Waiting connections by kind of game, each with what its player has sent."""

    def __len__(self) -> int:
        return sum(len(each) for each in self._waiting.values())

    def clear(self) -> None:
        """Drop all waiting players, because another process has the queue now."""
        self._waiting.clear()

    def leave(self, connection: Connection) -> None:
        """Remove a player from the queue."""
        for waiting in self._waiting.values():
            waiting.pop(connection, None)

    async def take(self, connection: Connection, message: client_messages.Queue) -> None:
        """Add a player to the queue or remove them; seat a full group at a new table."""
        if self._lobby.cluster is not None:
            self._lobby.cluster.require_queue()
        if not message.on:
            self.leave(connection)
            return
        presets = HOSTING.game.presets
        if message.rules not in presets:
            raise Refused("unknown_rules", f"the queue is for presets: {', '.join(presets)}")
        if message.players > HOSTING.max_players(parsed(message.rules)):
            raise Refused("not_rateable", f"{message.rules} is not for {message.players} players")
        if message.rated and connection.person.kind == "guest":
            raise Refused("needs_account", "rated games need an account")
        wish = (message.rules, message.players, message.rated)
        waiting = self._waiting.setdefault(wish, {})
        waiting[connection] = message
        found = self._find(waiting, message.players)
        if found:
            group = {each: waiting.pop(each) for each in found}
            try:
                await self._seat(group, wish)
            except PerudoError:  # for example, the database does not answer: keep them waiting
                self._waiting[wish] = {**group, **self._waiting[wish]}
                raise

    def _find(self, waiting: Iterable[Connection], players: int) -> list[Connection]:
        """Return the first players who may meet, or an empty list if there are too few.

        A person and their bots do not meet each other.
        """
        found: dict[str, Connection] = {}
        for connection in waiting:
            found.setdefault(connection.person.answerable, connection)
            if len(found) == players:
                return list(found.values())
        return []

    async def _seat(self, found: dict[Connection, client_messages.Queue], wish: Wish) -> None:
        rules, players, rated = wish
        options = TableOptions(
            rules=rules,
            seats=[OpenSeat() for _ in range(players)],
            rated=rated,
            timer=QUEUE_TIMER,
        )
        person = next(iter(found)).person
        table = await self._lobby.create(person, options, counted=False)
        room = await self._lobby.room(table)
        for connection, sent in found.items():
            person = connection.person
            message = client_messages.Sit(type="sit", table=table, seed=sent.seed, seeds=sent.seeds)
            await room.perform(partial(room.do, Sit(person, message)))
        anchor = room.info["anchor"]
        for connection in found:
            await connection.matched(table, anchor)
