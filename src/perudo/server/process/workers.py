"""Several server processes on one machine that listen on the same address."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from types import FrameType

from perudo.games.errors import PerudoError
from perudo.server.process.logs import set_up
from perudo.server.process.web_server import web_server
from perudo.server.settings import Settings

log = logging.getLogger("perudo.workers")

RESTART_SECONDS = 1.0
"""Delay before a process that ended is started again."""
STOP_SECONDS = 10.0


class Workers:
    """Starts the worker processes, restarts them when they end, and stops them on a signal."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._context = multiprocessing.get_context("spawn")
        self._ending = False

    def run(self, listening: socket.socket) -> int:
        """Serve until SIGINT or SIGTERM, and return the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._end)
        workers = [self._start(listening) for _ in range(self._settings.workers)]
        while not self._ending:
            wait([worker.sentinel for worker in workers], RESTART_SECONDS)
            for place, worker in enumerate(workers):
                if not self._ending and not worker.is_alive():
                    log.error("worker %s ended with %s", worker.pid, worker.exitcode)
                    time.sleep(RESTART_SECONDS)
                    workers[place] = self._start(listening)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join(STOP_SECONDS)
            worker.kill()
        return 0

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._ending = True

    def _start(self, listening: socket.socket) -> SpawnProcess:
        worker = self._context.Process(target=_serve, args=(self._settings, listening))
        worker.start()
        return worker


def listen(settings: Settings) -> socket.socket:
    """Return the socket from which the server, or all workers, accept connections."""
    address = ("0.0.0.0" if settings.lan else settings.host, settings.port)
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    try:
        return socket.create_server(address, family=family, backlog=2048)
    except OSError as error:
        raise PerudoError(f"cannot listen at {address[0]}:{address[1]}: {error}") from None


def _serve(settings: Settings, listening: socket.socket) -> None:
    """Run one worker; the target of its process."""
    set_up(settings.log_level)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    web_server(settings).run(sockets=[listening])


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
