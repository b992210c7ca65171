"""One table, run by one task: the only writer of its log.

Whatever is asked of a table is done by its task, one thing after the other: checked against the
state, taken in, stored, and then told to everybody who follows the table. If storing fails, the
room is given up and loaded again from the log, which alone is true.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from pydantic_core import to_json
from sqlalchemy.engine import Connection

from perudo.games.errors import PerudoError
from perudo.games.game import SPECTATOR
from perudo.server.cluster.leases import require
from perudo.server.db import schema
from perudo.server.db.store import EventRow
from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.rooms.dealer import Dealer
from perudo.server.service import Service
from perudo.server.table.info import table_info, table_summary
from perudo.server.table.table import Draft, Logged, TableState
from perudo.server.table.views import (
    question_for_program,
    told_events,
    told_program,
    view_of,
)
from perudo.server.wire.server_messages import ServerMessage, TableInfo, View

log = logging.getLogger("perudo.room")

Work = Callable[[], Awaitable[Any]]
OF_THE_GAME = ("act", "deal", "result", "answered", "said")
"""Kinds of events that change nothing about the table apart from the game."""


class Follower(Protocol):
    """A connection that follows tables."""

    person: Person
    program: bool
    """Whether it gets the messages of programs."""

    def send(self, message: ServerMessage) -> None:
        """Hand over a message, without waiting."""

    def moved(self, table: str, odds: bool, after: int | None) -> None:
        """Hear that another process has a table now."""


class NotStored(RuntimeError):
    """A table's events could not be stored: what the room has taken in is not true."""


@dataclass
class Following:
    """How a connection follows this table."""

    odds: bool = False
    told: int = 0
    """The number of the last event that it was sent."""


