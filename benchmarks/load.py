"""Measure a server under load: many games over many sockets, compared with a bare WebSocket echo.

    python benchmarks/load.py --games 500 --seats 4 --moves 500 --seconds 120

The server runs in one process and this load generator in another, on loopback. Each seat of each
game has a socket. The generator sends moves at a fixed rate, spread over the games, and measures
the time from sending a move to reading its acknowledgement, which the server sends once it has
stored the move. In the same run, as many sockets then send frames of the same size at the same rate
to a bare Starlette echo.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import websockets
from kills import UNLIMITED, free_port

from perudo.client import request
from perudo.games.errors import PerudoError

ECHO = """
import sys
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route, WebSocketRoute

async def echo(socket):
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_text(text)

async def health(request):
    return JSONResponse({"ready": True})

app = Starlette(routes=[WebSocketRoute("/ws", echo), Route("/healthz", health)])
uvicorn.run(app, port=int(sys.argv[1]), ws="websockets-sansio", log_level="error",
            ws_per_message_deflate=False)
"""


@dataclass
class Measured:
    """Times of acknowledgements, and counts of errors."""

    seconds: list[float] = field(default_factory=list)
    errors: int = 0
    late: int = 0
    """Moves that could not be sent on time, because no game was waiting for one."""
    games: int = 0

    def quantile(self, share: float) -> float:
        """Return a quantile of the times, in milliseconds."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]

    def line(self, name: str, during: float) -> str:
        """Return a line of results."""
        return (
            f"{name:6} {len(self.seconds) / during:7.0f}/s  p50 {self.quantile(0.5):6.1f} ms  "
            f"p99 {self.quantile(0.99):6.1f} ms  max {self.quantile(1.0):6.1f} ms  "
            f"errors {self.errors}"
        )


class Table:
    """One game: its sockets, and the questions that its seats have to answer."""

    def __init__(self, measured: Measured, ready: asyncio.Queue[tuple[Table, int]]) -> None:
        self.id = ""
        self.wires: list[Any] = []
        self._measured, self._ready = measured, ready
        self._questions: dict[int, dict[str, Any]] = {}
        self._sent: dict[str, float] = {}
        self._moves = 0
        self._answered: set[tuple[int, int]] = set()
        self._over: set[int] = set()

    async def follow(self, seat: int) -> None:
        """Read the messages to one seat."""
        async for text in self.wires[seat]:
            now = time.perf_counter()
            message = json.loads(text)
            kind = message["type"]
            if kind == "ack" and message["ref"] in self._sent:
                self._measured.seconds.append(now - self._sent.pop(message["ref"]))
            elif kind == "error":
                self._measured.errors += 1
            elif kind in ("events", "table") and message["view"] is not None:
                self._see(seat, message["view"])

    def _see(self, seat: int, view: dict[str, Any]) -> None:
        key = (seat, view["question"])
        if view["legal"] and key not in self._answered:
            self._answered.add(key)
            self._questions[seat] = view
            self._ready.put_nowait((self, seat))
        if view["over"] and view["game"] not in self._over:
            self._over.add(view["game"])
            self._measured.games += 1
            asyncio.create_task(self._again())  # noqa: RUF006  # the run ends it

    async def _again(self) -> None:
        for wire in self.wires:
            await wire.send(json.dumps({"type": "rematch", "table": self.id}))

    async def move(self, seat: int, rng: random.Random) -> None:
        """Play a move."""
        view = self._questions.pop(seat)
        legal = view["legal"]
        calls = "dudo" in legal and rng.random() < 0.2
        action = "dudo" if calls else "decline" if "decline" in legal else rng.choice(legal[:6])
        self._moves += 1
        move = f"{seat}.{self._moves}"
        message = {
            "type": "action",
            "table": self.id,
            "id": view["question"],
            "action": action,
            "move": move,
        }
        self._sent[move] = time.perf_counter()
        await self.wires[seat].send(json.dumps(message))


async def wait_until_ready(url: str) -> None:
    """Wait until a server is ready."""
    for _ in range(1200):
        try:
            if (await asyncio.to_thread(request, url, "/healthz"))["ready"]:
                return
        except PerudoError:  # it does not listen yet
            pass
        await asyncio.sleep(0.1)
    raise RuntimeError("the server did not become ready")


async def sit_down(url: str, rules: str, seats: int, table: Table) -> None:
    """Create a table with people in all its seats."""
    tokens = [
        (await asyncio.to_thread(request, url, "/api/guests", {}))["token"] for _ in range(seats)
    ]
    options = {"rules": rules, "seats": [{"kind": "open"}] * seats}
    made = await asyncio.to_thread(request, url, "/api/tables", options, tokens[0])
    table.id = made["table"]
    for token in tokens:
        wire = await websockets.connect(
            "ws" + url.removeprefix("http") + "/ws",
            additional_headers={"Authorization": f"Bearer {token}"},
            compression=None,
        )
        table.wires.append(wire)
        await wire.send(json.dumps({"type": "open", "table": table.id}))
        await wire.send(json.dumps({"type": "sit", "table": table.id}))


