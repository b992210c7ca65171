"""Clocks, the calza window, people who vanish, and what a table's creator may do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from perudo.server.people.people import Person
from perudo.server.rooms.room import Room
from perudo.server.table import events
from server.world import Follower, World, awaited, play_of, status_of, world


async def seated(
    here: World, players: int, **options: Any
) -> tuple[Room, list[Person], list[Follower]]:
    """People at a table, dealt and looking."""
    people = await here.guests(players)
    room = await here.table(people[0], players, **options)
    followers = [Follower(person) for person in people]
    for person, follower in zip(people, followers, strict=True):
        await here.open(room, follower)
        assert "code" not in await here.do(room, person, "sit")
    await here.settle(room)
    play_of(room)
    return room, people, followers


async def say(here: World, room: Room, person: Person, action: str) -> dict[str, Any]:
    return await here.do(room, person, "action", id=room.table.question, action=action)


def acts(room: Room) -> list[tuple[int, str, str]]:
    """List the actions, each with its seat and its origin (player, AI, timer ...)."""
    return [
        (entry.event.record["seat"], entry.event.record["action"], str(entry.event.by))
        for entry in room.audience.entries
        if isinstance(entry.event, events.Act)
    ]


def run(path: Path, scene: Callable[[World], Awaitable[None]], **settings: Any) -> None:
    async def main() -> None:
        async with world(path, **settings) as here:
            await scene(here)

    asyncio.run(main())


def test_a_1_3_an_expired_timer_says_dudo_or_the_lowest_bid(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, _, followers = await seated(here, 2, timer=10)
        opener = awaited(room)[0]
        await here.settle(room, 9.0)
        assert acts(room) == []
        assert followers[0].view["seconds"] == 10.0
        await here.settle(room, 1.5)
        assert acts(room) == [(opener, "1x2", "timer")]
        await here.settle(room, 10.5)
        assert acts(room)[1:2] == [(1 - opener, "dudo", "timer")]

    run(tmp_path, scene)


def test_claims_of_calza_are_settled_by_seat_not_by_arrival(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, followers = await seated(here, 4, rules="official")
        bidder = awaited(room)[0]
        await say(here, room, people[bidder], "2x3")
        asked = play_of(room).window
        assert asked == ((bidder + 2) % 4, (bidder + 3) % 4)
        turn = (bidder + 1) % 4
        assert followers[asked[0]].view["legal"] == ["calza", "decline"]
        assert followers[turn].view["legal"] is None
        assert (await say(here, room, people[turn], "3x3"))["code"] == "not_your_turn"
        await say(here, room, people[asked[1]], "calza")  # first, but the other sits before
        others = [message["events"] for message in followers[turn].sent[-1:]]
        assert others[0][0]["kind"] == "answered"
        assert "action" not in others[0][0]
        await say(here, room, people[asked[0]], "calza")
        await here.settle(room)
        assert acts(room)[1] == (asked[0], "calza", "window")
        assert len(acts(room)) == 2

    run(tmp_path, scene)


def test_the_calza_window_closes_by_itself(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, _ = await seated(here, 3, rules="official", calza_window=4.0)
        bidder = awaited(room)[0]
        await say(here, room, people[bidder], "2x3")
        asked = (bidder + 2) % 3
        assert play_of(room).window == (asked,)
        await here.settle(room, 3.9)
        assert play_of(room).window == (asked,)
        await here.settle(room, 0.2)
        assert play_of(room).window == ()
        assert acts(room)[1] == (asked, "decline", "window")
        await here.do(room, people[(bidder + 1) % 3], "auto", decline=True)
        await say(here, room, people[(bidder + 1) % 3], "3x3")
        assert play_of(room).window == (bidder,)
        await here.do(room, people[bidder], "auto", decline=True)
        await here.settle(room)
        assert play_of(room).window == ()

    run(tmp_path, scene)


def test_answers_in_the_window_survive_a_restart(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, _ = await seated(here, 4, rules="official")
        bidder = awaited(room)[0]
        await say(here, room, people[bidder], "2x3")
        first, second = play_of(room).window
        await say(here, room, people[second], "calza")
        await room.stop()
        del here.lobby._rooms[room.table.id]
        again = await here.lobby.room(room.table.id)
        assert awaited(again) == (first,)
        await say(here, again, people[first], "decline")
        await here.settle(again)
        assert acts(again)[-1][:2] == (second, "calza")

    run(tmp_path, scene)


def test_who_vanishes_is_played_by_an_ai_until_they_return(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, followers = await seated(here, 2)
        opener = awaited(room)[0]

        async def go() -> None:
            await room.shut(followers[opener])

        await room.perform(go)
        assert not followers[1 - opener].sent[-1]["info"]["seats"][opener]["here"]
        await here.settle(room, 29.0)
        assert acts(room) == []
        await here.settle(room, 1.5)
        await here.settle(room)
        assert room.table.seats[opener].stand_in == "observer"
        assert acts(room)[0][0] == opener
        assert acts(room)[0][2] == "ai"
        back = Follower(people[opener])
        await here.open(room, back)
        assert room.table.seats[opener].stand_in is None
        assert back.view["dice"] == play_of(room).observe(opener).hand(opener)

    run(tmp_path, scene)


def test_everybody_waits_for_the_absent_if_the_creator_chose_so(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, followers = await seated(here, 2, private=True)
        assert room.timing.absence(room.table) == 180.0
        assert (await here.do(room, people[1], "absence", action="wait"))["code"] == "not_creator"
        assert "code" not in await here.do(room, people[0], "absence", action="wait")

        async def go() -> None:
            await room.shut(followers[0])
            await room.shut(followers[1])

        await room.perform(go)
        await here.settle(room, 10_000.0)
        assert acts(room) == []

    run(tmp_path, scene)


def test_who_leaves_is_placed_last_and_an_ai_plays_on(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, _ = await seated(here, 2, rules="common:dice=1")
        await here.do(room, people[1], "stand")
        assert room.table.seat_of(people[1].id) is None
        await here.settle(room)
        for _ in range(20):
            if play_of(room).over:
                break
            legal = play_of(room).legal(0)
            if legal:
                await say(here, room, people[0], "dudo" if "dudo" in legal else legal[0])
            await here.settle(room)
        from perudo.server.history.projections import seat_rows

        rows = seat_rows(room.table)
        assert [(row["place"], row["left"]) for row in rows] == [(1, False), (2, True)]
        assert room.table.seats[1].occupant is None

    run(tmp_path, scene)


def test_a_pause_stops_all_clocks(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, _ = await seated(here, 2, timer=10)
        assert (await here.do(room, people[1], "pause", on=True))["code"] == "not_creator"
        await here.do(room, people[0], "pause", on=True)
        await here.settle(room, 1000.0)
        assert acts(room) == []
        opener = awaited(room)[0]
        assert (await say(here, room, people[opener], "1x2"))["code"] == "paused"
        await here.do(room, people[0], "pause", on=False)
        await here.settle(room, 5.0)
        assert acts(room) == []
        assert "code" not in await say(here, room, people[opener], "1x2")

    run(tmp_path, scene)


def test_kicked_people_stay_away_and_their_seat_can_be_filled(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(2)
        room = await here.table(people[0], 3)
        await here.do(room, people[0], "sit")
        await here.do(room, people[1], "sit")
        assert (await here.do(room, people[1], "kick", seat=0))["code"] == "not_creator"
        assert "code" not in await here.do(room, people[0], "kick", seat=1)
        assert (await here.do(room, people[1], "sit"))["code"] == "kicked"
        assert (await here.do(room, people[0], "fill", seat=1, agent="no.py:X"))[
            "code"
        ] == "refused"
        await room.stop()
        del here.lobby._rooms[room.table.id]
        room = await here.lobby.room(room.table.id)  # folded again from the log
        assert (await here.do(room, people[1], "sit"))["code"] == "kicked"
        await here.do(room, people[0], "fill", seat=1, level="casual")
        await here.do(room, people[0], "fill", seat=2, agent="observer")
        await here.settle(room)
        assert room.table.status == "playing"

    run(tmp_path, scene)


def test_pace_makes_ais_wait_for_people(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(1)
        seats = [{"kind": "open"}, {"kind": "ai", "level": "casual"}]
        room = await here.table(people[0], seats, rules="openspiel", pace=2.0)
        await here.do(room, people[0], "sit")
        await here.settle(room)
        await say(here, room, people[0], "1x2")
        await here.settle(room, 1.9)
        assert len(acts(room)) == 1
        await here.settle(room, 0.2)
        await here.settle(room)
        assert len(acts(room)) == 2

    run(tmp_path, scene)


def test_a_series_of_ais_plays_itself_and_a_rematch_begins_another(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(2)
        seats = [{"kind": "ai", "level": "casual"}, {"kind": "ai", "level": "strong"}]
        room = await here.table(people[0], seats, rules="common:dice=1", games=3)
        for _ in range(200):
            await here.settle(room)
            if room.table.status == "finished":
                break
        assert room.table.game == 3
        assert sum(room.table.wins) == 3
        table, pair, _ = await seated(here, 2, rules="common:dice=1")
        while not play_of(table).over:
            seat = awaited(table)[0]
            legal = play_of(table).legal(seat)
            await say(here, table, pair[seat], "dudo" if "dudo" in legal else legal[0])
        assert status_of(table) == "finished"
        await here.do(table, pair[0], "rematch")
        assert status_of(table) == "finished"
        await here.do(table, pair[1], "rematch", seed="cd")
        assert status_of(table) == "playing"
        assert table.table.game == 2
        assert cast(Any, play_of(table).events[0])["fair"]["seeds"] == ["", "cd"]

    run(tmp_path, scene)


@pytest.mark.parametrize(("private", "code"), [(False, "no_text"), (True, None)])
def test_free_text_is_for_private_tables(private: bool, code: str | None, tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, followers = await seated(here, 2, private=private)
        assert (await here.do(room, people[1], "say", text="a word")).get("code") == code
        assert "code" not in await here.do(room, people[1], "say", phrase="good_luck")
        assert "code" not in await here.do(room, people[1], "say", reaction="🎲")
        assert (await here.do(room, people[1], "say"))["code"] == "wrong_field"
        await here.do(room, people[0], "mute", seat=1, on=True)
        if private:
            said = [e["text"] for m in followers[0].sent for e in m["events"] if "text" in e]
            assert said[0] == "a word"
            assert (await here.do(room, people[1], "say", text="more"))["code"] == "muted"

    run(tmp_path, scene)


def test_ais_finish_at_once_when_people_are_out_and_hurry(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(1)
        seats = [{"kind": "open"}, *[{"kind": "ai", "level": "strong"}] * 3]
        room = await here.table(people[0], seats, rules="common:dice=1", pace=10.0)
        await here.open(room, Follower(people[0]))
        await here.do(room, people[0], "sit")
        for _ in range(400):
            await here.settle(room, 10.5)
            if room.table.play is not None and play_of(room).observe().dice_counts[0] == 0:
                break
            if 0 in awaited(room):
                assert (await here.do(room, people[0], "hurry"))["code"] == "still_playing"
                await say(here, room, people[0], play_of(room).legal(0)[-2])
        if not play_of(room).over:
            await here.do(room, people[0], "hurry")
            for _ in range(20):
                await here.settle(room)
        assert play_of(room).over

    run(tmp_path, scene)