class Room:
    """A table that is awake."""

    def __init__(self, service: Service, state: TableState, fence: int | None = None) -> None:
        self.service = service
        self.state = state
        self.fence = fence
        """Under which this process has the table; None: there are no other processes."""
        self.followers: dict[Follower, Following] = {}
        self.auto_decline: set[int] = set()
        self.dealer = Dealer(self)
        self.last_used = service.clock.now()
        self._inbox: asyncio.Queue[tuple[Work, asyncio.Future[Any] | None]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.failed = asyncio.Event()
        self._stopped = False
        self.stored = (state.n, state.question)
        """The number of the last event that is on the disk, and of the question then."""

    # --- the task -------------------------------------------------------------------------------
    def start(self) -> None:
        """Begin to work."""
        self._task = asyncio.create_task(self._run(), name=f"table {self.state.id}")

    async def stop(self) -> None:
        """Stop working; the log has everything."""
        self._stopped = True
        self.dealer.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._refuse_waiting()

    async def perform(self, work: Work) -> Any:
        """Have the room's task do something, and return what it gives or raises."""
        if self.failed.is_set() or self._stopped:
            raise Refused("try_again", "the table is being loaded again; try again")
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._inbox.put_nowait((work, done))
        return await done

    def post(self, work: Work) -> None:
        """Have the room's task do something when it comes to it."""
        self._inbox.put_nowait((work, None))

    async def _run(self) -> None:
        try:
            await self.dealer.resume()
            while True:
                await self._step()
        except asyncio.CancelledError:
            raise
        except Exception:  # the log is true, this room is not: load it again
            log.exception("table %s failed and is loaded again", self.state.id)
            self.service.counts.failed_rooms += 1
            self.failed.set()
            self.dealer.stop()
            self._refuse_waiting()

    async def _step(self) -> None:
        wake_at = self.dealer.wake_at()
        timeout = None if wake_at is None else max(wake_at - self.service.clock.now(), 0.0)
        try:
            if self._inbox.empty():
                if timeout == 0.0:
                    raise TimeoutError
                async with asyncio.timeout(timeout):
                    work, done = await self._inbox.get()
            else:
                work, done = self._inbox.get_nowait()
        except TimeoutError:
            await self.dealer.tick()
            return
        if done is not None and done.cancelled():
            return
        try:
            result = await work()
        except PerudoError as error:
            if done is None:
                raise
            done.set_exception(error)
        except BaseException:
            if done is not None and not done.done():
                done.set_exception(Refused("try_again", "the table could not be stored; try again"))
            raise
        else:
            if done is not None and not done.done():
                done.set_result(result)

    def _refuse_waiting(self) -> None:
        while not self._inbox.empty():
            _, done = self._inbox.get_nowait()
            if done is not None and not done.done():
                done.set_exception(Refused("try_again", "the table is being loaded again"))

    # --- the log --------------------------------------------------------------------------------
    async def commit(
        self,
        drafts: Sequence[Draft],
        also: Callable[[Connection, list[Logged]], None] | None = None,
    ) -> list[Logged]:
        """Store events, take them in, and tell everybody."""
        at = self.service.clock.time()
        first = self.state.n + 1
        logged = [
            Logged(first + place, at, draft.kind, draft.data, draft.hidden)
            for place, draft in enumerate(drafts)
        ]
        rows = [event_row(self.state.id, event) for event in logged]
        for event in logged:
            self.state.apply(event)
        changed = any(event.kind not in OF_THE_GAME for event in logged)
        update: Any = None
        if changed or also is not None:
            update = (
                schema.tables.update()
                .where(schema.tables.c.id == self.state.id)
                .values(updated=at, status=self.state.status, summary=table_summary(self.state))
            )

        def write(connection: Connection) -> None:
            if self.fence is not None:
                require(connection, self.state.id, self.fence)
            if update is not None:
                connection.execute(update)
            if also is not None:
                also(connection, logged)

        plain = self.fence is None and update is None
        try:
            await self.service.store.add_events(rows, None if plain else write)
        except Exception as error:  # a refusal too: nothing that was taken in may be shown
            raise NotStored(f"events from {first} on of table {self.state.id}") from error
        self.stored = (self.state.n, self.state.question)
        self.last_used = self.service.clock.now()
        self.tell(changed)
        return logged

    # --- who follows ----------------------------------------------------------------------------
    def viewer_of(self, follower: Follower) -> int:
        """The seat through whose eyes a connection sees the table."""
        seat = self.state.seat_of(follower.person.id)
        return SPECTATOR if seat is None else seat

    def is_here(self, seat: int) -> bool:
        """Whether a seat's player is connected."""
        occupant = self.state.seats[seat].occupant
        if occupant is None or occupant.kind == "ai":
            return occupant is not None
        return any(follower.person.id == occupant.id for follower in self.followers)

    async def open(self, follower: Follower, after: int | None, odds: bool) -> int:
        """Let a connection follow the table, and tell it what it has missed."""
        following = Following(odds)
        self.last_used = self.service.clock.now()
        await self.dealer.came(follower.person.id)
        self.followers.pop(follower, None)
        if self.viewer_of(follower) >= 0 and follower not in self.followers:
            self.followers[follower] = following
            following.told = self.state.n
            info, clocks = table_info(self), self._clocks()
            for other, theirs in self.followers.items():
                if other is not follower:
                    self._tell_one(other, theirs, info, clocks, full=False)
        self.followers[follower] = following
        info, clocks = table_info(self), self._clocks()
        known = self.state.log[0].n - 1 if self.state.log else self.state.n
        if after is not None and known <= after <= self.state.n:
            following.told = after
            self._tell_one(follower, following, info, clocks, full=False)
            if follower.program:  # what was asked may not have reached it
                self.ask_program(follower)
        else:
            self._tell_one(follower, following, info, clocks, full=True)
        return self.state.n

    def let_go(self, follower: Follower) -> None:
        """Have a connection let go, as soon as the room's task comes to it."""
        if self.failed.is_set():
            self.followers.pop(follower, None)
        else:
            self.post(partial(self.shut_soon, follower))

    async def shut_soon(self, follower: Follower) -> None:
        """Let a connection go, as a piece of work."""
        self.shut(follower)

    def shut(self, follower: Follower) -> None:
        """Let a connection go."""
        if self.followers.pop(follower, None) is None:
            return
        self.last_used = self.service.clock.now()
        self.dealer.went(follower.person.id)

    # --- telling --------------------------------------------------------------------------------
    def tell(self, info_changed: bool) -> None:
        """Tell everybody what is new."""
        if not self.followers:
            return
        made: dict[tuple[int, int, bool], ServerMessage] = {}
        info = table_info(self) if info_changed else None
        clocks = self._clocks()
        for follower, following in list(self.followers.items()):
            self._tell_one(follower, following, info, clocks, full=False, made=made)

    def _tell_one(
        self,
        follower: Follower,
        following: Following,
        info: TableInfo | None,
        clocks: tuple[float | None, float],
        *,
        full: bool,
        made: dict[tuple[int, int, bool], ServerMessage] | None = None,
    ) -> None:
        viewer = self.viewer_of(follower)
        after = 0 if full else following.told
        following.told = self.state.n
        if follower.program:
            for told in told_program(self.state, viewer, after):
                follower.send(told)
            if full:
                self.ask_program(follower)
            return
        key = (viewer, after, following.odds)
        if made is not None and key in made:
            follower.send(made[key])
            return
        message: ServerMessage
        events = told_events(self.state, viewer, after)
        view = self._view(viewer, following.odds, clocks)
        if full:
            message = {
                "type": "table",
                "table": self.state.id,
                "n": self.state.n,
                "info": info or table_info(self),
                "events": events,
                "view": view,
            }
        else:
            message = {
                "type": "events",
                "table": self.state.id,
                "n": self.state.n,
                "info": info,
                "events": events,
                "view": view,
            }
        if made is not None:
            made[key] = message
        follower.send(message)

    def _clocks(self) -> tuple[float | None, float]:
        """What is left of the turn's time, and of the window's."""
        return self.dealer.seconds_left(), self.dealer.window_seconds_left()

    def _view(self, viewer: int, odds: bool, clocks: tuple[float | None, float]) -> View | None:
        """The game as a viewer may see it now."""
        seconds, window = clocks
        return view_of(self.state, viewer, odds=odds, seconds=seconds, window_seconds=window)

    def ask_program(self, follower: Follower) -> None:
        """Ask a program for its decision, if one is wanted and it is time to."""
        seat = self.state.seat_of(follower.person.id)
        if seat is not None and self.dealer.may_ask_program(seat):
            question = question_for_program(self.state, seat)
            if question is not None:
                follower.send(question)


def event_row(table: str, event: Logged) -> EventRow:
    """An event as the database keeps it."""
    return {
        "table_id": table,
        "n": event.n,
        "at": event.at,
        "kind": event.kind,
        "data": to_json(event.data).decode(),
        "hidden": None if event.hidden is None else to_json(event.hidden).decode(),
    }
