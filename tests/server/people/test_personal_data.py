"""Export and erasure touch what a person said and is called, and nobody else's words or names."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.people.people import Person
from perudo.server.people.personal_data import erase_person, export_person
from perudo.server.rooms.room import Room
from server.rooms.test_dealing import run
from server.world import World

Result = TypeVar("Result")


async def write(here: World, work: Callable[[Connection], Result]) -> Result:
    return await here.service.store.write(work)


async def texts_of(here: World, person: Person) -> list[str]:
    exported = await write(here, lambda connection: export_person(connection, person.id))
    return [said["text"] for said in exported["said"]]


async def log_text(here: World) -> str:
    """All events of all tables."""
    rows = await here.service.store.read(
        lambda connection: connection.execute(schema.events.select()).all()
    )
    return "\n".join(row.data for row in rows)


async def say(here: World, room: Room, person: Person, text: str) -> None:
    assert "code" not in await here.do(room, person, "say", text=text), text


def test_words_belong_to_who_sat_there_when_they_were_said(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        ada, bob, cleo = await here.guests(3)
        room = await here.table(cleo, 3, private=True)
        await here.do(room, ada, "sit", seat=1)
        await say(here, room, ada, "first by ada")
        await here.do(room, ada, "say", reaction="\U0001f3b2")
        await here.do(room, ada, "stand")
        await here.do(room, bob, "sit", seat=1)
        await say(here, room, bob, "then by bob")
        await here.do(room, ada, "sit", seat=0)
        await say(here, room, ada, "last by ada")
        assert await texts_of(here, ada) == ["first by ada", "last by ada"]
        assert await texts_of(here, bob) == ["then by bob"]
        assert await texts_of(here, cleo) == []
        await write(here, lambda connection: erase_person(connection, ada.id))
        log = await log_text(here)
        assert "by ada" not in log
        assert "then by bob" in log
        assert "\U0001f3b2" in log  # no words

    run(tmp_path, scene)


def test_a_namesake_keeps_the_name(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        first, _ = await here.people.new_guest("Ada")
        second, _ = await here.people.new_guest("Ada")
        room = await here.table(second, 2, rules="common:dice=1")
        await here.do(room, first, "sit", seat=0)
        await here.do(room, first, "stand")
        await here.do(room, second, "sit", seat=0)
        await here.do(room, second, "pause", on=True)
        await write(here, lambda connection: erase_person(connection, first.id))
        rows = [json.loads(line) for line in (await log_text(here)).splitlines()]
        names = [row["player"]["name"] for row in rows if "player" in row]
        assert names == ["erased", "Ada"]
        assert [row["by"] for row in rows if "by" in row] == ["Ada"]
        await write(here, lambda connection: erase_person(connection, second.id))
        assert "Ada" not in await log_text(here)

    run(tmp_path, scene)


def test_words_follow_a_player_who_changes_seats_in_a_series(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        ada, bob = await here.guests(2)
        players = [
            {"name": each.name, "kind": "person", "id": each.id, "agent": None, "owner": each.id}
            for each in (ada, bob)
        ]

        def started(game: int, sitting: list[int], names: str, first: bool) -> dict[str, Any]:
            seated = [players["AB".index(name)] for name in names]
            header = {"players": [each["name"] for each in seated]}
            told = {"game": game, "first": first, "players": seated, "header": header}
            return {**told, "sitting": sitting, "seeds": ["", ""], "commit": None}

        def said(seat: int, text: str) -> tuple[str, dict[str, Any]]:
            return "said", {"seat": seat, "reaction": None, "phrase": None, "text": text}

        log: list[tuple[str, dict[str, Any]]] = [
            ("seated", {"seat": 0, "player": players[0], "seed": ""}),
            ("seated", {"seat": 1, "player": players[1], "seed": ""}),
            ("started", started(1, [0, 1], "AB", True)),
            said(0, "ada in the first game"),
            ("started", started(2, [1, 0], "BA", False)),
            said(0, "bob in the second game"),
            said(1, "ada in the second game"),
            (
                "started",
                started(3, [0, 1], "BA", True),
            ),  # another series keeps the seats as they are
            said(0, "bob in the third game"),
        ]
        room = await here.table(ada, 2, private=True)
        rows = [
            {"table_id": room.table.id, "n": n, "at": 0.0, "kind": kind, "data": data}
            for n, (kind, data) in enumerate(log, room.table.n + 1)
        ]
        for row in rows:
            row["data"] = json.dumps(row["data"], separators=(",", ":"))
        await write(here, lambda connection: connection.execute(schema.events.insert(), rows))
        texts = await texts_of(here, ada)
        assert texts == ["ada in the first game", "ada in the second game"]
        await write(here, lambda connection: erase_person(connection, ada.id))
        log_of_bob = await log_text(here)
        assert "ada in" not in log_of_bob
        assert '"Ada"' not in log_of_bob
        assert log_of_bob.count(ada.id) == 1  # the table's creator
        assert log_of_bob.count("bob in") == 2
        assert log_of_bob.count('"Bob"') == 7  # his seat, and three games with two mentions each

    run(tmp_path, scene)
