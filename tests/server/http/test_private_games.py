"""Private games are in no list, page, curve or statistic that a stranger gets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from perudo.server.db import schema
from server.kit import Player, Site, play_out, settings_for, site

SAID = "a memorable sentence"
DIRECT = ("{table}", "{game}", "{review}", "{bot}")
"""Parts of paths that only who has the link can fill in."""


async def accounts(here: Site) -> tuple[list[str], list[Player]]:
    tokens, players = [], []
    for name in ("Ada", "Bob"):
        token = await here.guest()
        body = {"name": name, "password": "long enough"}
        await here.ask(token, "POST", "/api/accounts", body)
        tokens.append(token)
        players.append(await here.connect(token))
    return tokens, players


async def game(here: Site, tokens: list[str], players: list[Player], **options: Any) -> str:
    table = await here.table(tokens[0], 2, rules="common", **options)
    for player in players:
        await player.open(table)
        await player.sit(table)
    for player in players:
        while player.views.get(table) is None:
            await player.receive()
    if options.get("private"):
        await players[1].request(type="say", table=table, text=SAID)
    await play_out(players, table)
    return table


async def told_to(here: Site, token: str, people: list[str], tables: list[str]) -> str:
    """All that one visitor is told: every address without a link's parts, and a connection."""
    answers = []
    paths = (await here.http.get("/openapi.json")).json()["paths"]
    for path in [path for path, methods in paths.items() if "get" in methods]:
        if not any(part in path for part in DIRECT):
            answers += [path.replace("{person}", person) for person in people]
    for person in people:
        answers += [f"/api/games?person={person}", f"/api/games?person={person}&limit=200"]
    for status in ("waiting", "playing", "finished"):
        answers.append(f"/api/tables?status={status}&limit=200")
    for size in (2, 4):
        answers.append(f"/api/ladder?rules=common&players={size}")
    for table in tables:
        answers += [f"/api/tables/{table}", f"/api/tables/{table}/records"]
        answers += [f"/api/games/{table}.1", f"/api/games/{table}.1/notation"]
    told = [(await here.raw(token, "GET", answer)).text for answer in set(answers)]
    player = await here.connect(token)
    for table in tables:
        await player.open(table)
    return "\n".join([*told, *player.frames])


def test_a_stranger_is_told_nothing_of_a_private_game(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, address_requests=10**6)) as here:
            tokens, players = await accounts(here)
            people = [player.id for player in players]
            stranger = await here.guest()
            public = await game(here, tokens, players, rated=True)
            before = [await here.ask(stranger, "GET", f"/api/people/{id}") for id in people]
            private = await game(here, tokens, players, private=True)
            running = await here.table(tokens[0], 2, private=True)
            await players[0].sit(running)
            old = await game(here, tokens, players, rated=True)
            await made_private(here, old)

            told = await told_to(here, stranger, people, [public])
            for hidden in (private, running, old, SAID):
                assert hidden not in told
            assert public in told
            after = [await here.ask(stranger, "GET", f"/api/people/{id}") for id in people]
            assert after == before

            mine = await here.ask(tokens[0], "GET", f"/api/people/{people[0]}")
            assert mine["statistics"]["2"]["games"] == 3
            own = json.dumps(await here.ask(tokens[0], "GET", f"/api/games?person={people[0]}"))
            assert private in own
            assert old in json.dumps(mine["ratings"])
            theirs = await here.ask(tokens[1], "GET", f"/api/people/{people[0]}")
            assert theirs == before[0]

    asyncio.run(main())


async def made_private(here: Site, table: str) -> None:
    """Make a rated table private, as an earlier version allowed."""

    def work(connection: Any) -> None:
        tables, games = schema.tables, schema.games
        connection.execute(tables.update().where(tables.c.id == table).values(private=True))
        connection.execute(games.update().where(games.c.table_id == table).values(private=True))

    await here.server.service.store.write(work)


@pytest.mark.parametrize("seats", [2, [{"kind": "open"}, {"kind": "ai", "agent": "observer"}]])
def test_a_private_table_cannot_be_rated(seats: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            tokens, _ = await accounts(here)
            seats_of = [{"kind": "open"}] * seats if isinstance(seats, int) else seats
            wish = {"seats": seats_of, "rules": "common", "private": True, "rated": True}
            refused = await here.raw(tokens[0], "POST", "/api/tables", wish)
            assert (refused.status_code, refused.json()["code"]) == (400, "not_rateable")

    asyncio.run(main())
