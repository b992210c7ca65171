"""The server of one process: its tables, people, queue and connections."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from perudo.games.kernel import cache_directory
from perudo.server.ai.callers import Caller, Urgency
from perudo.server.ai.catalogue import LEVELS
from perudo.server.ai.pool import AiError, AiPool
from perudo.server.clock import Clock
from perudo.server.cluster import cluster
from perudo.server.cluster.cluster import Cluster, RemoteConnection
from perudo.server.cluster.items import Question
from perudo.server.db.retention import forget_old
from perudo.server.db.store import Store
from perudo.server.errors import Refused
from perudo.server.history.ratings import rate_game
from perudo.server.history.reviews import Reviews
from perudo.server.hosted import HOSTING
from perudo.server.open_connections import OpenConnections
from perudo.server.people.people import People, Person
from perudo.server.rate_limits import Limits
from perudo.server.rooms.lobby import Lobby
from perudo.server.rooms.matchmaking import Queue
from perudo.server.service import Service
from perudo.server.settings import Settings
from perudo.server.wire import client_messages
from perudo.server.wire.bodies import Filters
from perudo.server.wire.server_messages import Challenge, ServerMessage, TableInfo
from perudo.table import SeededDice, Table

log = logging.getLogger("perudo.server")

LOOK_SECONDS = 15.0
"""Time in which every connection's session is checked once."""
LOOKED_AT_ONCE = 20
"""Connections whose sessions are checked with one query."""
FORGET_SECONDS = 3600.0
"""Interval between deletions of old data."""
NO_SESSION, BANNED = 4001, 4003
"""WebSocket close codes: the session or token has ended, or the person is banned."""


class Connection(cluster.Connection, Protocol):
    """A client's WebSocket."""

    token_hash: str

    def send(self, message: ServerMessage) -> None:
        """Send the client a message, without waiting."""

    def close(self, code: int) -> None:
        """Close the connection once all earlier messages have been sent."""

    def lost(self, owner: str) -> None:
        """Recover from the loss of a process that served this connection."""


