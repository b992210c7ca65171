"""A lobby without a network, and followers that keep the messages sent to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from perudo.games.errors import PerudoError
from perudo.server.clock import Clock
from perudo.server.db.store import Store
from perudo.server.errors import waiting_of
from perudo.server.people.people import People, Person
from perudo.server.rooms.lobby import Lobby
from perudo.server.rooms.room import Room
from perudo.server.service import Service
from perudo.server.socket.conversation import carry_out
from perudo.server.table.play import Play
from perudo.server.wire import client_messages
from perudo.server.wire.table_options import TableOptions
from server.kit import QuickPool, settings_for


@dataclass(eq=False)
class Follower:
    """A connection that keeps its messages in a list."""

    person: Person
    program: bool = False
    sent: list[dict[str, Any]] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)

    def send(self, message: Mapping[str, Any]) -> None:
        self.sent.append(dict(message))
        self.frames.append(to_json(message))

    def moved(self, table: str, odds: bool, after: int | None) -> None:
        raise AssertionError("there is no other process")

    @property
    def view(self) -> dict[str, Any]:
        return next(m["view"] for m in reversed(self.sent) if m.get("view") is not None)


def status_of(room: Room) -> str:
    """Return a table's status, through a call so that mypy does not narrow its type."""
    return room.table.status


def play_of(room: Room) -> Play:
    """The game on a table."""
    assert room.table.play is not None
    return room.table.play


def awaited(room: Room) -> tuple[int, ...]:
    """Return the seats that must still decide; none between games."""
    play = room.table.playing
    return () if play is None else play.awaited(room.attendance.answers(room.table))


class StillClock:
    """A clock that moves only when a test says so."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> float:
        return self.seconds


@dataclass
class World:
    """A lobby with a clock that only tests move."""

    service: Service
    lobby: Lobby
    people: People
    clock: StillClock

    async def guests(self, count: int) -> list[Person]:
        names = ["Ada", "Bob", "Cleo", "Dan", "Eve", "Fay"]
        return [(await self.people.new_guest(names[n]))[0] for n in range(count)]

    async def table(self, creator: Person, seats: int | list[Any], **options: Any) -> Room:
        chosen = [{"kind": "open"}] * seats if isinstance(seats, int) else seats
        parsed = TableOptions.model_validate({"rules": "common", **options, "seats": chosen})
        return await self.lobby.room(await self.lobby.create(creator, parsed))

    async def do(self, room: Room, person: Person, kind: str, **message: Any) -> dict[str, Any]:
        """Send a person's message to a table, and return the answer or refusal."""
        made = client_messages._reader.validate_python(
            {"type": kind, "table": room.table.id, **message}
        )
        try:
            answer = await room.perform(lambda: carry_out(room, person, made))
        except PerudoError as error:
            code = getattr(error, "code", "refused")
            return {"code": code, "message": str(error), **waiting_of(error)}
        return {"n": answer.n, "repeated": answer.repeated}

    async def open(self, room: Room, follower: Follower, after: int | None = None) -> None:
        await room.perform(lambda: room.open(follower, after, False))

    async def settle(self, room: Room, seconds: float = 0.0) -> None:
        """Advance the clock, and let the room do what is due."""
        self.clock.seconds += seconds

        async def nothing() -> None:
            return None

        for _ in range(20):
            await room.perform(nothing)
            await asyncio.sleep(0)


@asynccontextmanager
async def world(path: Path, **settings: Any) -> AsyncIterator[World]:
    """Start a world, and stop it at the end of the context."""
    chosen = settings_for(path, **settings)
    clock = StillClock()
    store = Store(chosen.database)
    service = Service(chosen, store, QuickPool(), Clock(clock.now, clock.now))
    lobby = Lobby(service)
    await lobby.start()
    try:
        yield World(service, lobby, People(store, clock.now), clock)
    finally:
        await lobby.stop()
        await service.pool.close()
        store.close()
