"""Hold many idle WebSockets at one server process while a table plays.

    python benchmarks/sockets.py --sockets 10000

The script starts a server on loopback with its usual limits. Clients at several loopback addresses
connect and then only answer pings. A table of four plays before and while they are connected, and
the script prints the times of its acknowledgements, the connections that were refused or lost, and
the server's memory per socket. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import resource
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import websockets
from fuzz import Watched, problems_in
from load import Measured, load_server

from perudo.client import request

EACH = 250
"""Sockets of one address, below the limit of ``--address-connections``."""
AT_ONCE = 50
TABLE = argparse.Namespace(games=1, seats=4, moves=10, rules="common")


@dataclass
class Held:
    """The idle sockets, and what became of them."""

    wires: list[Any] = field(default_factory=list)
    refused: int = 0

    @property
    def open(self) -> int:
        """The number of sockets that are still open."""
        return sum(wire.state is websockets.State.OPEN for wire in self.wires)


@dataclass
class Report:
    """What was measured."""

    quiet: Measured
    held: Measured
    refused: int
    lost: int
    before_mb: float
    after_mb: float
    problems: list[str]
    """Uncaught exceptions in the server's log."""


async def hold(url: str, count: int) -> Held:
    """Connect idle clients, each group of them from an address of its own."""
    held, at_once = Held(), asyncio.Semaphore(AT_ONCE)
    token = (await asyncio.to_thread(request, url, "/api/guests", {}))["token"]

    async def connect(number: int) -> None:
        group = number // EACH
        async with at_once:
            try:
                wire = await websockets.connect(
                    "ws" + url.removeprefix("http") + "/ws",
                    additional_headers={"Authorization": f"Bearer {token}"},
                    local_addr=(f"127.0.1.{group + 1}", 0),
                    compression=None,
                    ping_interval=None,
                    open_timeout=60,
                )
            except (OSError, websockets.WebSocketException):
                held.refused += 1
            else:
                held.wires.append(wire)

    await asyncio.gather(*(connect(number) for number in range(count)))
    return held


async def run(sockets: int, seconds: float, directory: Path) -> Report:
    """Start a server, and measure it with and without idle sockets."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = Watched(directory, "--pace-seconds=0", "--reveal-seconds=0", "--ai-processes=1")
    await server.start()
    chosen = argparse.Namespace(**vars(TABLE), seconds=seconds)
    try:
        quiet = await load_server(server.url, chosen)
        before = server.memory_mb()
        held = await hold(server.url, sockets)
        gc.freeze()  # this process's garbage collector is not to be measured
        busy = await load_server(server.url, chosen)
        after = server.memory_mb()
        lost = len(held.wires) - held.open
    finally:
        await server.end()
    problems = problems_in(server.log.read_text(encoding="utf-8").splitlines())
    return Report(quiet, busy, held.refused, lost, before, after, problems)


def main() -> int:
    """Run the test, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sockets", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=45.0, help="of play, twice")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        report = asyncio.run(run(chosen.sockets, chosen.seconds, Path(directory)))
    print(f"{chosen.sockets} idle sockets: {report.refused} refused, {report.lost} lost")
    print(report.quiet.line("before", chosen.seconds))
    print(report.held.line("with them", chosen.seconds))
    each = (report.after_mb - report.before_mb) * 1024 / max(chosen.sockets, 1)
    print(f"server {report.before_mb:.0f} MB, then {report.after_mb:.0f} MB: {each:.1f} KB each")
    print(f"{len(report.problems)} uncaught exceptions")
    for problem in report.problems[:5]:
        print(problem[:2000])
    return 1 if report.problems or report.refused or report.lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
