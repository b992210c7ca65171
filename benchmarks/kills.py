"""Kill a server again and again while games are played, and check that nothing is lost.

    python benchmarks/kills.py --kills 200
    python benchmarks/kills.py --two --games 50 --database postgresql://... --redis redis://...

Clients play over WebSockets at several tables, with AIs in other seats. At random moments the
script kills the server with SIGKILL and starts it again; the clients reconnect, and resend moves
that were not acknowledged. In the end the database must hold every acknowledged move exactly once,
under the number in its acknowledgement; every game must be finished, must replay, and must have
verifiable dice; and the database must pass its own integrity check.

With ``--two`` two processes serve the same tables. One of them is killed in the middle and stays
dead, and the other must finish all games.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import websockets
from sqlalchemy.engine import Connection

from perudo.client import request
from perudo.fair_dice import check_dice
from perudo.games.errors import PerudoError
from perudo.server.db import schema
from perudo.server.db.engine import open_engine
from perudo.server.history.records import record_of
from perudo.server.settings import Settings

START_SECONDS = 120.0
UNLIMITED = [
    f"--{each.name.replace('_', '-')}=1000000000"
    for each in fields(Settings)
    if each.name.startswith("address_")
]
"""Flags that lift the limits on one address, from which all clients of a benchmark come."""


def free_port() -> int:
    """Return a port on which no process listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Killed:
    """A server that is killed and started again."""

    def __init__(self, database: str, port: int, *more: str, log: int | None = None) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self._log = log
        """Descriptor to which the server writes its log; None: this program's standard error."""
        self._command = [sys.executable, "-m", "perudo", "serve", "--port", str(port)]
        self._command += ["--database", database, "--pace-seconds", "0", "--reveal-seconds", "0"]
        self._command += ["--calza-seconds", "0.3", "--log-level", "error", "--ai-processes", "1"]
        self._command += [*UNLIMITED, *more]
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start the server, and wait until tables can be played at."""
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=self._log, start_new_session=True
        )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(PerudoError):
                health = await asyncio.to_thread(request, self.url, "/healthz")
                if health["ready"]:
                    return
            if self._process.poll() is not None:
                raise RuntimeError("the server did not start")
            await asyncio.sleep(0.05)
        raise RuntimeError("the server did not become ready")

    @property
    def pid(self) -> int:
        """The process id of the server."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """Kill the server with SIGKILL."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Stop the server."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()


@dataclass
class Report:
    """Acknowledged moves, and counts of kills, games and reconnects."""

    acknowledged: list[tuple[str, str, int]] = field(default_factory=list)
    """Table, the client's name for the move, and event number of each."""
    reconnects: int = 0
    kills: int = 0
    games: int = 0
    playing_when_killed: int = 0
    """Games that were being played when one of two processes was killed."""


class Client:
    """A person at one table, who reconnects until the game is over."""

    def __init__(
        self, urls: Sequence[str], table: str, token: str, name: str, report: Report
    ) -> None:
        self._urls, self._table, self._token = list(urls), table, token
        self._name, self._report = name, report
        self._rng = random.Random(name)
        self._moves = 0
        self._pending: dict[str, Any] | None = None
        self._view: dict[str, Any] | None = None
        self._answered = -1
        self.finished = False

    async def play(self) -> None:
        """Play the game to its end, whatever happens to the server."""
        while not self.finished:
            try:
                await self._visit()
            except (OSError, websockets.WebSocketException, TimeoutError):
                self._report.reconnects += 1
                self._urls.append(self._urls.pop(0))
                await asyncio.sleep(0.1)

    async def _visit(self) -> None:
        address = "ws" + self._urls[0].removeprefix("http") + "/ws"
        headers = {"Authorization": f"Bearer {self._token}"}
        async with websockets.connect(address, additional_headers=headers) as wire:
            await wire.send(json.dumps({"type": "open", "table": self._table}))
            await wire.send(json.dumps({"type": "sit", "table": self._table}))
            if self._pending is not None:  # the server may or may not have stored it
                await wire.send(json.dumps(self._pending))
            while not self.finished:
                text = await asyncio.wait_for(wire.recv(), 60)
                message = json.loads(text)
                reply = self._take(message)
                if reply is not None:
                    await wire.send(json.dumps(reply))

    def _take(self, message: dict[str, Any]) -> dict[str, Any] | None:
        pending = self._pending
        if message["type"] in ("ack", "error") and pending and message["ref"] == pending["move"]:
            if message["type"] == "ack":
                self._report.acknowledged.append((self._table, pending["move"], message["n"]))
            if message["type"] == "ack" or message["code"] != "try_again":
                self._answered = pending["id"]
            self._pending = None
        self._view = view = message.get("view") or self._view
        if view is None:
            return None
        self.finished = bool(view["over"])
        if self._pending is None and view["legal"] and view["question"] != self._answered:
            self._moves += 1
            self._pending = {
                "type": "action",
                "table": self._table,
                "id": view["question"],
                "action": self._choose(view["legal"]),
                "move": f"{self._name}-{self._moves}",
            }
            return self._pending
        return None

    def _choose(self, legal: list[str]) -> str:
        calls = [word for word in legal if word in ("dudo", "doubt")]
        if "decline" in legal:
            return "calza" if self._rng.random() < 0.1 else "decline"
        if calls and self._rng.random() < 0.3:
            return calls[0]
        return self._rng.choice(legal[:5])


