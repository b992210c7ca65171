"""Measure how fast AIs answer at quiet tables while one guest asks for as much as possible.

    python benchmarks/starve.py --seconds 60

The script starts ``perudo serve`` on loopback. A well-behaved guest plays at a table of their own
against a mild AI, first alone; then another guest makes twelve tables of six costly AIs, and the
first plays on. It prints the time from the person's move to the AI's, for both.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kills import free_port
from load import wait_until_ready

from perudo.client import connect, request
from perudo.games.errors import PerudoError

COSTLY = "pomcp:iterations=20000,repeats=4,time_limit=2"
MOST_SECONDS = 2.0
"""Limit for the median under the starving guest."""


@dataclass
class Quiet:
    """The answers of the AI at a well-behaved table."""

    agent: str
    seconds: list[float] = field(default_factory=list)
    forced: int = 0
    """Moves that the server made because the AI was too late."""

    def line(self, name: str) -> str:
        """Return a line of results."""
        ordered = sorted(self.seconds) or [float("nan")]
        last = ordered[min(int(0.99 * len(ordered)), len(ordered) - 1)]
        return (
            f"{name:8} {len(self.seconds):4} moves  p50 {1000 * statistics.median(ordered):7.1f} ms"
            f"  p99 {1000 * last:7.1f} ms  max {1000 * ordered[-1]:7.1f} ms  forced {self.forced}"
        )

    async def play(self, url: str, seconds: float) -> None:
        """Play games for a while, and note how long the AI takes."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._play(url)

    async def _play(self, url: str) -> None:
        token = (await asyncio.to_thread(request, url, "/api/guests", {}))["token"]
        seats = [{"kind": "open"}, {"kind": "ai", "agent": self.agent}]
        options = {"seats": seats, "rules": "common", "pace": 0, "private": True}
        table = (await asyncio.to_thread(request, url, "/api/tables", options, token))["table"]
        asked: float | None = None
        question = -1
        async with connect(url, token, "page") as connection:
            await connection.send(type="open", table=table)
            await connection.send(type="sit", table=table)
            async for message in connection:
                now = time.monotonic()
                for event in message.get("events", ()):
                    if event["kind"] == "act" and event["by"] in ("ai", "fallback"):
                        self.forced += event["by"] == "fallback"
                        if asked is not None:
                            self.seconds.append(now - asked)
                        asked = None
                view: dict[str, Any] | None = message.get("view")
                if view is None:
                    continue
                if view["over"]:
                    asked = None
                    await connection.send(type="rematch", table=table)
                elif view["legal"] and view["question"] != question:
                    question = view["question"]
                    action = view["legal"][0]  # a bid if there is one: the AI moves next
                    asked = now if action not in ("dudo", "calza", "decline") else None
                    await connection.send(type="action", table=table, id=question, action=action)


def starve(url: str, tables: int) -> int:
    """Make tables of costly AIs as one guest, and return their number."""
    token = request(url, "/api/guests", {})["token"]
    seats = [{"kind": "ai", "agent": COSTLY}] * 6
    made = 0
    for _ in range(tables):
        try:
            request(url, "/api/tables", {"seats": seats, "rules": "official"}, token)
        except PerudoError as error:
            print(f"refused: {error}")
            break
        made += 1
    return made


async def measure(url: str, seconds: float, tables: int, agent: str) -> tuple[Quiet, Quiet, int]:
    """Play without and with the starving guest; also return the number of that guest's tables."""
    alone, beside = Quiet(agent), Quiet(agent)
    await alone.play(url, seconds / 4)
    made = await asyncio.to_thread(starve, url, tables)
    await asyncio.sleep(3.0)
    await beside.play(url, seconds)
    return alone, beside, made


def main() -> None:
    """Measure, print the results, and fail if the AI was too slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--agent", default="observer", help="the AI at the quiet table")
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "perudo", "serve", "--port", str(port)]
        command += ["--database", f"sqlite:///{Path(directory, 'starve.db')}"]
        command += ["--log-level", "error", "--ai-processes", str(chosen.processes)]
        command += ["--reveal-seconds", "0", "--pace-seconds", "0"]
        command += ["--address-messages", "1000000", "--address-requests", "1000000"]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            asyncio.run(wait_until_ready(url))
            found = asyncio.run(measure(url, chosen.seconds, chosen.tables, chosen.agent))
        finally:
            server.terminate()
            server.wait()
    alone, beside, made = found
    print(alone.line("alone"))
    print(beside.line("starving"), f"({made} tables of six {COSTLY})")
    if not beside.seconds or statistics.median(beside.seconds) > MOST_SECONDS:
        sys.exit(f"the AI's median is above {MOST_SECONDS:g} s")


if __name__ == "__main__":
    main()
