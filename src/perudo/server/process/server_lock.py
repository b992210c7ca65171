"""A lock by which a server owns its database, since two servers would both play all its tables.

Processes that are connected by Redis share the lock (``leases``), but not with any other process.
It is a lock on an SQLite file itself, whatever name it is opened by, or an advisory lock in
PostgreSQL; the system, or PostgreSQL, releases it when the process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url

from perudo.games.errors import PerudoError
from perudo.server.db.engine import open_engine
from perudo.server.db.files import PRIVATE

log = logging.getLogger("perudo.holding")

WAIT_SECONDS = 3.0
"""Seconds to wait for a server that is about to end."""
LOOK_SECONDS = 10.0
"""Seconds between two checks that PostgreSQL still holds the lock."""
SERVING = 7_304_118
"""Key of the advisory lock in PostgreSQL; each database has its own lock."""
LASTING = (
    "idle_in_transaction_session_timeout = 0",
    "tcp_keepalives_idle = 30",
    "tcp_keepalives_interval = 10",
    "tcp_keepalives_count = 3",
)
"""Settings with which PostgreSQL keeps the lock, but not for a machine that has disappeared."""


@contextmanager
def hold(database: str, shared: bool = False) -> Iterator[None]:
    """Hold the lock of a database, exclusively or shared; raise if another server holds it."""
    url = make_url(database)
    held = _hold_server(database, shared)
    if url.drivername.startswith("sqlite"):
        held = _hold_file(Path(str(url.database)))
    with held:
        yield


def _wait_for(locked: Callable[[], bool], what: str, advice: str = "") -> None:
    """Wait a little for a lock, and raise if it is not released."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not locked():
        if time.monotonic() > deadline:
            raise PerudoError(f"{what} is in use by another perudo server; stop that first{advice}")
        time.sleep(0.1)


# --- SQLite -------------------------------------------------------------------------------------
@contextmanager
def _hold_file(file: Path) -> Iterator[None]:
    # The lock belongs to the file, so links and other paths to it find the same lock. SQLite's own
    # locks are of another kind, which Linux keeps apart and macOS does not.
    place = file if sys.platform == "linux" else Path(f"{file.resolve()}.lock")
    try:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT, PRIVATE)
    except OSError as error:
        raise PerudoError(f"cannot open the database: {error}") from None
    try:
        _wait_for(lambda: _locked(descriptor), str(file))
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# --- PostgreSQL ---------------------------------------------------------------------------------
@contextmanager
def _hold_server(database: str, shared: bool) -> Iterator[None]:
    engine = open_engine(database)
    claim = _Claim(engine, shared)
    try:
        claim.begin(f"the database {engine.url.database}")
        yield
    finally:
        claim.end()
        engine.dispose()


class _Claim:
    """A transaction-level lock in a transaction that does nothing else, so nobody waits for it.

    With a connection pooler, a session-level lock would outlive the server. If the connection is
    lost the server goes on, and takes the lock again.
    """

    def __init__(self, engine: Engine, shared: bool) -> None:
        self._engine = engine
        lock = "pg_try_advisory_xact_lock_shared" if shared else "pg_try_advisory_xact_lock"
        self._lock = f"SELECT {lock}({SERVING})"
        self._connection: Connection | None = None
        self._ending = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="holding", daemon=True)

    def begin(self, database: str) -> None:
        """Take the lock, and start a thread that keeps it; raise if another server has it."""
        try:
            _wait_for(self._take, database, ", or give the same --redis to both")
        except sa.exc.OperationalError as error:
            raise PerudoError(f"cannot open the database: {error.orig}") from None
        self._keeper.start()

    def end(self) -> None:
        """Release the lock."""
        self._ending.set()
        if self._keeper.is_alive():
            self._keeper.join()
        self._drop()

    def _take(self) -> bool:
        if self._connection is None:
            self._connection = self._engine.connect()
            for setting in LASTING:
                self._connection.exec_driver_sql(f"SET LOCAL {setting}")
        return bool(self._connection.exec_driver_sql(self._lock).scalar())

    def _keep(self) -> None:
        while not self._ending.wait(LOOK_SECONDS):
            try:
                # Its holder can take the lock again, so this also checks the connection.
                if not self._take():
                    log.error("another perudo server uses this database too; stop one of them")
            except sa.exc.SQLAlchemyError as error:
                log.warning("cannot check the lock of the database: %s", type(error).__name__)
                self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
