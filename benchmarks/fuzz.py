"""Send a server random frames over many WebSockets, and check that it neither fails nor grows.

    python benchmarks/fuzz.py --frames 100000
    python benchmarks/fuzz.py --frames 100000 --limits off

The script starts a server on loopback, with its usual limits for a connection. Each connection
sends as many frames as the limits allow, a few of them valid and most of them invalid; then another
follows. Without limits each connection sends many frames at once, so that answers are pending when
a frame is so large that the server closes the connection. Finally the script reads the server's
log: an error, or a line that is no log entry, counts as an uncaught exception. It reads the
server's memory after a fifth of the frames and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import websockets
from kills import UNLIMITED, free_port

from perudo.client import request
from perudo.games.errors import PerudoError
from perudo.server.wire.client_messages import PHRASES

START_SECONDS = 120.0
PEOPLE = 4
FRAMES_EACH = {True: 60, False: 1000}
"""Frames of one connection, with and without limits: 50 in 20 seconds watching, 100 playing."""
AT_ONCE = 4
FLAGS = (
    "--pace-seconds=0",
    "--reveal-seconds=0",
    "--ai-processes=1",
    *UNLIMITED,
)
NO_LIMIT = "--connection-messages=1000000000"
LAST = "the-last-one"
KINDS = [
    "open",
    "action",
    "sit",
    "stand",
    "fill",
    "kick",
    "pause",
    "say",
    "rematch",
    "queue",
    "invite",
    "mute",
    "auto",
    "hurry",
    "absence",
    "shut",
    "ping",
    "welcome",
    "nothing",
]
FIELDS = [
    "table",
    "id",
    "action",
    "move",
    "seat",
    "ref",
    "after",
    "on",
    "text",
    "phrase",
    "reaction",
    "agent",
    "level",
    "rules",
    "players",
    "rated",
    "decline",
    "seed",
    "key",
    "odds",
    "player",
]
WORDS = ["", "x", "2x3", "dudo", "\u0000", "é" * 99, "official", "observer", "casual", "👏"]
VALUES: list[Any] = [None, True, -1, 2**40, 1.5, [], {}, *WORDS, "a" * 64, "ab" * 32]


def nonsense(rng: random.Random, tables: Sequence[str], question: int = 0) -> str | bytes:
    """Return a frame that resembles a message more or less."""
    table = rng.choice(tables)
    message: dict[str, Any] = {"type": rng.choice(KINDS), "table": table}
    for _ in range(rng.randrange(5)):
        values = [*VALUES, table, question, rng.randrange(8), PHRASES[0]]
        message[rng.choice(FIELDS)] = rng.choice(values)
    if rng.random() < 0.2:
        del message["table"]
    if rng.random() < 0.1:  # possibly valid
        message = {"type": "action", "table": table, "id": question}
        message["action"] = rng.choice(["1x2", "2x3", "3x4", "dudo", "calza", "decline"])
    text = json.dumps(message, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.1:
        cut = rng.randrange(len(text))
        text = text[:cut] + rng.choice(["", "}", '"', "\ud7ff", "[[[["]) + text[cut + 1 :]
    if rng.random() < 0.005:
        text = rng.choice(["[" * 4000, text + " " * 9000, text + " " * 20000])
    return text.encode() if rng.random() < 0.02 else text


@dataclass
class Report:
    """Frames sent, answers received, and problems in the server's log."""

    frames: int = 0
    connections: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    """Number of answers by type of message; errors by code."""
    problems: list[str] = field(default_factory=list)
    """Uncaught exceptions in the server's log."""
    memory_mb: list[float] = field(default_factory=list)
    """The server's memory after a fifth of the frames, and at the end."""


class Watched:
    """A server whose log and memory can be read."""

    def __init__(self, directory: Path, *flags: str) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.log = directory / "server.log"
        self._command = [sys.executable, "-m", "perudo", "serve", "--port", str(port)]
        self._command += ["--database", f"sqlite:///{directory / 'fuzz.db'}"]
        self._command += ["--log-level", "warning", *flags]
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the server, and wait until tables can be played at."""
        with self.log.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdout=asyncio.subprocess.DEVNULL, stderr=log
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.returncode is None:
            with contextlib.suppress(PerudoError):
                if (await asyncio.to_thread(request, self.url, "/healthz"))["ready"]:
                    return
            await asyncio.sleep(0.1)
        raise RuntimeError(f"the server did not become ready: {self.log.read_text()[-500:]}")

    @property
    def pid(self) -> int:
        """The process id of the server."""
        assert self._process is not None
        return self._process.pid

    def memory_mb(self) -> float:
        """Return the memory of the server in MB, without its AI processes."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024

    async def end(self) -> None:
        """Stop the server."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()


def problems_in(lines: Iterable[str]) -> list[str]:
    """Return the lines of a server's log that report uncaught exceptions."""
    found = []
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            found.append(line)
            continue
        if entry["level"] in ("error", "critical") or "error" in entry:
            found.append(line)
    return found


