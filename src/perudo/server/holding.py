"""An SQLite file belongs to one server: two would both play at all of its tables.

A lock beside the file says so; the system lets it go when the process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.engine import make_url

from perudo.games.errors import PerudoError

WAIT_SECONDS = 3.0
"""For a server that is about to end."""


@contextmanager
def hold(database: str) -> Iterator[None]:
    """Have an SQLite file for oneself; raises if a server has it.

    Servers share other databases by their own means (``leases``).
    """
    file = _file_of(database)
    if file is None:
        yield
        return
    try:
        lock = Path(f"{file}.lock").open("w")  # noqa: SIM115 - the lock is as old as the file is open
    except OSError as error:
        raise PerudoError(f"cannot open the database: {error}") from None
    with lock:
        deadline = time.monotonic() + WAIT_SECONDS
        while not _locked(lock.fileno()):
            if time.monotonic() > deadline:
                raise PerudoError(f"{file} is in use: another perudo serves it; stop that first")
            time.sleep(0.1)
        yield


def _file_of(database: str) -> str | None:
    url = make_url(database)
    return url.database if url.drivername.startswith("sqlite") else None


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
