"""Reviews of finished games, made one at a time in an AI process and stored in the database.

Reviews wait in line: of two people the one who has used less processor time recently goes first.

The server process that gets the request makes the review, and adds each decision to the database
for every process to read. It also updates a timestamp regularly, so that a review whose process has
died can be started again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.games.hosting import hosting_of
from perudo.record import MatchRecord
from perudo.server.ai.budget import Budget, payer_of
from perudo.server.ai.callers import Caller
from perudo.server.ai.pool import AiError, AiPool
from perudo.server.db import schema
from perudo.server.db.store import Store, StoreError
from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.wire.reviews import ReviewSoFar, Step

log = logging.getLogger("perudo.reviews")

SAMPLES = 1000
MOST_SECONDS = 240.0
"""Time limit for a review."""
MOST_UNFINISHED = 200
"""Maximum number of unfinished reviews."""
FULL_SECONDS = 60.0
"""The time after which a person with too many unfinished reviews should try again."""
ADDRESS_SHARES = 10
"""Shares of one person that the guests of one address have together."""
REPORT_SECONDS = 1.0
"""Interval at which progress, or the place in line, is stored."""
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


@dataclass(eq=False)
class _Waiting:
    """A review in line."""

    caller: Caller
    turn: asyncio.Event = field(default_factory=asyncio.Event)


class Reviews:
    """The reviews of one server process."""

    def __init__(
        self,
        store: Store,
        pool: AiPool,
        budget: Budget,
        now: Callable[[], float],
        share: int = 3,
    ) -> None:
        self._store = store
        self._pool = pool
        self._budget = budget
        self._now = now
        self._share = share
        self._line: list[_Waiting] = []
        self._making = False
        self._callers: Counter[str] = Counter()
        """Unfinished reviews of this process by the names of their callers."""
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def begin(
        self, record: MatchRecord, agents: list[str], seat: int | None, person: Person
    ) -> Review:
        """Start a review, or return an identical one that exists already."""
        lines = list(record.lines())
        key = json.dumps([lines, agents, seat])
        id = hashlib.sha256(key.encode()).hexdigest()[:24]
        values: dict[str, str | float | None] = {
            "id": id,
            "record": "\n".join(lines),
            "agents": json.dumps(agents),
            "seat": seat,
            "decisions": "",
            "done": False,
            "updated": self._now(),
            "person": person.answerable,
            "position": len(self._line) + self._making,
        }
        if await self._store.read(partial(_exists, id=id, now=self._now())):
            return await self.find(id)
        self._budget.require(person)
        caller = self._budget.caller(payer_of(person))
        if any(self._callers[name] >= ADDRESS_SHARES * self._share for name in caller.names[1:]):
            raise self._too_many()
        if await self._store.write(partial(self._add, values=values, now=self._now())):
            waiting = _Waiting(caller)
            self._line.append(waiting)
            self._callers.update(caller.names)
            work = self._run(id, lines, agents, seat, waiting)
            task = self._tasks[id] = asyncio.create_task(work)
            task.add_done_callback(partial(self._ended, id, waiting))
            self._next()
        return await self.find(id)

    def _add(
        self, connection: Connection, values: dict[str, str | float | None], now: float
    ) -> bool:
        """Add a review unless it exists, and return True if it was added; forget old ones."""
        if _exists(connection, cast(str, values["id"]), now):
            return False
        under_way = ~reviews.c.done & (reviews.c.updated >= now - LOST_SECONDS)
        count = sa.select(sa.func.count()).select_from(reviews).where(under_way)
        mine = count.where(reviews.c.person == values["person"])
        if connection.execute(mine).scalar_one() >= self._share:
            raise self._too_many()
        if connection.execute(count).scalar_one() >= MOST_UNFINISHED:
            problem = "too many reviews are under way; try again in a minute"
            raise Refused("too_many", problem, limit="reviews", seconds=FULL_SECONDS)
        newest = sa.select(reviews.c.id).order_by(reviews.c.updated.desc()).limit(KEPT)
        recent = reviews.c.id.in_(newest) & (reviews.c.updated >= now - KEPT_SECONDS)
        again = reviews.c.id == values["id"]
        connection.execute(reviews.delete().where(again | ~(recent | under_way)))
        connection.execute(reviews.insert().values(**values))
        return True

    def _too_many(self) -> Refused:
        problem = f"you can have {self._share} reviews waiting; wait for one, or cancel one"
        limit = "reviews_per_person"
        return Refused("too_many", problem, limit=limit, seconds=FULL_SECONDS)

    async def cancel(self, id: str, person: Person) -> None:
        """Cancel an unfinished review for the person who asked for it.

        The process that makes it notices that its row is gone.
        """
        await self.find(id)
        unfinished = (reviews.c.id == id) & ~reviews.c.done

        def work(connection: Connection) -> None:
            row = connection.execute(sa.select(reviews.c.person).where(unfinished)).first()
            if row is not None and row.person != person.answerable:
                raise Refused("not_creator", "only who asked for a review can cancel it")
            connection.execute(reviews.delete().where(unfinished))

        await self._store.write(work)
        task = self._tasks.get(id)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

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
            "position": row.position,
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

    # --- the line -------------------------------------------------------------------------------
    def _next(self) -> None:
        """Begin with the next review in line unless one is being made."""
        if self._line and not self._making:
            first = self._in_order()[0]
            self._line.remove(first)
            self._making = True
            first.turn.set()

    def _in_order(self) -> list[_Waiting]:
        return sorted(self._line, key=lambda waiting: self._pool.recent(waiting.caller))

    def _position(self, waiting: _Waiting) -> int | None:
        """Return the number of reviews that are made before this one."""
        if waiting.turn.is_set():
            return None
        return self._in_order().index(waiting) + self._making

    def _ended(self, id: str, waiting: _Waiting, _: asyncio.Task[None]) -> None:
        self._tasks.pop(id, None)
        self._callers.subtract(waiting.caller.names)
        self._callers += Counter()  # drops names without reviews
        if waiting.turn.is_set():
            self._making = False
        else:
            self._line.remove(waiting)
        self._next()

    async def _run(
        self, id: str, record: list[str], agents: list[str], seat: int | None, waiting: _Waiting
    ) -> None:
        found: list[str] = []
        code = problem = None
        work = asyncio.create_task(self._work(record, agents, seat, waiting, found.append))
        try:
            while not work.done():
                await asyncio.wait((work,), timeout=REPORT_SECONDS)
                position = self._position(waiting)
                if not work.done() and not await self._store_progress(id, found, position):
                    return  # it has been cancelled
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
        self,
        record: list[str],
        agents: list[str],
        seat: int | None,
        waiting: _Waiting,
        show: Callable[[str], None],
    ) -> None:
        await waiting.turn.wait()
        async with asyncio.timeout(MOST_SECONDS):
            await self._pool.review(record, agents, seat, SAMPLES, show, waiting.caller)

    async def _store_progress(
        self,
        id: str,
        found: list[str],
        position: int | None = None,
        *,
        done: bool = False,
        problem: str | None = None,
        code: str | None = None,
    ) -> bool:
        """Add new decisions to the database, and update the review's timestamp.

        Return False if the review is no longer there.
        """
        count = len(found)
        new = "".join(f"{decision}\n" for decision in found[:count])
        values = {"done": done, "problem": problem, "code": code, "position": position}
        update = reviews.update().where(reviews.c.id == id)
        change = update.values(decisions=reviews.c.decisions + new, updated=self._now(), **values)
        try:
            there = await self._store.write(lambda connection: connection.execute(change).rowcount)
        except StoreError as error:
            log.warning("review %s cannot be stored: %s", id, error)
            return True
        del found[:count]
        return bool(there)


def _exists(connection: Connection, id: str, now: float) -> bool:
    """Return whether a review is being made or was made without a problem."""
    row = connection.execute(sa.select(reviews).where(reviews.c.id == id)).first()
    if row is None or row.problem is not None:
        return False
    return bool(row.done) or row.updated >= now - LOST_SECONDS


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
