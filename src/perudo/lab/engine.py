"""The interface of an engine, which works on independent pieces, and the loop that feeds workers.

``Engine.run`` applies a function to each piece and yields the results as they become ready. The
function belongs to a module, so that a worker can import it; pieces and results are plain values.
If a worker is killed, its pieces are done again. So results are the same on any engine, as long as
the function is deterministic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Generic, Self, TypeVar

from perudo.games.errors import PerudoError

QUEUED_PER_WORKER = 2
"""Pieces submitted per worker, so that none has to wait for the next."""
POLL_SECONDS = 0.2
"""Seconds between checks of whether to stop."""
ATTEMPTS = 5
"""A piece that is running at this many deaths of workers is taken to be their cause."""
TOO_MANY_DEATHS = "workers died several times at the same piece of work; is there enough memory?"

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def never() -> bool:
    """Return False, for work that runs to its end."""
    return False


class Engine(ABC):
    """An executor of pieces of work; use it in a ``with`` statement."""

    lost = 0
    """The number of times workers died and pieces had to be done again."""

    @abstractmethod
    def run(
        self,
        work: Callable[[Piece], Result],
        pieces: Iterable[Piece],
        stopped: Callable[[], bool] = never,
    ) -> Iterator[Result]:
        """Yield the results of ``work`` on each piece, in the order in which they are ready.

        Pieces are taken when there is a worker for them, so they may depend on earlier results.
        Once ``stopped()`` returns True no piece is begun; processes finish the pieces they have
        begun, and a cluster drops them.
        """

    def close(self, at_once: bool = False) -> None:  # noqa: B027  # nothing to end in one process
        """End the workers; with ``at_once``, even if they are busy."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self.close(at_once=kind is not None)


class InProcess(Engine):
    """An engine that does one piece after the other in this process."""

    def run(
        self,
        work: Callable[[Piece], Result],
        pieces: Iterable[Piece],
        stopped: Callable[[], bool] = never,
    ) -> Iterator[Result]:
        """Do the pieces in order."""
        for piece in pieces:
            yield work(piece)
            if stopped():
                return


class Executing(Engine):
    """An engine whose workers belong to an executor of ``concurrent.futures``."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._executor = self._start()

    @abstractmethod
    def _start(self) -> Executor:
        """Return an executor with live workers."""

    def _replace(self) -> None:
        """Replace the executor after the death of a worker."""
        self._executor = self._start()

    def run(
        self,
        work: Callable[[Piece], Result],
        pieces: Iterable[Piece],
        stopped: Callable[[], bool] = never,
    ) -> Iterator[Result]:
        """Submit pieces so that all workers are busy."""
        running = _Running[Piece, Result](iter(pieces))
        while True:
            while not stopped() and len(running.futures) < QUEUED_PER_WORKER * self.workers:
                try:
                    if not running.submit(self._executor, work):
                        break
                except BrokenProcessPool:
                    self._recover(running)
            if not running.futures:
                return
            done = wait(running.futures, POLL_SECONDS, return_when=FIRST_COMPLETED).done
            if stopped():
                running.cancel()
            for future in done & running.futures.keys():
                try:
                    result = future.result()
                except BrokenProcessPool:
                    self._recover(running)
                    break
                del running.futures[future]
                yield result

    def _recover(self, running: _Running[Any, Any]) -> None:
        self.lost += 1
        running.take_back()
        self._replace()


class _Running(Generic[Piece, Result]):
    """The bookkeeping of pieces: running, to be done again, and still to come."""

    def __init__(self, coming: Iterator[Piece]) -> None:
        self.futures: dict[Future[Result], int] = {}
        self._coming = coming
        self._pieces: dict[int, Piece] = {}
        self._again: deque[int] = deque()
        self._deaths: Counter[int] = Counter()
        self._taken = 0

    def submit(self, executor: Executor, work: Callable[[Piece], Result]) -> bool:
        """Submit one more piece; return False if there is none."""
        if not self._again:
            for piece in self._coming:
                self._pieces[self._taken] = piece
                self._again.append(self._taken)
                self._taken += 1
                break
            else:
                return False
        number = self._again[0]
        future = executor.submit(work, self._pieces[number])
        self._again.popleft()
        self.futures[future] = number
        future.add_done_callback(lambda done: self._forget(done, number))
        return True

    def _forget(self, future: Future[Result], number: int) -> None:
        """Drop a piece that is done."""
        if not future.cancelled() and future.exception() is None:
            self._pieces.pop(number, None)

    def cancel(self) -> None:
        """Cancel the pieces that no worker has begun."""
        for future in list(self.futures):
            if future.cancel():
                del self.futures[future]

    def take_back(self) -> None:
        """Queue all unfinished pieces again: when a worker dies, the whole pool loses its work."""
        for future, number in list(self.futures.items()):
            if future.done() and not future.cancelled() and future.exception() is None:
                continue
            del self.futures[future]
            self._again.append(number)
            self._deaths[number] += 1
            if self._deaths[number] >= ATTEMPTS:
                raise PerudoError(TOO_MANY_DEATHS)
