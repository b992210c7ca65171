"""One table, run by one task: the only writer of its log.

Whatever is asked of a table is done by its task, one thing after the other: checked against the
state, stored, taken in, and told to everybody who follows the table. If storing fails, the room is
given up and loaded again from the log, which alone is true.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy.engine import Connection

from perudo.games.errors import PerudoError
from perudo.games.game import SPECTATOR
from perudo.server import schema
from perudo.server.dealer import Dealer
from perudo.server.info import table_info, table_summary
from perudo.server.people import Person
from perudo.server.service import Refused, Service
from perudo.server.state import Draft, Logged, TableState
from perudo.server.views import (
    Message,
    question_for_program,
    told_events,
    told_program,
    view_of,
)

log = logging.getLogger("perudo.room")

Work = Callable[[], Awaitable[Any]]


class Follower(Protocol):
    """A connection that follows tables."""

    person: Person
    program: bool
    """Whether it gets the messages of programs."""

    def send(self, message: Message) -> None:
        """Hand over a message, without waiting."""


@dataclass
class Following:
    """How a connection follows this table."""

    odds: bool = False
    told: int = 0
    """The number of the last event that it was sent."""


class Room:
    """A table that is awake."""

    def __init__(self, service: Service, state: TableState) -> None:
        self.service = service
        self.state = state
        self.followers: dict[Follower, Following] = {}
        self.auto_decline: set[int] = set()
        self.kicked: set[str] = set()
        self.dealer = Dealer(self)
        self.last_used = service.clock.now()
        self._inbox: asyncio.Queue[tuple[Work, asyncio.Future[Any] | None]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.failed = asyncio.Event()

    # --- the task -------------------------------------------------------------------------------
    def start(self) -> None:
        """Begin to work."""
        self._task = asyncio.create_task(self._run(), name=f"table {self.state.id}")

    async def stop(self) -> None:
        """Stop working; the log has everything."""
        self.dealer.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._refuse_waiting()

    async def perform(self, work: Work) -> Any:
        """Have the room's task do something, and return what it gives or raises."""
        if self.failed.is_set():
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
            if timeout == 0.0 and self._inbox.empty():
                raise TimeoutError
            work, done = await asyncio.wait_for(self._inbox.get(), timeout)
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
        changed = any(event.kind not in ("act", "deal", "answered", "said") for event in logged)
        update: Any = None
        if changed or also is not None:
            update = (
                schema.tables.update()
                .where(schema.tables.c.id == self.state.id)
                .values(updated=at, status=self.state.status, summary=table_summary(self.state))
            )

        def write(connection: Connection) -> None:
            connection.execute(schema.events.insert(), rows)
            if update is not None:
                connection.execute(update)
            if also is not None:
                also(connection, logged)

        await self.service.store.write(write)
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
            for other, theirs in self.followers.items():
                if other is not follower:
                    self._tell_one(other, theirs, True, full=False)
        self.followers[follower] = following
        known = self.state.log[0].n - 1 if self.state.log else self.state.n
        if after is not None and known <= after <= self.state.n:
            following.told = after
            self._tell_one(follower, following, True, full=False)
        else:
            self._tell_one(follower, following, True, full=True)
        return self.state.n

    def shut(self, follower: Follower) -> None:
        """Let a connection go."""
        if self.followers.pop(follower, None) is None:
            return
        self.last_used = self.service.clock.now()
        self.dealer.went(follower.person.id)

    # --- telling --------------------------------------------------------------------------------
    def tell(self, info_changed: bool) -> None:
        """Tell everybody what is new."""
        made: dict[tuple[int, int, bool], Message] = {}
        for follower, following in list(self.followers.items()):
            self._tell_one(follower, following, info_changed, full=False, made=made)

    def _tell_one(
        self,
        follower: Follower,
        following: Following,
        info_changed: bool,
        *,
        full: bool,
        made: dict[tuple[int, int, bool], Message] | None = None,
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
        message: Message = {
            "type": "table" if full else "events",
            "table": self.state.id,
            "n": self.state.n,
            "info": table_info(self) if full or info_changed else None,
            "events": told_events(self.state, viewer, after),
            "view": self.view(viewer, following.odds),
        }
        if made is not None:
            made[key] = message
        follower.send(message)

    def view(self, viewer: int, odds: bool = False) -> Message | None:
        """The game as a viewer may see it now."""
        return view_of(
            self.state,
            viewer,
            odds=odds,
            seconds=self.dealer.seconds_left(),
            window_seconds=self.dealer.window_seconds_left(),
        )

    def ask_program(self, follower: Follower) -> None:
        """Ask a program for its decision, if one is wanted and it is time to."""
        seat = self.state.seat_of(follower.person.id)
        if seat is not None and self.dealer.may_ask_program(seat):
            question = question_for_program(self.state, seat)
            if question is not None:
                follower.send(question)


def event_row(table: str, event: Logged) -> dict[str, Any]:
    """An event as the database keeps it."""
    return {
        "table_id": table,
        "n": event.n,
        "at": event.at,
        "kind": event.kind,
        "data": json.dumps(event.data, separators=(",", ":"), ensure_ascii=False),
        "hidden": None if event.hidden is None else json.dumps(event.hidden),
    }
