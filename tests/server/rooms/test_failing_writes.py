"""A failing database: rooms show only stored events, and tables go on afterwards."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from perudo.server.db import schema
from perudo.server.db.store import Store, _Job
from perudo.server.errors import Refused
from perudo.server.rooms.room import Room
from perudo.server.rooms.table_log import read_log
from perudo.server.table.log import table_of
from server.kit import Player, Site, play_out, settings_for, site
from server.world import Follower, world


def full() -> sa.exc.OperationalError:
    return sa.exc.OperationalError(
        "INSERT", {}, sqlite3.OperationalError("database or disk is full")
    )


@contextmanager
def failing(engine: sa.Engine, moment: str) -> Iterator[None]:
    """Every transaction fails, when it begins or when it is to be committed."""

    def fail(connection: Any) -> None:
        raise full()

    sa.event.listen(engine, moment, fail)
    try:
        yield
    finally:
        sa.event.remove(engine, moment, fail)


async def at_a_table(here: Site) -> tuple[str, list[Player]]:
    tokens = [await here.guest() for _ in range(2)]
    table = await here.table(tokens[0], 2)
    players = [await here.connect(token) for token in tokens]
    for player in players:
        await player.open(table)
        await player.sit(table)
    for player in players:
        while not player.views.get(table):
            await player.receive()
    return table, players


async def events_of(here: Site, table: str) -> list[int]:
    query = sa.select(schema.events.c.n).where(schema.events.c.table_id == table)
    return await here.server.service.store.read(
        lambda connection: sorted(connection.execute(query).scalars())
    )


@pytest.mark.parametrize("moment", ["begin", "commit"])
def test_a_move_that_cannot_be_stored_has_not_happened(tmp_path: Path, moment: str) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            table, players = await at_a_table(here)
            acting = next(p for p in players if p.asked(table))
            other = next(p for p in players if p is not acting)
            before = await events_of(here, table)
            question, action = acting.views[table]["question"], acting.asked(table)[0]
            engine = here.server.service.store.engine
            with failing(engine, moment):
                refused = await acting.act(table, action, move="mine")
                assert (refused["type"], refused["code"]) == ("error", "try_again")
                for _ in range(2):  # while the table is loaded again, or waits for that
                    refused = await acting.act(table, action, move="mine")
                    assert (refused["type"], refused["code"]) == ("error", "try_again")
                    assert refused["n"] in (None, before[-1])
                told = await here.http.post("/api/guests", json={})
                assert (told.status_code, told.json()["code"]) == (503, "try_again")
                # Whoever still follows the table has been told nothing of the move.
                await other.send(type="ping")
                await other.until(lambda m: m["type"] == "pong")
            assert other.n[table] == before[-1]
            assert await events_of(here, table) == before
            while (done := await acting.act(table, action, move="mine"))["type"] == "error":
                assert done["code"] == "try_again"
                await asyncio.sleep(0.05)
            assert (done["n"], done["repeated"]) == (question + 1, False)
            await other.until(lambda m: m["type"] == "events" and m["n"] >= done["n"])
            assert [e["n"] for e in other.events[table]] == sorted(
                {e["n"] for e in other.events[table]}
            )
            await play_out(players, table)

    asyncio.run(main())


def test_a_move_that_was_stored_although_the_database_did_not_say_so_is_done_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            table, players = await at_a_table(here)
            acting = next(p for p in players if p.asked(table))
            before = await events_of(here, table)
            action = acting.asked(table)[0]
            with monkeypatch.context() as patch:
                patch.setattr(Store, "_write_group", _stores_but_fails)
                refused = await acting.act(table, action, move="mine")
                assert (refused["type"], refused["code"]) == ("error", "try_again")
            while (done := await acting.act(table, "2x2", move="mine"))["type"] == "error":
                assert done["code"] == "try_again"
                await asyncio.sleep(0.05)
            assert done["repeated"]
            assert await events_of(here, table) == [*before, done["n"]]

    asyncio.run(main())


_write_group = Store._write_group


def _stores_but_fails(self: Store, group: Sequence[_Job], attempt: int = 1) -> Any:
    """The connection is lost after the database has committed, before it has said so."""
    _write_group(self, group, attempt)
    return [(job, None, full()) for job in group]


def test_everybody_follows_a_table_that_fails_again_while_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Found by benchmarks/chaos.py: with a full disk, players stayed connected and saw nothing."""

    async def fail() -> None:
        raise full()

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            lobby = here.server.lobby
            table, players = await at_a_table(here)
            room = await lobby.room(table)
            room.post(fail)
            await room.failed.wait()
            wake = lobby._wake

            def wake_and_fail(*parts: Any) -> Room:
                woken = wake(*parts)
                woken.post(fail)
                return woken

            with monkeypatch.context() as patch:
                patch.setattr(lobby, "_wake", wake_and_fail)
                with pytest.raises(Refused, match="loaded again"):
                    await lobby.room(table)
                await lobby._look_once()
            assert "cannot be woken up" not in caplog.text
            await lobby.room(table)
            await play_out(players, table)
            for player in players:
                numbers = [event["n"] for event in player.events[table]]
                assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))

    asyncio.run(main())


def test_a_refusal_to_a_visitor_who_has_gone_is_no_uncaught_exception(tmp_path: Path) -> None:
    """Found by benchmarks/chaos.py --two."""
    problems: list[Any] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, what: problems.append(what))
        async with world(tmp_path) as here:
            asking = asyncio.create_task(here.lobby.room("no table"))
            await asyncio.sleep(0)
            asking.cancel()
            while here.lobby._loading:
                await asyncio.sleep(0.01)
            gc.collect()

    asyncio.run(main())
    assert problems == []


def test_a_refusal_while_storing_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def main() -> None:
        async with world(tmp_path) as here:
            people = await here.guests(2)
            room = await here.table(people[0], 2)
            follower = Follower(people[0])
            await here.open(room, follower)

            def refuse(*_: Any) -> Any:
                raise Refused("anything", "no")

            with monkeypatch.context() as patch:
                patch.setattr(Store, "add_events", refuse)
                answer = await here.do(room, people[1], "sit")
            assert answer["code"] == "anything"
            assert await here.lobby.room(room.table.id) is room
            assert room.table.seat_of(people[1].id) is None
            log = await here.service.store.read(lambda c: read_log(c, room.table.id))
            assert table_of(room.table.id, log).n == room.table.n == follower.sent[-1]["n"]
            assert "code" not in await here.do(room, people[1], "sit")

    asyncio.run(main())


def test_tables_wait_for_the_database_and_then_go_on(tmp_path: Path) -> None:
    """The lobby keeps watching its tables, and AIs move again without a request."""

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            ais = [{"kind": "ai", "agent": "random"}] * 2
            table = await here.table(token, ais, games=500)
            engine = here.server.service.store.engine
            with failing(engine, "begin"):
                while here.server.service.counts.failed_rooms == 0:
                    await asyncio.sleep(0.05)
                await asyncio.sleep(2.5)  # it is tried twice at least to load it again
            stopped = len(await events_of(here, table))
            for _ in range(100):
                await asyncio.sleep(0.1)
                if len(await events_of(here, table)) > stopped:
                    return
            pytest.fail("the table did not go on")

    asyncio.run(main())