async def load_server(url: str, chosen: argparse.Namespace) -> Measured:
    """Play at the server, and measure the acknowledgements."""
    measured, ready = Measured(), asyncio.Queue[tuple[Table, int]]()
    tables = [Table(measured, ready) for _ in range(chosen.games)]
    tasks = []
    for table in tables:
        await sit_down(url, chosen.rules, chosen.seats, table)
        tasks += [asyncio.create_task(table.follow(seat)) for seat in range(chosen.seats)]
    rng = random.Random(1)
    await asyncio.sleep(2.0)
    measured.seconds.clear()
    started = time.perf_counter()
    count = 0
    while (now := time.perf_counter() - started) < chosen.seconds:
        due = int(now * chosen.moves)
        while count < due:
            count += 1
            try:
                table, seat = ready.get_nowait()
            except asyncio.QueueEmpty:
                measured.late += 1
                continue
            await table.move(seat, rng)
        await asyncio.sleep(0.001)
    await asyncio.sleep(1.0)
    for task in tasks:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    measured.errors += sum(
        isinstance(result, Exception) and not isinstance(result, asyncio.CancelledError)
        for result in results
    )
    return measured


async def load_echo(url: str, chosen: argparse.Namespace) -> Measured:
    """Measure a bare echo; each move sends a frame over every socket of its table."""
    measured = Measured()
    address = "ws" + url.removeprefix("http") + "/ws"
    sockets = chosen.games * chosen.seats
    wires = [await websockets.connect(address, compression=None) for _ in range(sockets)]
    sent: dict[str, float] = {}

    async def follow(wire: Any) -> None:
        async for text in wire:
            now = time.perf_counter()
            move = json.loads(text)["move"]
            if move in sent:
                measured.seconds.append(now - sent.pop(move))

    tasks = [asyncio.create_task(follow(wire)) for wire in wires]
    filler = "x" * 900  # about the size of a view
    started = time.perf_counter()
    count = 0
    while (now := time.perf_counter() - started) < chosen.seconds:
        due = int(now * chosen.moves)
        while count < due:
            count += 1
            table = count % chosen.games * chosen.seats
            for seat in range(chosen.seats):
                move = f"{count}" if seat == 0 else ""
                if move:
                    sent[move] = time.perf_counter()
                await wires[table + seat].send(json.dumps({"move": move, "filler": filler}))
        await asyncio.sleep(0.001)
    await asyncio.sleep(1.0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return measured


async def run(chosen: argparse.Namespace) -> tuple[Measured, Measured, int]:
    """Measure the server, then the echo; also return the server's memory in MB."""
    with tempfile.TemporaryDirectory() as directory:
        port = free_port()
        database = chosen.database or f"sqlite:///{Path(directory, 'load.db')}"
        command = [sys.executable, "-m", "perudo", "serve", "--port", str(port)]
        command += ["--database", database, "--log-level", "error", "--ai-processes", "1"]
        command += UNLIMITED
        command += ["--pace-seconds", "0", "--reveal-seconds", "0", "--tables-per-person", "9"]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            await wait_until_ready(f"http://127.0.0.1:{port}")
            played = await load_server(f"http://127.0.0.1:{port}", chosen)
            status = Path(f"/proc/{server.pid}/status")
            words = status.read_text().split() if status.exists() else ["VmRSS:", "0"]
            memory = int(words[words.index("VmRSS:") + 1]) // 1024
        finally:
            server.terminate()
            server.wait()
        port = free_port()
        server = subprocess.Popen([sys.executable, "-c", ECHO, str(port)])
        try:
            await wait_until_ready(f"http://127.0.0.1:{port}")
            echoed = await load_echo(f"http://127.0.0.1:{port}", chosen)
        finally:
            server.terminate()
            server.wait()
    return played, echoed, memory


def main() -> None:
    """Run the test, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--moves", type=int, default=500, help="moves per second, over all games")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--rules", default="common")
    parser.add_argument("--database", help="an empty database; default: a temporary SQLite file")
    chosen = parser.parse_args()
    played, echoed, memory = asyncio.run(run(chosen))
    print(f"{chosen.games} games, {chosen.games * chosen.seats} sockets, {chosen.seconds:g} s")
    print(played.line("perudo", chosen.seconds))
    print(echoed.line("echo", chosen.seconds))
    print(
        f"p99 {played.quantile(0.99) / echoed.quantile(0.99):.1f} times the echo's; "
        f"{played.games} games finished, {played.late} moves late; "
        f"server {memory} MB"
    )


if __name__ == "__main__":
    main()
