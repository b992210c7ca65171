"""A pool of processes in which built-in AIs decide, with a time limit on every decision.

The pool replaces a process that hangs, dies, or wants too much memory; the table plays a simple
move instead. If all processes are busy for a while, the pool starts more, so that a few hanging AIs
do not delay the AIs at other tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import secrets
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from perudo.agents.external.line_process import LineProcess, ProcessError
from perudo.agents.external.wire import encode, pack_records
from perudo.games.errors import PerudoError
from perudo.games.game import Record, game_of
from perudo.server.ai.questions import Order, Played, Prepare, Question

PREPARE_SECONDS = 300.0
"""Time limit to prepare an AI: compiling it for the first time may take minutes."""
PATIENCE_SECONDS = 0.25
"""Seconds that a question waits for a free process before the pool starts another."""
LONGEST_ANSWER = 1 << 25
"""Limit for an answer in bytes; a whole game takes tens of kilobytes."""
THRIFTY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 20)}
"""Environment that makes glibc return freed memory to the system: it would keep 80 MB after opening
the champion's book. Other C libraries ignore it."""
REVIEW_SECONDS = 120.0
"""Time limit for one decision of a review; the first may compile its agents."""
MOST_EXTRA = 6
"""Maximum number of extra processes while the regular ones are busy."""

MOST_PREPARED = 500
"""Maximum number of prepared combinations of AI, rules and number of players to remember."""

log = logging.getLogger("perudo.ai")


class AiError(PerudoError):
    """Failure of an AI to decide, as the message explains."""


