"""The database: one thread writes, grouping many writes into one transaction; others read.

Everything that is acknowledged has been committed. Writes that arrive while a transaction is on its
way to the disk share the next one, so that many tables cost little more than one (with SQLite and
PostgreSQL alike).
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.games.errors import PerudoError
from perudo.server.db import schema
from perudo.server.db.backups import migrate_safely
from perudo.server.db.engine import READERS, open_engine
from perudo.server.db.files import one_line_errors

Result = TypeVar("Result")

LARGEST_GROUP = 64
"""Maximum number of writes that share a transaction."""
CONFLICTS = ("40001", "40P01", "23505")
"""PostgreSQL's error codes for conflicts with another process, after which a retry may succeed."""
ATTEMPTS = 5


class StoreError(PerudoError):
    """Failure of the database to answer; a write may or may not have been committed."""

    code = "try_again"


class EventRow(TypedDict):
    """A row of the table of events."""

    table_id: str
    n: int
    at: float
    kind: str
    data: str
    hidden: str | None


@dataclass(frozen=True)
class _Job:
    work: Callable[[Connection], Any] | None
    events: Sequence[EventRow]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Any]


_Outcome = tuple[_Job, Any, Exception | None]
_ADD_EVENTS = schema.events.insert()


class Store:
    """The database of one server process."""

    def __init__(self, address: str) -> None:
        self.engine = open_engine(address)
        try:
            with one_line_errors(self.engine):
                migrate_safely(self.engine)
        except PerudoError:
            self.engine.dispose()
            raise
        self._writing = self.engine.execution_options(writes=True)
        if self.engine.dialect.name == "postgresql":
            # A write must fail if another process has changed the row since the transaction began.
            self._writing = self._writing.execution_options(isolation_level="REPEATABLE READ")
        self._connection: Connection | None = None
        """The writing thread's connection, kept because taking one per transaction doubles the
        cost."""
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name="writer", daemon=True)
        self._writer.start()
        self._readers = ThreadPoolExecutor(READERS, "reader")

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        """Do the work in a transaction, and return its result once it is on the disk.

        The work may run a second time if other work in the same transaction failed.
        """
        result: Result = await self._write(work, ())
        return result

    async def add_events(
        self,
        events: Sequence[EventRow],
        work: Callable[[Connection], None] | None = None,
    ) -> None:
        """Add rows to tables' logs, and do the work in the same transaction."""
        await self._write(work, events)

    async def _write(
        self, work: Callable[[Connection], Any] | None, events: Sequence[EventRow]
    ) -> Any:
        loop = asyncio.get_running_loop()
        job = _Job(work, events, loop, loop.create_future())
        self._jobs.put(job)
        try:
            return await job.done
        except (sa.exc.OperationalError, sa.exc.InterfaceError) as error:
            raise StoreError("the database does not answer; try again") from error

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """Do the work, which must only read, and return its result."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._readers, self._read, work)
        except (sa.exc.OperationalError, sa.exc.InterfaceError) as error:
            raise StoreError("the database does not answer; try again") from error

    def close(self) -> None:
        """Finish all pending work, and close the connections."""
        self._jobs.put(None)
        self._writer.join()
        self._readers.shutdown()
        self.engine.dispose()

    def _read(self, work: Callable[[Connection], Result]) -> Result:
        with self.engine.connect() as connection:
            return work(connection)

    # --- the writing thread ---------------------------------------------------------------------
    def _write_all(self) -> None:
        while (first := self._jobs.get()) is not None:
            group, last = [first], False
            while len(group) < LARGEST_GROUP:
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if job is None:
                    last = True
                    break
                group.append(job)
            outcomes = self._write_group([job for job in group if not job.done.cancelled()])
            with contextlib.suppress(RuntimeError):  # the waiting loop is closed
                first.loop.call_soon_threadsafe(_settle, outcomes)
            if last:
                break
        self._let_go()

    def _write_group(self, group: Sequence[_Job], attempt: int = 1) -> list[_Outcome]:
        try:
            results = self._transact(group)
        except Exception as error:  # the caller gets it; with several jobs, each runs again alone
            self._let_go()
            if len(group) > 1:
                return [outcome for job in group for outcome in self._write_group([job])]
            if attempt < ATTEMPTS and _is_conflict(error):
                return self._write_group(group, attempt + 1)
            return [(job, None, error) for job in group]
        return [(job, result, None) for job, result in zip(group, results, strict=True)]

    def _transact(self, group: Sequence[_Job]) -> list[Any]:
        if self._connection is None:
            self._connection = self._writing.connect()
        with self._connection.begin():
            events = [event for job in group for event in job.events]
            if events:
                self._connection.execute(_ADD_EVENTS, events)
            return [None if job.work is None else job.work(self._connection) for job in group]

    def _let_go(self) -> None:
        """Close the connection, which may be broken; the next transaction opens a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _settle(outcomes: Sequence[_Outcome]) -> None:
    """Set the results of finished jobs, in the thread of the event loop."""
    for job, result, error in outcomes:
        if job.done.done():  # cancelled
            continue
        if error is None:
            job.done.set_result(result)
        else:
            job.done.set_exception(error)


def _is_conflict(error: Exception) -> bool:
    """Return True if the error is a conflict with another process."""
    return isinstance(error, sa.exc.DBAPIError) and (
        getattr(error.orig, "sqlstate", None) in CONFLICTS
    )
