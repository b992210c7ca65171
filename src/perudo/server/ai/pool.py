"""A pool of processes in which built-in AIs decide, with a time limit on every decision.

The pool replaces a process that hangs, dies, or wants too much memory; the table plays a simple
move instead. Questions wait for a process in a fair order (``fair_queue``). A process that has been
busy with one question for long does not count: the pool starts another, so that a few hanging AIs
do not delay the AIs at other tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from perudo.agents.external.line_process import LineProcess, ProcessError
from perudo.agents.external.wire import encode, pack_records
from perudo.games.errors import PerudoError
from perudo.games.game import Record, game_of
from perudo.server.ai.callers import SERVER, Caller, Urgency
from perudo.server.ai.catalogue import is_costly
from perudo.server.ai.fair_queue import Call, FairQueue
from perudo.server.ai.questions import Order, Played, Prepare, Question

PREPARE_SECONDS = 300.0
"""Time limit to prepare an AI: compiling it for the first time may take minutes."""
PREPARE_CHARGE = 1.0
"""Limit for what the loading of an AI is charged, in seconds: what it compiles helps all."""
PATIENCE_SECONDS = 0.25
"""Interval at which a question that waits looks if the pool can start another process."""
LONG_SECONDS = 1.0
"""The time with one question after which a process does not count among the regular ones."""
LONGEST_ANSWER = 1 << 25
"""Limit for an answer in bytes; a whole game takes tens of kilobytes."""
THRIFTY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 20)}
"""Environment that makes glibc return freed memory to the system: it would keep 80 MB after opening
the champion's book. Other C libraries ignore it."""
REVIEW_SECONDS = 120.0
"""Time limit for one decision of a review; the first may compile its agents."""
MOST_EXTRA = 6
"""Maximum number of extra processes in place of those that are busy for long."""

MOST_PREPARED = 500
"""Maximum number of prepared combinations of AI, rules and number of players to remember."""

log = logging.getLogger("perudo.ai")


class AiError(PerudoError):
    """Failure of an AI to decide, as the message explains."""


@dataclass
class _Preparation:
    """The loading of an AI, for which several tables may wait."""

    caller: Caller
    task: asyncio.Task[int]
    call: Call[LineProcess] | None = None


