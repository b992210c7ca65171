"""Engines: all pieces once, on any of them, also when workers are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

import engine_work
from perudo.games.errors import PerudoError
from perudo.lab.dask_engine import Cluster
from perudo.lab.engine import ATTEMPTS, Engine, Executing, InProcess
from perudo.lab.engines import Processes, check_engine, open_engine


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes(2) as engine:
        yield engine


def squares(engine: Engine, count: int = 20) -> list[int]:
    return sorted(square for square, _ in engine.run(engine_work.square, range(count)))


def kill_one_while_running(engine: Engine) -> list[int]:
    """The results of a run during which a worker is killed."""
    found, killed = [], False
    for square, worker in engine.run(engine_work.slow_square, range(60)):
        found.append(square)
        if not killed:
            assert worker != os.getpid()
            os.kill(worker, signal.SIGKILL)
            killed = True
    return sorted(found)


def test_one_worker_is_this_process() -> None:
    with open_engine(workers=1) as engine:
        assert isinstance(engine, InProcess)
        assert list(engine.run(engine_work.square, [3])) == [(9, os.getpid())]


def test_processes_do_every_piece_once(processes: Processes) -> None:
    assert squares(processes) == [number**2 for number in range(20)]


def test_a_killed_process_loses_nothing(processes: Processes) -> None:
    before = processes.lost
    assert kill_one_while_running(processes) == [number**2 for number in range(60)]
    assert processes.lost == before + 1


class Dying(Executing, Executor):
    """Workers that die whatever they are asked to do."""

    def _start(self) -> Executor:
        return self

    def submit(self, *work: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool())
        return future


def test_what_kills_every_worker_is_given_up() -> None:
    engine = Dying(workers=1)
    with pytest.raises(PerudoError, match="died several times"):
        list(engine.run(engine_work.square, [1]))
    assert engine.lost == ATTEMPTS


def test_an_error_in_the_work_is_raised_here(processes: Processes) -> None:
    with pytest.raises(ValueError, match="not 7"):
        list(processes.run(engine_work.refuse, [7]))


def test_pieces_are_taken_as_they_are_needed_and_stopping_ends_them(processes: Processes) -> None:
    taken: list[int] = []
    results: list[int] = []

    def pieces() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    for engine in (processes, InProcess()):
        taken.clear()
        results.clear()
        for square, _ in engine.run(engine_work.square, pieces(), lambda: len(results) >= 5):
            results.append(square)
        assert 5 <= len(results) <= len(taken) < 20
        assert set(results) <= {number**2 for number in taken}


def test_a_local_dask_cluster_survives_a_killed_worker() -> None:
    with Cluster(2) as engine:
        assert squares(engine) == [number**2 for number in range(20)]
        assert kill_one_while_running(engine) == [number**2 for number in range(60)]


@pytest.mark.parametrize(
    ("name", "workers", "address", "reason"),
    [
        ("ray", None, "", "unknown engine 'ray'; there are: processes, dask"),
        ("processes", None, "tcp://127.0.0.1:8786", "only --engine dask"),
        ("dask", 2, "tcp://127.0.0.1:8786", "has its own workers"),
        ("dask", None, "somewhere", "should look like tcp://host:8786"),
    ],
)
def test_impossible_engines(name: str, workers: int | None, address: str, reason: str) -> None:
    with pytest.raises(PerudoError, match=reason):
        check_engine(name, workers, address)


def test_tls_without_keys_is_refused_at_once() -> None:
    with pytest.raises(PerudoError, match=r"needs keys"):
        open_engine("dask", address="tls://127.0.0.1:8786")
