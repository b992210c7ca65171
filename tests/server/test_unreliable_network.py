"""Messages that are lost, doubled, late or out of order, and a server that restarts.

Whatever the network does: a move has one effect or none, what is acknowledged is in the log under
the number that was acknowledged, and a table loaded from its log is the table that wrote it.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from perudo.fair_dice import sha
from perudo.games.operations import SPECTATOR
from perudo.server.db import schema
from perudo.server.people.people import Person
from perudo.server.rooms.room import Room
from perudo.server.rooms.table_log import read_log
from perudo.server.table.events import Anchor
from perudo.server.table.log import table_of
from perudo.server.table.progress import Moment
from perudo.server.table.views import view_of
from server.world import Follower, World, world

PLAYERS = 3


class UnreliableNetwork(RuleBasedStateMachine):
    """Three people, each behind a network that does as it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.directory = tempfile.TemporaryDirectory()
        self.patch = pytest.MonkeyPatch()
        self.stack = AsyncExitStack()
        self.here: World
        self.room: Room
        self.people: list[Person] = []
        self.followers: list[Follower] = []
        self.travelling: list[tuple[int, dict[str, Any]]] = []
        self.acknowledged: dict[tuple[int, str], int] = {}
        self.moves = 0

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    @initialize(
        rules=st.sampled_from(["official:dice=2", "common:dice=2", "uk:dice=2"]),
        luck=st.integers(0, 1000),
    )
    def begin(self, rules: str, luck: int) -> None:
        """Sit down; whose turn it is and what is legal must be the same when this is done again."""

        def anchor(first: int, last: int, at: Moment) -> Anchor:
            secret = hashlib.sha256(f"{luck} {first}".encode()).digest()
            return Anchor(first, sha(secret), secret.hex())

        for module in ("rooms.lobby", "table.progress"):
            self.patch.setattr(f"perudo.server.{module}.new_anchor", anchor)

        async def work() -> None:
            path = Path(self.directory.name)
            self.here = await self.stack.enter_async_context(world(path))
            self.people = await self.here.guests(PLAYERS)
            self.room = await self.here.table(self.people[0], PLAYERS, rules=rules)
            for person in self.people:
                self.followers.append(Follower(person))
                await self.here.open(self.room, self.followers[-1])
                await self.here.do(self.room, person, "sit")
            await self.here.settle(self.room)

        self.run(work())

    @property
    def table_id(self) -> str:
        return self.room.table.id

    @rule(seat=st.integers(0, PLAYERS - 1), which=st.integers(0, 100))
    def decide(self, seat: int, which: int) -> None:
        """Let a player answer the state they see, which may be old."""
        view = self.followers[seat].view
        if view["legal"]:
            self.moves += 1
            action = view["legal"][which % len(view["legal"])]
            self.travelling.append(
                (seat, {"id": view["question"], "action": action, "move": f"m{self.moves}"})
            )

    @precondition(lambda self: self.travelling)
    @rule(which=st.integers(0, 100), twice=st.booleans())
    def deliver(self, which: int, twice: bool) -> None:
        """Deliver a message, in any order, perhaps twice."""
        seat, message = self.travelling.pop(which % len(self.travelling))
        for _ in range(2 if twice else 1):
            self.run(self._deliver(seat, message))

    async def _deliver(self, seat: int, message: dict[str, Any]) -> None:
        answer = await self.here.do(self.room, self.people[seat], "action", **message)
        key = (seat, message["move"])
        if "code" not in answer:
            assert self.acknowledged.setdefault(key, answer["n"]) == answer["n"]
            assert answer["repeated"] or list(self.acknowledged.values()).count(answer["n"]) == 1
        else:
            assert key not in self.acknowledged, "a move that was done is refused"
        await self.here.settle(self.room)

    @precondition(lambda self: self.travelling)
    @rule(which=st.integers(0, 100))
    def lose(self, which: int) -> None:
        """Lose a message."""
        self.travelling.pop(which % len(self.travelling))

    @rule(seat=st.integers(0, PLAYERS - 1), back=st.integers(0, 5), whole=st.booleans())
    def reconnect(self, seat: int, back: int, whole: bool) -> None:
        """Reconnect, with what the client remembers."""

        async def work() -> None:
            self.room.audience.followers.pop(self.followers[seat], None)
            fresh = Follower(self.people[seat])
            after = None if whole else max(self.room.table.n - back, 0)
            await self.here.open(self.room, fresh, after)
            self.followers[seat] = fresh
            first = fresh.sent[0]
            numbers = [event["n"] for event in first["events"]]
            if first["type"] == "events" and after is not None:
                assert numbers == list(range(after + 1, self.room.table.n + 1))

        self.run(work())

    @rule(seconds=st.sampled_from([0.5, 6.0]))
    def wait(self, seconds: float) -> None:
        """Time passes; windows close."""
        self.run(self.here.settle(self.room, seconds))

    @rule()
    def restart(self) -> None:
        """The server dies, and comes back."""

        async def work() -> None:
            await self.room.stop()
            self.here.lobby._rooms.clear()
            self.room = await self.here.lobby.room(self.table_id)
            for seat, follower in enumerate(self.followers):
                self.followers[seat] = Follower(follower.person)
                await self.here.open(self.room, self.followers[seat])
            await self.here.settle(self.room)

        self.run(work())

    @invariant()
    def the_log_tells_everything(self) -> None:
        if not self.people:
            return

        def read(connection: Any) -> Any:
            events = schema.events.c
            query = sa.select(schema.events).where(events.table_id == self.table_id)
            return (
                read_log(connection, self.table_id),
                connection.execute(query.order_by(events.n)).all(),
            )

        log, rows = self.run(self.here.service.store.read(read))
        assert [row.n for row in rows] == list(range(1, len(rows) + 1))
        done = [
            (json.loads(row.data).get("move"), row.n)
            for row in rows
            if row.kind in ("act", "answered")
        ]
        named = [move for move, _ in done if move is not None]
        assert len(named) == len(set(named)), "a move was done twice"
        for (_, move), n in self.acknowledged.items():
            assert (move, n) in done
        loaded, room = table_of(self.table_id, log), self.room
        assert loaded == room.table
        for viewer in (SPECTATOR, *range(PLAYERS)):
            known = (viewer, room.attendance, room.timing, room.now())
            assert view_of(loaded, *known) == view_of(room.table, *known)

    def teardown(self) -> None:
        self.patch.undo()
        self.run(self.stack.aclose())
        self.loop.close()
        self.directory.cleanup()


UnreliableNetwork.TestCase.settings = settings(
    max_examples=8,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestUnreliableNetwork = UnreliableNetwork.TestCase
