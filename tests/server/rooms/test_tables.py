"""Tables: sitting down, playing, errors, reconnecting, and going on after a restart."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import TypeAdapter

from perudo.fair_dice import check_dice
from perudo.games.perudo import Rules
from perudo.record import MatchRecord
from perudo.server.ai.catalogue import opponent
from perudo.server.db import schema
from perudo.server.settings import Settings
from perudo.server.wire.server_messages import ServerMessage
from server.kit import Player, Site, choose, play_out, settings_for, site


async def two_at_a_table(here: Site, **options: Any) -> tuple[str, list[Player], list[str]]:
    """Two people who have just been dealt their dice."""
    tokens = [await here.guest(), await here.guest()]
    table = await here.table(tokens[0], 2, **options)
    players = [await here.connect(token) for token in tokens]
    for player in players:
        await player.open(table)
        assert (await player.sit(table, seed="ab"))["type"] == "ack"
    for player in players:
        while player.views.get(table) is None:
            await player.receive()
    return table, players, tokens


def on_turn(players: list[Player], table: str) -> Player:
    return next(player for player in players if player.asked(table))


def test_two_guests_play_a_game_to_its_end(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            table, players, tokens = await two_at_a_table(here)
            await play_out(players, table)
            first, second = players
            assert first.views[table]["winner"] == second.views[table]["winner"]
            kinds = [event["kind"] for event in first.events[table]]
            assert kinds.count("end") == 1
            numbers = [event["n"] for event in first.events[table]]
            assert numbers == list(range(numbers[0], first.n[table] + 1))
            reader: TypeAdapter[Any] = TypeAdapter(ServerMessage)
            for player in players:  # every frame is one of the messages that are described
                for frame in player.frames:
                    reader.validate_json(frame)

            game = f"{table}.1"
            record = await here.raw(tokens[0], "GET", f"/api/games/{game}/record")
            match = MatchRecord.parse(record.text.splitlines())
            assert check_dice(match)["complete"]
            notation = await here.raw(tokens[0], "GET", f"/api/games/{game}/notation")
            assert notation.text.splitlines()[-1] == "end"
            page = await here.ask(tokens[0], "GET", f"/api/people/{first.id}")
            assert page["statistics"]["2"]["games"] == 1
            assert page["statistics"]["2"]["wins"] == (first.views[table]["winner"] == 0)

    asyncio.run(main())


def test_what_is_stale_illegal_or_repeated_changes_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            table, players, _ = await two_at_a_table(here)
            acting = on_turn(players, table)
            other = next(player for player in players if player is not acting)
            view = acting.views[table]
            stale = await acting.request(
                type="action", table=table, id=view["question"] - 1, action="2x2"
            )
            assert (stale["type"], stale["code"]) == ("error", "stale")
            assert (stale["n"], stale["question"]) == (acting.n[table], view["question"])
            illegal = await acting.act(table, "2x1")
            assert illegal["code"] == "aces_not_biddable"
            assert (await acting.act(table, "hello"))["code"] == "unreadable"
            assert (await other.act(table, "2x2"))["code"] == "not_your_turn"
            done = await acting.act(table, "2x2", move="mine")
            again = await acting.request(
                type="action", table=table, id=view["question"], action="2x2", move="mine"
            )
            assert not done["repeated"]
            assert again["repeated"]
            assert again["n"] == done["n"]
            late = await acting.request(
                type="action", table=table, id=view["question"], action="3x2", move="another"
            )
            assert late["code"] == "stale"
            while other.views[table]["bid"] is None:
                await other.receive()
            assert other.views[table]["history"] == [[view["seat"], "2x2"]]

    asyncio.run(main())


def test_after_a_reconnect_comes_what_was_missed_or_everything(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            table, players, tokens = await two_at_a_table(here)
            acting = on_turn(players, table)
            token = tokens[players.index(acting)]
            known = acting.n[table]
            await acting.act(table, "2x2")
            await acting.close()
            back = await here.connect(token)
            assert back.tables == [table]
            missed = await back.open(table, after=known)
            assert missed["type"] == "events"
            assert [event["action"] for event in missed["events"]] == ["2x2"]
            assert missed["view"]["dice"] == acting.views[table]["dice"]
            everything = await back.open(table)
            assert everything["type"] == "table"
            assert everything["events"][0]["kind"] == "started"
            ahead = await back.open(table, after=10_000)
            assert ahead["type"] == "table"

    asyncio.run(main())


def test_a_game_goes_on_after_a_restart_where_it_stopped(tmp_path: Path) -> None:
    async def main() -> None:
        settings = settings_for(tmp_path)
        async with site(settings) as here:
            table, players, tokens = await two_at_a_table(here, rules="official")
            acting = on_turn(players, table)
            await acting.act(table, "2x3", move="mine")
            before = {player.id: (await player.open(table))["view"] for player in players}
        async with site(settings) as here:
            players = [await here.connect(token) for token in tokens]
            for player in players:
                view = (await player.open(table))["view"]
                for changing in ("seconds", "window"):
                    view.pop(changing), before[player.id].pop(changing)
                assert view == before[player.id]
            again = await players[acting.views[table]["seat"]].request(
                type="action",
                table=table,
                id=acting.views[table]["question"],
                action="2x3",
                move="mine",
            )
            assert again["repeated"]
            await play_out(players, table)

    asyncio.run(main())


def change_log(settings: Settings, kind: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Make a stored event what another version would have written."""
    engine = sa.create_engine(settings.database)
    events = schema.events.c
    with engine.begin() as connection:
        row = connection.execute(
            sa.select(events.table_id, events.n, events.data).where(events.kind == kind)
        ).one()
        data = json.loads(row.data)
        change(data)
        connection.execute(
            schema.events.update()
            .where(events.table_id == row.table_id, events.n == row.n)
            .values(data=json.dumps(data))
        )
    engine.dispose()


