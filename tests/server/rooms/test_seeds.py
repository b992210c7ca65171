"""Fresh seeds: sent once a game's anchor is known, awaited for a moment, and part of its dice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from perudo.fair_dice import Noted, check_games, sha
from perudo.server.history.records import series_games
from perudo.server.people.people import Person
from perudo.server.rooms.matchmaking import Queue
from perudo.server.rooms.room import Room
from perudo.server.table.due import SEED_SECONDS
from perudo.server.wire import client_messages
from server.world import Follower, World, awaited, play_of, world

AI = {"kind": "ai", "agent": "observer"}


def run(path: Path, scene: Callable[[World], Awaitable[None]]) -> None:
    async def main() -> None:
        async with world(path) as here:
            await scene(here)

    asyncio.run(main())


def seeds_of(room: Room) -> list[str]:
    """The seeds that are part of the dice of the last game."""
    return play_of(room).dice.seeds


def anchor_of(room: Room) -> str:
    anchor = room.info["anchor"]
    assert anchor is not None
    return anchor


async def sit(here: World, room: Room, people: list[Person], **more: Any) -> None:
    for person in people:
        await here.open(room, Follower(person))
        assert "code" not in await here.do(room, person, "sit", **more)
    await here.settle(room)


async def play_out(here: World, room: Room, people: list[Person]) -> None:
    """Play a game to its end, and go on as far as time has come for it."""
    number = room.table.game
    while room.table.game == number and room.table.playing is not None:
        for seat in awaited(room):
            legal = play_of(room).legal(seat)
            action = next((each for each in ("dudo", "doubt") if each in legal), legal[0])
            question = room.table.question
            await here.do(room, people[seat], "action", id=question, action=action)
    await here.settle(room)


def test_a_game_waits_for_promised_seeds_and_begins_with_the_last(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(2)
        room = await here.table(people[0], 2, rules="common:dice=1", games=2)
        anchor = anchor_of(room)
        await sit(here, room, people, seeds=True)
        assert (room.table.status, room.table.full) == ("waiting", True)
        await here.do(room, people[0], "seed", game=1, seed="a1")
        await here.settle(room)
        assert room.table.status == "waiting"
        await here.do(room, people[1], "seed", game=1, seed="b1")
        await here.settle(room)
        assert (room.table.status, seeds_of(room)) == ("playing", ["a1", "b1"])
        await play_out(here, room, people)
        assert room.table.playing is None
        assert sha(bytes.fromhex(anchor_of(room))) == anchor
        await here.do(room, people[1], "seed", game=2, seed="b2")
        await here.do(room, people[0], "seed", game=2, seed="a2")
        await here.settle(room)
        assert (room.table.game, seeds_of(room)) == (2, ["a2", "b2"])

    run(tmp_path, scene)


def test_a_game_waits_no_longer_than_two_seconds(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(2)
        room = await here.table(people[0], 2, rules="common:dice=1", games=2)
        await sit(here, room, people, seeds=True)
        await here.do(room, people[0], "seed", game=1, seed="a1")
        await here.settle(room, SEED_SECONDS - 0.5)
        assert room.table.status == "waiting"
        await here.settle(room, 0.5)
        assert (room.table.status, seeds_of(room)) == ("playing", ["a1", ""])
        await play_out(here, room, people)
        await here.settle(room, SEED_SECONDS)
        assert (room.table.game, seeds_of(room)) == (2, ["a1", ""])  # nobody has sent another

    run(tmp_path, scene)


def test_clients_that_promise_no_seeds_are_not_waited_for(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(2)
        room = await here.table(people[0], [{"kind": "open"}] * 2, rules="common:dice=1", games=3)
        await sit(here, room, people, seed="ab")
        assert (room.table.game, seeds_of(room)) == (1, ["ab", "ab"])
        await play_out(here, room, people)
        assert (room.table.game, seeds_of(room)) == (2, ["ab", "ab"])
        alone = await here.table(people[0], [AI, AI], rules="common:dice=1", games=2, pace=0.0)
        while alone.table.status != "finished":
            await here.settle(alone)
        assert seeds_of(alone) == ["", ""]

    run(tmp_path, scene)


def test_seeds_that_come_too_early_too_late_or_twice_are_refused(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(3)
        room = await here.table(people[0], 2, rules="common:dice=1", games=2)
        refused = await here.do(room, people[0], "seed", game=1, seed="a1")
        assert refused["code"] == "not_seated"
        await sit(here, room, people[:2], seeds=True)
        sent = await here.do(room, people[0], "seed", game=1, seed="a1")
        assert await here.do(room, people[0], "seed", game=1, seed="a1") == {
            "n": sent["n"],
            "repeated": True,
        }
        for game, seed in ((1, "a2"), (2, "a2"), (0, "a2")):
            refused = await here.do(room, people[0], "seed", game=game, seed=seed)
            assert refused["code"] == "stale"
        await here.do(room, people[1], "seed", game=1, seed="b1")
        await here.settle(room)
        for game in (1, 2):  # a game is being played: the next has no anchor yet
            refused = await here.do(room, people[1], "seed", game=game, seed="b2")
            assert refused["code"] == "stale"
        again = await here.do(room, people[1], "seed", game=1, seed="b1")  # the answer was lost
        assert again["repeated"]
        assert seeds_of(room) == ["a1", "b1"]

    run(tmp_path, scene)


def test_seeds_are_secret_until_the_deal_and_survive_a_restart(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(2)
        room = await here.table(people[0], 2, rules="common:dice=1")
        watching = Follower(people[1])
        await sit(here, room, people, seeds=True)
        await here.open(room, watching)
        await here.do(room, people[0], "seed", game=1, seed="abc123")
        told = [event for message in watching.sent for event in message.get("events", [])]
        assert {"kind": "seeded", "seat": 0, "game": 1}.items() <= told[-1].items()
        assert b"abc123" not in b"".join(watching.frames)
        await room.stop()
        here.lobby._rooms.clear()
        room = await here.lobby.room(room.table.id)
        await here.settle(room)
        assert room.table.status == "waiting"  # the other seed is awaited again
        await here.settle(room, SEED_SECONDS)
        assert seeds_of(room) == ["abc123", ""]

    run(tmp_path, scene)


def test_a_rematch_has_an_anchor_before_its_seeds(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(2)
        room = await here.table(people[0], 2, rules="common:dice=1", games=1)
        await sit(here, room, people, seed="ab")
        await play_out(here, room, people)
        anchor = anchor_of(room)
        for person, seed in zip(people, ("a2", "b2"), strict=True):
            await here.do(room, person, "seed", game=2, seed=seed)
        for person in people:
            await here.do(room, person, "rematch")
        await here.settle(room)
        assert (room.table.game, seeds_of(room)) == (2, ["a2", "b2"])
        assert play_of(room).dice.anchor == anchor

    run(tmp_path, scene)


class Waiting:
    """A connection in the queue."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.found: tuple[str, str | None] | None = None

    async def matched(self, table: str, anchor: str | None) -> None:
        self.found = (table, anchor)


