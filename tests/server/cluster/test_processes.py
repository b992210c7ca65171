"""Several server processes on one PostgreSQL and one Redis."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from kills import run_two

from perudo.client import read_link, request
from perudo.games.errors import PerudoError
from perudo.server.cluster import cluster, leases
from perudo.server.db import schema
from perudo.server.db.engine import open_engine
from perudo.server.settings import Settings
from server.kit import Player, Site, free_port, play_out, settings_for, site
from server.services import postgres, redis_server, wait_for

pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'perudo[postgres]'")
pytest.importorskip("redis", reason="redis is not installed: pip install 'perudo[postgres]'")


@pytest.fixture(scope="module")
def services() -> Iterator[tuple[str, str]]:
    with postgres() as database, redis_server() as redis:
        yield database, redis


@pytest.fixture
def shared(services: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Settings of processes that share a new database; they notice soon when one is gone."""
    monkeypatch.setattr(leases, "LEASE_SECONDS", 2.0)
    monkeypatch.setattr(cluster, "BEAT_SECONDS", 0.3)
    database, redis = services
    engine = open_engine(database).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        name = f"test_{connection.execute(sa.text('select count(*) from pg_database')).scalar()}"
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return {"database": f"{database.rpartition('/')[0]}/{name}", "redis": redis}


async def both(stack: AsyncExitStack, path: Path, shared: dict[str, Any]) -> tuple[Site, Site]:
    """Two servers that know of each other."""
    here, there = [
        await stack.enter_async_context(site(settings_for(path, **shared))) for _ in range(2)
    ]
    while len(here.server.cluster.others) < 1:  # type: ignore[union-attr]
        await asyncio.sleep(0.05)
    return here, there


async def at_a_table_of(here: Site, sites: list[Site]) -> tuple[str, list[Player]]:
    """A table of one process, and players whose sockets are at these."""
    tokens = [await here.guest() for _ in sites]
    table = await here.table(tokens[0], len(sites))
    players = [await each.connect(token) for each, token in zip(sites, tokens, strict=True)]
    for player in players:
        assert (await player.open(table))["type"] == "table"
        assert (await player.sit(table))["type"] == "ack"
    await begun(players, table)
    return table, players


async def begun(players: list[Player], table: str) -> None:
    """Wait until all see the game."""
    for player in players:
        while not player.views.get(table):
            await player.receive()


def crash(here: Site) -> None:
    """Have a process do nothing any more, as if it had been killed."""
    server = here.server
    assert server.cluster is not None
    assert server.cluster._peers is not None
    for task in [*server.cluster._tasks, *server.cluster._peers._tasks, server.lobby._watch]:
        task.cancel()  # type: ignore[union-attr]
    for room in server.lobby._rooms.values():
        room._stop_ais()
        room._task.cancel()  # type: ignore[union-attr]


