"""Ratings: which games count, for whom, and how much."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import Connection

from perudo import levels
from perudo.ratings import Skill
from perudo.server.db import schema
from perudo.server.errors import Refused
from perudo.server.history import ratings as ladder
from perudo.server.history.projections import seat_rows
from perudo.server.people.people import Person
from perudo.server.rooms.room import Room
from perudo.server.wire.bodies import LadderEntry
from server.rooms.test_dealing import run, say, seated
from server.world import Follower, World, awaited, play_of, world


async def accounts(here: World, names: list[str]) -> list[Person]:
    people = []
    for name in names:
        guest, _ = await here.people.new_guest(None)
        account, _ = await here.people.register(guest, name, "long enough")
        people.append(account)
    return people


async def rated_game(here: World, people: list[Person], rules: str = "perudish2") -> Room:
    """A rated game that the first to doubt loses or wins, played to its end."""
    room = await here.table(people[0], len(people), rules=rules, rated=True)
    for person in people:
        await here.open(room, Follower(person))
        assert "code" not in await here.do(room, person, "sit")
    await here.settle(room)
    await finish(here, room, people)
    return room


async def finish(here: World, room: Room, people: list[Person]) -> None:
    while not play_of(room).over:
        for seat in list(awaited(room)):
            legal = play_of(room).legal(seat)
            calls = [word for word in ("decline", "dudo", "doubt") if word in legal]
            await say(here, room, people[seat], (calls or legal)[0])
        await here.settle(room)


async def entries(here: World, name: str) -> dict[str, LadderEntry]:
    found = await here.service.store.read(
        lambda connection: ladder.ranking(connection, name, limit=100)
    )
    return {entry["name"]: entry for entry in found}


def rated_world(path: Path, scene: Any) -> None:
    async def main() -> None:
        async with world(path) as here:
            here.service.game_ended = ladder.rate_game
            await scene(here)

    asyncio.run(main())


def test_each_preset_and_two_or_more_players_are_ladders_of_their_own(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await accounts(here, ["Ada", "Bob", "Cleo"])
        await rated_game(here, people[:2], "perudish2")
        await rated_game(here, people, "common")
        pair, three = await entries(here, "perudish2 2"), await entries(here, "common 3-6")
        assert {"Ada", "Bob"} <= set(pair)
        assert "Cleo" not in pair
        assert {"Ada", "Bob", "Cleo"} <= set(three)
        assert not {"Ada", "Bob"} & set(await entries(here, "common 2"))
        assert pair["Ada"]["games"] == three["Ada"]["games"] == 1
        ratings = sorted(pair[name]["rating"] for name in ("Ada", "Bob"))
        assert ratings[0] < 1500 < ratings[1]

    rated_world(tmp_path, scene)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_ladder_is_cut_off_and_sorted_by_the_same_conservative_rating(
    limit: int, tmp_path: Path
) -> None:
    async def scene(here: World) -> None:
        people = await accounts(here, ["Ada", "Bob", "Cleo"])
        # Ada's 95 % interval begins above Bob's, but her mean minus three deviations is lower.
        skills = [Skill(30.0, 5.0), Skill(24.0, 2.0), Skill(25.0, 8.0)]

        def rank(connection: Connection) -> list[LadderEntry]:
            connection.execute(
                schema.ratings.insert(),
                [
                    {
                        "player": person.id,
                        "category": "common 2",
                        "rating": skill.mu,
                        "deviation": skill.sigma,
                        "games": 9,
                        "updated": 0.0,
                    }
                    for person, skill in zip(people, skills, strict=True)
                ],
            )
            return ladder.ranking(connection, "common 2", limit=limit)

        found = await here.service.store.write(rank)
        ranked = [entry["name"] for entry in found if entry["kind"] != "ai"]
        assert ranked == ["Bob", "Ada", "Cleo"][:limit]
        conservative = [entry["rating"] - 3.0 * entry["deviation"] for entry in found]
        ordered = sorted(conservative, reverse=True)
        assert conservative == pytest.approx(ordered, abs=0.5)  # the entries are rounded

    rated_world(tmp_path, scene)


def test_the_same_two_again_count_less_each_time(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await accounts(here, ["Ada", "Bob", "Cleo"])
        weights = []
        real = ladder.blended

        def noted(before: Any, after: Any, weight: float) -> Any:
            weights.append(weight)
            return real(before, after, weight)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ladder, "blended", noted)
            for _ in range(3):
                here.clock.seconds += 10.0
                await rated_game(here, people[:2])
            await rated_game(here, [people[0], people[2]])
            here.clock.seconds += 2 * ladder.REPEAT_SECONDS
            await rated_game(here, people[:2])
        assert weights[0:2] == [1.0, 1.0]
        assert 1.0 > weights[2] > weights[4] > 0.0
        assert weights[2] == weights[3]
        assert weights[6:8] == [1.0, 1.0]  # somebody new
        assert weights[8:10] == [1.0, 1.0]  # another day

    rated_world(tmp_path, scene)


def test_built_in_ais_are_anchors_with_the_labs_ratings(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (ada,) = await accounts(here, ["Ada"])
        seats = [{"kind": "open"}, {"kind": "ai", "agent": "observer"}]
        room = await here.table(ada, seats, rules="official", rated=True)
        await here.open(room, Follower(ada))
        await here.do(room, ada, "sit")
        for _ in range(300):
            await here.settle(room, 10.0)
            if play_of(room).over:
                break
            if 0 in awaited(room):
                legal = play_of(room).legal(0)
                await say(here, room, ada, "dudo" if "dudo" in legal else legal[0])
        found = await entries(here, "official 2")
        assert found["Ada"]["games"] == 1
        assert found["Ada"]["rating"] != 1500
        assert found["observer"]["kind"] == "ai"
        assert found["observer"]["rating"] == pytest.approx(levels.ratings(2)["observer"], abs=0.1)
        more = (await entries(here, "official 3-6"))["observer"]
        assert more["rating"] == pytest.approx(levels.ratings(4)["observer"], abs=0.1)
        elsewhere = (await entries(here, "common 2"))["observer"]  # not measured by these rules
        assert elsewhere["deviation"] > found["observer"]["deviation"]

    rated_world(tmp_path, scene)


def test_a_rated_table_has_a_timer_and_its_creator_no_power_over_the_game(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await accounts(here, ["Ada", "Bob"])
        room = await here.table(people[0], 2, rules="common", rated=True)
        assert room.table.options.timer == 120
        for person in people:
            await here.open(room, Follower(person))
            await here.do(room, person, "sit")
        await here.settle(room)
        for kind, more in (
            ("kick", {"seat": 1}),
            ("absence", {"action": "wait"}),
        ):
            assert (await here.do(room, people[0], kind, **more))["code"] == "refused"
        await here.settle(room, 121.0)
        assert play_of(room).events[-1]["event"] in ("act", "deal")  # the timer has moved

    rated_world(tmp_path, scene)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"rules": "common:dice=3"}, "not_rateable"),
        ({"absence": "wait"}, "not_rateable"),
        ({"seats": [{"kind": "ai", "agent": "observer"}] * 2}, "not_rateable"),
    ],
)
def test_what_cannot_be_rated_is_refused(
    options: dict[str, Any], code: str, tmp_path: Path
) -> None:
    async def scene(here: World) -> None:
        (ada,) = await accounts(here, ["Ada"])
        with pytest.raises(Refused) as refused:
            await here.table(ada, **{"seats": 2, "rules": "common", "rated": True, **options})
        assert refused.value.code == code

    rated_world(tmp_path, scene)


def test_the_last_seat_of_a_rated_table_is_not_for_another_ai(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (ada,) = await accounts(here, ["Ada"])
        seats = [{"kind": "open"}, {"kind": "ai", "agent": "observer"}]
        room = await here.table(ada, seats, rules="common", rated=True)
        refused = await here.do(room, ada, "fill", seat=0, agent="observer")
        assert refused["code"] == "not_rateable"

    rated_world(tmp_path, scene)


async def three_until_one_is_out(here: World) -> tuple[Room, list[Person], int]:
    room, people, _ = await seated(here, 3, rules="common:dice=1")
    while 0 not in (counts := list(play_of(room).observe().dice_counts)):
        (seat,) = awaited(room)
        legal = play_of(room).legal(seat)
        await say(here, room, people[seat], "dudo" if "dudo" in legal else legal[0])
        await here.settle(room)
    return room, people, counts.index(0)


def test_who_is_out_may_leave_and_keeps_the_place(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, out = await three_until_one_is_out(here)
        (leaver,) = awaited(room)
        await here.do(room, people[out], "stand")
        await here.do(room, people[leaver], "stand")
        await finish(here, room, people)
        rows = seat_rows(room.table)
        assert (rows[out]["place"], rows[out]["left"]) == (2, False)
        assert (rows[leaver]["place"], rows[leaver]["left"]) == (3, True)

    run(tmp_path, scene)


@pytest.mark.parametrize("returns", [True, False])
def test_who_vanishes_and_is_not_back_at_the_end_is_placed_last(
    returns: bool, tmp_path: Path
) -> None:
    async def scene(here: World) -> None:
        room, people, out = await three_until_one_is_out(here)
        (gone,) = awaited(room)
        for follower in list(room.audience.followers):
            if follower.person.id in (people[gone].id, people[out].id):
                await room.shut(follower)
        await here.settle(room, 31.0)  # the AI opens the round, which cannot end the game
        assert room.table.seats[gone].stand_in is not None
        assert room.table.seats[out].stand_in is not None
        if returns:
            await here.open(room, Follower(people[gone]))
        for _ in range(50):
            await here.settle(room, 10.0)
            if play_of(room).over:
                break
            for seat in awaited(room):
                if room.table.seats[seat].agent is None:
                    legal = play_of(room).legal(seat)
                    await say(here, room, people[seat], "dudo" if "dudo" in legal else legal[0])
        rows = seat_rows(room.table)
        assert rows[gone]["left"] is not returns
        assert not rows[out]["left"]
        assert rows[out]["place"] == (3 if returns else 2)

    run(tmp_path, scene)
