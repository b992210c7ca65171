"""The tables of one server process: creating, finding, loading and unloading them.

A table is *awake* while a ``Room`` holds it in memory, and *asleep* while only its log is stored.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypedDict

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.games.errors import PerudoError
from perudo.server.ai.budget import payer_of
from perudo.server.ai.callers import Payer
from perudo.server.ai.catalogue import opponent, require_can_play
from perudo.server.cluster import leases
from perudo.server.cluster.cluster import Cluster
from perudo.server.cluster.items import Question
from perudo.server.cluster.leases import Elsewhere
from perudo.server.db import schema
from perudo.server.db.store import StoreError
from perudo.server.errors import Refused
from perudo.server.history.projections import project
from perudo.server.people.people import Person, new_id, person_of
from perudo.server.rooms.quotas import use_ai_games
from perudo.server.rooms.room import Room
from perudo.server.rooms.table_log import event_row, read_log
from perudo.server.service import Service
from perudo.server.table import events
from perudo.server.table.events import Event, Opened
from perudo.server.table.invitations import may_invite, new_key
from perudo.server.table.log import Entry, table_of
from perudo.server.table.progress import AiGames, Moment, new_anchor
from perudo.server.table.table import Occupant, Table
from perudo.server.table.views import table_summary
from perudo.server.wire.bodies import ListedTable, TableSummary
from perudo.server.wire.server_messages import TableInfo
from perudo.server.wire.table_options import AiSeat, TableOptions

log = logging.getLogger("perudo.lobby")

RATED_TIMER = 120
"""Seconds for each decision at rated tables for which none were chosen."""
RETRY_SECONDS = 60.0
"""Time after which one of a person's tables may have ended."""
SLEEP_SECONDS = 300.0
"""Idle time after which a table without a running game or followers is put to sleep."""


class Invitation(TypedDict):
    """The data from which a table's link is made."""

    invites: bool
    """True if the link lets its reader take a seat, False if only watch."""
    key: str | None
    """The table's invitation key; None if it has none or the person may not know it."""


