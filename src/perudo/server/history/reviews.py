"""Reviews of finished games: each in a process of its own, one at a time, and kept for a while."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import sys
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, cast

from perudo.games.perudo import PerudoState, facts
from perudo.games.perudo.game import Deal
from perudo.record import MatchRecord
from perudo.server.errors import Refused

log = logging.getLogger("perudo.reviewing")

SAMPLES = 1000
MOST_SECONDS = 240.0
"""A review that takes longer is given up."""
KEPT = 64
WAITING = 8
"""Reviews that may wait for their turn."""
LINE_BYTES = 1 << 20
REVIEW_LATE, REVIEW_FAILED = "review_late", "review_failed"
"""Codes of what can go wrong."""
COMMAND = "import os, sys; os.nice(10); from perudo.cli import main; sys.exit(main())"
"""``perudo``, after those who play."""


@dataclass
class Job:
    """One review: what has been found so far."""

    id: str
    record: MatchRecord
    agents: list[str]
    seat: int | None
    decisions: list[dict[str, Any]] = field(default_factory=list)
    done: bool = False
    problem: str | None = None
    code: str | None = None
    """Of the problem, for those who read another language."""
    task: asyncio.Task[None] | None = None

    def data(self) -> dict[str, Any]:
        """What is told of it."""
        return {
            "id": self.id,
            "agents": self.agents,
            "seat": self.seat,
            "samples": SAMPLES,
            "done": self.done,
            "problem": self.problem,
            "code": self.code,
            "decisions": self.decisions,
        }


class Reviews:
    """All reviews of one server process."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._turn = asyncio.Semaphore(1)

    def begin(self, record: MatchRecord, agents: list[str], seat: int | None) -> Job:
        """Begin a review, or find the same one."""
        key = json.dumps([list(record.lines()), agents, seat])
        id = hashlib.sha256(key.encode()).hexdigest()[:24]
        job = self._jobs.get(id)
        if job is not None and job.problem is None:
            self._jobs.move_to_end(id)
            return job
        if sum(not each.done for each in self._jobs.values()) >= WAITING:
            raise Refused("too_many", "many games are being reviewed; try again in a minute")
        job = self._jobs[id] = Job(id, record, agents, seat)
        job.task = asyncio.create_task(self._run(job))
        while len(self._jobs) > KEPT:
            _, old = self._jobs.popitem(last=False)
            if old.task is not None:
                old.task.cancel()
        return job

    def find(self, id: str) -> Job:
        """A review by its id."""
        if id not in self._jobs:
            raise Refused("no_review", "there is no such review any more; begin it again")
        return self._jobs[id]

    async def _run(self, job: Job) -> None:
        try:
            async with self._turn, asyncio.timeout(MOST_SECONDS):
                await self._read(job)
        except TimeoutError:
            job.code, job.problem = REVIEW_LATE, "the review took too long"
        except OSError as error:
            job.code, job.problem = REVIEW_FAILED, "the review could not be begun"
            log.warning("a review failed: %s", error)
        finally:
            job.done = True

    async def _read(self, job: Job) -> None:
        command = ["review", "-", "--json", "--samples", str(SAMPLES)]
        for agent in job.agents:
            command += ["--agent", agent]
        if job.seat is not None:
            command += ["--player", "ABCDEFGHIJ"[job.seat]]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-c",
            COMMAND,
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LINE_BYTES,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            process.stdin.write("\n".join(job.record.lines()).encode())
            process.stdin.close()
            async for line in process.stdout:
                job.decisions.append(json.loads(line))
            said = (await process.stderr.read()).decode(errors="replace").strip()
            if await process.wait() != 0:
                job.code = REVIEW_FAILED
                job.problem = said.splitlines()[-1][:300] if said else "the review failed"
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()


REPEATED = (
    *("n", "event", "seat", "action"),
    *("reason", "caller", "target", "count", "lost", "gained"),
)
"""The fields of a record's event that a step repeats."""
SHOWN = ("counts", "bid", "bidder", "turn", "history", "wild", "palafico", "winner")


def steps(record: MatchRecord) -> list[dict[str, Any]]:
    """Every event with the table as it was after it, all dice shown."""
    told = []
    hands: list[str] = []
    for event, state in record.replay():
        assert isinstance(state, PerudoState)
        if event["event"] == "deal":
            hands = cast(list[str], cast(Deal, event)["dice"])
        fields = {name: value for name, value in event.items() if name in REPEATED}
        told.append({**fields, "round": state.round, "hands": hands, **facts(state, *SHOWN)})
    return told
