"""Talk in pages: a table is sent with its newest talk, and clients ask for what is older."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from perudo.server.rooms.audience import TALK_SENT
from server.kit import Player, settings_for, site
from server.rooms.test_tables import two_at_a_table

SAID = 2 * TALK_SENT + 30


def words(events: list[Any]) -> list[str]:
    return [event["text"] for event in events if event["kind"] == "said"]


async def earlier(player: Player, table: str, before: int) -> Any:
    await player.send(type="earlier", table=table, before=before, ref="more")
    page = await player.until(lambda message: message["type"] in ("earlier", "error"))
    assert (await player.receive())["ref"] == "more"
    return page


def test_old_talk_is_sent_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perudo.server.socket.conversation.TALK_RATE", (1e9, 1.0))

    async def main() -> None:
        many = 10**9
        settings = settings_for(tmp_path, address_messages=many, connection_messages=many)
        async with site(settings) as here:
            table, players, tokens = await two_at_a_table(here, private=True)
            said = [f"sentence {number}" for number in range(SAID)]
            before = players[1].n[table]
            for text in said:
                await players[0].request(type="say", table=table, text=text)
            again = await here.connect(tokens[1])
            assert words((await again.open(table))["events"]) == said[-TALK_SENT:]
            kinds = {event["kind"] for event in again.events[table]}
            assert {"started", "deal"} <= kinds  # nothing else is left out
            missed = await (await here.connect(tokens[1])).open(table, after=before)
            assert missed["type"] == "events"
            assert words(missed["events"]) == said[-TALK_SENT:]

            got: list[Any] = [e for e in again.events[table] if e["kind"] == "said"]
            for more in (True, False):
                page = await earlier(again, table, got[0]["n"])
                assert page["more"] is more
                got = [*page["events"], *got]
            assert words(got) == said
            numbers = [event["n"] for event in got]
            assert numbers == sorted(set(numbers))
            assert (await earlier(again, table, got[0]["n"]))["events"] == []
            room = await here.server.lobby.room(table)
            kept = [entry for entry in room.audience.entries if entry.event.kind == "said"]
            assert len(kept) < 2 * TALK_SENT  # in memory

    asyncio.run(main())


def test_talk_of_earlier_games_is_not_sent(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            table, players, _ = await two_at_a_table(here, private=True)
            await players[0].request(type="say", table=table, text="in this game")
            room = await here.server.lobby.room(table)
            page = await earlier(players[1], table, room.table.n + 1)
            assert words(page["events"]) == ["in this game"]
            room.audience.entries = room.audience.entries[-1:]  # as if a game had begun since
            assert (await earlier(players[1], table, room.table.n + 1))["events"] == []

    asyncio.run(main())