async def run(frames: int, directory: Path, seed: int = 1, limits: bool = True) -> Report:
    """Send a number of frames to a server, and return what happened."""
    report, server = Report(), Watched(directory, *FLAGS, *([] if limits else [NO_LIMIT]))
    each = FRAMES_EACH[limits]
    await server.start()
    try:
        tokens, tables = await _people_and_tables(server.url)
        marks = [max(frames // 5, 1), frames]
        for mark in marks:
            while report.frames < mark:
                count = min(AT_ONCE, -(-(mark - report.frames) // each))
                left = min(each, mark - report.frames)
                await asyncio.gather(
                    *(
                        _send(server.url, tokens[who % PEOPLE], tables, left, seed, report)
                        for who in range(count)
                    )
                )
            report.memory_mb.append(server.memory_mb())
        if not (await asyncio.to_thread(request, server.url, "/healthz"))["ready"]:
            report.problems.append("the server is no longer ready")
    finally:
        await server.end()
    report.problems += problems_in(server.log.read_text(encoding="utf-8").splitlines())
    return report


async def _people_and_tables(url: str) -> tuple[list[str], list[str]]:
    """Create people, and tables that wait for players, are played at, or are watched."""
    tokens = [
        (await asyncio.to_thread(request, url, "/api/guests", {}))["token"] for _ in range(PEOPLE)
    ]
    wishes: list[dict[str, Any]] = [
        {"rules": "official", "private": True, "seats": [{"kind": "open"}] * 3},
        {"rules": "common", "seats": [{"kind": "open"}, {"kind": "ai", "level": "casual"}]},
        {"rules": "uk", "seats": [{"kind": "ai", "level": "casual"}] * 2, "games": 50, "pace": 1.0},
    ]
    tables = []
    for token, wish in zip(tokens, wishes, strict=False):
        made = await asyncio.to_thread(request, url, "/api/tables", wish, token)
        tables.append(made["table"])
    return tokens, tables


async def _send(
    url: str, token: str, tables: Sequence[str], frames: int, seed: int, report: Report
) -> None:
    """Open a connection, take a seat if one is free, and send random frames."""
    rng = random.Random(f"{seed} {report.connections}")
    report.connections += 1
    address = "ws" + url.removeprefix("http") + "/ws?style=" + rng.choice(["page", "program"])
    headers = {"Authorization": f"Bearer {token}"}
    sent = 0
    try:
        async with websockets.connect(address, additional_headers=headers) as wire:
            question = [0]
            reading = asyncio.create_task(_read(wire, question, report))
            table = rng.choice(tables)
            for kind in ("open", "sit"):
                await wire.send(json.dumps({"type": kind, "table": table}))
            while sent < frames:
                await wire.send(nonsense(rng, tables, question[0]))
                sent += 1
                if sent % 8 == 0:
                    await asyncio.sleep(0)
            await wire.send(json.dumps({"type": "shut", "table": table, "ref": LAST}))
            await reading
    except websockets.WebSocketException:  # the server closes on frames that are too large
        report.answers["closed"] += 1
    report.frames += max(sent, 1)


async def _read(wire: Any, question: list[int], report: Report) -> None:
    """Count answers until everything has been answered."""
    try:
        while True:
            message = json.loads(await asyncio.wait_for(wire.recv(), 60))
            kind = message["type"]
            report.answers[message["code"] if kind == "error" else kind] += 1
            if kind in ("table", "events") and message["view"] is not None:
                question[0] = message["view"]["question"]
            elif kind == "decide":
                question[0] = message["id"]
            if message.get("ref") == LAST:
                return
    except websockets.ConnectionClosed:
        return


def main() -> int:
    """Run the test, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limits", choices=["on", "off"], default="on")
    chosen = parser.parse_args()
    limits = chosen.limits == "on"
    with tempfile.TemporaryDirectory() as directory:
        report = asyncio.run(run(chosen.frames, Path(directory), chosen.seed, limits))
    first, last = report.memory_mb
    print(f"{report.frames} frames over {report.connections} connections")
    print(", ".join(f"{name} {count}" for name, count in report.answers.most_common()))
    print(f"memory {first:.0f} MB after a fifth, {last:.0f} MB at the end: {last - first:+.1f} MB")
    print(f"{len(report.problems)} uncaught exceptions")
    for problem in report.problems[:5]:
        print(problem[:2000])
    return 1 if report.problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
