"""Reviews of finished games, made one at a time in an AI process and stored in the database.

The server process that gets the request makes the review, and adds each decision to the database
for every process to read. It also updates a timestamp regularly, so that a review whose process has
died can be started again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.games.hosting import hosting_of
from perudo.record import MatchRecord
from perudo.server.ai.pool import AiError, AiPool
from perudo.server.db import schema
from perudo.server.db.store import Store, StoreError
from perudo.server.errors import Refused
from perudo.server.wire.reviews import ReviewSoFar, Step

log = logging.getLogger("perudo.reviews")

SAMPLES = 1000
MOST_SECONDS = 240.0
"""Time limit for a review."""
WAITING = 8
"""Maximum number of unfinished reviews."""
REPORT_SECONDS = 1.0
"""Interval at which progress is stored."""
LOST_SECONDS = 30.0
"""Time without stored progress after which a review's process is taken for dead."""
KEPT = 200
KEPT_SECONDS = 7 * 86400.0
"""Age at which reviews are deleted when another one starts; ``KEPT`` limits their number."""
REVIEW_LATE, REVIEW_FAILED = "review_late", "review_failed"
"""Codes of problems."""

reviews = schema.reviews


@dataclass(frozen=True)
class Review:
    """A review as stored in the database."""

    lines: list[str]
    so_far: ReviewSoFar

    def record(self) -> MatchRecord:
        """Parse the record of the game."""
        return MatchRecord.parse(self.lines)


class Reviews:
    """The reviews of one server process."""

    def __init__(self, store: Store, pool: AiPool, now: Callable[[], float]) -> None:
        self._store = store
        self._pool = pool
        self._now = now
        self._turn = asyncio.Semaphore(1)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def begin(self, record: MatchRecord, agents: list[str], seat: int | None) -> Review:
        """Start a review, or return an identical one that exists already."""
        lines = list(record.lines())
        key = json.dumps([lines, agents, seat])
        id = hashlib.sha256(key.encode()).hexdigest()[:24]
        values = {
            "id": id,
            "record": "\n".join(lines),
            "agents": json.dumps(agents),
            "seat": seat,
            "decisions": "",
            "done": False,
            "updated": self._now(),
        }
        if await self._store.write(partial(_add, values=values)):
            work = self._run(id, lines, agents, seat)
            task = self._tasks[id] = asyncio.create_task(work)
            task.add_done_callback(lambda _: self._tasks.pop(id, None))
        return await self.find(id)

    async def find(self, id: str) -> Review:
        """Return a review by its id; raise if there is none or its process has died."""
        row = await self._store.read(
            lambda connection: connection.execute(
                sa.select(reviews).where(reviews.c.id == id)
            ).first()
        )
        if row is None or (not row.done and row.updated < self._now() - LOST_SECONDS):
            raise Refused("no_review", "this review no longer exists; start it again")
        so_far: ReviewSoFar = {
            "id": row.id,
            "agents": json.loads(row.agents),
            "seat": row.seat,
            "samples": SAMPLES,
            "done": row.done,
            "problem": row.problem,
            "code": row.code,
            "decisions": [json.loads(line) for line in row.decisions.splitlines()],
        }
        return Review(row.record.splitlines(), so_far)

    async def stop(self) -> None:
        """Cancel and delete all unfinished reviews; clients can start them again."""
        unfinished = dict(self._tasks)
        for task in unfinished.values():
            task.cancel()
        await asyncio.gather(*unfinished.values(), return_exceptions=True)
        if unfinished:
            forgotten = reviews.delete().where(reviews.c.id.in_(unfinished), ~reviews.c.done)
            try:
                await self._store.write(lambda connection: connection.execute(forgotten))
            except StoreError as error:  # they expire after LOST_SECONDS
                log.warning("unfinished reviews cannot be deleted: %s", error)

    async def _run(self, id: str, record: list[str], agents: list[str], seat: int | None) -> None:
        found: list[str] = []
        code = problem = None
        work = asyncio.create_task(self._work(record, agents, seat, found.append))
        try:
            while not work.done():
                await asyncio.wait((work,), timeout=REPORT_SECONDS)
                if not work.done():
                    await self._store_progress(id, found)
            await work
        except TimeoutError:
            code, problem = REVIEW_LATE, "the review took too long"
        except AiError as error:
            code, problem = REVIEW_FAILED, str(error)[:300]
            log.warning("a review failed: %s", error)
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
        await self._store_progress(id, found, done=True, problem=problem, code=code)

    async def _work(
        self, record: list[str], agents: list[str], seat: int | None, show: Callable[[str], None]
    ) -> None:
        async with self._turn, asyncio.timeout(MOST_SECONDS):
            await self._pool.review(record, agents, seat, SAMPLES, show)

    async def _store_progress(
        self,
        id: str,
        found: list[str],
        *,
        done: bool = False,
        problem: str | None = None,
        code: str | None = None,
    ) -> None:
        """Add new decisions to the database, and update the review's timestamp."""
        count = len(found)
        new = "".join(f"{decision}\n" for decision in found[:count])
        values = {"done": done, "problem": problem, "code": code, "updated": self._now()}
        update = reviews.update().where(reviews.c.id == id)
        change = update.values(decisions=reviews.c.decisions + new, **values)
        try:
            await self._store.write(lambda connection: connection.execute(change))
        except StoreError as error:
            log.warning("review %s cannot be stored: %s", id, error)
        else:
            del found[:count]


def _add(connection: Connection, values: dict[str, str | float | None]) -> bool:
    """Add a review unless it exists, and return True if it was added."""
    now = cast(float, values["updated"])
    row = connection.execute(sa.select(reviews).where(reviews.c.id == values["id"])).first()
    under_way = ~reviews.c.done & (reviews.c.updated >= now - LOST_SECONDS)
    if row is not None and row.problem is None and (row.done or row.updated >= now - LOST_SECONDS):
        return False
    waiting = sa.select(sa.func.count()).select_from(reviews).where(under_way)
    if connection.execute(waiting).scalar_one() >= WAITING:
        raise Refused("too_many", "too many reviews are under way; try again in a minute")
    newest = sa.select(reviews.c.id).order_by(reviews.c.updated.desc()).limit(KEPT)
    kept = reviews.c.id.in_(newest) & (reviews.c.updated >= now - KEPT_SECONDS)
    connection.execute(reviews.delete().where((reviews.c.id == values["id"]) | ~kept))
    connection.execute(reviews.insert().values(**values))
    return True


REPEATED = (
    *("n", "event", "seat", "action"),
    *("reason", "caller", "target", "count", "lost", "gained"),
)
"""Fields of a record's event that a step repeats."""
SHOWN = ("round", "counts", "bid", "bidder", "turn", "history", "wild", "palafico", "winner")


def steps(record: MatchRecord) -> list[Step]:
    """Return every event with the table after it, showing all dice."""
    hosting = hosting_of(record.game.name)
    told: list[Step] = []
    hands: list[str] = []
    for event, state in record.replay():
        if event["event"] == "deal":
            hands = cast(Any, event)["dice"]
        passing = hosting.passing_view(record.events[: event["n"]])
        view = {**hosting.view(state, None), **passing, "turn": hosting.turn(state)}
        fields = {name: value for name, value in event.items() if name in REPEATED}
        shown = {**fields, "hands": hands, **{name: view[name] for name in SHOWN}}
        told.append(cast(Step, shown))
    return told
