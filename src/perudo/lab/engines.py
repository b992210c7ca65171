"""The engines for long work: this process, several on this machine, or a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import signal
import threading
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing.connection import Connection

from perudo.games.errors import PerudoError
from perudo.lab.dask_engine import Cluster
from perudo.lab.engine import Engine, Executing, InProcess
from perudo.lab.play import cores

ENGINES = ("processes", "dask")


class Processes(Executing):
    """Processes on this machine, started by spawn, since threads and forks do not mix."""

    def _start(self) -> Executor:
        context = multiprocessing.get_context("spawn")
        worker_end, self._lifeline = context.Pipe(duplex=False)
        return ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=exit_with_parent, initargs=(worker_end,)
        )

    def _replace(self) -> None:
        self.close(at_once=True)
        super()._replace()

    def close(self, at_once: bool = False) -> None:
        """End the processes."""
        if at_once:
            self._lifeline.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._lifeline.close()


def exit_with_parent(lifeline: Connection) -> None:
    """Make a worker ignore Ctrl-C, and exit as soon as the other end of ``lifeline`` is closed.

    Otherwise workers would outlive a command that was killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        with contextlib.suppress(OSError):
            lifeline.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def check_engine(name: str, workers: int | None, address: str) -> None:
    """Raise an error unless the options describe an engine."""
    if name not in ENGINES:
        raise PerudoError(f"unknown engine {name!r}; there are: {', '.join(ENGINES)}")
    if address and name != "dask":
        raise PerudoError("only --engine dask has an --address")
    if address and not re.fullmatch(r"(tcp|tls)://.+:\d+", address):
        raise PerudoError(
            f"--address {address} should look like tcp://host:8786 or tls://host:8786"
        )
    if address and workers:
        raise PerudoError("a cluster with an address has its own workers; omit --workers")


def open_engine(name: str = "processes", workers: int | None = None, address: str = "") -> Engine:
    """Return the named engine; a single worker runs in this process, without start-up costs."""
    check_engine(name, workers, address)
    number = workers or cores()
    if name == "dask":
        return Cluster(number, address or None)
    return Processes(number) if number > 1 else InProcess()