class AiPool:
    """The AI processes of one server process."""

    def __init__(self, count: int, memory_mb: int, command: Sequence[str] | None = None) -> None:
        self._command = list(command or (sys.executable, "-P", "-m", "perudo.server.ai.worker"))
        self._command.append(str(memory_mb))
        self._size = count
        self._idle: list[LineProcess] = []
        self._busy: dict[LineProcess, float] = {}
        """Since when each process has been busy with its question."""
        self._reviewing: set[LineProcess] = set()
        self._running = 0
        self._starting: asyncio.Task[None] | None = None
        """The start of a process; there is one at a time."""
        self._queue = FairQueue[LineProcess](max(1, count - 1), time.monotonic)
        self._threads = ThreadPoolExecutor(count + MOST_EXTRA + 1, "ai")
        self._prepared: dict[tuple[str, str, int], _Preparation] = {}
        self.charge: Callable[[Caller, float], None] = lambda caller, seconds: None
        """Takes the processor time that a caller's questions have used."""
        self._closed = False
        self.replaced = 0
        """Number of processes that had to be replaced."""
        self.seconds = 0.0
        """Processor time that questions have used."""

    @property
    def waiting(self) -> int:
        """The number of questions that wait for a process."""
        return len(self._queue)

    def recent(self, caller: Caller) -> float:
        """Return the processor time that a caller has used recently; who used less goes first."""
        return max(self._queue.recent(caller), default=0.0)

    async def prepare(
        self, agent: str, rules: str = "official", players: int = 3, caller: Caller = SERVER
    ) -> int:
        """Load an AI, compiling it if necessary, and return its memory width."""
        key = (agent, rules, players)
        found = self._prepared.pop(key, None)
        if found is None or (found.task.done() and found.task.exception() is not None):
            found = _Preparation(caller, asyncio.create_task(self._prepare(*key)))
        elif caller.urgency < found.caller.urgency:
            found.caller = caller
            if found.call is not None:
                found.call.caller = caller
        self._prepared[key] = found  # moved to the end: the first are forgotten
        self._forget_prepared()
        return await asyncio.shield(found.task)

    def _forget_prepared(self) -> None:
        """Forget the oldest entries, since visitors can ask for any number of different AIs."""
        for key, found in list(self._prepared.items())[:-MOST_PREPARED]:
            if found.task.done():
                del self._prepared[key]

    async def decide(
        self,
        agent: str,
        observation: Record,
        memory: str | None,
        seconds: float,
        caller: Caller = SERVER,
    ) -> str:
        """Ask an AI for its action."""
        game = game_of(observation.dtype)
        answer = await self._ask(
            self._call(agent, caller, costly=is_costly(agent)),
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

    async def learn(
        self,
        agent: str,
        rounds: Sequence[Record],
        memory: str,
        seconds: float,
        caller: Caller = SERVER,
    ) -> str:
        """Show an AI settled rounds, in order, and return its new memory."""
        answer = await self._ask(
            self._call(f"{agent} (learning)", caller),
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

    async def play(self, order: Order, seconds: float, caller: Caller = SERVER) -> Played:
        """Play whole games among AIs in one process, one after the other (``series_player``)."""
        call = self._call("a series", caller, costly=True)
        played: Played = await self._ask(call, {"do": "play", **order}, order["seconds"] + seconds)
        return played

    async def review(
        self,
        record: Sequence[str],
        agents: Sequence[str],
        seat: int | None,
        samples: int,
        show: Callable[[str], None],
        caller: Caller = SERVER,
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
        self._reviewing.add(process)
        asking = None
        began = time.monotonic()
        try:
            while True:
                began = time.monotonic()
                asking = self._send(process, question, REVIEW_SECONDS)
                answer = json.loads(await asyncio.shield(asking))
                self._count(caller, float(answer.get("seconds", time.monotonic() - began)))
                asking = None
                if "error" in answer:
                    raise AiError(answer["error"])
                if answer["decision"] is None:
                    return
                show(encode(answer["decision"]))
                question = {"do": "review_next"}
        except ProcessError as error:
            raise AiError(f"the review's process {error}") from None
        finally:
            if asking is not None:  # given up, or failed
                self._count(caller, time.monotonic() - began)
                _kill(process)
                await asyncio.gather(asking, return_exceptions=True)
            self._dismiss(process)

    def renew(self) -> None:
        """End the idle processes; new ones will prepare their AIs again."""
        self._prepared = {
            key: found for key, found in self._prepared.items() if not found.task.done()
        }
        idle, self._idle = self._idle, []
        self._running -= len(idle)
        for process in idle:
            self._threads.submit(process.end, at_once=True)

    async def close(self) -> None:
        """End all processes."""
        self._closed = True
        preparing = [found.task for found in self._prepared.values()]
        for task in preparing:
            task.cancel()
        await asyncio.gather(*preparing, return_exceptions=True)
        if self._starting is not None:
            await self._starting
        for process in (
            *self._busy,
            *self._reviewing,
        ):  # requests that still wait for an answer fail
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
        found = self._prepared[agent, rules, players]
        found.call = replace(self._call(f"{agent} (loading)", found.caller), preparing=True)
        answer = await self._ask(found.call, question, PREPARE_SECONDS)
        return int(answer["memory_width"])

    # --- processes ------------------------------------------------------------------------------
    def _call(self, kind: str, caller: Caller, costly: bool = False) -> Call[LineProcess]:
        return Call(kind, caller, asyncio.get_running_loop().create_future(), costly)

    async def _ask(self, call: Call[LineProcess], question: Question, seconds: float) -> Any:
        """Ask a question when it is its turn; only people's questions wait no longer than asked."""
        waits = call.caller.urgency is not Urgency.PEOPLE
        deadline = time.monotonic() + seconds
        process = await self._take(call, math.inf if waits else deadline)
        began = self._busy[process] = time.monotonic()
        asking = self._send(process, question, seconds if waits else max(deadline - began, 0.001))
        try:
            answer = json.loads(await asyncio.shield(asking))
        except (ProcessError, ValueError) as error:
            self._ended(call, time.monotonic() - began)
            self._replace(process, error)
            raise AiError(f"{call.kind}: {error}") from None
        except asyncio.CancelledError:  # its answer must not be taken for the next question's
            asking.add_done_callback(partial(self._asked_in_vain, call, process))
            raise
        self._ended(call, float(answer.pop("seconds", time.monotonic() - began)))
        self._give_back(process)
        if "error" in answer:
            raise AiError(f"{call.kind}: {answer['error']}")
        return answer

    def _ended(self, call: Call[LineProcess], seconds: float) -> None:
        """Charge a question."""
        charged = min(seconds, PREPARE_CHARGE) if call.preparing else seconds
        self._queue.ended(call, charged)
        self.seconds += seconds
        self.charge(call.caller, charged)

    def _count(self, caller: Caller, seconds: float) -> None:
        """Charge a part of a review."""
        self._queue.used(caller, seconds)
        self.seconds += seconds
        self.charge(caller, seconds)

    def _send(
        self, process: LineProcess, question: Question, seconds: float
    ) -> asyncio.Future[str]:
        """Ask a process in a thread, and return a future of its answer."""
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._threads, process.ask, encode(question), seconds)

    async def _take(self, call: Call[LineProcess], deadline: float) -> LineProcess:
        """Wait for a process until the deadline."""
        self._queue.add(call)
        try:
            while True:
                self._serve()
                patience = min(PATIENCE_SECONDS, deadline - time.monotonic())
                await asyncio.wait((call.turn,), timeout=max(patience, 0.0))
                if call.turn.done():
                    break
                if time.monotonic() >= deadline:
                    raise AiError("all AIs are busy")
        except BaseException:
            self._give_up(call)
            raise
        return call.turn.result()

    def _serve(self) -> None:
        """Give free processes to questions, and start another process if there are too few."""
        while self._idle and (call := self._queue.take()) is not None:
            call.turn.set_result(self._idle.pop())
        if self._closed or self._starting is not None or not self._queue.ready:
            return
        now = time.monotonic()
        long = sum(now - since > LONG_SECONDS for since in self._busy.values())
        if self._running < self._size + min(long, MOST_EXTRA):
            self._running += 1
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        """Start a process for whichever question is next; others that get free may be quicker."""
        try:
            process = await self._launch()
        except ProcessError as error:  # whoever waits tries again
            log.warning("an AI process %s", error)
            self._running -= 1
            self._starting = None
        else:
            self._starting = None
            self._give_back(process)

    def _give_up(self, call: Call[LineProcess]) -> None:
        """Stop waiting for a process; one that was assigned just now goes back to the pool."""
        if not call.turn.done():
            self._queue.remove(call)
            return
        self._queue.dropped(call)
        self._give_back(call.turn.result())

    async def _launch(self) -> LineProcess:
        start = partial(LineProcess, self._command, longest_line=LONGEST_ANSWER, settings=THRIFTY)
        return await asyncio.get_running_loop().run_in_executor(self._threads, start)

    def _give_back(self, process: LineProcess) -> None:
        self._busy.pop(process, None)
        self._idle.append(process)
        self._serve()
        if self._idle and (self._running > self._size or self._closed):
            self._end(self._idle.pop())

    def _replace(self, process: LineProcess, error: Exception) -> None:
        self.replaced += 1
        log.warning("an AI process %s and is replaced", error)
        self._end(process)

    def _asked_in_vain(
        self, call: Call[LineProcess], process: LineProcess, done: asyncio.Future[str]
    ) -> None:
        self._ended(call, time.monotonic() - self._busy[process])
        if done.cancelled() or done.exception() is not None:
            self._end(process)
        else:
            self._give_back(process)

    def _end(self, process: LineProcess) -> None:
        self._running -= 1
        self._dismiss(process)
        self._serve()

    def _dismiss(self, process: LineProcess) -> None:
        self._busy.pop(process, None)
        self._reviewing.discard(process)
        if self._closed:
            process.end(at_once=True)
        else:
            self._threads.submit(process.end, at_once=True)


def _kill(process: LineProcess) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
