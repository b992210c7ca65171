"""Backups, which are always SQLite files, made while the server runs and checked at once.

A PostgreSQL database is copied row by row in one transaction with a consistent snapshot, and
restored in a single transaction. This needs no PostgreSQL tools of the right version, and a backup
of either kind of database can be restored into the other.
"""

from __future__ import annotations

import glob
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
from perudo.server.db.files import (
    DamagedError,
    check_sound,
    create_private,
    keep_private,
    one_line_errors,
    remove_file,
    sqlite_file,
    with_sides,
)

ROWS_AT_ONCE = 1000
UNFINISHED = ".part"
"""Ending of a copy's name until the copy is complete and checked."""
VERSION_TABLE = "alembic_version"
NOT_RESTORED = (VERSION_TABLE, "processes")
"""Tables that belong to the database itself or its running servers, not to its content."""


def copy_beside(engine: Engine) -> Path:
    """Copy a database that is about to be changed, and return the copy.

    The copy is beside an SQLite file, or in the working directory for PostgreSQL. Raise if it
    cannot be written; nothing has been changed then.
    """
    if engine.dialect.name == "sqlite":
        file = sqlite_file(engine)
        for left in file.parent.glob(f"{glob.escape(file.name)}.before-*{UNFINISHED}*"):
            left.unlink()  # by a server that was killed while it copied
        target = _dated(file.with_name(f"{file.name}.before-"))
    else:  # several processes may start at once
        beginning = Path.cwd() / f"{engine.url.database}.before-"
        target = _dated(beginning, f"-{os.getpid()}.db")
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


def _dated(beginning: Path, ending: str = "") -> Path:
    """Return a free name with the time in it; there may be two copies within a second."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{stamp}-{again}" if again else stamp for again in count())
    targets = (beginning.with_name(beginning.name + name + ending) for name in names)
    return next(target for target in targets if not target.exists())


def migrate_safely(engine: Engine) -> Path | None:
    """Migrate the database to this version, and return a copy made before, if one was needed."""
    check_sound(engine)
    if engine.dialect.name == "sqlite":
        keep_private(sqlite_file(engine))
    kept = copy_beside(engine) if pending_migrations(engine) else None
    migrate(engine)
    return kept


def back_up(engine: Engine, target: Path) -> None:
    """Copy a database that may be in use, and check the copy before it gets its name."""
    if target.exists():
        raise PerudoError(f"{target} already exists; choose another name")
    unfinished = target.with_name(target.name + UNFINISHED)
    remove_file(unfinished)
    if engine.dialect.name == "sqlite" and not sqlite_file(engine).exists():
        raise PerudoError(f"there is no database {sqlite_file(engine)}")
    try:
        create_private(unfinished)
        if engine.dialect.name == "sqlite":
            _copy_sound(engine, unfinished)
        else:
            _copy_out(engine, unfinished)
        check_backup(unfinished)
        unfinished.rename(target)
    finally:
        remove_file(unfinished)


def restore(engine: Engine, source: Path) -> Path | None:
    """Replace the database by a backup, and return a copy of the former content, if any."""
    if not source.exists():
        raise PerudoError(f"there is no backup {source}")
    is_old(check_backup(source))
    if engine.dialect.name != "sqlite":
        return _copy_in(engine, source)
    file, kept = sqlite_file(engine), None
    if file.exists() and file.stat().st_size:
        try:
            kept = copy_beside(engine)
        except DamagedError:
            engine.dispose()
            kept = _put_aside(file)
    engine.dispose()
    create_private(file)
    _copy_file(source, file)
    keep_private(file)
    return kept


def _put_aside(file: Path) -> Path:
    """Copy a damaged database, with the files beside it, and leave the file itself empty."""
    kept = _dated(file.with_name(f"{file.name}.damaged-"))
    for each, copy in zip(with_sides(file), with_sides(kept), strict=True):
        if each.exists():
            create_private(copy)
            shutil.copyfile(each, copy)
    os.truncate(file, 0)  # the lock of the database belongs to this file
    for each in with_sides(file)[1:]:
        each.unlink(missing_ok=True)
    return kept


def check_backup(path: Path) -> str:
    """Return the version of a backup; raise if the file is damaged or not a backup."""
    # Without "immutable", SQLite would leave files beside a copy of a database in WAL mode.
    complete = not path.with_name(path.name + "-wal").exists()
    how = "mode=ro&immutable=1" if complete else "mode=ro"
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True)
    try:
        problem = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if problem != "ok":
            raise DamagedError(f"{path} is damaged: {problem}")
        version = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise DamagedError(f"{path} is not a backup: {error}") from None
    finally:
        connection.close()
    return str(version)


def _copy_sound(engine: Engine, target: Path) -> None:
    """Copy an SQLite database; raise if it is damaged, empty or another program's."""
    with one_line_errors(engine):
        check_sound(engine)
        with engine.connect() as connection:
            _check_used(connection)
    _copy_file(sqlite_file(engine), target)


def _check_used(connection: Connection) -> str:
    """Return the version of a database that is about to be copied; raise if it has none."""
    revision = revision_of(connection)
    if revision is None:
        raise PerudoError("the database is empty; there is nothing to copy")
    return revision


def _copy_file(origin: Path, target: Path) -> None:
    source, copy = sqlite3.connect(origin), sqlite3.connect(target)
    try:
        source.backup(copy)
    finally:
        source.close()
        copy.close()


# --- PostgreSQL ---------------------------------------------------------------------------------
def _copy_out(engine: Engine, target: Path) -> None:
    """Write a consistent snapshot of a PostgreSQL database to a new SQLite file."""
    reading = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    copy = open_engine(f"sqlite:///{target}")
    try:
        with reading.connect() as source:
            migrate(copy, _check_used(source))
            with copy.execution_options(writes=True).begin() as connection:
                _copy_rows(source, connection, (VERSION_TABLE,))
    finally:
        copy.dispose()


def _copy_in(engine: Engine, source: Path) -> Path | None:
    """Replace a PostgreSQL database's content by a backup's, migrated to this version."""
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
    """Replace the target's rows by the source's; both have the same tables."""
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