def test_a_game_goes_on_from_the_log_of_another_version(tmp_path: Path) -> None:
    """Which lacks an option of the rules and one of tables, and has others that change nothing."""

    def change_options(data: dict[str, Any]) -> None:
        options = data["options"]
        del options["absence_seconds"]
        options["jokers"] = None
        options["rules"] += ":jokers=off"

    def change_header(data: dict[str, Any]) -> None:
        options = data["header"]["options"]
        del options["calza_after_pass"], options["pass_in_palafico"]
        options["jokers"] = "off"

    async def main() -> None:
        settings = settings_for(tmp_path)
        async with site(settings) as here:
            table, players, tokens = await two_at_a_table(here, rules="official")
            await on_turn(players, table).act(table, "2x3", move="mine")
            before = [(await player.open(table))["view"] for player in players]
        change_log(settings, "opened", change_options)
        change_log(settings, "started", change_header)
        async with site(settings) as here:
            players = [await here.connect(token) for token in tokens]
            for player, seen in zip(players, before, strict=True):
                view = (await player.open(table))["view"]
                for changing in ("seconds", "window"):
                    view.pop(changing), seen.pop(changing)
                assert view == seen
            await play_out(players, table)
            record = await here.raw(tokens[0], "GET", f"/api/games/{table}.1/record")
            match = MatchRecord.parse(record.text.splitlines())
            assert match.finished
            assert match.setting == Rules()

    asyncio.run(main())


def test_a_log_with_an_option_that_may_change_the_game_is_not_played_on(tmp_path: Path) -> None:
    async def main() -> None:
        settings = settings_for(tmp_path)
        async with site(settings) as here:
            table, _, tokens = await two_at_a_table(here, rules="official")
        change_log(settings, "started", lambda data: data["header"]["options"].update(jokers="red"))
        async with site(settings) as here:
            player = await here.connect(tokens[0])
            answer = await player.request(type="open", table=table)
            assert answer["type"] == "error"
            assert "'jokers' is unknown to this version" in answer["message"]

    asyncio.run(main())


def test_an_ai_plays_with_people_and_everybody_may_watch(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, calza_seconds=0.3)) as here:
            token = await here.guest()
            seats = [{"kind": "open"}, {"kind": "ai", "level": "strong"}]
            seats.append({"kind": "ai", "agent": "dumb:prob=0.4"})
            table = await here.table(token, seats, rules="official")
            me, spectator = await here.connect(token), await here.connect(await here.guest())
            await spectator.open(table)
            await me.open(table)
            await me.sit(table)
            turn = 0
            while not (me.views.get(table) and me.views[table]["over"]):
                if me.asked(table):
                    answer = await me.act(table, choose(me.asked(table), turn))
                    assert answer["type"] == "ack" or answer["code"] in ("stale", "not_your_turn")
                    turn += 1
                    if me.views[table]["question"] == answer.get("question"):
                        await me.receive()
                else:
                    await me.receive()
            while not (spectator.views[table] and spectator.views[table]["over"]):
                await spectator.receive()
            seen = [json.loads(frame).get("view") for frame in spectator.frames]
            assert all(view["dice"] is None and view["legal"] is None for view in seen if view)
            seated = spectator.infos[table]["seats"][1]["player"]["agent"]
            assert seated == opponent(None, "strong", seat=1).spec

    asyncio.run(main())


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"seats": [{"kind": "open"}, {"kind": "ai", "agent": "x.py:Mine"}]}, "refused"),
        ({"seats": [{"kind": "open"}, {"kind": "ai", "agent": "cmd:true"}]}, "refused"),
        ({"seats": [{"kind": "open"}, {"kind": "ai", "agent": "human"}]}, "refused"),
        (
            {"seats": [{"kind": "open"}, {"kind": "ai", "agent": "pomcp:iterations=9999999"}]},
            "refused",
        ),
        ({"seats": [{"kind": "open"}, {"kind": "ai"}]}, "refused"),
        ({"seats": [{"kind": "open"}]}, "wrong_field"),
        ({"seats": [{"kind": "open"}] * 3, "rules": "dudo_ai"}, "refused"),
        ({"seats": [{"kind": "open"}] * 2, "rules": "nothing"}, "refused"),
        ({"seats": [{"kind": "open"}] * 2, "rated": True}, "needs_account"),
        ({"seats": [{"kind": "open"}] * 2, "rated": True, "rules": "uk:dice=3"}, "not_rateable"),
        ({"seats": [{"kind": "open"}] * 2, "timer": 5}, "wrong_field"),
        (
            {"seats": [{"kind": "ai", "level": "casual"}] * 2, "games": 1000},
            "quota",
        ),
    ],
)
def test_tables_that_cannot_be_made_are_refused(
    body: dict[str, Any], code: str, tmp_path: Path
) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, ai_games_per_day=500)) as here:
            answer = await here.raw(await here.guest(), "POST", "/api/tables", body)
            assert 400 <= answer.status_code < 500
            assert answer.json()["code"] == code

    asyncio.run(main())