class Server:
    """The parts of a server process, started and stopped together."""

    def __init__(
        self, settings: Settings, clock: Clock | None = None, pool: AiPool | None = None
    ) -> None:
        self.settings = settings
        clock = clock or Clock()
        pool = pool or AiPool(settings.ai_pool_size, settings.ai_memory_mb)
        store = Store(settings.database)
        self.service = Service(settings, store, pool, clock, game_ended=rate_game)
        self.people = People(self.service.store, clock.time, settings.registration)
        self.lobby = Lobby(self.service)
        self.cluster = None if settings.redis is None else Cluster(self, store, settings.redis)
        self.lobby.cluster = self.cluster
        self.queue = Queue(self.lobby)
        self.reviews = Reviews(
            store, pool, self.service.budget, clock.time, settings.reviews_per_person
        )
        self.connections: set[Connection] = set()
        self.remote: Callable[[Server, str, int, Person, bool], RemoteConnection] | None = None
        """Factory of connections for clients of other processes."""
        self.limits = Limits(settings, clock.now)
        self.transports = OpenConnections(settings.address_connections, clock.now)
        """All TCP connections, by the address from which they come."""
        self.sockets = OpenConnections(settings.address_connections, clock.now)
        """The WebSockets among them, by the client's address, which a proxy may have reported."""
        self.ready = asyncio.Event()
        """Set once the rules are compiled and tables can be used."""
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the background tasks; tables are available when ``ready`` is set."""
        await self.service.budget.load()
        works = (self._warm(), self._look_after(), self.service.budget.keep())
        self._tasks = [asyncio.create_task(work) for work in works]

    async def stop(self) -> None:
        """Close all connections, tables and stores."""
        for connection in list(self.connections):
            connection.close(1012)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.lobby.stop()
        if self.cluster is not None:
            await self.cluster.stop()
        await self.reviews.stop()
        await self.service.pool.close()
        await self.service.budget.save()
        self.service.store.close()

    async def _warm(self) -> None:
        """Load the compiled rules and start the lobby.

        If nothing is compiled yet, another process does it, so that this one stays responsive.
        """
        compiled = _compiled()
        preparing = asyncio.create_task(self._prepare(self.settings.stand_in))
        if not any(cache_directory().glob("*.nbi")):
            await preparing
        await asyncio.to_thread(_rehearse)
        await self.lobby.start()
        self.ready.set()
        await preparing
        await self._prepare_levels()
        if _compiled() > compiled:  # compiling doubles the memory of AI processes
            self.service.pool.renew()
            await self._prepare_levels()

    async def _prepare_levels(self) -> None:
        for level in LEVELS.values():
            for agent in level.agents:
                await self._prepare(agent)

    async def _look_after(self) -> None:
        """Check all sessions every ``LOOK_SECONDS``, and delete old data once an hour."""
        forgotten = -math.inf
        while True:
            await self.look_at_people(LOOK_SECONDS)
            now = self.service.clock.time()
            if self.settings.retention_days and now - forgotten > FORGET_SECONDS:
                forgotten = now
                days = self.settings.retention_days
                await self.service.store.write(partial(forget_old, days=days, now=now))

    async def look_at_people(self, during: float = 0.0) -> None:
        """Close connections whose session has ended or whose person is banned; refresh the others.

        The checks are spread over ``during`` seconds, because one query for thousands of
        connections would delay the players.
        """
        connections = list(self.connections)
        groups = [
            connections[start : start + LOOKED_AT_ONCE]
            for start in range(0, len(connections), LOOKED_AT_ONCE)
        ]
        for group in groups:
            await self._look_at(group)
            await asyncio.sleep(during / len(groups))
        if not groups:
            await asyncio.sleep(during)

    async def end_connections(self, person: str) -> None:
        """Close a person's connections whose sessions have ended, at every process."""
        await self._look_at_person(person)
        await self._ask_others(Question("sessions", person=person))

    async def _look_at_person(self, person: str) -> None:
        await self._look_at([each for each in self.connections if each.person.id == person])

    async def _ask_others(self, question: Question) -> list[Any]:
        """Return the answers of all other processes that give one."""
        if self.cluster is None:
            return []
        asked = [self.cluster.ask(peer, question) for peer in self.cluster.others]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                log.warning("another process did not answer %r: %s", question.about, answer)
        return [answer for answer in answers if not isinstance(answer, BaseException)]

    async def _look_at(self, connections: list[Connection]) -> None:
        known = await self.people.by_token_hashes([each.token_hash for each in connections])
        for connection in connections:
            person = known.get(connection.token_hash)
            if person is not None and not person.banned:
                connection.person = person
            else:
                again = person or await self.people.by_id(connection.person.id)
                connection.close(BANNED if again is not None and again.banned else NO_SESSION)

    async def _prepare(self, agent: str) -> None:
        try:
            await self.service.pool.prepare(agent, caller=Caller(urgency=Urgency.AHEAD))
        except AiError as error:
            log.warning("an AI cannot play: %s", error)

    async def tables_of(self, person: Person) -> list[str]:
        """List the tables where a person has a seat."""
        await self.ready.wait()
        await self.lobby.woken.wait()
        return await self.lobby.seated_at(person.id)

    async def invite(self, person: Person, message: client_messages.Invite) -> None:
        """Send a challenge to a player who is connected to this or another process."""
        info = await self.lobby.info(message.table)
        if info["creator"] != person.id:
            raise Refused("not_creator", "only the creator of the table may do that")
        invited = await self.people.by_name(message.player)
        if invited is not None and not accepts(await self.people.filters(invited.id), info):
            raise Refused("declined", f"{invited.name} does not accept such challenges")
        key = (await self.lobby.invitation(message.table, person.id))["key"]
        challenge: Challenge = {
            "type": "challenge",
            "table": message.table,
            "by": person.name,
            "info": info,
            "key": key,
        }
        if invited is None or not await self._challenge(invited.id, challenge):
            raise Refused("not_here", f"{message.player} is not connected")

    async def _challenge(self, person: str, challenge: Challenge) -> int:
        """Send a challenge to all of a person's connections, and return their number."""
        question = Question("send", person=person, message=challenge)
        reached: list[int] = await self._ask_others(question)
        return self._send_to(person, challenge) + sum(reached)

    def _send_to(self, person: str, message: ServerMessage) -> int:
        here = [each for each in self.connections if each.person.id == person]
        for connection in here:
            connection.send(message)
        return len(here)

    # --- other processes ------------------------------------------------------------------------
    async def answer(self, question: Question) -> Any:
        """Answer a question of another process."""
        if question.about == "info":
            return await self.lobby.info(question.table)
        if question.about == "invitation":
            return await self.lobby.invitation(question.table, question.person)
        assert question.person is not None
        if question.about == "sessions":
            return await self._look_at_person(question.person)
        assert question.message is not None
        return self._send_to(question.person, question.message)

    def open_remote(
        self, peer: str, number: int, person: Person, program: bool
    ) -> RemoteConnection:
        """Start serving a client that is connected to another process."""
        assert self.remote is not None
        return self.remote(self, peer, number, person, program)

    def forget_queue(self) -> None:
        """Drop the queue, which another process has now."""
        self.queue.clear()

    async def forget_tables(self) -> None:
        """Unload all tables, because other processes may have taken them."""
        await self.lobby.give_up()

    def forget_place(self, table: str) -> None:
        """Forget which process has a table."""
        self.lobby.forget_place(table)

    def lost(self, peer: str) -> None:
        """Recover from the loss of a process, or of a message from or to it."""
        self.lobby.forget_owner(peer)
        for connection in list(self.connections):
            connection.lost(peer)


def accepts(filters: Filters, info: TableInfo) -> bool:
    """Return whether a bot's filters accept a challenge to a table."""
    preset = info["rules"].partition(":")[0] if ":" not in info["rules"] else None
    if filters.rules and preset not in filters.rules:
        return False
    if filters.rated is not None and filters.rated != info["rated"]:
        return False
    if filters.players and len(info["seats"]) not in filters.players:
        return False
    return not filters.closed


def _compiled() -> int:
    """Return the number of compiled kernels in the cache."""
    return sum(1 for _ in cache_directory().rglob("*.nbc"))


def _rehearse() -> None:
    """Play a round, which loads all compiled rules."""
    game = HOSTING.game
    table = Table(game, game.setting(game.presets[0]), ["a", "b", "c"], SeededDice(1))
    for move in range(3):
        assert table.actor is not None
        seen = table.observe(table.actor)
        legal = HOSTING.legal(seen)
        table.act(table.actor, HOSTING.default(seen, legal) if move else legal[0])
    table.observe()
