"""Everything that can happen to a server, at once, beside a model of what must be true.

    python benchmarks/chaos.py --minutes 20 --seed 1
    python benchmarks/chaos.py --two --database postgresql://... --redis redis://...

People play whole games, with a program, AIs and spectators, while other visitors starve the AIs,
flood, babble, and do not read, and while the server is killed, its disk is full, its AI processes
stand still, and connections break. All clients are on loopback. The seed alone determines the
faults and their order. Every 20 seconds, and after each restart, everything is brought to rest, and
the model (``chaos_model``) compares each client with the log in the database. The run stops at the
first difference, and prints it with the seed that repeats it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import resource
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chaos_clients import Counts, Group, Visitors, World
from chaos_model import (
    Difference,
    ai_seconds,
    check_acknowledged,
    check_frames,
    check_log,
    view_difference,
)
from kills import Killed, free_port
from memory import family, measured

from perudo.server.db.engine import open_engine
from perudo.server.settings import Settings

REST_SECONDS = 60.0
"""Longest time until all clients agree with the log, once nobody moves."""
QUIET_SECONDS = 0.4
"""Time without a message after which a table is taken to be at rest."""
FULL_BYTES = 4096
"""Size beyond which a server whose disk is full can write to no file."""
ONE, BOTH = ("kill", "stop AIs", "full disk", "cut"), ("kill", "stop AIs", "cut", "redis", "sql")


@dataclass(frozen=True)
class Options:
    """Size and length of a run."""

    seed: int = 1
    seconds: float = 1200.0
    quiet: float = 30.0
    """Length of the run without faults and troublemakers before, for comparison."""
    every: float = 20.0
    """Seconds between two checks."""
    ending: float = 120.0
    """Longest time in which the last games end."""
    tables: int = 4
    slow: int = 3
    """Number of visitors who do not read."""
    database: str | None = None
    redis: str | None = None
    """Given for a run with two processes, on PostgreSQL."""


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong."""

    kind: str
    at: float
    """Seconds after the last check."""
    seconds: float
    seed: int
    """Seed of what the fault chooses."""


def plan(options: Options) -> list[list[Fault]]:
    """Return the faults between checks, which the seed determines; a kill comes last."""
    rng = random.Random(options.seed)
    deck: list[str] = []
    kinds = ONE if options.redis is None else BOTH
    cycles = []
    for _ in range(max(round(options.seconds / options.every), 1)):
        faults = []
        for _ in range(rng.randint(2, 3)):
            deck = deck or rng.sample(kinds, len(kinds))
            kind = deck.pop()
            latest = 0.6 * options.every
            at = latest if kind == "kill" else rng.uniform(0.05, 0.8) * latest
            seconds = rng.uniform(0.05, 0.3) * options.every
            faults.append(Fault(kind, at, seconds, rng.randrange(2**32)))
        cycles.append(sorted(faults, key=lambda fault: fault.at))
    return cycles


@dataclass
class Sample:
    """A server's resources at one moment."""

    at: float
    memory_mb: float
    sockets: int