def test_a_socket_at_one_process_plays_at_a_table_of_another(
    tmp_path: Path, shared: dict[str, Any]
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            here, there = await both(stack, tmp_path, shared)
            table, players = await at_a_table_of(here, [here, there])
            assert there.server.lobby.find(table) is None
            info = (await there.http.get(f"/api/tables/{table}")).json()["info"]
            assert [seat["here"] for seat in info["seats"]] == [True, True]
            listed = (await there.http.get("/api/tables")).json()["tables"]
            assert [each["id"] for each in listed] == [table]
            await play_out(players, table)
            assert players[0].views[table]["winner"] == players[1].views[table]["winner"]
            # What crosses processes is made by the same functions: nobody sees others' dice.
            for seat, player in enumerate(players):
                deals = [e for e in player.events[table] if e["kind"] == "deal"]
                assert deals
                assert all(deal["dice"][1 - seat] is None for deal in deals)
            assert (await players[1].act(table, "2x2"))["code"] == "not_playing"

    asyncio.run(main())


def test_talk_and_the_end_of_sessions_cross_processes(
    tmp_path: Path, shared: dict[str, Any]
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            here, there = await both(stack, tmp_path, shared)
            token = await here.guest()
            body = {"name": "Ada", "password": "long enough"}
            await here.ask(token, "POST", "/api/accounts", body)
            other = (await here.ask(token, "POST", "/api/login", body))["token"]
            table = await here.table(token, 2, private=True)
            near, far = await here.connect(token), await there.connect(other)
            for player in (near, far):
                await player.open(table)
                await player.sit(table)
            said = await near.request(type="say", table=table, text="a word")
            await far.send(type="earlier", table=table, before=said["n"] + 1, ref="older")
            page = await far.until(lambda message: message["type"] == "earlier")
            assert [event["text"] for event in page["events"]] == ["a word"]
            assert (await far.receive())["ref"] == "older"

            change = {"old": "long enough", "new": "another one"}
            await here.ask(token, "POST", "/api/password", change)
            await far.wire.wait_closed()
            assert far.wire.close_code == 4001

    asyncio.run(main())


def test_what_crosses_processes_is_what_a_socket_at_the_owner_gets(
    tmp_path: Path, shared: dict[str, Any]
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            here, there = await both(stack, tmp_path, shared)
            tokens = [await here.guest() for _ in range(2)]
            table = await here.table(tokens[0], 2)
            near = [await here.connect(token) for token in tokens]
            far = [await there.connect(token) for token in tokens]
            watching = [await each.connect(await each.guest()) for each in (here, there)]
            for player in (*near, *far, *watching):
                await player.open(table)
            for player in near:
                await player.sit(table)
            await begun(near, table)
            await play_out(near, table)
            last = near[0].n[table]
            for player in (*far, *watching):
                while player.n[table] < last:
                    await player.receive()
            for direct, forwarded in zip((*near, watching[0]), (*far, watching[1]), strict=True):
                assert _told(direct) == _told(forwarded)
            assert _told(near[0]) != _told(near[1])

    asyncio.run(main())


def _told(player: Player) -> dict[int, str]:
    """Return the messages about the game that a player received, by event number."""
    told = {}
    for frame in player.frames:
        message = json.loads(frame)
        if message["type"] == "events" and message["events"] and message["view"]:
            del message["info"]
            told[message["n"]] = json.dumps(message)
    assert len(told) > 10
    return told


def test_the_tables_of_a_process_that_dies_go_on_at_another(
    tmp_path: Path, shared: dict[str, Any]
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            here, there = await both(stack, tmp_path, shared)
            table, players = await at_a_table_of(here, [there, there])
            acting = next(p for p in players if p.asked(table))
            acknowledged = await acting.act(table, acting.asked(table)[0], move="mine")
            crash(here)
            other = next(p for p in players if p is not acting)
            while not other.asked(table):
                await other.receive()
            done = await other.act(table, other.asked(table)[0])  # passed on to nobody, at first
            assert (done["type"], done["repeated"]) == ("ack", False), done
            assert there.server.lobby.find(table) is not None
            again = await acting.act(table, "2x2", move="mine")
            assert (again["n"], again["repeated"]) == (acknowledged["n"], True)
            for player in players:
                await player.open(table)
            await play_out(players, table)
            stale = here.server.lobby.find(table)
            assert stale is not None
            with pytest.raises(leases.LostTable):
                await here.server.service.store.write(
                    lambda connection: leases.require(connection, table, stale.log.fence or 0)
                )

    asyncio.run(main())


def test_a_process_that_was_taken_for_dead_comes_back(
    tmp_path: Path, shared: dict[str, Any]
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            here, there = await both(stack, tmp_path, shared)
            table, players = await at_a_table_of(here, [here, there])
            name = here.server.cluster.name  # type: ignore[union-attr]
            await there.server.service.store.write(
                lambda connection: leases.leave(connection, name)
            )
            while here.server.cluster.name == name:  # type: ignore[union-attr]
                await asyncio.sleep(0.05)
            for player in players:
                await player.open(table)
            await play_out(players, table)
            owners = [each for each in (here, there) if each.server.lobby.find(table)]
            assert len(owners) == 1

    asyncio.run(main())


def test_a_lost_message_is_found_and_made_good(tmp_path: Path, shared: dict[str, Any]) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            here, there = await both(stack, tmp_path, shared)
            table, players = await at_a_table_of(here, [there, there])
            acting = next(p for p in players if p.asked(table))
            peers = there.server.cluster._peers  # type: ignore[union-attr]
            assert peers is not None
            client = peers._client
            peers._client = LosesOne(client)
            done = await acting.act(table, acting.asked(table)[0], move="lost")
            assert peers._client._lost
            assert (done["type"], done["repeated"]) == ("ack", False)
            other = next(p for p in players if p is not acting)
            await other.until(lambda m: any(e["kind"] == "act" for e in m.get("events", ())))
            await play_out(players, table)

    asyncio.run(main())


class LosesOne:
    """Redis, after it has forgotten one message."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lost = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def pipeline(self, **options: Any) -> Any:
        pipeline = self._client.pipeline(**options)
        if not self._lost:
            self._lost = True
            pipeline.publish = lambda channel, text: None
        return pipeline


def test_players_at_different_processes_meet_in_the_queue_and_by_challenge(
    tmp_path: Path, shared: dict[str, Any]
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            here, there = await both(stack, tmp_path, shared)
            tokens = [await here.guest() for _ in range(2)]
            account = {"name": "Bob", "password": "long enough"}
            await here.ask(tokens[1], "POST", "/api/accounts", account)
            ada = await here.connect(tokens[0])
            bob = await there.connect(tokens[1], "program")
            wish = {"rules": "common", "players": 2, "rated": False}
            assert (await bob.request(type="queue", **wish))["type"] == "ack"
            await ada.send(type="queue", **wish)
            table = (await ada.until(lambda m: m["type"] == "matched"))["table"]
            assert (await bob.until(lambda m: m["type"] == "matched"))["table"] == table
            assert (await bob.until(lambda m: m["type"] == "hello"))["table"] == table
            bob = await there.connect(tokens[1], "program")
            assert bob.tables == [table]
            own = await here.table(tokens[0], 2)
            for name, answer in (("Bob", "ack"), ("Nobody", "error")):
                invited = await ada.request(type="invite", table=own, player=name)
                assert invited["type"] == answer, invited
            assert (await bob.until(lambda m: m["type"] == "challenge"))["table"] == own

    asyncio.run(main())


def test_an_invitation_is_good_at_every_process_and_outlives_the_tables_own(
    tmp_path: Path, shared: dict[str, Any]
) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            here, there = await both(stack, tmp_path, shared)
            tokens = [await here.guest() for _ in range(4)]
            await here.ask(tokens[1], "POST", "/api/accounts", {"name": "Bob", "password": "x" * 9})
            seats = [{"kind": kind} for kind in ("open", "invited", "invited", "invited")]
            table = await here.table(tokens[0], seats)
            path = f"/api/tables/{table}/invitation"
            link = (await here.ask(tokens[0], "GET", path))["link"]
            key = read_link(link).key
            asked = (await there.ask(tokens[0], "GET", path))["link"]
            assert (read_link(asked).table, read_link(asked).key) == (table, key)
            assert read_link((await there.ask(tokens[2], "GET", path))["link"]).key is None
            assert there.server.lobby.find(table) is None
            creator, bob, cleo, dan = [await there.connect(token) for token in tokens]
            assert (await creator.sit(table))["type"] == "ack"
            invited = await creator.request(type="invite", table=table, player="Bob")
            assert invited["type"] == "ack"
            challenge = await bob.until(lambda m: m["type"] == "challenge")
            assert (await bob.sit(table, key=challenge["key"]))["type"] == "ack"
            assert (await cleo.sit(table))["code"] == "needs_invitation"
            assert (await cleo.sit(table, key=key))["type"] == "ack"
            crash(here)
            while (answer := await dan.sit(table, key="wrong"))["code"] == "try_again":
                await asyncio.sleep(0.1)
            assert answer["code"] == "wrong_invitation"
            assert there.server.lobby.find(table) is not None  # taken over
            assert (await dan.sit(table, key=key))["type"] == "ack"

    asyncio.run(main())


def test_settings_that_cannot_work_say_what_would() -> None:
    with pytest.raises(PerudoError, match="needs --redis"):
        Settings(workers=2)
    with pytest.raises(PerudoError, match="postgresql://"):
        Settings(workers=2, redis="redis://127.0.0.1/0")


def test_a_dozen_games_go_on_when_one_of_two_processes_is_killed(
    services: tuple[str, str], shared: dict[str, Any]
) -> None:
    report = asyncio.run(run_two(games=12, seconds=1.0, **shared))
    assert report.playing_when_killed >= 6
    assert report.games == 12
    assert report.acknowledged


def test_workers_share_an_address_and_are_started_again(shared: dict[str, Any]) -> None:
    port = free_port()
    command = [sys.executable, "-m", "perudo", "serve", "--workers", "2", "--port", str(port)]
    command += ["--database", shared["database"], "--redis", shared["redis"]]
    command += ["--log-level", "error", "--ai-processes", "1"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    engine = open_engine(shared["database"])
    try:
        wait_for(lambda: len(names(engine)) == 2)
        before = names(engine)
        request(f"http://127.0.0.1:{port}", "/api/guests", {})
        os.kill(workers_of(server.pid)[0], signal.SIGKILL)
        wait_for(lambda: len(names(engine)) == 2 and names(engine) != before)
        request(f"http://127.0.0.1:{port}", "/api/guests", {})
        workers = workers_of(server.pid)
        time.sleep(2)  # the new one has said its name, but may not be up yet
        server.terminate()
        assert server.wait(30) == 0
        assert names(engine) == set()  # they have said goodbye
        assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
    finally:
        server.kill()
        server.communicate()
        engine.dispose()


def names(engine: sa.Engine) -> set[str]:
    """The processes that say they are alive."""
    if not sa.inspect(engine).has_table("processes"):
        return set()
    query = sa.select(schema.processes.c.id).where(schema.processes.c.expires >= leases.NOW)
    with engine.connect() as connection:
        return set(connection.execute(query).scalars())


def workers_of(process: int) -> list[int]:
    """The server processes that this one has started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    spawned = [
        int(child)
        for child in children
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    assert len(spawned) == 2
    return spawned
