"""Reviews are kept in the database: every server process finds them."""

from __future__ import annotations

import asyncio
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from perudo.review import Reviewed
from perudo.server.ai.budget import payer_of
from perudo.server.errors import Refused
from perudo.server.history.reviews import LOST_SECONDS, Reviews
from perudo.server.server import Server
from perudo.transcript import parse_record
from server.kit import QuickPool, Site, settings_for, site
from server.world import World, world

FINISHED = (
    "perudo, common:dice=2: A Ann, B Bob\n1. 36/25 A 4x4 B dudo\n2. 3/15 A 1x3 B 2x5 A dudo\n"
)


async def finished(here: Site, token: str, review: str) -> Any:
    while True:
        found = await here.ask(token, "GET", f"/api/reviews/{review}")
        if found["done"]:
            return found
        await asyncio.sleep(0.5)


def test_a_review_begun_at_one_process_is_found_at_another(tmp_path: Path) -> None:
    async def main() -> None:
        settings = settings_for(tmp_path)
        async with site(settings_for(tmp_path, database=settings.database)) as there:
            async with site(settings) as here:
                token = await here.guest()
                begun = await here.ask(token, "POST", "/api/reviews", {"record": FINISHED})
                found = await finished(there, token, begun["id"])
                assert found["problem"] is None
                for decision in found["decisions"]:  # nothing is left out of an answer
                    assert list(decision) == [field.name for field in fields(Reviewed)]
                for decision in found["decisions"]:  # nothing is left out of an answer
                    assert list(decision) == [field.name for field in fields(Reviewed)]
                assert [each["action"] for each in found["decisions"]][:2] == ["4x4", "dudo"]
                retry = {"n": found["decisions"][0]["n"]}
                path = f"/api/reviews/{begun['id']}/retries"
                assert (await there.ask(token, "POST", path, retry))["seat"] == 0
            again = await there.ask(token, "POST", "/api/reviews", {"record": FINISHED})
            assert again["done"]  # it outlives the process that made it
            assert again["decisions"] == found["decisions"]

    asyncio.run(main())


def test_a_review_whose_process_ended_is_begun_again(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        record, pool = parse_record(FINISHED), Asked()
        now = [1000.0]
        (ada,) = await here.guests(1)
        first = Reviews(here.service.store, pool, here.service.budget, lambda: now[0])
        begun = await first.begin(record, ["champion"], None, ada)
        id = begun.so_far["id"]
        again = Reviews(here.service.store, pool, here.service.budget, lambda: now[0])
        await again.begin(record, ["champion"], None, ada)
        assert len(pool.reviews) == 1  # it is under way
        first._tasks[id].cancel()  # as if its process had been killed
        await asyncio.gather(*first._tasks.values(), return_exceptions=True)
        now[0] += 2 * LOST_SECONDS
        with pytest.raises(Refused, match="start it again"):
            await again.find(id)
        await again.begin(record, ["champion"], None, ada)
        assert len(pool.reviews) == 2
        await again.stop()
        with pytest.raises(Refused, match="start it again"):
            await again.find(id)

    async def main() -> None:
        async with world(tmp_path) as here:
            await scene(here)

    asyncio.run(main())


def test_reviews_wait_in_a_fair_line_and_a_person_has_a_share_of_it(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        ada, bob = await here.guests(2)
        service, pool, record = here.service, Asked(), parse_record(FINISHED)
        reviews = Reviews(service.store, pool, service.budget, lambda: 1000.0, share=3)
        pool._queue.used(service.budget.caller(payer_of(ada)), 9.0)  # it played for Ada before
        own = [await reviews.begin(record, ["champion"], seat, ada) for seat in (None, 0, 1)]
        assert [each.so_far["position"] for each in own] == [0, 1, 2]
        with pytest.raises(Refused) as refused:
            await reviews.begin(record, ["observer"], None, ada)
        assert (refused.value.limit, refused.value.seconds) == ("reviews_per_person", 60.0)
        assert (await reviews.begin(record, ["champion"], 1, ada)).so_far["id"]  # the same again
        other = await reviews.begin(record, ["observer"], 0, bob)
        assert other.so_far["position"] == 3  # until the line is looked at again
        ids = [each.so_far["id"] for each in (*own, other)]
        with pytest.raises(Refused, match="only who asked"):
            await reviews.cancel(ids[0], bob)
        await reviews.cancel(ids[0], ada)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [asked[1:3] for asked in pool.reviews] == [(["champion"], None), (["observer"], 0)]
        assert pool.reviews[1][-1] == service.budget.caller(payer_of(bob))
        with pytest.raises(Refused, match="no longer exists"):
            await reviews.find(ids[0])
        await reviews.begin(record, ["observer"], None, ada)  # there is room again
        await reviews.stop()
        assert not reviews._line
        assert not reviews._callers

    async def main() -> None:
        async with world(tmp_path) as here:
            await scene(here)

    asyncio.run(main())


def test_a_review_cancelled_at_another_process_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perudo.server.history.reviews.REPORT_SECONDS", 0.01)

    async def main() -> None:
        async with world(tmp_path) as here:
            (ada,) = await here.guests(1)
            service, pool, record = here.service, Asked(), parse_record(FINISHED)
            making = Reviews(service.store, pool, service.budget, lambda: 1000.0)
            other = Reviews(service.store, pool, service.budget, lambda: 1000.0)
            begun = await making.begin(record, ["champion"], None, ada)
            id = begun.so_far["id"]
            while (await other.find(id)).so_far["position"] is not None:
                await asyncio.sleep(0.01)  # until the other process knows that it is being made
            await other.cancel(id, ada)
            await asyncio.wait_for(asyncio.gather(*making._tasks.values()), 30.0)

    asyncio.run(main())


def test_a_review_is_cancelled_over_http(tmp_path: Path) -> None:
    async def main() -> None:
        server = Server(settings := settings_for(tmp_path), pool=Asked())
        async with site(settings, server) as here:
            ada, bob = await here.guest(), await here.guest()
            begun = await here.ask(ada, "POST", "/api/reviews", {"record": FINISHED})
            path = f"/api/reviews/{begun['id']}"
            assert (await here.raw(bob, "DELETE", path)).status_code == 403
            assert (await here.ask(ada, "DELETE", path))["done"]
            assert (await here.raw(ada, "GET", path)).status_code == 404

    asyncio.run(main())


class Asked(QuickPool):
    """A pool that never comes to the end of a review."""

    def __init__(self) -> None:
        super().__init__()
        self.reviews: list[Any] = []

    async def review(self, *of: Any) -> None:
        self.reviews.append(of)
        await asyncio.Event().wait()
