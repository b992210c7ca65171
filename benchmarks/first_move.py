"""Measure the time from starting a server to a new visitor's first move against an AI.

    python benchmarks/first_move.py --runs 5

The script starts ``perudo serve`` on loopback with an empty database, and at once tries to become a
guest, open a table against an AI, sit down and move. It prints the seconds from the start of the
process to the page, to the acknowledgement of the visitor's first move (the visitor opens), and to
the AI's answer, which includes the pause of ``--pace-seconds``.
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
from pathlib import Path
from typing import Any

from kills import free_port

from perudo.client import connect, request
from perudo.games.errors import PerudoError

LONGEST_SECONDS = 600.0


async def attempt(url: str, level: str) -> tuple[float, float]:
    """Return the times of the visitor's first acknowledged move and of the AI's first move."""
    token = (await asyncio.to_thread(request, url, "/api/guests", {}))["token"]
    seats = [{"kind": "open"}, {"kind": "ai", "level": level}]
    options = {"seats": seats, "private": True, "rules": "official:start_mode=fixed"}
    table = (await asyncio.to_thread(request, url, "/api/tables", options, token))["table"]
    own = other = None
    sent = False
    async with connect(url, token, "page") as connection:
        await connection.send(type="open", table=table)
        await connection.send(type="sit", table=table)
        async for message in connection:
            now = time.monotonic()
            if message["type"] == "ack" and message["ref"] == "first":
                own = own or now
            for event in message.get("events", ()):
                if event["kind"] == "act" and event["by"] != "player":
                    other = other or now
            view: dict[str, Any] | None = message.get("view")
            if view is not None and view["legal"] and not sent:
                sent = True
                action = "decline" if "decline" in view["legal"] else view["legal"][0]
                question = {"table": table, "id": view["question"], "action": action}
                await connection.send(type="action", move="first", **question)
            if own and other:
                return own, other
    raise RuntimeError("the connection was closed")


def run(level: str) -> tuple[float, float, float]:
    """Start a server; return the seconds to the page, the visitor's move and the AI's answer."""
    with tempfile.TemporaryDirectory() as directory:
        port = free_port()
        url, database = f"http://127.0.0.1:{port}", f"sqlite:///{Path(directory, 'first.db')}"
        command = [sys.executable, "-m", "perudo", "serve", "--port", str(port)]
        command += ["--database", database, "--log-level", "error"]
        began = time.monotonic()
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            while time.monotonic() - began < LONGEST_SECONDS:
                with contextlib.suppress(PerudoError):
                    request(url, "/healthz")
                    break
                time.sleep(0.01)
            page = time.monotonic()
            own, other = asyncio.run(attempt(url, level))
        finally:
            server.terminate()
            server.wait()
    return page - began, own - began, other - began


def main() -> None:
    """Measure several starts, and print medians and maxima."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=5, help="starts to measure")
    parser.add_argument("--level", default="strong", help="level of the AI")
    chosen = parser.parse_args()
    measured = [run(chosen.level) for _ in range(chosen.runs)]
    for name, seconds in zip(
        ("the page", "the visitor's move", "the AI's answer"),
        zip(*measured, strict=True),
        strict=True,
    ):
        print(f"{name}: median {statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
