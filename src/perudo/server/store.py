"""The database: one thread writes, many writes in one transaction; others read.

Everything that is acknowledged has been committed before. Work that is asked for while a
transaction is on its way to the disk shares the next one, so that many tables cost little more
than one (SQLite and PostgreSQL alike).
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from perudo.games.errors import PerudoError

Result = TypeVar("Result")

LARGEST_GROUP = 64
"""Pieces of work that share a transaction at most."""
READERS = 4
MIGRATIONS = Path(__file__).with_name("migrations")


@dataclass(frozen=True)
class _Job:
    work: Callable[[Connection], Any]
    done: Future[Any]


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
        command.upgrade(_alembic(connection), revision)
        connection.commit()


def migrate_safely(engine: Engine) -> Path | None:
    """The same; an SQLite file that has something to lose is copied before. Returns the copy."""
    kept = None
    if engine.dialect.name == "sqlite" and pending_migrations(engine):
        from perudo.server.keeping import back_up, sqlite_file

        file = sqlite_file(engine)
        kept = file.with_name(f"{file.name}.before-{time.strftime('%Y%m%d-%H%M%S')}")
        back_up(engine, kept)
    migrate(engine)
    return kept


def pending_migrations(engine: Engine) -> bool:
    """Whether the database is older than this program, and not empty."""
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    with engine.connect() as connection:
        current = MigrationContext.configure(connection).get_current_revision()
        head = ScriptDirectory.from_config(_alembic(connection)).get_current_head()
    return current is not None and current != head


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
        self._writing = self.engine.execution_options(writes=True)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name="writer", daemon=True)
        self._writer.start()
        self._readers = ThreadPoolExecutor(READERS, "reader")

    async def write(self, work: Callable[[Connection], Result]) -> Result:
        """Do the work in a transaction; returns when it is on the disk.

        The work may be run a second time if what shared its transaction failed.
        """
        job = _Job(work, Future())
        self._jobs.put(job)
        result: Result = await asyncio.wrap_future(job.done)
        return result

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """Do the work on a connection that only reads."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._read, work)

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
            self._write_group([job for job in group if job.done.set_running_or_notify_cancel()])
            if last:
                return

    def _write_group(self, group: Sequence[_Job]) -> None:
        try:
            with self._writing.begin() as connection:
                results = [job.work(connection) for job in group]
        except (
            Exception
        ) as error:  # whoever waits gets it; if it was one of several, each by itself
            if len(group) == 1:
                group[0].done.set_exception(error)
                return
            for job in group:
                self._write_group([job])
            return
        for job, result in zip(group, results, strict=True):
            job.done.set_result(result)
