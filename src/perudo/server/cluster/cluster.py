"""This process in a cluster that serves the same tables, with one database and Redis for messages.

The database records which processes are alive and which process owns each table (``leases``). A
client's messages go to the process that owns the table, and the answers come back to the process of
the connection (``peers``).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from typing import Any, Protocol, cast

from perudo.games.errors import PerudoError
from perudo.server.cluster import leases
from perudo.server.cluster.items import Do, Item, PersonFields, Question, ToConnection
from perudo.server.cluster.leases import Elsewhere
from perudo.server.cluster.peers import Peers
from perudo.server.db.store import Store
from perudo.server.errors import Refused
from perudo.server.people.people import Person, new_id
from perudo.server.wire.client_messages import ClientMessage
from perudo.server.wire.server_messages import ServerMessage

log = logging.getLogger("perudo.cluster")

BEAT_SECONDS = 1.0
ASK_SECONDS = 3.0
"""Time limit for another process to answer a question."""


class Connection(Protocol):
    """A client's connection to this process."""

    person: Person
    program: bool

    def hear(self, owner: str, message: ServerMessage) -> None:
        """Send the client a message from another process."""

    def moved(self, table: str, odds: bool, after: int | None) -> None:
        """Find a table again that has moved to another process."""

    def turned_away(self, owner: str) -> None:
        """Send the oldest message again that was passed on to a process without its table."""


class RemoteConnection(Protocol):
    """A client's connection to another process, which uses tables of this one."""

    def put(self, person: Person, text: str, unasked: bool) -> None:
        """Handle a message that the other process passes on."""

    def end(self) -> None:
        """Drop the connection."""


class Host(Protocol):
    """The interface of this process's server to the cluster."""

    def open_remote(
        self, peer: str, number: int, person: Person, program: bool
    ) -> RemoteConnection:
        """Start serving a connection to another process."""

    def forget_queue(self) -> None:
        """Drop the matchmaking queue, which another process has now."""

    async def forget_tables(self) -> None:
        """Drop all tables, because other processes may have taken them."""

    def forget_place(self, table: str) -> None:
        """Forget the owner of a table that has moved."""

    def lost(self, peer: str) -> None:
        """Recover from the loss of a process, or of a message from or to it."""

    async def answer(self, question: Question) -> Any:
        """Answer another process's question."""


