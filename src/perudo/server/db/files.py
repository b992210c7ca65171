"""The files of an SQLite database: readable by their owner only, and checked for damage."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from perudo.games.errors import PerudoError

log = logging.getLogger("perudo.database")

PRIVATE = 0o600
"""Mode of a database file and its copies; SQLite gives the same mode to the files beside it."""
SIDES = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a database while it is open, or after a crash."""


class DamagedError(PerudoError):
    """A file is not a sound SQLite database."""


def sqlite_file(engine: Engine) -> Path:
    """Return the file of an SQLite database."""
    name = engine.url.database
    if engine.dialect.name != "sqlite" or not name:
        raise PerudoError("this needs an SQLite database")
    return Path(name)


def create_private(file: Path) -> None:
    """Create an empty file for its owner only, unless it exists."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))


def keep_private(file: Path) -> None:
    """Take away others' access to a database and the files beside it, and log that."""
    for each in with_sides(file):
        if not each.exists() or not each.stat().st_mode & ~PRIVATE & 0o777:
            continue
        try:
            each.chmod(PRIVATE)
        except PermissionError:
            log.warning("others may read %s, and it belongs to another user", each)
        else:
            log.warning("others could read %s; now only its owner can", each)


def remove_file(file: Path) -> None:
    """Delete a database with the files beside it."""
    for each in with_sides(file):
        each.unlink(missing_ok=True)


def with_sides(file: Path) -> list[Path]:
    """Return a database file and the files that SQLite may keep beside it."""
    return [file, *(file.with_name(file.name + side) for side in SIDES)]


def check_sound(engine: Engine) -> None:
    """Read an SQLite database once; raise if a page of it is damaged."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            problem = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar())
        if problem != "ok":
            raise damaged(engine, problem)


def damaged(engine: Engine, problem: str) -> DamagedError:
    """Return the error that says how to replace a damaged database."""
    return DamagedError(
        f"the database {sqlite_file(engine)} is damaged: {problem.removeprefix('*** ')}; "
        "stop the server and restore a backup with 'perudo admin restore BACKUP'"
    )


@contextmanager
def one_line_errors(engine: Engine) -> Iterator[None]:
    """Raise the failures of a database as errors of one line, for the person at the terminal."""
    try:
        yield
    except sa.exc.OperationalError as error:
        raise PerudoError(f"cannot open the database: {error.orig}") from None
    except sa.exc.DatabaseError as error:
        # SQLite reports damage by the base class; its other subclasses are mistakes of ours.
        if engine.dialect.name != "sqlite" or type(error) is not sa.exc.DatabaseError:
            raise
        raise damaged(engine, str(error.orig)) from None