def test_the_queue_shows_the_anchor_before_it_asks_for_seeds(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(2)
        queue, waiting = Queue(here.lobby), [Waiting(person) for person in people]
        wish = {"type": "queue", "rules": "common", "rated": False, "seed": "0d"}
        for connection, promises in zip(waiting, (True, False), strict=True):
            message = client_messages._reader.validate_python({**wish, "seeds": promises})
            await queue.take(connection, message)
        found = waiting[0].found
        assert found is not None
        room = await here.lobby.room(found[0])
        await here.settle(room)
        assert room.table.status == "waiting"
        assert found[1] == anchor_of(room)
        await here.do(room, people[0], "seed", game=1, seed="aa")
        await here.settle(room)
        assert seeds_of(room) == ["aa", "0d"]  # the other is as old as it always was
        assert play_of(room).dice.anchor == found[1]

    run(tmp_path, scene)


def test_the_records_of_a_series_are_checked_against_the_first_anchor(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        people = await here.guests(2)
        room = await here.table(people[0], 2, rules="common:dice=1", games=3)
        anchor = anchor_of(room)
        await sit(here, room, people, seed="ab")
        for _ in range(3):
            await play_out(here, room, people)
        stored = await here.service.store.read(
            lambda connection: [game[2] for game in series_games(connection, room.table.id, 1, 3)]
        )
        found = check_games(stored, Noted((anchor,), ("ab",)))
        assert [each and each["later_games"] for each in found] == [2, 1, 0]

    run(tmp_path, scene)