@dataclass
class Result:
    """Figures of a run that found no difference."""

    quiet: Counts
    counts: Counts
    faults: dict[str, int]
    checks: int
    frames: int
    """Frames searched for hidden dice."""
    moves: int
    """Acknowledged moves, none lost, none made twice."""
    samples: list[Sample]
    ai_median: float

    def lines(self) -> list[str]:
        """Return the table of results."""
        counts, half, end = self.counts, self.samples[len(self.samples) // 2], self.samples[-1]
        rows = [
            (
                "acknowledgements, p99",
                f"{_p99(counts):.1f} ms; quiet run {_p99(self.quiet):.1f} ms",
            ),
            ("acknowledged moves", f"{self.moves}, none lost, none made twice"),
            ("games of people", f"{counts.completed} of {counts.begun} completed"),
            ("reconnections", f"{counts.reconnected} of {counts.losses} succeeded"),
            ("an AI's move at a table with people, median", f"{1000 * self.ai_median:.0f} ms"),
            (
                "memory",
                f"{half.memory_mb:.0f} MB at the half, {end.memory_mb:.0f} at the end",
            ),
            ("sockets, largest number", str(max(sample.sockets for sample in self.samples))),
            ("faults", ", ".join(f"{kind} {n}" for kind, n in sorted(self.faults.items()))),
            ("visitors", ", ".join(f"{what} {n}" for what, n in sorted(counts.visits.items()))),
            ("checks", f"{self.checks}, with {self.frames} frames searched for hidden dice"),
        ]
        return [f"{name:45} {value}" for name, value in rows]


def _p99(counts: Counts) -> float:
    ordered = sorted(counts.acks)
    return 1000 * ordered[int(0.99 * (len(ordered) - 1))] if ordered else 0.0


class Chaos:
    """One run."""

    def __init__(self, options: Options, directory: Path) -> None:
        self._options = options
        self._database = options.database or f"sqlite:///{directory / 'chaos.db'}"
        reading, writing = os.pipe()
        self._log: list[str] = []
        threading.Thread(target=self._read_log, args=(reading,), daemon=True).start()
        more = ["--ai-processes", "2", "--address-messages", "600", "--address-requests", "600"]
        more += ["--log-level", "warning"]
        if options.redis is not None:
            more += ["--redis", options.redis]
        self._servers = [
            Killed(self._database, free_port(), *more, log=writing)
            for _ in range(1 if options.redis is None else 2)
        ]
        self._world = World([server.url for server in self._servers], options.seed)
        self._tasks: list[asyncio.Task[Any]] = []
        self._faults: dict[str, int] = {}
        self._samples: list[Sample] = []
        self._checks = self._frames = 0
        self._storage_failed = False
        self._restarting = asyncio.Lock()
        self._engine = open_engine(self._database)
        self._started = time.monotonic()

    def _read_log(self, reading: int) -> None:
        with os.fdopen(reading, encoding="utf-8", errors="replace") as lines:
            self._log.extend(line.rstrip("\n") for line in lines)

    # --- the run --------------------------------------------------------------------------------
    async def run(self) -> Result:
        """Run to the end, or raise ``Difference``."""
        world, options = self._world, self._options
        for server in self._servers:
            await server.start()
        try:
            world.moves.set()
            people = [Group(world, number).play() for number in range(options.tables)]
            self._go(*people)
            await self._pass(options.quiet)
            await self._check()
            quiet, world.counts = world.counts, Counts(begun=world.counts.begun)
            world.counts.completed = quiet.completed
            people_tasks, self._started = list(self._tasks), time.monotonic()
            visitors = self._go(*Visitors(world, options.seed).everybody(options.slow))
            self._go(self._sample())
            for cycle in plan(options):
                await self._one_cycle(cycle)
            world.ending = True
            for visitor in visitors:
                visitor.cancel()
            await self._finish(people_tasks)
            await self._check()
            return Result(
                quiet,
                world.counts,
                self._faults,
                self._checks,
                self._frames,
                len(world.report.acknowledged),
                self._samples,
                statistics.median(self._ai_seconds() or [0.0]),
            )
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            for server in self._servers:
                server.end()
            self._engine.dispose()

    def _go(self, *work: Coroutine[Any, Any, Any]) -> list[asyncio.Task[Any]]:
        tasks = [asyncio.create_task(each) for each in work]
        self._tasks += tasks
        return tasks

    async def _pass(self, seconds: float) -> None:
        """Let time pass; raise what a client has found."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._look_at_tasks()
            await asyncio.sleep(min(left, 0.1))
        self._look_at_tasks()

    def _look_at_tasks(self) -> None:
        for task in self._tasks:
            if task.done() and not task.cancelled():
                task.result()

    async def _finish(self, people: list[asyncio.Task[Any]]) -> None:
        """Let the people play their last games to the end."""
        deadline = time.monotonic() + self._options.ending
        while not all(task.done() for task in people):
            if time.monotonic() > deadline:
                return  # the table of results says how many games were not completed
            await self._pass(0.2)

    async def _one_cycle(self, cycle: list[Fault]) -> None:
        began, running = time.monotonic(), []
        for fault in cycle:
            await self._pass(began + fault.at - time.monotonic())
            print(f"{time.monotonic() - self._started:6.0f} s  {fault.kind}", flush=True)
            self._faults[fault.kind] = self._faults.get(fault.kind, 0) + 1
            running += self._go(self._do(fault))
        while not all(task.done() for task in running):
            await self._pass(0.1)
        if not any(fault.kind == "kill" for fault in cycle):
            await self._pass(began + self._options.every - time.monotonic())
        await self._check()

    # --- faults ---------------------------------------------------------------------------------
    async def _do(self, fault: Fault) -> None:
        rng = random.Random(fault.seed)
        match fault.kind:
            case "kill":
                server = rng.choice(self._servers)
                async with self._restarting:  # a server that starts is not killed a second time
                    server.kill()
                    await asyncio.sleep(min(fault.seconds, 1.0))
                    await server.start()
            case "stop AIs":
                await self._stop_ais(rng, fault.seconds)
            case "full disk":
                await self._fill_disk(fault.seconds)
            case "cut":
                playing = [client for client in self._world.clients if client.connected]
                for client in rng.sample(playing, len(playing) // 2):
                    client.cut()
            case "sql":
                self._storage_failed = True
                await asyncio.to_thread(self._end_sql)
            case "redis":
                await asyncio.to_thread(self._end_redis, fault.seconds)

    async def _stop_ais(self, rng: random.Random, seconds: float) -> None:
        pids = [pid for server in self._servers for pid in family(server.pid)[1:]]
        stopped = rng.sample(pids, len(pids) // 2)
        for number in (signal.SIGSTOP, signal.SIGCONT):
            for pid in stopped:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            await asyncio.sleep(seconds if number == signal.SIGSTOP else 0)

    async def _fill_disk(self, seconds: float) -> None:
        self._storage_failed = True
        pids = [server.pid for server in self._servers]
        for size in (FULL_BYTES, resource.RLIM_INFINITY):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    limits = (size, resource.RLIM_INFINITY)
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
            await asyncio.sleep(seconds if size == FULL_BYTES else 0)

    def _end_sql(self) -> None:
        """End all connections to PostgreSQL but this one."""
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        with self._engine.connect() as connection:
            connection.exec_driver_sql(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"
            )

    def _end_redis(self, seconds: float) -> None:
        """End all connections to Redis, and let it answer nobody for a while."""
        import redis

        client = redis.Redis.from_url(str(self._options.redis))
        client.client_kill_filter(skipme=True)
        client.client_pause(int(1000 * seconds))
        client.close()

    # --- checks ---------------------------------------------------------------------------------
    async def _check(self) -> None:
        """Bring everything to rest, and compare all clients with the database."""
        self._world.moves.clear()
        deadline = time.monotonic() + REST_SECONDS
        while (different := await self._not_at_rest()) is not None:
            if time.monotonic() > deadline:
                raise Difference(different)
            await self._pass(0.2)
        world = self._world
        acknowledged = list(world.report.acknowledged)  # AIs go on, so more may come meanwhile
        clients = [client.seen for client in world.clients]
        self._frames += await asyncio.to_thread(self._compare, acknowledged, clients)
        lines, self._log[:] = list(self._log), []
        check_log(lines, self._storage_failed)
        self._storage_failed = False
        world.clients = [client for client in world.clients if not client.finished]
        self._checks += 1
        world.moves.set()

    async def _not_at_rest(self) -> str | None:
        """Return what differs or is still under way."""
        clients = [client for client in self._world.clients if not client.finished]
        latest = time.monotonic() - QUIET_SECONDS
        for client in clients:
            if client.is_waiting:
                return f"{client.visitor.name} waits for an answer at {client.seen.table}"
            if client.last_frame > latest:
                return f"{client.seen.table} does not come to rest"
        shown = [client.seen for client in clients if client.visitor.style != "program"]
        return await asyncio.to_thread(self._first_difference, shown)

    def _first_difference(self, clients: list[Any]) -> str | None:
        with self._engine.connect() as connection:
            found = (view_difference(connection, seen, Settings()) for seen in clients)
            return next((different for different in found if different is not None), None)

    def _compare(self, acknowledged: list[tuple[str, str, int]], clients: list[Any]) -> int:
        with self._engine.connect() as connection:
            check_acknowledged(connection, acknowledged)
            if connection.dialect.name == "sqlite":
                found = connection.exec_driver_sql("PRAGMA integrity_check").scalar()
                if found != "ok":
                    raise Difference(f"the database is damaged: {found}")
            return check_frames(connection, clients)

    def _ai_seconds(self) -> list[float]:
        with self._engine.connect() as connection:
            return ai_seconds(connection, self._world.tables)

    async def _sample(self) -> None:
        while True:
            with contextlib.suppress(OSError, ProcessLookupError):
                pid = self._servers[0].pid
                links = [os.readlink(each) for each in Path(f"/proc/{pid}/fd").iterdir()]
                sockets = sum(link.startswith("socket:") for link in links)
                self._samples.append(Sample(time.monotonic(), measured(pid).resident, sockets))
            await asyncio.sleep(1.0)


def main() -> int:
    """Run, and print a table of results or the first difference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--two", action="store_true", help="two processes")
    parser.add_argument("--database", help="with --two: an empty PostgreSQL database")
    parser.add_argument("--redis", help="with --two: the address of a Redis server")
    chosen = parser.parse_args()
    if chosen.two != (chosen.redis is not None) or chosen.two != (chosen.database is not None):
        parser.error("--two needs --database postgresql://... and --redis redis://...")
    options = Options(
        seed=chosen.seed,
        seconds=60 * chosen.minutes,
        quiet=min(30.0, 6 * chosen.minutes),
        tables=chosen.tables,
        database=chosen.database,
        redis=chosen.redis,
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # or the servers would live on
    with tempfile.TemporaryDirectory() as directory:
        try:
            result = asyncio.run(Chaos(options, Path(directory)).run())
        except Difference as difference:
            print(f"DIFFERENCE: {difference}")
            again = f"--minutes {chosen.minutes:g} --tables {chosen.tables} --seed {chosen.seed}"
            print(f"repeat it with: python benchmarks/chaos.py {again}")
            return 1
    print("\n".join(result.lines()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