class Cluster:
    """This process's membership in the cluster; ``start`` joins it."""

    def __init__(self, host: Host, store: Store, address: str) -> None:
        self._host = host
        self._address = address
        self._store = store
        self.name = ""
        """A name never used before; a process that was taken for dead comes back with a new one."""
        self._live: list[str] = []
        self._told: set[str] = set()
        """Processes to which messages have been passed on."""
        self._peers: Peers | None = None
        self._connections: dict[int, Connection] = {}
        self._numbers: dict[Connection, int] = {}
        self._count = itertools.count(1)
        self._remote: dict[tuple[str, int], RemoteConnection] = {}
        self._questions: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Join the cluster."""
        await self._enter()
        self._do_soon(self._beat())

    async def stop(self) -> None:
        """Leave the cluster, and the tables to the other processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self._store.write(partial(leases.leave, name=self.name))
        except PerudoError as error:  # then the others wait until the lease expires
            log.warning("process %s could not announce its end: %s", self.name, error)
        if self._peers is not None:
            await self._peers.close()

    @property
    def others(self) -> list[str]:
        """The other processes that are alive."""
        return [peer for peer in self._live if peer != self.name]

    def is_live(self, peer: str) -> bool:
        """Return True if a process was alive at the last check."""
        return peer in self._live

    def require_queue(self) -> None:
        """Raise unless this process has the matchmaking queue, as the oldest process."""
        if self._live[0] != self.name:
            raise Elsewhere(self._live[0])

    # --- being alive ----------------------------------------------------------------------------
    async def _enter(self) -> None:
        name = new_id()
        self._peers = Peers(self._address, name, self._hear, self._host.lost)
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
                    log.warning("process %s was taken for dead and joins again", self.name)
                    await self._begin_anew()
                    continue
            except Exception:  # if this goes on others take the tables, and `renew` returns nothing
                log.exception("the lease of process %s cannot be renewed", self.name)
                continue
            departed = (set(self._live) | self._told) - set(live)
            self._live, self._told = live, self._told & set(live)
            for peer in departed:
                log.warning("process %s is gone", peer)
                self._end_remote(peer)
                self._host.lost(peer)
            for peer in self.others:
                self.tell(peer, {"kind": "beat"})

    async def _begin_anew(self) -> None:
        assert self._peers is not None
        old = self._live
        await self._peers.close()
        for peer in old:
            self._end_remote(peer)
        self._host.forget_queue()
        await self._enter()
        await self._host.forget_tables()
        for peer in old:
            self._host.lost(peer)

    def _end_remote(self, peer: str) -> None:
        for key in [key for key in self._remote if key[0] == peer]:
            self._remote.pop(key).end()

    # --- telling --------------------------------------------------------------------------------
    def tell(self, peer: str, item: Item) -> None:
        """Send a message to another process."""
        assert self._peers is not None
        self._peers.tell(peer, item)

    def pass_on(
        self, peer: str, connection: Connection, message: ClientMessage, unasked: bool = False
    ) -> None:
        """Pass a client's message on to another process."""
        if connection not in self._numbers:
            number = self._numbers[connection] = next(self._count)
            self._connections[number] = connection
        item: Do = {
            "kind": "do",
            "connection": self._numbers[connection],
            "person": cast(PersonFields, asdict(connection.person)),
            "program": connection.program,
            "text": message.model_dump_json(exclude_unset=True),
            "unasked": unasked,
        }
        self._told.add(peer)
        self.tell(peer, item)

    def forget(self, connection: Connection, peers: Iterable[str]) -> None:
        """Tell other processes that know a connection that it is closed."""
        number = self._numbers.pop(connection, None)
        if number is not None:
            del self._connections[number]
            for peer in peers:
                self.tell(peer, {"kind": "gone", "connection": number})

    async def ask(self, peer: str, question: Question) -> Any:
        """Return another process's answer to a question (``Host.answer``)."""
        number = next(self._count)
        waiting = self._questions[number] = asyncio.get_running_loop().create_future()
        self.tell(peer, {"kind": "ask", "number": number, "question": asdict(question)})
        try:
            item = await asyncio.wait_for(waiting, ASK_SECONDS)
        except TimeoutError:
            raise Refused("try_again", "another process does not answer; try again") from None
        finally:
            del self._questions[number]
        if item["refused"] is not None:
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
                self._do_soon(self._answer(peer, item["number"], Question(**item["question"])))
            case "answer":
                waiting = self._questions.get(item["number"])
                if waiting is not None and not waiting.done():
                    waiting.set_result(item)
            case "send" | "moved" | "elsewhere":
                connection = self._connections.get(item["connection"])
                if connection is not None:
                    self._hear_owner(peer, item, connection)

    def _hear_client(self, peer: str, item: Do) -> None:
        key = (peer, item["connection"])
        person = Person(**cast(Any, item["person"]))
        if key not in self._remote:
            self._remote[key] = self._host.open_remote(*key, person, item["program"])
        self._remote[key].put(person, item["text"], item["unasked"])

    def _hear_owner(self, peer: str, item: ToConnection, connection: Connection) -> None:
        if item["kind"] == "send":
            connection.hear(peer, item["message"])
            return
        self._host.forget_place(item["table"] or "")
        if item["kind"] == "moved":
            connection.moved(item["table"], item["odds"], item["after"])
        else:
            connection.turned_away(peer)

    async def _answer(self, peer: str, number: int, question: Question) -> None:
        answer, refused = None, None
        try:
            answer = await self._host.answer(question)
        except PerudoError as error:
            refused = (getattr(error, "code", "refused"), str(error))
        self.tell(peer, {"kind": "answer", "number": number, "answer": answer, "refused": refused})

    def _do_soon(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