class AiPool:
    """The AI processes of one server process."""

    def __init__(self, count: int, memory_mb: int, command: Sequence[str] | None = None) -> None:
        self._command = list(command or (sys.executable, "-P", "-m", "perudo.server.ai.worker"))
        self._command.append(str(memory_mb))
        self._count = count
        self._idle: list[LineProcess] = []
        self._busy: set[LineProcess] = set()
        self._running = 0
        self._waiting: deque[asyncio.Future[LineProcess | None]] = deque()
        self._threads = ThreadPoolExecutor(count + MOST_EXTRA + 1, "ai")
        self._prepared: dict[tuple[str, str, int], asyncio.Task[int]] = {}
        self._whole_games = asyncio.Semaphore(max(1, count - 1))
        self._closed = False
        self.replaced = 0
        """Number of processes that had to be replaced."""

    async def prepare(self, agent: str, rules: str = "official", players: int = 3) -> int:
        """Load an AI, compiling it if necessary, and return its memory width."""
        key = (agent, rules, players)
        task = self._prepared.pop(key, None)
        if task is None or (task.done() and task.exception() is not None):
            task = asyncio.create_task(self._prepare(*key))
        self._prepared[key] = task  # moved to the end: the first are forgotten
        self._forget_prepared()
        return await asyncio.shield(task)

    def _forget_prepared(self) -> None:
        """Forget the oldest entries, since visitors can ask for any number of different AIs."""
        for key, task in list(self._prepared.items())[:-MOST_PREPARED]:
            if task.done():
                del self._prepared[key]

    async def decide(
        self, agent: str, observation: Record, memory: str | None, seconds: float
    ) -> str:
        """Ask an AI for its action."""
        game = game_of(observation.dtype)
        answer = await self._ask(
            agent,
            {
                "do": "decide",
                "agent": agent,
                "batch": False,
                "game": game.name,
                "states": pack_records([observation]),
                "memories": memory,
                "streams": [secrets.randbits(64)],
            },
            seconds,
        )
        return game.format_action(int(answer["actions"][0]))

    async def learn(self, agent: str, rounds: Sequence[Record], memory: str, seconds: float) -> str:
        """Show an AI settled rounds, in order, and return its new memory."""
        answer = await self._ask(
            agent,
            {
                "do": "learn",
                "agent": agent,
                "game": game_of(rounds[0].dtype).name,
                "states": pack_records(rounds),
                "memories": memory,
            },
            seconds,
        )
        return str(answer["memories"])

    async def play(self, order: Order, seconds: float) -> Played:
        """Play whole games among AIs in one process, one after the other (``series_player``).

        If there are several processes, one stays free for games with people.
        """
        async with self._whole_games:
            played: Played = await self._ask(
                "a series", {"do": "play", **order}, order["seconds"] + seconds
            )
            return played

    async def review(
        self,
        record: Sequence[str],
        agents: Sequence[str],
        seat: int | None,
        samples: int,
        show: Callable[[str], None],
    ) -> None:
        """Review a record, and call ``show`` with each decision as JSON.

        The review runs in a process of its own, at a lower priority than the processes that play.
        """
        question: Question = {
            "do": "review",
            "record": list(record),
            "agents": list(agents),
            "seat": seat,
            "samples": samples,
        }
        process = await self._launch()
        self._busy.add(process)
        asking = None
        try:
            while True:
                asking = self._send(process, question, REVIEW_SECONDS)
                answer = json.loads(await asyncio.shield(asking))
                if "error" in answer:
                    raise AiError(answer["error"])
                if answer["decision"] is None:
                    return
                show(encode(answer["decision"]))
                question = {"do": "review_next"}
        except ProcessError as error:
            raise AiError(f"the review's process {error}") from None
        finally:
            if asking is not None and not asking.done():
                _kill(process)
                await asyncio.gather(asking, return_exceptions=True)
            self._dismiss(process)

    def renew(self) -> None:
        """End the idle processes; new ones will prepare their AIs again."""
        self._prepared = {key: task for key, task in self._prepared.items() if not task.done()}
        idle, self._idle = self._idle, []
        self._running -= len(idle)
        for process in idle:
            self._threads.submit(process.end, at_once=True)

    async def close(self) -> None:
        """End all processes."""
        self._closed = True
        for task in self._prepared.values():
            task.cancel()
        await asyncio.gather(*self._prepared.values(), return_exceptions=True)
        for process in self._busy:  # requests that still wait for an answer fail
            _kill(process)
        for process in self._idle:
            self._threads.submit(process.end, at_once=True)
        self._idle.clear()
        await asyncio.to_thread(self._threads.shutdown)

    async def _prepare(self, agent: str, rules: str, players: int) -> int:
        question: Prepare = {
            "do": "prepare",
            "agent": agent,
            "rules": rules,
            "players": players,
        }
        answer = await self._ask(agent, question, PREPARE_SECONDS)
        return int(answer["memory_width"])

    # --- processes ------------------------------------------------------------------------------
    async def _ask(self, name: str, question: Question, seconds: float) -> Any:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        process = await self._take(deadline)
        left = max(deadline - loop.time(), 0.001)
        self._busy.add(process)
        asking = self._send(process, question, left)
        try:
            line = await asyncio.shield(asking)
            answer = json.loads(line)
        except (ProcessError, ValueError) as error:
            self._replace(process, error)
            raise AiError(f"{name}: {error}") from None
        except asyncio.CancelledError:  # its answer must not be taken for the next question's
            asking.add_done_callback(lambda done: self._asked_in_vain(process, done))
            raise
        self._give_back(process)
        if "error" in answer:
            raise AiError(f"{name}: {answer['error']}")
        return answer

    def _send(
        self, process: LineProcess, question: Question, seconds: float
    ) -> asyncio.Future[str]:
        """Ask a process in a thread, and return a future of its answer."""
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._threads, process.ask, encode(question), seconds)

    async def _take(self, deadline: float) -> LineProcess:
        loop = asyncio.get_running_loop()
        if self._idle:
            return self._idle.pop()
        limit = self._count
        while True:
            if self._running < limit:
                return await self._start()
            turn: asyncio.Future[LineProcess | None] = loop.create_future()
            self._waiting.append(turn)
            patience = min(PATIENCE_SECONDS, deadline - loop.time())
            try:
                await asyncio.wait((turn,), timeout=max(patience, 0.0))
            except asyncio.CancelledError:
                self._give_up(turn)
                raise
            if turn.done():
                given = turn.result()
                if given is not None:
                    return given
                continue
            self._give_up(turn)
            if loop.time() >= deadline:
                raise AiError("all AIs are busy")
            limit = self._count + MOST_EXTRA

    def _give_up(self, turn: asyncio.Future[LineProcess | None]) -> None:
        """Stop waiting for a process; one that was assigned just now goes back to the pool."""
        if not turn.done():
            self._waiting.remove(turn)
        elif (given := turn.result()) is not None:
            self._give_back(given)

    async def _start(self) -> LineProcess:
        self._running += 1
        try:
            return await self._launch()
        except BaseException:
            self._running -= 1
            raise

    async def _launch(self) -> LineProcess:
        start = partial(LineProcess, self._command, longest_line=LONGEST_ANSWER, settings=THRIFTY)
        return await asyncio.get_running_loop().run_in_executor(self._threads, start)

    def _give_back(self, process: LineProcess) -> None:
        self._busy.discard(process)
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(process)
                return
        if self._running > self._count or self._closed:
            self._end(process)
        else:
            self._idle.append(process)

    def _replace(self, process: LineProcess, error: Exception) -> None:
        self.replaced += 1
        log.warning("an AI process %s and is replaced", error)
        self._end(process)

    def _asked_in_vain(self, process: LineProcess, done: asyncio.Future[str]) -> None:
        if done.cancelled() or done.exception() is not None:
            self._end(process)
        else:
            self._give_back(process)

    def _end(self, process: LineProcess) -> None:
        self._running -= 1
        self._dismiss(process)
        while not self._closed and self._waiting and self._running < self._count:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)  # there is room for another process
                return

    def _dismiss(self, process: LineProcess) -> None:
        self._busy.discard(process)
        if self._closed:
            process.end(at_once=True)
        else:
            self._threads.submit(process.end, at_once=True)


def _kill(process: LineProcess) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
