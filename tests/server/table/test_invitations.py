"""Seats by invitation are for people with the key, wherever and whenever they come."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from perudo.client import ServerError, play, read_link
from perudo.server.db import schema
from perudo.server.db.engine import migrate, open_engine, revision_of
from perudo.server.people.personal_data import export_person
from perudo.server.process.logs import JsonLines
from perudo.server.rooms.table_log import read_log
from perudo.server.table.log import table_of
from perudo.terminal import online
from server.kit import PATIENCE_SECONDS, Player, Site, play_out, settings_for, site
from server.world import world

OPEN, INVITED, AI = {"kind": "open"}, {"kind": "invited"}, {"kind": "ai", "agent": "random"}
WRONG = "AAAAAAAAAAAAAAAAAAAAAA"


async def link_of(here: Site, token: str, table: str) -> str:
    """Return the invitation link that a person gets."""
    found = await here.ask(token, "GET", f"/api/tables/{table}/invitation")
    assert isinstance(found["invites"], bool)
    return str(found["link"])


async def key_of(here: Site, token: str, table: str) -> str:
    """Return the key in the link that a person gets."""
    key = read_link(await link_of(here, token, table)).key
    assert key is not None
    return key


@pytest.mark.parametrize("private", [False, True])
def test_a_seat_by_invitation_needs_the_key_and_an_open_one_does_not(
    private: bool, tmp_path: Path
) -> None:
    async def main() -> None:
        async with world(tmp_path) as here:
            ada, bob, cleo, dan, eve = await here.guests(5)
            room = await here.table(ada, [INVITED, OPEN, INVITED, OPEN], private=private)
            key = room.table.key
            assert key is not None
            assert len(key) >= 22  # 128 bits, six in a letter
            for wish, code in (
                ({"seat": 0}, "needs_invitation"),
                ({"seat": 0, "key": WRONG}, "wrong_invitation"),
                ({"seat": 0, "key": ""}, "wrong_invitation"),
                ({"seat": 0, "key": key[:-1]}, "wrong_invitation"),
                ({"seat": 0, "key": "é"}, "wrong_invitation"),
                ({"seat": 4, "key": key}, "no_seat"),
            ):
                assert (await here.do(room, bob, "sit", **wish))["code"] == code, wish
            # Whoever comes with nothing gets an open seat, the creator too as long as there is one.
            assert "code" not in await here.do(room, bob, "sit")
            assert "code" not in await here.do(room, ada, "sit")
            assert (await here.do(room, cleo, "sit"))["code"] == "needs_invitation"
            assert (await here.do(room, cleo, "sit", key=WRONG))["code"] == "wrong_invitation"
            assert "code" not in await here.do(room, cleo, "sit", key=key)
            assert (await here.do(room, dan, "sit", seat=0, key=key))["code"] == "taken"
            assert (await here.do(room, bob, "sit", seat=2))["repeated"]  # who sits, sits
            assert "code" not in await here.do(room, dan, "sit", seat=2, key=key)
            assert (await here.do(room, eve, "sit", key=key))["code"] == "taken"
            seated = [seat.occupant.id for seat in room.table.seats if seat.occupant]
            assert seated == [cleo.id, bob.id, dan.id, ada.id]

    asyncio.run(main())


def test_the_creator_needs_no_key_and_a_guest_leaves_open_seats_to_others(tmp_path: Path) -> None:
    async def main() -> None:
        async with world(tmp_path) as here:
            ada, bob, cleo = await here.guests(3)
            room = await here.table(ada, [OPEN, INVITED, INVITED])
            key = room.table.key
            await here.do(room, bob, "sit", key=key)
            assert room.table.seat_of(bob.id) == 1
            await here.do(room, cleo, "sit", key=WRONG)  # an open seat is free: nothing is needed
            assert room.table.seat_of(cleo.id) == 0
            await here.do(room, ada, "sit")
            assert room.table.seat_of(ada.id) == 2
            plain = await here.table(ada, [OPEN, AI])
            assert plain.table.key is None

    asyncio.run(main())


def test_who_has_left_needs_the_key_again_and_a_rematch_needs_none(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            tokens = [await here.guest() for _ in range(2)]
            table = await here.table(tokens[0], [OPEN, INVITED], rules="common:dice=1")
            key = await key_of(here, tokens[0], table)
            players = [await here.connect(token) for token in tokens]
            for player, wish in zip(players, ({}, {"key": key}), strict=True):
                await player.open(table)
                assert (await player.sit(table, **wish))["type"] == "ack"
            await dealt(players, table, 1)
            await play_out(players, table)
            for player in players:
                assert (await player.request(type="rematch", table=table))["type"] == "ack"
            await dealt(players, table, 2)
            await play_out(players, table)
            assert (await players[1].request(type="stand", table=table))["type"] == "ack"
            assert (await players[1].sit(table))["code"] == "needs_invitation"
            assert (await players[1].sit(table, key=key))["type"] == "ack"

    asyncio.run(main())


async def dealt(players: list[Player], table: str, game: int) -> None:
    """Wait until all see a game."""
    for player in players:
        while (player.views.get(table) or {"game": 0})["game"] != game:
            await player.receive()


def test_an_invitation_is_good_after_a_restart(tmp_path: Path) -> None:
    async def main() -> None:
        settings = settings_for(tmp_path)
        async with site(settings) as here:
            tokens = [await here.guest() for _ in range(2)]
            table = await here.table(tokens[0], [OPEN, INVITED])
            link = await link_of(here, tokens[0], table)
        async with site(settings) as here:
            guest = await here.connect(tokens[1])
            assert (await guest.sit(table))["type"] == "ack"
            assert (await guest.request(type="stand", table=table))["type"] == "ack"
            creator = await here.connect(tokens[0])
            assert (await creator.sit(table))["type"] == "ack"
            assert (await guest.sit(table))["code"] == "needs_invitation"
            assert (await guest.sit(table, key=WRONG))["code"] == "wrong_invitation"
            assert (await guest.sit(table, key=read_link(link).key))["type"] == "ack"
            assert await link_of(here, tokens[0], table) == link

    asyncio.run(main())


def test_whoever_is_challenged_by_name_is_told_the_key(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            account = {"name": "Augusta", "password": "long enough"}
            tokens = [await here.guest() for _ in range(3)]
            await here.ask(tokens[1], "POST", "/api/accounts", account)
            table = await here.table(tokens[0], [OPEN, INVITED], rules="common:dice=1")
            creator, stranger = [await here.connect(tokens[place]) for place in (0, 2)]
            await creator.open(table)
            await creator.sit(table)
            # The same as a bot does it: perudo.client sends the key that the challenge brings.
            playing = asyncio.create_task(play(here.url, tokens[1], lowest, games=1))
            wish = {"type": "invite", "table": table, "player": "Augusta"}
            assert (await stranger.request(**wish))["code"] == "not_creator"
            while (answer := await creator.request(**wish))["type"] == "error":
                assert answer["code"] == "not_here"
                await asyncio.sleep(0.1)
            while not playing.done():
                if creator.asked(table):
                    await creator.act(table, lowest({"legal": creator.asked(table)}))
                elif (creator.views[table] or {"over": False})["over"]:
                    await asyncio.sleep(0.01)
                else:
                    await creator.receive()
            assert playing.result() == 1

    asyncio.run(main())


def lowest(question: dict[str, Any]) -> str:
    return str(question["legal"][0])


def test_programs_and_terminals_come_by_the_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def read() -> str:
        while not any(line.startswith("your turn") for line in said):
            time.sleep(0.01)
        return "quit"

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token, robot = await here.guest(), await here.guest()
            table = await here.table(token, [INVITED, INVITED], rules="common:dice=1", timer=10)
            link = await link_of(here, token, table)
            for wrong, code in (
                (table, "needs_invitation"),
                (link + "x", "wrong_invitation"),
                (f"{here.url}/#/table/{table}", "needs_invitation"),
                (f"{here.url}/#/table/{table}/sit", "needs_invitation"),
            ):
                program = play(here.url, robot, lowest, table=wrong, games=1)
                with pytest.raises(ServerError) as refused:
                    await asyncio.wait_for(program, PATIENCE_SECONDS)
                assert refused.value.code == code
                person = online.play_online(here.url, wrong, "", [], None, read, said.append)
                with pytest.raises(ServerError, match="invitation"):
                    await asyncio.wait_for(person, PATIENCE_SECONDS)
            bot = asyncio.create_task(play(here.url, robot, lowest, table=link, games=1))
            monkeypatch.setattr("builtins.input", read)
            monkeypatch.setattr(online, "_say", said.append)
            # What `perudo play --server LINK` does, in a loop of its own.
            assert await asyncio.to_thread(online.start_online, link, None, "", [], "Ada") == 0
            assert await asyncio.wait_for(bot, 60) == 1

    asyncio.run(main())
    assert any(line.startswith("your turn") for line in said)
    assert not any("/sit/" in line for line in said)


def test_a_link_is_read_in_all_its_forms() -> None:
    assert read_link("abcd") == (None, "abcd", None)
    assert read_link("http://h:8000/#/table/abcd") == ("http://h:8000", "abcd", None)
    assert read_link("http://h:8000/#/table/abcd/sit") == ("http://h:8000", "abcd", None)
    assert read_link(" https://h/#/table/abcd/sit/sit-K_y\n") == ("https://h", "abcd", "sit-K_y")


class Heard(logging.Handler):
    """Everything that is logged, as it is written."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(JsonLines().format(record))


