"""The database: one thread writes, many writes in one transaction; others read.

Everything that is acknowledged has been committed before. Work that is asked for while a
transaction is on its way to the disk shares the next one, so that many tables cost little more
than one (SQLite and PostgreSQL alike).
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from perudo.games.errors import PerudoError
from perudo.server.db import schema

Result = TypeVar("Result")

LARGEST_GROUP = 64
"""Pieces of work that share a transaction at most."""
READERS = 4
CONFLICTS = ("40001", "40P01", "23505")
"""PostgreSQL's codes for work that met that of another process, and is worth doing again."""
ATTEMPTS = 5
MIGRATING = 7_304_117
"""The lock under which one of several processes brings the database to its version."""
MIGRATIONS = Path(__file__).with_name("migrations")


class StoreError(PerudoError):
    """The database did not answer; what was to be written may or may not have been."""

    code = "try_again"


@dataclass(frozen=True)
class _Job:
    work: Callable[[Connection], Any] | None
    events: Sequence[dict[str, Any]]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Any]


_Outcome = tuple[_Job, Any, Exception | None]
_ADD_EVENTS = schema.events.insert()


def open_engine(address: str) -> Engine:
    """An engine with what durability needs set on every connection."""
    if address.startswith("postgresql://"):
        address = address.replace("postgresql://", "postgresql+psycopg://", 1)
    try:
        # What a statement was given may be secret, and errors are logged.
        engine = sa.create_engine(
            address, pool_size=READERS + 2, max_overflow=4, hide_parameters=True
        )
    except (sa.exc.ArgumentError, ModuleNotFoundError) as error:
        raise PerudoError(f"--database: {error}; sqlite:///file or postgresql://... work") from None
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy says so
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "busy_timeout=10000",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later could find that another has written.
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def migrate(engine: Engine, revision: str = "head") -> None:
    """Bring the database to this version of the program."""
    from alembic import command

    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATING)))
        command.upgrade(_alembic(connection), revision)
        connection.commit()


def migrate_safely(engine: Engine) -> Path | None:
    """The same; a database that has something to lose is copied before. Returns the copy."""
    kept = None
    if pending_migrations(engine):
        from perudo.server.db.backups import copy_beside

        kept = copy_beside(engine)
    migrate(engine)
    return kept


def pending_migrations(engine: Engine) -> bool:
    """Whether the database is older than this program, and not empty."""
    with engine.connect() as connection:
        current = revision_of(connection)
    return current is not None and is_old(current)


def is_old(revision: str) -> bool:
    """Whether a version is not this program's; raises if it is a newer one's."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(MIGRATIONS))
    if revision not in {script.revision for script in scripts.walk_revisions()}:
        raise PerudoError(f"the database has version {revision}: it needs a newer perudo")
    return revision != scripts.get_current_head()


def revision_of(connection: Connection) -> str | None:
    """The version of a database; None if it is empty."""
    from alembic.runtime.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()


def _alembic(connection: Connection) -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config


class Store:
    """The database of one server process."""

    def __init__(self, address: str) -> None:
        self.engine = open_engine(address)
        try:
            migrate_safely(self.engine)
        except sa.exc.OperationalError as error:
            self.engine.dispose()
            raise PerudoError(f"cannot open the database: {error.orig}") from None
        except PerudoError:
            self.engine.dispose()
            raise
        self._writing = self.engine.execution_options(writes=True)
        if self.engine.dialect.name == "postgresql":
            # What a transaction has read, no other process may have changed when it writes.
            self._writing = self._writing.execution_options(isolation_level="REPEATABLE READ")
        self._connection: Connection | None = None
        """The writing thread's own, kept: taking one for each transaction costs as much again."""
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name="writer", daemon=True)
        self._writer.start()
        self._readers = ThreadPoolExecutor(READERS, "reader")

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        """Do the work in a transaction; returns when it is on the disk.

        The work may be run a second time if what shared its transaction failed.
        """
        result: Result = await self._write(work, ())
        return result

    async def add_events(
        self,
        events: Sequence[dict[str, Any]],
        work: Callable[[Connection], None] | None = None,
    ) -> None:
        """Add rows to tables' logs, and then do what else belongs to it."""
        await self._write(work, events)

    async def _write(
        self, work: Callable[[Connection], Any] | None, events: Sequence[dict[str, Any]]
    ) -> Any:
        loop = asyncio.get_running_loop()
        job = _Job(work, events, loop, loop.create_future())
        self._jobs.put(job)
        try:
            return await job.done
        except (sa.exc.OperationalError, sa.exc.InterfaceError) as error:
            raise StoreError("the database does not answer; try again") from error

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """Do the work on a connection that only reads."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._readers, self._read, work)
        except (sa.exc.OperationalError, sa.exc.InterfaceError) as error:
            raise StoreError("the database does not answer; try again") from error

    def close(self) -> None:
        """Finish what was asked for, and let go."""
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
            with contextlib.suppress(RuntimeError):  # the loop of those who waited is closed
                first.loop.call_soon_threadsafe(_settle, outcomes)
            if last:
                break
        self._let_go()

    def _write_group(self, group: Sequence[_Job], attempt: int = 1) -> list[_Outcome]:
        try:
            results = self._transact(group)
        except Exception as error:  # whoever waits gets it; if it was one of several, each alone
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
        """Begin with a new connection next time: this one may be broken."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _settle(outcomes: Sequence[_Outcome]) -> None:
    """Tell those who wait, in their own thread."""
    for job, result, error in outcomes:
        if job.done.done():  # they wait no longer
            continue
        if error is None:
            job.done.set_result(result)
        else:
            job.done.set_exception(error)


def _is_conflict(error: Exception) -> bool:
    """Whether another process was quicker."""
    return isinstance(error, sa.exc.DBAPIError) and (
        getattr(error.orig, "sqlstate", None) in CONFLICTS
    )
