"""Pauses: of a rated game by consent and not for ever; and no log grows by saying things again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from perudo.server.people.people import Person
from perudo.server.rate_limits import CHANGE_RATE
from perudo.server.rooms.room import Room
from perudo.server.table.due import RATED_PAUSE_SECONDS, STAND_IN_SECONDS
from server.history.test_ratings import accounts, entries, rated_world
from server.rooms.test_dealing import run, say, seated
from server.world import Follower, World, awaited, play_of

AI = {"kind": "ai", "agent": "observer"}


def is_paused(room: Room) -> bool:
    """Return whether a table is paused, through a call so that mypy does not narrow it."""
    return room.table.paused


async def rated(here: World, names: list[str], *others: Any) -> tuple[Room, list[Person]]:
    """A rated game of these people and others, who all look."""
    people = await accounts(here, names)
    seats = [*[{"kind": "open"}] * len(people), *others]
    room = await here.table(people[0], seats, rules="common", rated=True)
    for person in people:
        await here.open(room, Follower(person))
        assert "code" not in await here.do(room, person, "sit")
    await here.settle(room)
    assert room.table.playing is not None
    return room, people


def test_a_rated_game_is_paused_when_all_who_are_here_have_asked(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (stranger,) = await accounts(here, ["Dan"])
        room, people = await rated(here, ["Ada", "Bob", "Cleo"])
        looker = Follower(people[1])
        await here.open(room, looker)
        before = room.table.n
        assert (await here.do(room, stranger, "pause", on=True))["code"] == "not_seated"
        for _ in range(2):
            assert "code" not in await here.do(room, people[0], "pause", on=True)
        assert looker.sent[-1]["info"]["pausing"] == [0]
        assert len([m for m in looker.sent if (m["info"] or {}).get("pausing") == [0]]) == 1
        await here.do(room, people[0], "pause", on=False)
        assert "pausing" not in looker.sent[-1]["info"]
        for person in people[:2]:
            await here.do(room, person, "pause", on=True)
        assert not is_paused(room)
        assert room.table.n == before  # wishes are not kept in the log
        await here.do(room, people[2], "pause", on=True)
        assert is_paused(room)
        assert "pausing" not in looker.sent[-1]["info"]
        await here.do(room, people[1], "pause", on=False)  # one is enough
        assert not is_paused(room)

    rated_world(tmp_path, scene)


def test_who_is_not_here_is_not_asked_for_consent(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people = await rated(here, ["Ada", "Bob"])
        (bob,) = [each for each in room.audience.followers if each.person.id == people[1].id]
        await room.perform(lambda: room.shut(bob))
        await here.do(room, people[0], "pause", on=True)
        assert is_paused(room)
        await here.open(room, Follower(people[1]))
        await here.do(room, people[1], "pause", on=False)
        assert not is_paused(room)

    rated_world(tmp_path, scene)


def test_a_rated_table_cannot_be_paused_before_its_game(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        ada, bob = await accounts(here, ["Ada", "Bob"])
        room = await here.table(ada, 2, rules="common", rated=True)
        await here.do(room, ada, "sit")
        assert (await here.do(room, ada, "pause", on=True))["code"] == "not_playing"
        await here.do(room, bob, "sit")
        await here.settle(room)
        assert room.table.playing is not None
        assert not is_paused(room)

    rated_world(tmp_path, scene)


def test_no_game_begins_at_a_paused_table(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        ada, bob = await here.guests(2)
        room = await here.table(ada, 2)
        await here.do(room, ada, "sit")
        await here.do(room, ada, "pause", on=True)
        await here.do(room, bob, "sit")
        await here.settle(room)
        assert room.table.play is None
        await here.do(room, ada, "pause", on=False)
        await here.settle(room)
        assert room.table.playing is not None

    run(tmp_path, scene)


def test_a_series_that_is_paused_between_games_goes_on(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, _ = await seated(here, 2, rules="common:dice=1", games=2)
        while not play_of(room).over:
            await say(here, room, people[turn_of(room)], choose(play_of(room).legal(turn_of(room))))
        await here.do(room, people[0], "pause", on=True)
        await here.settle(room, 100.0)
        assert room.table.game == 1
        # The pause may come when the time of the next game is over and its AIs get ready.
        room.attendance = replace(room.attendance, next_game_at=None)
        await here.do(room, people[0], "pause", on=False)
        await here.settle(room)
        assert room.table.game == 2
        assert not is_paused(room)

    run(tmp_path, scene, reveal_seconds=2.0)


def turn_of(room: Room) -> int:
    return awaited(room)[0]


def choose(legal: list[str]) -> str:
    return "dudo" if "dudo" in legal else legal[0]


@pytest.mark.parametrize("leaves", ["stays away", "stands up"])
def test_who_pauses_a_rated_game_against_ais_and_leaves_has_lost_it(
    leaves: str, tmp_path: Path
) -> None:
    async def scene(here: World) -> None:
        room, (ada,) = await rated(here, ["Ada"], AI)
        await here.do(room, ada, "pause", on=True)
        assert is_paused(room)
        for follower in list(room.audience.followers):
            await room.perform(partial(room.shut, follower))
        if leaves == "stands up":
            await here.do(room, ada, "stand")
        await here.settle(room, RATED_PAUSE_SECONDS - 1.0)
        assert is_paused(room)
        await here.settle(room, 1.0)
        assert not is_paused(room)
        for _ in range(200):
            await here.settle(room, 31.0)
            if play_of(room).over:
                break
        assert play_of(room).over
        found = (await entries(here, "common 2"))["Ada"]
        assert found["games"] == 1
        assert found["rating"] < 1500

    rated_world(tmp_path, scene)


def test_a_rated_game_is_not_paused_again_and_again(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, (ada,) = await rated(here, ["Ada"], AI)
        for _ in range(3):
            assert "code" not in await here.do(room, ada, "pause", on=True)
            await here.settle(room, RATED_PAUSE_SECONDS)
            assert not is_paused(room)
        refused = await here.do(room, ada, "pause", on=True)
        assert refused["code"] == "refused"

    rated_world(tmp_path, scene)


# --- the log ------------------------------------------------------------------------------------
def test_what_changes_nothing_is_no_event(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, _ = await seated(here, 2, private=True)
        for kind, more in (
            ("pause", {"on": True}),
            ("absence", {"action": "wait", "seconds": 60.0}),
            ("mute", {"seat": 1, "on": True}),
        ):
            first = await here.do(room, people[0], kind, **more)
            again = await here.do(room, people[0], kind, **more)
            assert (first["repeated"], again["repeated"]) == (False, True), kind
            assert room.table.n == first["n"], kind

    run(tmp_path, scene)


def test_a_table_is_not_changed_again_and_again(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, _ = await seated(here, 2, private=True)
        before = room.table.n
        for number in range(200):
            answer = await here.do(room, people[0], "mute", seat=1, on=number % 2 == 0)
            if "code" in answer:
                break
        assert answer["code"] == "too_fast"
        assert room.table.n == before + CHANGE_RATE[0] - 1  # who changed a seat first
        assert "code" not in await here.do(room, people[0], "mute", seat=1, on=True)  # as it is
        assert "code" not in await here.do(room, people[1], "stand")  # others are free to
        await here.settle(room, CHANGE_RATE[1] / CHANGE_RATE[0])
        assert "code" not in await here.do(room, people[0], "mute", seat=1, on=False)

    run(tmp_path, scene)


def test_who_comes_and_goes_is_not_replaced_each_time(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        room, people, followers = await seated(here, 2, absence_seconds=5.0)
        before, follower = room.table.n, followers[0]
        for _ in range(12):  # a minute
            await room.perform(partial(room.shut, follower))
            await here.settle(room, 5.0)
            follower = Follower(people[0])
            await here.open(room, follower)
        told = [entry.event.kind for entry in room.audience.entries if entry.n > before]
        assert told.count("absent") <= 1 + 60.0 / STAND_IN_SECONDS

    run(tmp_path, scene)