@pytest.fixture
def heard() -> Iterator[Heard]:
    root, handler = logging.getLogger(), Heard()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


def test_only_those_who_may_invite_are_told_the_key(tmp_path: Path, heard: Heard) -> None:
    """Not in a list, a message, a record, an export, a metric or a log: for anybody else."""

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            names = ("Ada", "Bob", "Cleo", "Dan")
            tokens = [await here.guest(name) for name in names]
            seats = [OPEN, INVITED, OPEN]
            table = await here.table(tokens[0], seats, rules="common:dice=1")
            key = await key_of(here, tokens[0], table)
            code = (await here.raw(tokens[0], "GET", f"/api/tables/{table}/invitation.svg")).text
            players = [await here.connect(token) for token in tokens[:3]]
            spectator = await here.connect(tokens[3])
            assert (await players[1].sit(table, key=WRONG, seat=1))["code"] == "wrong_invitation"
            told = await answers(here, tokens[2], table)  # not seated yet
            await spectator.open(table)
            for player, wish in zip(players, ({}, {"key": key}, {}), strict=True):
                await player.open(table)
                assert (await player.sit(table, **wish))["type"] == "ack"
            told += await answers(here, tokens[3], table)  # somebody who watches
            told += await answers(here, None, table)  # nobody that is known
            await dealt([*players, spectator], table, 1)
            await play_out(players, table)
            while not spectator.views[table]["over"]:
                await spectator.receive()
            told += await answers(here, tokens[3], table)
            told += [
                (await here.raw(tokens[3], "GET", path)).text
                for path in (f"/api/games/{table}.1/record", f"/api/games/{table}.1")
            ]
            told += [frame for player in (*players, spectator) for frame in player.frames]
            find = partial(export_person, who=players[0].id)
            told.append(json.dumps(await here.server.service.store.read(find)))
            assert table in told[-1]  # the creator's table is there, and without its key
            told.append(repr(here.server.lobby.find(table).table))  # type: ignore[union-attr]
            assert any(table in each for each in heard.lines)  # requests were logged here
            told += heard.lines
            assert not [each for each in told if key in each or code in each]
            # Who sits there may pass it on, as long as they sit there.
            assert await key_of(here, tokens[1], table) == key
            assert await key_of(here, tokens[2], table) == key
            await players[2].request(type="stand", table=table)
            assert (await link_of(here, tokens[2], table)).endswith(f"/#/table/{table}")

    asyncio.run(main())