class Lobby:
    """The tables of one server process."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.cluster: Cluster | None = None
        """This process's membership in a cluster; None if it is the only process."""
        self._places: dict[str, str] = {}
        """Owners of tables that other processes are known to have, by table."""
        self._rooms: dict[str, Room] = {}
        self._loading: dict[str, asyncio.Task[Room]] = {}
        self._watch: asyncio.Task[None] | None = None
        self.woken = asyncio.Event()
        """Set once the games that a restart interrupted have been resumed."""

    @property
    def awake(self) -> int:
        """The number of tables that are awake."""
        return len(self._rooms)

    async def start(self) -> None:
        """Resume interrupted games that no other process has taken, and watch over the tables."""
        if self.cluster is not None:
            await self.cluster.start()
        self._watch = asyncio.create_task(self._look_after(await self._playing()))

    async def _playing(self) -> list[str]:
        if self.cluster is not None:
            return await self._service.store.read(leases.orphans)
        query = sa.select(schema.tables.c.id).where(schema.tables.c.status == "playing")
        return await self._service.store.read(
            lambda connection: list(connection.execute(query).scalars())
        )

    async def stop(self) -> None:
        """Put all tables to sleep."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        for task in self._loading.values():
            task.cancel()
        await asyncio.gather(*(room.stop() for room in self._rooms.values()))
        self._rooms.clear()

    # --- creating -------------------------------------------------------------------------------
    async def create(self, person: Person, options: TableOptions, *, counted: bool = True) -> str:
        """Create a table, and return its id.

        With ``counted``, it counts against its creator's limits; the queue's tables do not.
        """
        rules, key = options.parsed_rules(), new_key(options)
        anchor = new_anchor(1, options.games, Moment())
        seated: list[Event] = []
        if any(isinstance(choice, AiSeat) for choice in options.seats):
            self._service.budget.require(person)
        for number, choice in enumerate(options.seats):
            if isinstance(choice, AiSeat):
                agent = opponent(choice.agent, choice.level, number, self._service.settings.ai_work)
                await asyncio.to_thread(require_can_play, agent, rules, len(options.seats))
                player = Occupant.ai(agent.spec, choice.level, number)
                seated.append(events.Seated(number, player.stored, ""))
        if options.rated:
            _require_rateable(person, options, len(seated))
            if options.timer is None:  # the creator cannot remove a player who never moves
                options = options.model_copy(update={"timer": RATED_TIMER})
        begun = [opened(person, options, key), anchor, *seated]
        only_ais = len(seated) == len(options.seats)
        return await self.open(person, options, begun, only_ais, counted=counted)

    async def open(
        self,
        person: Person,
        options: TableOptions,
        begun: Sequence[Event],
        only_ais: bool = False,
        *,
        counted: bool = True,
    ) -> str:
        """Create a table whose log begins with these events, and return its id.

        If ``started`` is among them, the table continues that game.
        """
        id, now = new_id(), self._service.clock.time()
        entries = [Entry(n, now, event) for n, event in enumerate(begun, 1)]
        table = table_of(id, entries)
        held = {} if self.cluster is None else {"owner": self.cluster.name, "fence": 1}

        def work(connection: Connection) -> None:
            if counted:
                self._require_quota(connection, person, options, only_ais)
            connection.execute(
                schema.tables.insert().values(
                    id=id,
                    creator=person.id,
                    status=table.status,
                    private=options.private,
                    summary=table_summary(table),
                    created=now,
                    updated=now,
                    **held,
                )
            )
            connection.execute(schema.events.insert(), [event_row(id, entry) for entry in entries])
            project(connection, table, entries, None)

        await self._service.store.write(work)
        fence = None if self.cluster is None else 1
        self._wake(table, entries, payer_of(person), fence)
        return id

    def _require_quota(
        self, connection: Connection, person: Person, options: TableOptions, only_ais: bool
    ) -> None:
        settings = self._service.settings
        mine = (schema.tables.c.creator == person.id) & schema.tables.c.status.in_(
            ("waiting", "playing")
        )
        count = connection.execute(
            sa.select(sa.func.count()).select_from(schema.tables).where(mine)
        ).scalar()
        if count is not None and count >= settings.tables_per_person:
            problem = f"one person can have {settings.tables_per_person} tables"
            raise Refused("too_many", problem, "tables_per_person", RETRY_SECONDS)
        if only_ais:
            use_ai_games(connection, self._service, AiGames(person.answerable, options.games))

    # --- finding --------------------------------------------------------------------------------
    async def room(self, id: str) -> Room:
        """Return the room of a table, loading it if needed.

        Raise ``Elsewhere`` if another process owns the table.
        """
        room = self._rooms.get(id)
        if room is not None and not room.failed.is_set():
            return room
        if id in self._places:
            raise Elsewhere(self._places[id])
        if id not in self._loading:
            self._loading[id] = asyncio.create_task(self._load(id))
            self._loading[id].add_done_callback(partial(self._loaded, id))
        return await asyncio.shield(self._loading[id])

    def _loaded(self, id: str, task: asyncio.Task[Room]) -> None:
        """Forget a finished load; its error is a refusal, and whoever waited may have gone."""
        self._loading.pop(id, None)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, PerudoError):
            log.error("table %s cannot be loaded", id, exc_info=error)

    def find(self, id: str) -> Room | None:
        """Return the room of a table, or None if the table is not awake here."""
        return self._rooms.get(id)

    async def info(self, id: str) -> TableInfo:
        """Return the ``TableInfo`` of a table of any process."""
        found: TableInfo = await self._ask(Question("info", id), lambda room: room.info)
        return found

    async def invitation(self, id: str, person: str | None) -> Invitation:
        """Return the data of a link to a table of any process, as far as a person may know it."""

        def found(room: Room) -> Invitation:
            table = room.table
            allowed = person is not None and may_invite(table, person)
            return {
                "invites": allowed or table.key is None,
                "key": table.key if allowed else None,
            }

        answer: Invitation = await self._ask(Question("invitation", id, person), found)
        return answer

    async def _ask(self, question: Question, find: Callable[[Room], Any]) -> Any:
        """Answer a question about a table, here or at the process that owns it."""
        try:
            room = await self.room(question.table)
        except Elsewhere as place:
            assert self.cluster is not None
            return await self.cluster.ask(place.owner, question)

        async def work() -> Any:
            return find(room)

        return await room.perform(work)

    async def listing(self, statuses: Iterable[str], limit: int = 100) -> list[ListedTable]:
        """List public tables, most recently updated first."""
        wanted = schema.tables.c.status.in_(list(statuses)) & ~schema.tables.c.private
        rows = await self._service.store.read(
            lambda connection: connection.execute(
                sa.select(schema.tables)
                .where(wanted)
                .order_by(schema.tables.c.updated.desc())
                .limit(limit)
            ).all()
        )
        return [_listed(row) for row in rows]

    async def seated_at(self, person: str) -> list[str]:
        """List the open and recently active tables where a person has a seat."""
        if self.cluster is None:
            return [i for i, room in self._rooms.items() if room.table.seat_of(person) is not None]
        tables = schema.tables.c
        recently = self._service.clock.time() - SLEEP_SECONDS
        lively = tables.status.in_(("waiting", "playing")) | (tables.updated > recently)
        here = tables.summary.contains(f'"id":"{person}"', autoescape=True)
        query = sa.select(tables.id).where(lively, tables.status != "closed", here)
        return await self._service.store.read(
            lambda connection: list(connection.execute(query).scalars())
        )

    def forget_place(self, id: str) -> None:
        """Forget the owner of a table that may have moved."""
        self._places.pop(id, None)

    def forget_owner(self, owner: str) -> None:
        """Forget what a process owned, because its tables may have moved."""
        self._places = {id: place for id, place in self._places.items() if place != owner}

    # --- waking and sleeping --------------------------------------------------------------------
    def _wake(
        self, table: Table, entries: Iterable[Entry], payer: Payer, fence: int | None
    ) -> Room:
        room = Room(self._service, table, entries, payer, fence)
        self._rooms[table.id] = room
        room.start()
        return room

    async def _load(self, id: str) -> Room:
        old = self._rooms.get(id)
        if old is not None:
            await old.stop()
        fence = await self._claim(id)
        entries = await self._service.store.read(lambda connection: read_log(connection, id))
        if not entries:
            raise Refused("no_table", "there is no such table")
        table = await asyncio.to_thread(table_of, id, entries)
        payer = await self._service.store.read(partial(_creator, id=table.creator))
        room = self._wake(table, entries, payer, fence)
        if old is not None:
            # All at once: the room may fail again before each has been shown what it missed.
            room.audience.followers.update(old.audience.followers)
            for follower in list(room.audience.followers):
                await room.perform(partial(room.open_again, follower))
        return room

    async def _claim(self, id: str) -> int | None:
        """Claim a table without an owner, and return its fence; None outside a cluster."""
        if self.cluster is None:
            return None
        name = self.cluster.name
        got = await self._service.store.write(partial(leases.claim, table=id, name=name))
        if isinstance(got, int):
            return got
        if self.cluster.is_live(got):
            self._places[id] = got
        await self._drop(id)
        raise Elsewhere(got)

    async def _drop(self, id: str) -> None:
        """Unload a table, and have its followers look for it at its new owner."""
        room = self._rooms.pop(id, None)
        if room is not None:
            await room.stop()
            for follower, following in room.audience.followers.items():
                follower.moved(id, following.odds, following.sent)

    async def give_up(self) -> None:
        """Unload all tables, because other processes may have taken them."""
        self._places.clear()
        for id in list(self._rooms):
            await self._drop(id)

    async def _look_after(self, playing: list[str]) -> None:
        await self._go_on(playing)
        self.woken.set()
        while True:
            await asyncio.sleep(1.0)
            try:
                await self._look_once()
            except PerudoError as error:
                log.warning("tables cannot be looked after: %s", error)

    async def _look_once(self) -> None:
        await self._go_on([id for id, room in self._rooms.items() if room.failed.is_set()])
        for id, room in list(self._rooms.items()):
            if self._may_sleep(room):
                await self._put_to_sleep(id, room)
        if self.cluster is not None:
            await self._go_on(await self._playing())

    async def _go_on(self, tables: list[str]) -> None:
        for id in tables:
            try:
                await self.room(id)
            except Elsewhere:  # another process was quicker
                continue
            except (StoreError, Refused) as error:  # it has failed again while it was loaded
                log.warning("table %s waits for the database: %s", id, error)
            except Exception:  # one broken log must not keep the others asleep
                log.exception("table %s cannot be woken up", id)

    async def _put_to_sleep(self, id: str, room: Room) -> None:
        del self._rooms[id]
        await room.stop()
        if room.log.fence is not None:
            await self._service.store.write(partial(leases.release, table=id, fence=room.log.fence))

    def _may_sleep(self, room: Room) -> bool:
        idle = self._service.clock.now() - room.last_used
        return (
            not room.audience.followers and room.table.status != "playing" and idle > SLEEP_SECONDS
        )


def _listed(row: Any) -> ListedTable:
    summary: TableSummary = json.loads(row.summary)
    return {
        "id": row.id,
        "status": row.status,
        "created": row.created,
        "updated": row.updated,
        **summary,
    }


def opened(person: Person, options: TableOptions, key: str | None) -> Opened:
    """Return the first event of a table."""
    return Opened(options.model_dump(mode="json"), person.id, key)


def _creator(connection: Connection, id: str) -> Payer:
    """Return the payer of a table's AIs by its creator's id."""
    query = sa.select(schema.people).where(schema.people.c.id == id)
    return payer_of(person_of(connection.execute(query).one()))


def _require_rateable(person: Person, options: TableOptions, ais: int) -> None:
    if options.preset is None:
        raise Refused("not_rateable", "rated games need the unchanged rules of a preset")
    if person.kind == "guest":
        raise Refused("needs_account", "rated games need an account")
    if ais == len(options.seats):
        raise Refused("not_rateable", "games of AIs alone are not rated")
    if options.absence == "wait":
        raise Refused("not_rateable", "rated games do not wait for absent players")
    if options.private:
        raise Refused("not_rateable", "rated games are public: a private table cannot be rated")
