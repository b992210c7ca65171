"""The page's requests beyond playing: invitations, reviews, retried decisions, the lab."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from perudo.record import MatchRecord
from perudo.server.history.records import record_lines as one_record
from perudo.server.http import lab
from perudo.transcript import parse_record
from server.kit import Site, play_out, settings_for, site

FINISHED = (
    "perudo, common:dice=2: A Ann, B Bob\n1. 36/25 A 4x4 B dudo\n2. 3/15 A 1x3 B 2x5 A dudo\n"
)


async def reviewed(here: Site, token: str, **wish: Any) -> Any:
    """A review, when it is complete."""
    begun = await here.ask(token, "POST", "/api/reviews", wish)
    while True:
        found = await here.ask(token, "GET", f"/api/reviews/{begun['id']}")
        if found["done"]:
            return {**begun, **found}
        await asyncio.sleep(0.2)


def test_an_invitation_is_a_link_and_a_code(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            table = await here.table(token)
            found = await here.ask(token, "GET", f"/api/tables/{table}/invitation")
            assert found["link"] == f"{here.url}/#/table/{table}/sit"
            code = await here.raw(token, "GET", f"/api/tables/{table}/invitation.svg")
            assert code.headers["content-type"] == "image/svg+xml"
            assert code.text.startswith("<?xml")
            missing = await here.raw(token, "GET", "/api/tables/nowhere/invitation.svg")
            assert missing.json()["code"] == "no_table"

    asyncio.run(main())


def test_a_finished_game_is_reviewed_and_a_running_one_is_not(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            tokens = [await here.guest(), await here.guest()]
            table = await here.table(tokens[0], 2, rules="common:dice=1")
            players = [await here.connect(token) for token in tokens]
            for player in players:
                await player.open(table)
                await player.sit(table)
            for player in players:
                while player.views.get(table) is None:
                    await player.receive()
            game = f"{table}.1"
            early = await here.raw(tokens[0], "POST", "/api/reviews", {"game": game})
            assert early.json()["code"] == "not_over"
            none = await here.raw(tokens[0], "GET", f"/api/tables/{table}/records")
            assert none.json()["code"] == "no_game"
            await play_out(players, table)
            found = await reviewed(here, tokens[0], game=game, seat=0)
            assert found["problem"] is None
            assert {each["seat"] for each in found["decisions"]} <= {0}
            assert found["steps"][-1]["event"] == "end"
            records = await here.raw(tokens[0], "GET", f"/api/tables/{table}/records")
            assert MatchRecord.parse(records.text.splitlines()).finished

    asyncio.run(main())


def test_the_records_of_a_series_are_streamed_game_by_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab, "AT_ONCE", 2)
    read: list[str] = []

    def record_lines(connection: Any, id: str) -> list[str]:
        read.append(id)
        return one_record(connection, id)

    monkeypatch.setattr("perudo.server.history.records.record_lines", record_lines)

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            agents = [{"kind": "ai", "agent": "random"}] * 2
            table = await here.table(token, agents, rules="common:dice=1", games=5, pace=0)
            watching = await here.connect(token)
            await watching.open(table)
            while sum(watching.infos[table]["wins"]) < 5:
                await watching.receive()

            async def games(query: str) -> list[str]:
                read.clear()
                path = f"/api/tables/{table}/records{query}"
                answer = await here.raw(token, "GET", path)
                assert answer.headers["content-type"].startswith("text/plain")
                assert "content-length" not in answer.headers  # nobody has held it all
                starts = [line for line in answer.text.splitlines() if "players" in line]
                assert len(starts) == len(read)
                return [id.rpartition(".")[2] for id in read]

            assert await games("") == ["1", "2", "3", "4", "5"]
            assert await games("?after=3") == ["4", "5"]
            assert await games("?after=1&limit=3") == ["2", "3", "4"]
            for query, status in (("?after=5", 404), ("?limit=0", 422), ("?after=-1", 422)):
                answer = await here.raw(token, "GET", f"/api/tables/{table}/records{query}")
                assert answer.status_code == status

    asyncio.run(main())


def test_a_decision_is_tried_again_without_seeing_the_others_dice(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            found = await reviewed(here, token, record=FINISHED)
            assert [each["action"] for each in found["decisions"]][:2] == ["4x4", "dudo"]
            first = found["decisions"][0]["n"]
            path = f"/api/reviews/{found['id']}/retries"
            now = await here.ask(token, "POST", path, {"n": first, "seed": 7})
            assert (now["seat"], now["dice"], now["actions"]) == (0, "36", [])
            assert "4x4" in now["legal"]
            assert "25" not in str(now["events"])
            on = await here.ask(token, "POST", path, {"n": first, "actions": ["1x3"], "seed": 7})
            assert on["actions"][0] == "1x3"
            assert len(on["actions"]) > 1  # the other has answered
            again = {"n": first, "actions": on["actions"], "seed": 7}
            same = await here.ask(token, "POST", path, again)
            assert same["actions"][: len(on["actions"])] == on["actions"]
            assert same["dice"] == on["dice"]
            wrong = await here.raw(token, "POST", path, {"n": 1})
            assert wrong.json()["code"] == "no_decision"
            illegal = await here.raw(token, "POST", path, {"n": first, "actions": ["1x1"]})
            assert illegal.status_code == 400

    asyncio.run(main())


def test_a_decision_is_tried_again_at_a_table(tmp_path: Path) -> None:
    """The table stands where the decision was; what comes of it is nobody's statistics."""

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest("Zoe")
            begun = await here.ask(token, "POST", "/api/reviews", {"record": FINISHED})
            assert begun["notation"].splitlines()[1].startswith("1. 36/25 A 4x4 B dudo")
            last = [step for step in begun["steps"] if step["event"] == "act"][-1]
            path = f"/api/reviews/{begun['id']}/tables"
            table = (await here.ask(token, "POST", path, {"n": last["n"]}))["table"]
            zoe = await here.connect(token)
            first = await zoe.open(table)
            view = zoe.views[table]
            assert (view["seat"], view["dice"], view["bid"], view["round"]) == (0, "3", "2x5", 2)
            assert [seat["player"]["name"] for seat in first["info"]["seats"]] == [
                "Zoe", "Bob (observer)",
            ]  # fmt: skip
            assert '"15"' not in str(zoe.frames)
            assert (await zoe.act(table, "2x6"))["type"] == "ack"
            await play_out([zoe], table)
            told = await here.raw(token, "GET", f"/api/games/{table}.1/record")
            record = MatchRecord.parse(told.text.splitlines())
            original = [event.get("action") for event in parse_record(FINISHED).events]
            acted = [event.get("action") for event in record.events]
            assert acted[: last["n"]] == [*original[: last["n"] - 1], "2x6"]
            page = await here.ask(token, "GET", f"/api/people/{zoe.id}")
            assert page["statistics"]["2"]["games"] == 0
            wrong = await here.raw(token, "POST", path, {"n": 1})
            assert wrong.json()["code"] == "no_decision"

    asyncio.run(main())


def test_what_cannot_be_reviewed_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            for wish, reason in (
                ({}, "either a game or a record"),
                ({"record": "chess"}, "the first line should be"),
                ({"record": FINISHED, "seat": 4}, "there is no seat 4"),
                ({"record": FINISHED, "agents": ["./evil.py:Agent"]}, "unknown agent"),
                ({"record": FINISHED, "agents": ["human"]}, "unknown agent"),
            ):
                refused = await here.raw(token, "POST", "/api/reviews", wish)
                assert refused.status_code == 400
                assert reason in refused.json()["message"]
            lost = await here.raw(token, "GET", "/api/reviews/nothing")
            assert lost.status_code == 404
            figure = await here.raw(token, "GET", "/api/lab/figures/..%2Fresults.md")
            assert figure.status_code == 404

    asyncio.run(main())