async def run(kills: int, tables: int, database: str, seed: int = 1, every: float = 1.0) -> Report:
    """Play while the server is killed a number of times; raise if anything was lost."""
    rng = random.Random(seed)
    report = Report()
    server = Killed(database, free_port())
    await server.start()
    playing: set[asyncio.Task[None]] = set()
    try:
        while report.kills < kills or playing:
            while len(playing) < tables and report.kills < kills:
                playing |= _play(await _new_game([server.url], report))
            if report.kills < kills:
                await asyncio.sleep(rng.uniform(0.05, 2 * every))
                server.kill()
                report.kills += 1
                await server.start()
            done = {task for task in playing if task.done()}
            for task in done:
                task.result()
            playing -= done
            if report.kills >= kills and playing:
                await asyncio.wait(playing, timeout=120)
    finally:
        for task in playing:
            task.cancel()
        server.end()
    check(database, report)
    return report


async def run_two(games: int, database: str, redis: str, seconds: float) -> Report:
    """Play at two processes, and kill one of them; raise if anything was lost."""
    report = Report()
    servers = [Killed(database, free_port(), "--redis", redis) for _ in range(2)]
    playing: set[asyncio.Task[None]] = set()
    try:
        await asyncio.gather(*(server.start() for server in servers))
        urls = [server.url for server in servers]
        clients: list[Client] = []
        # Each table has players at both processes; each process has half of the tables.
        for game in range(games):
            clients += await _new_game(urls if game % 2 else urls[::-1], report)
        playing = _play(clients)
        await asyncio.sleep(seconds)
        report.playing_when_killed = sum(not task.done() for task in playing) // 2
        servers[0].kill()
        report.kills = 1
        await asyncio.wait_for(asyncio.gather(*playing), 600)
    finally:
        for task in playing:
            task.cancel()
        for server in servers:
            server.end()
    check(database, report)
    return report


def _play(clients: Sequence[Client]) -> set[asyncio.Task[None]]:
    return {asyncio.create_task(client.play()) for client in clients}


async def _new_game(urls: Sequence[str], report: Report) -> list[Client]:
    """Create a table at the first server; its people connect to the servers in turn."""
    url = urls[0]
    tokens = [(await asyncio.to_thread(request, url, "/api/guests", {}))["token"] for _ in range(2)]
    options = {
        "rules": "official",
        "seats": [{"kind": "open"}, {"kind": "open"}, {"kind": "ai", "level": "strong"}],
        "private": True,
    }
    made = await asyncio.to_thread(request, url, "/api/tables", options, tokens[0])
    report.games += 1
    return [
        Client(_from(urls, seat), made["table"], token, f"{report.games}.{seat}", report)
        for seat, token in enumerate(tokens)
    ]


def _from(urls: Sequence[str], first: int) -> list[str]:
    first %= len(urls)
    return [*urls[first:], *urls[:first]]


def check(database: str, report: Report) -> None:
    """Compare the database with the acknowledgements."""
    engine = open_engine(database)
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        check_moves(connection, report.acknowledged)
        games = connection.execute(sa.select(schema.games)).all()
        assert len(games) == report.games
        for game in games:
            assert game.ended is not None, f"{game.id} was not finished"
            assert check_dice(record_of(connection, game.id))["complete"]
    engine.dispose()


def check_moves(connection: Connection, acknowledged: Sequence[tuple[str, str, int]]) -> None:
    """Raise unless the logs have every acknowledged move once, and no other move twice."""
    tables = {table for table, _, _ in acknowledged}
    events = schema.events.c
    wanted = sa.select(events.table_id, events.n, events.data).where(
        events.kind.in_(("act", "answered")), events.table_id.in_(tables)
    )
    moves: dict[tuple[str, str], list[int]] = {}
    for row in connection.execute(wanted):
        move = json.loads(row.data).get("move")
        if move is not None:
            moves.setdefault((row.table_id, move), []).append(row.n)
    for table, move, n in acknowledged:
        found = moves.get((table, move))
        assert found == [n], f"{move} at {table} was acknowledged as {n} and is stored as {found}"
    for key, numbers in moves.items():
        assert len(numbers) == 1, f"{key} was made twice: {numbers}"


def main() -> None:
    """Run the test, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--tables", type=int, default=8, help="clients that play at a time")
    parser.add_argument("--database", help="an empty database; default: a temporary SQLite file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--two", action="store_true", help="two processes; one is killed")
    parser.add_argument("--games", type=int, default=50, help="with --two: games to play")
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="with --two: seconds before the kill"
    )
    parser.add_argument("--redis", help="with --two: the address of a Redis server")
    chosen = parser.parse_args()
    if chosen.two:
        if chosen.database is None or chosen.redis is None:
            parser.error("--two needs --database postgresql://... and --redis redis://...")
        work = run_two(chosen.games, chosen.database, chosen.redis, chosen.seconds)
        _print(asyncio.run(work))
        return
    with tempfile.TemporaryDirectory() as directory:
        database = chosen.database or f"sqlite:///{Path(directory, 'kills.db')}"
        started = time.monotonic()
        report = asyncio.run(run(chosen.kills, chosen.tables, database, chosen.seed))
    print(f"{time.monotonic() - started:.0f} s")
    _print(report)


def _print(report: Report) -> None:
    if report.playing_when_killed:
        print(f"{report.playing_when_killed} games were being played when a process was killed")
    print(
        f"{report.kills} kills: "
        f"{len(report.acknowledged)} acknowledged moves in {report.games} games, none lost, none "
        f"made twice; all games finished and replay, integrity check clean "
        f"({report.reconnects} failed or lost connections)"
    )


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
