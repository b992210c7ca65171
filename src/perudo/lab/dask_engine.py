"""An engine for work that one machine is too small for: a Dask cluster (extra ``cluster``)."""

from __future__ import annotations

import contextlib
import importlib
import logging
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor
from typing import Any

from perudo.games.errors import PerudoError
from perudo.lab.engine import TOO_MANY_DEATHS, Executing, Piece, Result, never

CONNECTION_SECONDS = 10
"""Seconds that a cluster may take to answer."""


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Make processes started meanwhile ignore Ctrl-C, which only the command should handle."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Cluster(Executing):
    """A Dask cluster: the one at an address, or a local one of processes on this machine.

    Dask itself gives a dead worker's work to another worker.
    """

    def __init__(self, workers: int, address: str | None = None) -> None:
        self._address = address
        super().__init__(workers)

    @staticmethod
    def _library() -> Any:
        """Return the package ``distributed``, which is an extra and has hardly any types."""
        try:
            return importlib.import_module("distributed")
        except ImportError:
            raise PerudoError("--engine dask needs Dask: pip install 'perudo[cluster]'") from None

    def _start(self) -> Executor:
        distributed = self._library()
        # Errors are raised here; Dask's log would repeat them over pages.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._cluster: Any = None
        if self._address is None:
            with _interrupts_ignored():
                self._cluster = distributed.LocalCluster(
                    n_workers=self.workers,
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs="CRITICAL",
                )
        elif self._address.startswith("tls") and not _has_keys(distributed):
            raise PerudoError(
                "a tls:// address needs keys; docs/cluster.md explains where to put them"
            )
        try:
            self._client = distributed.Client(
                self._cluster or self._address, set_as_default=False, timeout=CONNECTION_SECONDS
            )
        except (OSError, ValueError) as error:
            raise PerudoError(f"no Dask scheduler at {self._address}: {error}") from None
        if self._address is not None:
            self.workers = sum(self._client.nthreads().values())
            if not self.workers:
                self._client.close()
                raise PerudoError(f"the Dask cluster at {self._address} has no workers")
        executor: Executor = self._client.get_executor(pure=False)
        return executor

    def run(
        self,
        work: Callable[[Piece], Result],
        pieces: Iterable[Piece],
        stopped: Callable[[], bool] = never,
    ) -> Iterator[Result]:
        """Keep all workers busy; raise a one-line error if Dask gives up."""
        try:
            yield from super().run(work, pieces, stopped)
        except self._library().KilledWorker:
            raise PerudoError(TOO_MANY_DEATHS) from None
        except CancelledError:
            raise PerudoError("the connection with the Dask cluster was lost") from None

    def close(self, at_once: bool = False) -> None:
        """Disconnect from the cluster, and stop it if it is local."""
        self._executor.shutdown(wait=not at_once)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


def _has_keys(distributed: Any) -> bool:
    """Return True if Dask's settings name a certificate; without one a client waits for long."""
    connection = distributed.Security().get_connection_args("client")
    return connection.get("ssl_context") is not None