async def answers(here: Site, token: str | None, table: str) -> list[str]:
    """Request everything over HTTP about a table that is not the person's own."""
    paths = ["/api/tables?status=waiting&status=playing&status=finished", "/metrics", "/api"]
    about = ("", "/invitation", "/invitation.svg", "/records")
    paths += [f"/api/tables/{table}{each}" for each in about]
    here.http.cookies.clear()
    if token is None:
        found = [await here.http.get(path) for path in paths]
    else:
        found = [await here.raw(token, "GET", path) for path in paths]
    link = next(each.json() for each in found if each.url.path.endswith("/invitation"))
    assert link == {"link": f"{here.url}/#/table/{table}", "invites": False}
    kept = [each for each in found if "/invitation" in each.url.path]
    assert all(each.headers["cache-control"] == "no-store" for each in kept)
    return [each.text for each in found]


def test_tables_from_before_there_were_keys_get_one(tmp_path: Path) -> None:
    async def main() -> None:
        settings = settings_for(tmp_path)
        async with site(settings) as here:
            token, guest = await here.guest(), await here.guest()
            tables = [await here.table(token, [OPEN, each]) for each in (INVITED, OPEN)]
        engine = open_engine(settings.database)
        with engine.execution_options(writes=True).begin() as connection:  # as it was then
            opened = schema.events.c.kind == "opened"
            connection.execute(schema.events.update().where(opened).values(hidden=None))
            newest = revision_of(connection)
            connection.execute(sa.text("UPDATE alembic_version SET version_num = '0002'"))
        migrate(engine, "0003")  # later ones find their tables made
        with engine.execution_options(writes=True).begin() as connection:
            connection.execute(sa.text(f"UPDATE alembic_version SET version_num = '{newest}'"))
        with engine.connect() as connection:
            states = [table_of(table, read_log(connection, table)) for table in tables]
        engine.dispose()
        assert states[0].key is not None
        assert states[1].key is None
        async with site(settings) as here:
            player = await here.connect(guest)
            assert (await player.sit(tables[0], seat=1))["code"] == "needs_invitation"
            key = await key_of(here, token, tables[0])
            assert (await player.sit(tables[0], seat=1, key=key))["type"] == "ack"

    asyncio.run(main())


def test_a_table_without_a_key_keeps_its_invited_seats_for_its_creator(tmp_path: Path) -> None:
    """Such as one that an older process on the same database has made during an upgrade."""

    async def main() -> None:
        async with world(tmp_path) as here:
            ada, bob = await here.guests(2)
            room = await here.table(ada, [OPEN, INVITED])
            room.table = replace(room.table, key=None)
            for wish in ({"key": ""}, {"key": "None"}):
                refused = await here.do(room, bob, "sit", seat=1, **wish)
                assert refused["code"] == "wrong_invitation"
            assert "code" not in await here.do(room, ada, "sit", seat=1)

    asyncio.run(main())
