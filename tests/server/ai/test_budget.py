"""Shares of processor time: what they refuse, what they pause, and what a restart keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from perudo.server.ai.budget import Budget, hashed_network, payer_of
from perudo.server.db import schema
from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.rooms.room import Room
from server.history.test_reviews import FINISHED
from server.kit import settings_for, site
from server.world import Follower, World, status_of, world

AI = {"kind": "ai", "agent": "random"}
SIZE = 100.0


def run(path: Path, scene: Callable[[World], Awaitable[None]], **settings: Any) -> None:
    async def main() -> None:
        async with world(path, ai_seconds_per_person=SIZE, **settings) as here:
            await scene(here)

    asyncio.run(main())


def spend(here: World, person: Person, seconds: float) -> None:
    budget = here.service.budget
    budget.charge(budget.caller(payer_of(person)), seconds)


async def refusal(work: Awaitable[Any]) -> Refused:
    with pytest.raises(Refused) as found:
        await work
    return found.value


async def until(here: World, room: Room, reached: Callable[[], bool]) -> None:
    for _ in range(300):
        if reached():
            return
        await here.settle(room)
        await asyncio.sleep(0.005)
    raise AssertionError("it does not come to that")


def test_a_share_is_used_up_and_refills_within_an_hour(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (ada,) = await here.guests(1)
        budget, payer = here.service.budget, payer_of(ada)
        spend(here, ada, 99.0)
        assert budget.shortage(payer) is None  # what runs goes on
        short = budget.shortage(payer, fresh=True)  # but nothing new begins
        assert short is not None
        assert short.limit == "ai_seconds_per_person"
        assert short.seconds == pytest.approx(4 * 36.0)
        spend(here, ada, 2.0)
        assert budget.shortage(payer) is not None
        here.clock.seconds += 6 * 36.0
        assert budget.shortage(payer, fresh=True) is None
        spend(here, ada, 1e6)  # nobody waits for much over an hour
        short = budget.shortage(payer)
        assert short is not None
        assert short.seconds == pytest.approx(1.05 * 3600)

    run(tmp_path, scene)


def test_guests_of_one_address_share_and_accounts_do_not(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        ada, bob, cleo = await here.guests(3)
        dan = Person("dan", "account", "Dan")
        budget = here.service.budget
        for person in (ada, bob, dan):
            budget.saw(person, "2001:db8::1")
        budget.saw(cleo, "2001:db8:0:1::1")
        spend(here, ada, 60.0)
        for person, limit in (
            (ada, "ai_seconds_per_address"),
            (bob, "ai_seconds_per_address"),
            (cleo, None),
            (dan, None),
        ):
            short = budget.shortage(payer_of(person))
            assert (None if short is None else short.limit) == limit

    run(tmp_path, scene, ai_seconds_per_address=50.0)


def test_addresses_are_networks_and_cannot_be_read() -> None:
    assert hashed_network("2001:db8::1") == hashed_network("2001:db8::ffff:1")
    assert hashed_network("2001:db8::1") != hashed_network("2001:db8:0:1::1")
    assert hashed_network("::ffff:10.0.0.1") == hashed_network("10.0.0.1")
    assert hashed_network("10.0.0.1") != hashed_network("10.0.0.2")
    assert "10.0" not in hashed_network("10.0.0.1")


def test_a_restart_gives_nothing_back_and_processes_add_up(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (ada,) = await here.guests(1)
        service, payer = here.service, payer_of(ada)
        first = service.budget
        first.saw(ada, "10.0.0.1")
        spend(here, ada, 60.0)
        await first.save()
        second = Budget(service.store, service.settings, service.clock)
        await second.load()
        assert second.shortage(payer) is None
        second.charge(second.caller(payer), 60.0)
        assert second.shortage(payer) is not None
        await second.save()
        spend(here, ada, 1.0)
        await first.save()  # and reads what the other has added
        assert first.shortage(payer) is not None
        rows = await service.store.read(
            lambda connection: connection.execute(sa.select(schema.ai_time)).all()
        )
        names = {row.name: row.seconds for row in rows}
        assert names[f"person:{ada.id}"] == pytest.approx(121.0)
        assert "10.0.0.1" not in str(names)
        here.clock.seconds += 3 * 3600.0
        spend(here, Person("bob", "account", "Bob"), 1.0)
        await first.save()
        rows = await service.store.read(
            lambda connection: connection.execute(sa.select(schema.ai_time)).all()
        )
        assert [row.name for row in rows] == ["person:bob"]

    run(tmp_path, scene)


def test_who_has_used_up_their_share_gets_no_more_ais(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        ada, bob = await here.guests(2)
        room = await here.table(ada, [{"kind": "open"}, {"kind": "open"}])
        spend(here, ada, SIZE)
        for refused in (
            await refusal(here.table(ada, [{"kind": "open"}, AI])),
            await refusal(here.table(ada, [AI, AI])),
        ):
            assert (refused.code, refused.limit) == ("quota", "ai_seconds_per_person")
            assert refused.seconds == pytest.approx(0.05 * 3600.0)
        assert (await here.do(room, ada, "fill", seat=0, agent="random"))["code"] == "quota"
        await here.table(ada, 2)  # people play as much as they like
        await here.table(bob, [AI, AI])
        here.clock.seconds += 200.0
        assert "code" not in await here.do(room, ada, "fill", seat=0, agent="random")
        assert here.service.budget.refused == 3

    run(tmp_path, scene)


@pytest.mark.parametrize("games", [1, 100])
def test_a_table_of_ais_is_paused_until_its_creator_has_time_again(
    tmp_path: Path, games: int
) -> None:
    async def scene(here: World) -> None:
        ada, bob = await here.guests(2)
        pace = 1.0 if games == 1 else None
        pool: Any = here.service.pool
        play = pool.play

        async def last(*of: Any) -> Any:
            found = await play(*of)
            if pool.batches == 1:
                spend(here, ada, 1.5 * SIZE)
            return found

        pool.play = last
        room = await here.table(ada, [AI, AI], rules="common:dice=2", games=games, pace=pace)
        watching = Follower(bob)
        if games == 1:
            await here.open(room, watching)
            await until(here, room, lambda: bool(room.attendance.proposals))
            spend(here, ada, 1.5 * SIZE)
        for _ in range(3):
            await here.settle(room, 1.0)
        await until(here, room, lambda: room.table.paused)
        assert not room.table.series_over
        assert room.table.limit == room.info["limit"] == "ai_seconds_per_person"
        events = [e for m in watching.sent for e in m.get("events", ()) if e["kind"] == "paused"]
        told = [(event["on"], event["by"], event["limit"]) for event in events]
        assert told == [(True, None, "ai_seconds_per_person")] * (games == 1)
        reached = room.table.n
        for _ in range(5):
            await here.settle(room, 1.0)
        assert room.table.n == reached
        refused = await here.do(room, ada, "pause", on=False)
        assert refused["code"] == "quota"
        await restarted(here, room)
        room = await here.lobby.room(room.table.id)
        for _ in range(5):
            await here.settle(room, 1.0)
        assert (room.table.paused, room.table.n) == (True, reached)
        here.clock.seconds += 3600.0
        assert "code" not in await here.do(room, ada, "pause", on=False)
        assert "limit" not in room.info
        await here.settle(room, 1.0)
        for _ in range(400):
            if status_of(room) == "finished":
                break
            await here.settle(room, 1.0)
            await asyncio.sleep(0.005)
        assert room.table.series_over

    run(tmp_path, scene)


async def restarted(here: World, room: Room) -> None:
    """Load a table again as after a restart."""
    room.audience.followers.clear()
    await here.lobby._drop(room.table.id)


def test_a_game_that_a_restart_finds_without_time_is_paused(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (ada,) = await here.guests(1)
        room = await here.table(ada, [AI, AI], pace=5.0)
        await until(here, room, lambda: bool(room.attendance.proposals))
        spend(here, ada, 1.5 * SIZE)
        await restarted(here, room)
        again = await here.lobby.room(room.table.id)
        await until(here, again, lambda: again.table.paused)

    run(tmp_path, scene)


def test_at_a_table_with_people_a_cheap_ai_decides_instead(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        ada, bob = await here.guests(2)
        seats = [{"kind": "open"}, {"kind": "open"}, {"kind": "ai", "agent": "champion"}]
        asked = []
        pool: Any = here.service.pool
        decide = pool.decide

        async def noting(agent: str, *of: Any) -> str:
            asked.append(agent)
            return str(await decide(agent, *of))

        pool.decide = noting
        room = await here.table(ada, seats, rules="common")
        spend(here, ada, 1.5 * SIZE)
        followers = [Follower(ada), Follower(bob)]
        for person, follower in zip((ada, bob), followers, strict=True):
            await here.open(room, follower)
            await here.do(room, person, "sit")
        await until(here, room, lambda: room.table.play is not None)
        for _ in range(3):
            view = followers[0].view
            turn = view["turn"]
            if turn == 2:
                break
            acting = followers[turn]
            made = await here.do(
                room,
                acting.person,
                "action",
                id=view["question"],
                action=acting.view["legal"][0],
            )
            assert "code" not in made
            await here.settle(room)
        await until(here, room, lambda: bool(asked))
        await here.settle(room)
        events = [e for m in followers[1].sent for e in m.get("events", ())]
        acts = [event for event in events if event["kind"] == "act" and event["seat"] == 2]
        assert {event["by"] for event in acts} == {"fallback"}
        assert set(asked) == {here.service.settings.stand_in}
        assert not room.table.paused

    run(tmp_path, scene)


def test_refusals_over_http_say_the_limit_and_when_to_try_again(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, ai_seconds_per_person=SIZE)) as here:
            token = await here.guest()
            service = here.server.service
            me = await here.ask(token, "GET", "/api/me")
            person = await here.server.people.by_id(me["you"]["id"])
            assert person is not None
            caller = service.budget.caller(payer_of(person))
            assert len(caller.names) == 2  # the address is known
            service.budget.charge(caller, 1.2 * SIZE)
            seats = {"seats": [AI, AI]}
            for path, body in (("/api/tables", seats), ("/api/reviews", {"record": FINISHED})):
                answer = await here.raw(token, "POST", path, body)
                assert answer.status_code == 429, answer.text
                problem = answer.json()
                assert problem["code"] == "quota"
                assert problem["limit"] == "ai_seconds_per_person"
                assert 0 < problem["seconds"] <= 0.25 * 3600.0
                assert int(answer.headers["retry-after"]) >= problem["seconds"] - 1
            metrics = (await here.http.get("/metrics")).text
            assert "perudo_ai_refused_total 2.0" in metrics
            assert "perudo_ai_questions_waiting 0.0" in metrics

    asyncio.run(main())


def test_heavy_parameters_are_limited_by_their_product(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, ai_work=50_000)) as here:
            token = await here.guest()
            shown = await here.ask(token, "GET", "/api/agents")
            assert shown["most_work"] == 50_000
            (pomcp,) = (each for each in shown["agents"] if each["name"] == "pomcp")
            assert pomcp["work"] == ["iterations", "repeats"]
            for spec, allowed in (
                ("pomcp:iterations=20000,repeats=2", True),
                ("pomcp:iterations=20000,repeats=4", False),
                ("champion", True),
                ("champion:deep", False),
            ):
                seats = {"seats": [{"kind": "open"}, {"kind": "ai", "agent": spec}]}
                answer = await here.raw(token, "POST", "/api/tables", seats)
                assert answer.is_success == allowed, answer.text
                if not allowed:
                    assert "at most 50000" in answer.json()["message"]

    asyncio.run(main())
