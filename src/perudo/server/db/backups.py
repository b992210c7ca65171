"""Backups: an SQLite file in any case, made while the server runs, checked when it is made.

A PostgreSQL database is copied row by row, in one transaction that sees a single moment, and put
back in one that happens as a whole or not at all. So no other program of the right version is
needed, and a backup of one kind of database can be restored into the other.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from itertools import count
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from perudo.games.errors import PerudoError
from perudo.server.db.engine import (
    is_old,
    migrate,
    open_engine,
    pending_migrations,
    revision_of,
)

ROWS_AT_ONCE = 1000
VERSION_TABLE = "alembic_version"
NOT_RESTORED = (VERSION_TABLE, "processes")
"""What belongs to a database, or to the servers that run on it, rather than to its content."""


def sqlite_file(engine: Engine) -> Path:
    """The file of an SQLite database."""
    name = engine.url.database
    if engine.dialect.name != "sqlite" or not name:
        raise PerudoError("this works on an SQLite file")
    return Path(name)


def copy_beside(engine: Engine) -> Path:
    """Copy a database that is about to be changed: beside its file, or to where the program runs.

    Raises, before anything is changed, if that cannot be done.
    """
    if engine.dialect.name == "sqlite":
        beside = sqlite_file(engine)
        beginning, ending = f"{beside.name}.before-", ""
    else:  # several processes may start at once
        beside = Path.cwd() / "copy"
        beginning, ending = f"{engine.url.database}.before-", f"-{os.getpid()}.db"
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{stamp}-{again}" if again else stamp for again in count())
    targets = (beside.with_name(beginning + name + ending) for name in names)
    target = next(target for target in targets if not target.exists())  # two within a second
    try:
        back_up(engine, target)
    except (OSError, sqlite3.OperationalError, sa.exc.OperationalError) as error:
        reason = getattr(error, "orig", error)
        raise PerudoError(
            f"the database is about to be changed, and a copy cannot be written to {target}: "
            f"{reason}; make one with 'perudo admin backup FILE', then run "
            "'perudo admin migrate --no-backup'"
        ) from None
    return target


def migrate_safely(engine: Engine) -> Path | None:
    """Bring the database to this version of the program; copy it first if it is not empty.

    Returns the copy.
    """
    kept = copy_beside(engine) if pending_migrations(engine) else None
    migrate(engine)
    return kept


def back_up(engine: Engine, target: Path) -> None:
    """Copy a database that may be in use; the copy is whole and checked."""
    if target.exists():
        raise PerudoError(f"{target} exists already; choose another name")
    unfinished = target.with_name(target.name + ".part")
    unfinished.unlink(missing_ok=True)
    if engine.dialect.name == "sqlite":
        origin = sqlite_file(engine)
        if not origin.exists():
            raise PerudoError(f"there is no database {origin}")
        _copy_file(origin, unfinished)
    else:
        _copy_out(engine, unfinished)
    check_backup(unfinished)
    unfinished.rename(target)


def restore(engine: Engine, source: Path) -> Path | None:
    """Put a backup in the place of the database; what was there is kept beside it."""
    if not source.exists():
        raise PerudoError(f"there is no backup {source}")
    is_old(check_backup(source))
    if engine.dialect.name != "sqlite":
        return _copy_in(engine, source)
    kept = copy_beside(engine) if sqlite_file(engine).exists() else None
    engine.dispose()
    _copy_file(source, sqlite_file(engine))
    return kept


def check_backup(path: Path) -> str:
    """The version of a backup; raises unless the file is one, and whole."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        problem = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if problem != "ok":
            raise PerudoError(f"{path} is damaged: {problem}")
        version = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise PerudoError(f"{path} is not a backup: {error}") from None
    finally:
        connection.close()
    return str(version)


def _copy_file(origin: Path, target: Path) -> None:
    source, copy = sqlite3.connect(origin), sqlite3.connect(target)
    try:
        source.backup(copy)
    finally:
        source.close()
        copy.close()


# --- PostgreSQL ---------------------------------------------------------------------------------
def _copy_out(engine: Engine, target: Path) -> None:
    """Write a database to a new file, as it is at one moment."""
    reading = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    copy = open_engine(f"sqlite:///{target}")
    try:
        with reading.connect() as source:
            revision = revision_of(source)
            if revision is None:
                raise PerudoError("the database is empty; there is nothing to copy")
            migrate(copy, revision)
            with copy.execution_options(writes=True).begin() as connection:
                _copy_rows(source, connection, (VERSION_TABLE,))
    finally:
        copy.dispose()


def _copy_in(engine: Engine, source: Path) -> Path | None:
    """Put the content of a file, brought to this version, in the place of a database's."""
    with tempfile.TemporaryDirectory(prefix="perudo-restore-") as place:
        file = Path(place) / "backup.db"
        shutil.copyfile(source, file)
        copy = open_engine(f"sqlite:///{file}")
        try:
            migrate(copy)
            with engine.connect() as connection:
                used = revision_of(connection) is not None
            kept = copy_beside(engine) if used else None
            migrate(engine)
            with copy.connect() as origin, engine.begin() as connection:
                _copy_rows(origin, connection, NOT_RESTORED)
        finally:
            copy.dispose()
    return kept


def _copy_rows(source: Connection, target: Connection, left_out: tuple[str, ...]) -> None:
    """Make the target's rows those of the source; both have the same tables."""
    there, here = sa.MetaData(), sa.MetaData()
    there.reflect(source)
    here.reflect(target)
    for table in reversed(here.sorted_tables):
        if table.name not in left_out:
            target.execute(table.delete())
    reading = source.execution_options(stream_results=True, yield_per=ROWS_AT_ONCE)
    for table in here.sorted_tables:
        if table.name in left_out:
            continue
        origin = there.tables[table.name]
        copied = 0
        for rows in reading.execute(sa.select(origin)).mappings().partitions():
            target.execute(table.insert(), [dict(row) for row in rows])
            copied += len(rows)
        rows_now = target.execute(sa.select(sa.func.count()).select_from(table)).scalar()
        if rows_now != copied:
            raise PerudoError(f"the copy of {table.name} has {rows_now} of {copied} rows")
