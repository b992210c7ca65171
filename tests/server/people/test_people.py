"""Accounts, sessions, recovery, and what a host can do to them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from perudo.cli.app import app
from perudo.games.errors import PerudoError
from perudo.server.db import schema
from perudo.server.db.engine import open_engine
from server import kit
from server.kit import Site, play_out, settings_for, site
from server.rooms.test_tables import two_at_a_table

PASSWORD = "correct horse"


def stored_text(path: Path) -> str:
    """All that the database file holds, as text."""
    return "".join(file.read_bytes().decode("latin-1") for file in path.glob("perudo.db*"))


def test_an_account_keeps_its_player_and_nothing_secret_is_stored(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest("Ada")
            me = await here.ask(token, "GET", "/api/me")
            body = {"name": "Ada L", "password": PASSWORD}
            made = await here.ask(token, "POST", "/api/accounts", body)
            assert made["you"]["id"] == me["you"]["id"]
            assert made["you"]["kind"] == "account"
            codes = made["recovery_codes"]
            other = await here.ask(token, "POST", "/api/login", body)
            assert other["you"]["id"] == me["you"]["id"]
            taken = await here.raw(await here.guest(), "POST", "/api/accounts", body)
            assert taken.json()["code"] == "name_taken"
            assert (await here.http.post("/api/guests", json={"name": "ada l"})).status_code == 409
            wrong = await here.raw(token, "POST", "/api/login", {**body, "password": "wrong one"})
            assert wrong.json()["code"] == "wrong_password"
            unknown = await here.raw(token, "POST", "/api/login", {**body, "name": "nobody"})
            assert unknown.json() == wrong.json()

            recovery = {"name": "Ada L", "code": codes[0], "password": "another one"}
            fresh = await here.ask(token, "POST", "/api/recover", recovery)
            assert (await here.raw(token, "GET", "/api/me")).status_code == 401
            assert (await here.raw(token, "POST", "/api/recover", recovery)).status_code == 403
            again = await here.ask(
                token, "POST", "/api/login", {"name": "Ada L", "password": "another one"}
            )
            text = stored_text(tmp_path)
            for secret in (token, PASSWORD, again["token"], codes[1], *fresh["recovery_codes"]):
                assert secret not in text
            assert "$argon2id$v=19$m=19456,t=2,p=1$" in text

    asyncio.run(main())


def test_sessions_can_be_ended(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            body = {"name": "Ada", "password": PASSWORD}
            await here.ask(token, "POST", "/api/accounts", body)
            second = (await here.ask(token, "POST", "/api/login", body))["token"]
            assert await here.ask(token, "POST", "/api/logout-others") == {"ended": 1}
            assert (await here.raw(second, "GET", "/api/me")).status_code == 401
            third = (await here.ask(token, "POST", "/api/login", body))["token"]
            player, other = await here.connect(token), await here.connect(third)
            await here.ask(token, "POST", "/api/logout")
            assert (await here.raw(token, "GET", "/api/me")).status_code == 401
            await player.wire.wait_closed()  # connections end with their sessions
            assert player.wire.close_code == 4001
            assert (await other.request(type="ping", ref="x"))["code"] == "unknown_field"
            assert await here.ask(third, "POST", "/api/logout-others") == {"ended": 0}

    asyncio.run(main())


@pytest.mark.parametrize("how", ["password", "recover"])
def test_a_new_password_ends_other_sessions_at_once_but_not_bots(how: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            body = {"name": "Ada", "password": PASSWORD}
            codes = (await here.ask(token, "POST", "/api/accounts", body))["recovery_codes"]
            thief = (await here.ask(token, "POST", "/api/login", body))["token"]
            bot = (await here.ask(token, "POST", "/api/bots", {"name": "Robo"}))["token"]
            mine, theirs, robo = [await here.connect(each) for each in (token, thief, bot)]
            if how == "password":
                change = {"old": PASSWORD, "new": "another one"}
                await here.ask(token, "POST", "/api/password", change)
                await mine.send(type="ping")
                assert (await mine.receive())["type"] == "pong"
                assert (await here.raw(token, "GET", "/api/me")).status_code == 200
            else:
                fresh = {"name": "Ada", "code": codes[0], "password": "another one"}
                await here.ask("none", "POST", "/api/recover", fresh)
                await mine.wire.wait_closed()
            await theirs.wire.wait_closed()
            assert theirs.wire.close_code == 4001
            assert (await here.raw(thief, "GET", "/api/me")).status_code == 401
            await robo.send(type="ping")
            assert (await robo.receive())["type"] == "pong"

    asyncio.run(main())


def test_who_comes_while_sessions_are_looked_at_stays(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            await here.connect(await here.guest())
            token = await here.guest()
            real = here.server.people.by_token_hashes
            newcomers: list[Any] = []

            async def slow(hashes: list[str]) -> Any:
                found = await real(hashes)
                newcomers.append(await here.connect(token))
                return found

            here.server.people.by_token_hashes = slow  # type: ignore[method-assign]
            await here.server.look_at_people()
            await newcomers[0].send(type="ping")
            assert (await newcomers[0].receive())["type"] == "pong"

    asyncio.run(main())


def test_registration_can_be_closed_and_guessing_is_slow(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, registration=False)) as here:
            token = await here.guest()
            body = {"name": "Ada", "password": PASSWORD}
            answer = await here.raw(token, "POST", "/api/accounts", body)
            assert answer.json()["code"] == "closed"
            codes = [
                (await here.raw(token, "POST", "/api/login", body)).json()["code"]
                for _ in range(12)
            ]
            assert codes[0] == "wrong_password"
            assert codes[-1] == "too_fast"

    asyncio.run(main())


def admin(path: Path, *words: str) -> str:
    """Run ``perudo admin``; returns what it prints."""
    result = CliRunner().invoke(app, ["admin", *words, "--database", kit.database_at(path)])
    if isinstance(result.exception, PerudoError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


async def with_account(here: Site) -> str:
    token = await here.guest()
    await here.ask(token, "POST", "/api/accounts", {"name": "Ada", "password": PASSWORD})
    return token


def test_a_host_resets_bans_and_mutes(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await with_account(here)
            password = (await asyncio.to_thread(admin, tmp_path, "reset-password", "Ada")).strip()
            assert (await here.raw(token, "GET", "/api/me")).status_code == 401
            body = {"name": "Ada", "password": password}
            token = (await here.ask("none", "POST", "/api/login", body))["token"]
            player = await here.connect(token)
            await asyncio.to_thread(admin, tmp_path, "mute", "Ada")
            await here.server.look_at_people()
            assert next(iter(here.server.connections)).person.muted
            await asyncio.to_thread(admin, tmp_path, "ban", "Ada")
            await here.server.look_at_people()
            await player.wire.wait_closed()
            assert player.wire.close_code == 4003
            assert (await here.raw("none", "POST", "/api/login", body)).json()["code"] == "banned"
            await asyncio.to_thread(admin, tmp_path, "ban", "Ada", "--off")
            await here.ask("none", "POST", "/api/login", body)
            with pytest.raises(PerudoError, match="there is no account"):
                await asyncio.to_thread(admin, tmp_path, "ban", "Nobody")

    asyncio.run(main())


def test_a_host_makes_accounts_where_nobody_else_can(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, registration=False)) as here:
            said = await asyncio.to_thread(admin, tmp_path, "new-account", "Ada")
            password = said.splitlines()[0]
            body = {"name": "ada", "password": password}
            you = (await here.ask("none", "POST", "/api/login", body))["you"]
            assert (you["name"], you["kind"]) == ("Ada", "account")
            code = said.splitlines()[2]
            recovery = {"name": "Ada", "code": code, "password": "another one"}
            await here.ask("none", "POST", "/api/recover", recovery)
            with pytest.raises(PerudoError, match="is taken"):
                await asyncio.to_thread(admin, tmp_path, "new-account", "ADA")
            with pytest.raises(PerudoError, match="letters"):
                await asyncio.to_thread(admin, tmp_path, "new-account", "<b>")

    asyncio.run(main())


def test_a_live_backup_can_be_restored(tmp_path: Path) -> None:
    async def main() -> None:
        settings = settings_for(tmp_path)
        copy = tmp_path / "copy.db"
        async with site(settings) as here:
            table, players, tokens = await two_at_a_table(here)
            await asyncio.to_thread(admin, tmp_path, "backup", str(copy))
            with pytest.raises(PerudoError, match="already exists"):
                await asyncio.to_thread(admin, tmp_path, "backup", str(copy))
            await play_out(players, table)
        said = await asyncio.to_thread(admin, tmp_path, "restore", str(copy))
        assert "the previous database is now" in said
        async with site(settings) as here:  # as it was when the backup was made
            player = await here.connect(tokens[0])
            view = (await player.open(table))["view"]
            assert view["round"] == 1
            assert view["history"] == []

    asyncio.run(main())


def test_a_person_is_exported_and_erased(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            table, players, tokens = await two_at_a_table(here, private=True)
            await players[0].request(type="say", table=table, text="a memorable sentence")
            body = {"name": "Augusta", "password": PASSWORD}
            await here.ask(tokens[0], "POST", "/api/accounts", body)
            await play_out(players, table)
            exported = json.loads(await asyncio.to_thread(admin, tmp_path, "export", "Augusta"))
            assert exported["person"]["name"] == "Augusta"
            assert exported["games"][0]["place"] in (1, 2)
            assert exported["said"][0]["text"] == "a memorable sentence"
            assert "password" not in exported["person"]
            with pytest.raises(PerudoError, match="--yes"):
                await asyncio.to_thread(admin, tmp_path, "erase", "Augusta")
            name = exported["games"][0]["name"]
            await asyncio.to_thread(admin, tmp_path, "erase", "Augusta", "--yes")
            record = await here.raw(tokens[1], "GET", f"/api/games/{table}.1/record")
            assert json.loads(record.text.splitlines()[0])["players"][0] == "erased"
        engine = open_engine(settings_for(tmp_path).database)
        with engine.connect() as connection:
            texts = [
                str(value)
                for each in schema.metadata.tables.values()
                for row in connection.execute(sa.select(each))
                for value in row
            ]
        engine.dispose()
        for word in ("Augusta", "a memorable sentence", name):
            assert not any(word in text for text in texts), word

    asyncio.run(main())


def test_old_casual_games_are_forgotten(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            table, players, _ = await two_at_a_table(here)
            await play_out(players, table)
            assert "deleted 0 tables" in await asyncio.to_thread(
                admin, tmp_path, "forget", "--days", "1"
            )
            old: dict[str, Any] = {"updated": 0.0}
            await here.server.service.store.write(
                lambda connection: connection.execute(schema.tables.update().values(**old))
            )
            assert "deleted 1 tables" in await asyncio.to_thread(
                admin, tmp_path, "forget", "--days", "1"
            )
            assert (await here.http.get(f"/api/games/{table}.1")).status_code == 404

    asyncio.run(main())
