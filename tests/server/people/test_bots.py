"""Bots: tokens, one connection for many tables, the queue, challenges, and the examples."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from perudo.client import ServerError, play
from perudo.server.db.store import StoreError
from server.kit import Site, settings_for, site

EXAMPLES = Path(__file__).parents[3] / "examples"


def first_legal(question: dict[str, Any]) -> str:
    legal: list[str] = question["legal"]
    return next((word for word in ("decline", "dudo", "doubt") if word in legal), legal[0])


async def account(here: Site, name: str) -> str:
    token = await here.guest()
    await here.ask(token, "POST", "/api/accounts", {"name": name, "password": "long enough"})
    return token


async def bot(here: Site, owner: str, name: str) -> str:
    made = await here.ask(owner, "POST", "/api/bots", {"name": name})
    return str(made["token"])


def test_bots_meet_in_the_queue_and_are_rated(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            owners = [await account(here, name) for name in ("Ada", "Bob")]
            bots = [await bot(here, owner, f"robot{n}") for n, owner in enumerate(owners)]
            queue = {"players": 2, "rated": True, "rules": "official"}
            playing = (play(here.url, token, first_legal, queue=queue, games=2) for token in bots)
            assert await asyncio.wait_for(asyncio.gather(*playing), 60) == [2, 2]
            ladder = await here.ask(bots[0], "GET", "/api/ladder?rules=official&players=2")
            entries = {entry["name"]: entry for entry in ladder["entries"]}
            assert entries["robot0"]["kind"] == "bot"
            assert entries["robot0"]["games"] == entries["robot1"]["games"] == 2
            assert entries["robot0"]["rating"] != entries["robot1"]["rating"]
            low, high = entries["robot0"]["low"], entries["robot0"]["high"]
            assert low < entries["robot0"]["rating"] < high

    asyncio.run(main())


def test_bots_may_have_any_number_of_games_by_the_queue(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, tables_per_person=1)) as here:
            owners = [await account(here, name) for name in ("Ada", "Bob")]
            bots = [await bot(here, owner, f"robot{n}") for n, owner in enumerate(owners)]
            players = [await here.connect(token) for token in bots]
            seeds = ["ab" * 16, "cd" * 16]
            tables = set()
            for _ in range(3):
                for player, seed in zip(players, seeds, strict=True):
                    await player.send(type="queue", players=2, rated=True, seed=seed)
                for player in players:
                    tables.add((await player.until(lambda m: m["type"] == "matched"))["table"])
            assert len(tables) == 3
            room = await here.server.lobby.room(tables.pop())
            assert sorted(seat.seed for seat in room.table.seats) == seeds  # both add to the dice

    asyncio.run(main())


def test_who_could_not_be_given_a_table_still_waits(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            owners = [await account(here, name) for name in ("Ada", "Bob")]
            players = [await here.connect(token) for token in owners]
            real = here.server.lobby.create

            async def failing(*wish: Any, **more: Any) -> str:
                here.server.lobby.create = real  # type: ignore[method-assign]
                raise StoreError("the database does not answer; try again")

            here.server.lobby.create = failing  # type: ignore[method-assign]
            await players[0].request(type="queue", players=2)
            refused = await players[1].request(type="queue", players=2)
            assert refused["code"] == "try_again"
            await players[1].send(type="queue", players=2)
            for player in players:
                await player.until(lambda m: m["type"] == "matched")

    asyncio.run(main())


def test_bots_of_one_owner_do_not_meet_rated(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            owner = await account(here, "Ada")
            bots = [await bot(here, owner, f"robot{n}") for n in range(2)]
            table = await here.table(bots[0], 2, rules="official", rated=True)
            players = [await here.connect(token) for token in bots]
            assert (await players[0].sit(table))["type"] == "ack"
            assert (await players[1].sit(table))["code"] == "same_owner"
            guest = await here.connect(await here.guest())
            assert (await guest.sit(table))["code"] == "needs_account"

    asyncio.run(main())


def test_a_challenge_reaches_a_bot_unless_it_filters_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            owner = await account(here, "Ada")
            robot = await bot(here, owner, "robot")
            table = await here.table(me_token := await here.guest(), 2)
            me = await here.connect(me_token)
            await me.open(table)
            await me.sit(table)
            playing = asyncio.create_task(play(here.url, robot, first_legal, games=1))
            while (answer := await me.request(type="invite", table=table, player="robot"))[
                "type"
            ] == "error":
                assert answer["code"] == "not_here"
                await asyncio.sleep(0.3)
            while not playing.done():
                if me.asked(table):
                    await me.act(table, first_legal({"legal": me.asked(table)}))
                elif not (me.views[table] and me.views[table]["over"]):
                    await me.receive()
                else:
                    await asyncio.sleep(0.01)
            assert playing.result() == 1
            bots = await here.ask(owner, "GET", "/api/bots")
            path = f"/api/bots/{bots['bots'][0]['id']}/filters"
            await here.ask(owner, "PUT", path, {"rules": ["uk"]})
            other = await here.table(me_token, 2)
            listening = asyncio.create_task(play(here.url, robot, first_legal, games=1))
            while (answer := await me.request(type="invite", table=other, player="robot"))[
                "code"
            ] == "not_here":
                await asyncio.sleep(0.3)
            assert answer["code"] == "declined"
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    asyncio.run(main())


def test_a_renewed_token_replaces_the_old_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            owner = await account(here, "Ada")
            made = await here.ask(owner, "POST", "/api/bots", {"name": "robot"})
            path = f"/api/bots/{made['bot']['id']}/token"
            renewed = await here.ask(owner, "POST", path)
            assert (await here.connect(renewed["token"])).id == made["bot"]["id"]
            with pytest.raises(ServerError):
                await play(here.url, made["token"], first_legal)

    asyncio.run(main())


JAVASCRIPT = ["node", "--experimental-websocket", str(EXAMPLES / "bot.js")]


@pytest.mark.parametrize("command", [[sys.executable, str(EXAMPLES / "bot.py")], JAVASCRIPT])
def test_the_example_bots_play_online(command: list[str], tmp_path: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            owners = [await account(here, name) for name in ("Ada", "Bob")]
            bots = [await bot(here, owner, f"robot{n}") for n, owner in enumerate(owners)]
            program = subprocess.Popen([*command, here.url, bots[0]], start_new_session=True)
            try:
                queue = {"players": 2, "rated": True}
                playing = play(here.url, bots[1], first_legal, queue=queue, games=1)
                assert await asyncio.wait_for(playing, 60) == 1
                games = await here.ask(bots[1], "GET", "/api/games")
                assert games["games"][0]["rated"]
            finally:
                os.killpg(program.pid, signal.SIGKILL)
                program.wait()

    asyncio.run(main())
