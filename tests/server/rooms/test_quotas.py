"""Series between AIs: the limit per day, and ending a series that nobody follows."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from perudo.server.db import schema
from perudo.server.table.due import CLOSE_ABANDONED_SECONDS
from server.rooms.test_dealing import run, seated
from server.world import Follower, World, play_of, status_of

AI = {"kind": "ai", "agent": "random"}


async def used(here: World) -> int:
    query = sa.select(sa.func.sum(schema.quotas.c.used))
    return await here.service.store.read(lambda connection: connection.execute(query).scalar() or 0)


def test_games_of_ais_alone_are_counted_however_the_table_came_to_be(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (ada,) = await here.guests(1)
        room = await here.table(ada, [{"kind": "open"}, AI], rules="common:dice=1", games=30)
        assert await used(here) == 0
        assert "code" not in await here.do(room, ada, "fill", seat=0, agent="random")
        assert await used(here) == 30
        second = await here.table(ada, [{"kind": "open"}, AI], rules="common:dice=1", games=30)
        refused = await here.do(second, ada, "fill", seat=0, agent="random")
        assert (refused["code"], refused["limit"]) == ("quota", "ai_games_per_day")
        assert 0 < refused["seconds"] <= 86400
        assert second.table.seats[0].occupant is None
        assert "code" not in await here.do(second, ada, "sit")  # people play as much as they like

    run(tmp_path, scene, ai_games_per_day=50)


def test_a_seat_that_is_not_filled_uses_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(here: World) -> None:
        (ada,) = await here.guests(1)
        room = await here.table(ada, [{"kind": "open"}, AI], rules="common:dice=1", games=30)

        def fail(*_: object) -> None:
            raise RuntimeError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr("perudo.server.rooms.table_log.project", fail)  # after the quota
            answer = await here.do(room, ada, "fill", seat=0, agent="random")
        assert answer["code"] == "try_again"
        again = await here.lobby.room(room.table.id)
        assert again.table.seats[0].occupant is None
        assert await used(here) == 0

    run(tmp_path, scene, ai_games_per_day=50)


def test_a_series_that_everybody_has_left_ends_with_its_game(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (ada,) = await here.guests(1)
        room = await here.table(ada, [{"kind": "open"}, AI], rules="common:dice=1", games=30)
        await here.open(room, Follower(ada))
        await here.do(room, ada, "sit")
        await here.settle(room)
        await here.do(room, ada, "stand")
        for _ in range(100):
            await here.settle(room, 5.0)
        assert play_of(room).over
        assert (room.table.status, room.table.game) == ("closed", 1)

    run(tmp_path, scene)


def test_the_next_game_waits_until_somebody_is_back(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, followers = await seated(here, 2, rules="common:dice=1", games=3)
        for follower in followers:
            await room.shut(follower)
        for _ in range(100):
            await here.settle(room, 31.0)
        assert play_of(room).over
        assert (room.table.status, room.table.game) == ("playing", 1)
        await here.open(room, Follower(people[0]))
        await here.settle(room, 10.0)
        assert room.table.game == 2

    run(tmp_path, scene)


def test_a_series_to_which_nobody_comes_back_is_closed_after_a_week(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, _, followers = await seated(here, 2, rules="common:dice=1", games=3)
        for follower in followers:
            await room.shut(follower)
        for _ in range(100):
            await here.settle(room, 31.0)
        await here.settle(room, CLOSE_ABANDONED_SECONDS - 4000.0)
        assert status_of(room) == "playing"
        await here.settle(room, 4000.0)
        assert status_of(room) == "closed"

    run(tmp_path, scene)
