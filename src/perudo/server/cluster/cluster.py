"""This process among others that serve the same tables: one database, and Redis to wake each other.

The database says who is alive and who has which table (``leases``). What a client sends goes to
the process that has the table; the answers come back to the process of the connection (``peers``).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from perudo.games.errors import PerudoError
from perudo.server.cluster import leases
from perudo.server.cluster.leases import Elsewhere
from perudo.server.cluster.peers import Item, Peers
from perudo.server.errors import Refused
from perudo.server.people.people import Person, new_id
from perudo.server.socket.remote import RemoteConversation

if TYPE_CHECKING:
    from perudo.server.server import Server
    from perudo.server.socket.connection import WebConnection

log = logging.getLogger("perudo.cluster")

BEAT_SECONDS = 1.0
ASK_SECONDS = 3.0
"""How long another process may take to answer a question."""


class Cluster:
    """One process's part in it; comes to life with ``start``."""

    def __init__(self, server: Server, address: str) -> None:
        self._server = server
        self._address = address
        self._store = server.service.store
        self.name = ""
        """Nobody has had it before: a process that was thought dead comes back under another."""
        self._live: list[str] = []
        self._told: set[str] = set()
        """Processes that something was passed on to."""
        self._peers: Peers | None = None
        self._connections: dict[int, WebConnection] = {}
        self._numbers: dict[WebConnection, int] = {}
        self._count = itertools.count(1)
        self._remote: dict[tuple[str, int], RemoteConversation] = {}
        self._questions: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Become one of the processes."""
        await self._enter()
        self._do_soon(self._beat())

    async def stop(self) -> None:
        """Leave the tables to the others."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self._store.write(partial(leases.leave, name=self.name))
        except PerudoError as error:  # then they have to wait until the lease has run out
            log.warning("process %s ends without saying so: %s", self.name, error)
        if self._peers is not None:
            await self._peers.close()

    @property
    def others(self) -> list[str]:
        """The other processes that are alive."""
        return [peer for peer in self._live if peer != self.name]

    def is_live(self, peer: str) -> bool:
        """Whether a process was alive a moment ago."""
        return peer in self._live

    def require_queue(self) -> None:
        """Raise unless this process, as the oldest, has the queue."""
        if self._live[0] != self.name:
            raise Elsewhere(self._live[0])

    # --- being alive ----------------------------------------------------------------------------
    async def _enter(self) -> None:
        name = new_id()
        self._peers = Peers(self._address, name, self._hear, self._lost)
        await self._peers.open()
        await self._store.write(partial(leases.enter, name=name))
        self.name = name
        self._live = await self._store.write(partial(leases.renew, name=name)) or [name]

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                live = await self._store.write(partial(leases.renew, name=self.name))
                if not live:
                    log.warning("process %s was taken for dead and begins anew", self.name)
                    await self._begin_anew()
                    continue
            except Exception:  # others take the tables if this goes on, and then it is noticed here
                log.exception("the lease of process %s cannot be renewed", self.name)
                continue
            departed = (set(self._live) | self._told) - set(live)
            self._live, self._told = live, self._told & set(live)
            for peer in departed:
                log.warning("process %s is gone", peer)
                self._end_remote(peer)
                self._lost(peer)
            for peer in self.others:
                self.tell(peer, {"kind": "beat"})

    async def _begin_anew(self) -> None:
        assert self._peers is not None
        old = self._live
        await self._peers.close()
        for peer in old:
            self._end_remote(peer)
        self._server.queue.clear()
        await self._enter()
        await self._server.lobby.give_up()
        for peer in old:
            self._lost(peer)

    def _end_remote(self, peer: str) -> None:
        for key in [key for key in self._remote if key[0] == peer]:
            self._remote.pop(key).end()

    def _lost(self, peer: str) -> None:
        """A process is gone, or a message from it or to it was."""
        self._server.lobby.forget_owner(peer)
        for connection in list(self._server.connections):
            connection.lost(peer)

    # --- telling --------------------------------------------------------------------------------
    def tell(self, peer: str, item: Item) -> None:
        """Send something to another process."""
        assert self._peers is not None
        self._peers.tell(peer, item)

    def pass_on(
        self, peer: str, connection: WebConnection, message: Any, unasked: bool = False
    ) -> None:
        """Have another process do what a client asks for."""
        if connection not in self._numbers:
            number = self._numbers[connection] = next(self._count)
            self._connections[number] = connection
        item = {
            "kind": "do",
            "connection": self._numbers[connection],
            "person": asdict(connection.person),
            "program": connection.program,
            "text": message.model_dump_json(exclude_unset=True),
            "unasked": unasked,
        }
        self._told.add(peer)
        self.tell(peer, item)

    def forget(self, connection: WebConnection, peers: Iterable[str]) -> None:
        """Say to those who know of it that a connection is closed."""
        number = self._numbers.pop(connection, None)
        if number is not None:
            del self._connections[number]
            for peer in peers:
                self.tell(peer, {"kind": "gone", "connection": number})

    async def ask(self, peer: str, about: str, of: Item) -> Any:
        """Ask another process something (``Server.answer``)."""
        number = next(self._count)
        waiting = self._questions[number] = asyncio.get_running_loop().create_future()
        self.tell(peer, {"kind": "ask", "number": number, "about": about, "of": of})
        try:
            item = await asyncio.wait_for(waiting, ASK_SECONDS)
        except TimeoutError:
            raise Refused("try_again", "another process does not answer; try again") from None
        finally:
            del self._questions[number]
        if "refused" in item:
            raise Refused(*item["refused"])
        return item["answer"]

    # --- hearing --------------------------------------------------------------------------------
    def _hear(self, peer: str, item: Item) -> None:
        match item["kind"]:
            case "do":
                self._hear_client(peer, item)
            case "gone":
                remote = self._remote.pop((peer, item["connection"]), None)
                if remote is not None:
                    remote.end()
            case "ask":
                self._do_soon(self._answer(peer, item))
            case "answer":
                waiting = self._questions.get(item["number"])
                if waiting is not None and not waiting.done():
                    waiting.set_result(item)
            case "send" | "moved" | "elsewhere":
                connection = self._connections.get(item["connection"])
                if connection is not None:
                    self._hear_owner(peer, item, connection)

    def _hear_client(self, peer: str, item: Item) -> None:
        key = (peer, item["connection"])
        person = Person(**item["person"])
        if key not in self._remote:
            self._remote[key] = RemoteConversation(
                self._server, person, item["program"], self, *key
            )
        self._remote[key].put(person, item["text"], item["unasked"])

    def _hear_owner(self, peer: str, item: Item, connection: WebConnection) -> None:
        if item["kind"] == "send":
            connection.hear(peer, item["message"])
            return
        self._server.lobby.forget_place(item["table"])
        if item["kind"] == "moved":
            connection.moved(item["table"], item["odds"], item["after"])
        else:
            connection.turned_away(peer)

    async def _answer(self, peer: str, item: Item) -> None:
        answer: Item
        try:
            answer = {"answer": await self._server.answer(item["about"], item["of"])}
        except PerudoError as error:
            answer = {"refused": [getattr(error, "code", "refused"), str(error)]}
        self.tell(peer, {"kind": "answer", "number": item["number"], **answer})

    def _do_soon(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
