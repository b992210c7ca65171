"""Limits on one address and one account, and what a class behind one address can do."""

from __future__ import annotations

import asyncio
import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
import websockets

from perudo.server.clock import Clock
from perudo.server.rate_limits import Bucket
from perudo.server.server import Server
from perudo.server.settings import Settings
from server.kit import QuickPool, Site, routes_of, settings_for, site

CLASS = 30
WEB = Path(__file__).resolve().parents[3] / "src/perudo/web"
PASSWORD = "correct horse battery"


def standing_still(settings: Settings) -> AbstractAsyncContextManager[Site]:
    """Run a server whose clock stands still, so that no limit recovers."""
    return site(settings, Server(settings, Clock(now=lambda: 1000.0), QuickPool()))


def assert_says_when(answer: Any, limit: str) -> None:
    """Check that a refusal says which limit it was, and how long to wait."""
    assert answer.status_code == 429, answer.text
    told = answer.json()
    assert (told["code"], told["limit"]) == ("too_fast", limit)
    assert 0 < told["seconds"] <= int(answer.headers["retry-after"]) + 1
    assert int(answer.headers["retry-after"]) >= told["seconds"]


def test_every_route_counts_against_the_limit_of_its_address(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, address_requests=1)) as here:
            await here.guest()
            routes = list(routes_of(here))
            assert len(routes) > 30
            for method, path in routes:
                assert_says_when(await here.http.request(method, path), "address_requests")
            with pytest.raises(websockets.InvalidStatus) as refused:
                await websockets.connect(here.url.replace("http", "ws") + "/ws")
            response = refused.value.response
            assert response.status_code == 429
            assert int(response.headers["retry-after"]) >= 1
            assert json.loads(response.body or b"")["limit"] == "address_requests"
            assert (await here.http.get("/")).status_code == 200  # the page still opens

    asyncio.run(main())


def test_the_pages_files_have_a_limit_of_their_own(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, address_files=3)) as here:
            for path in ("/", "/js/main.js", "/nothing"):
                assert (await here.http.get(path)).status_code in (200, 404), path
            assert_says_when(await here.http.get("/js/main.js"), "address_files")
            assert (await here.http.get("/healthz")).status_code == 200

    asyncio.run(main())


def test_a_school_can_open_the_page_a_hundred_times_a_minute() -> None:
    files = sum(path.is_file() for path in WEB.rglob("*"))
    assert Settings().address_files >= 100 * files


def test_a_class_behind_one_address_joins_at_once(tmp_path: Path) -> None:
    """With the limits as they are set, and a clock that stands still: nothing refills."""

    async def main() -> None:
        async with standing_still(settings_for(tmp_path)) as here:
            files = [f"/{path.relative_to(WEB)}" for path in WEB.rglob("*.js")]

            async def join(number: int) -> str:
                for path in ("/", "/api/rules", "/api/agents", "/api/tables", *files[:3]):
                    assert (await here.http.get(path)).status_code == 200
                answer = await here.http.post("/api/guests", json={"name": f"Pupil {number}"})
                assert answer.status_code == 201, answer.text
                token = str(answer.json()["token"])
                assert (await here.raw(token, "GET", "/api/me")).status_code == 200
                return token

            tokens = await asyncio.gather(*(join(number) for number in range(CLASS)))
            here.http.cookies.clear()
            for group in range(0, CLASS, 6):
                table = await here.table(tokens[group], 6)
                for token in tokens[group : group + 6]:
                    player = await here.connect(token)
                    await player.open(table)
                    answer = await player.sit(table)
                    assert answer["type"] == "ack", answer
            assert len(here.server.connections) == CLASS

    asyncio.run(main())


def test_new_guests_are_limited_for_an_address(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, address_guests=2)) as here:
            await here.guest()
            await here.guest("Zoe")
            assert_says_when(await here.http.post("/api/guests", json={}), "address_guests")

    asyncio.run(main())


async def log_in(here: Site, name: str, password: str, address: str = "203.0.113.1") -> Any:
    """Try to sign in from an address that the trusted proxy reports."""
    here.http.cookies.clear()
    wish = {"name": name, "password": password}
    headers = {"x-forwarded-for": address}
    return await here.http.post("/api/login", json=wish, headers=headers)


async def account(here: Site, name: str) -> None:
    token = await here.guest()
    await here.ask(token, "POST", "/api/accounts", {"name": name, "password": PASSWORD})


def test_guesses_at_one_account_from_many_addresses_are_limited(tmp_path: Path) -> None:
    async def main() -> None:
        changes = {"trusted_proxies": ("127.0.0.1",), "account_failures": 3}
        async with site(settings_for(tmp_path, **changes)) as here:
            await account(here, "Ann")
            await account(here, "Bob")
            for number in range(3):
                wrong = await log_in(here, "Ann", f"guess {number}", f"203.0.113.{number}")
                assert wrong.json()["code"] == "wrong_password"
            for name in ("Ann", " ann"):  # the same account
                refused = await log_in(here, name, "guess", "203.0.113.9")
                assert_says_when(refused, "account_failures")
            assert (await log_in(here, "Bob", PASSWORD, "203.0.113.9")).status_code == 200

    asyncio.run(main())


def test_right_passwords_hardly_use_up_the_limit_and_wrong_ones_do(tmp_path: Path) -> None:
    async def main() -> None:
        changes = {"trusted_proxies": ("127.0.0.1",), "address_sign_ins": CLASS}
        async with standing_still(settings_for(tmp_path, **changes)) as here:
            await account(here, "Ann")
            for _ in range(CLASS):
                assert (await log_in(here, "Ann", PASSWORD)).status_code == 200
            assert_says_when(await log_in(here, "Ann", PASSWORD), "address_sign_ins")
            other = "203.0.113.2"
            for number in range(CLASS // 5):
                wrong = await log_in(here, f"Nobody {number}", PASSWORD, other)
                assert wrong.json()["code"] == "wrong_password"
            assert_says_when(await log_in(here, "Ann", PASSWORD, other), "address_sign_ins")
            network = "2001:db8:1:2"
            for number in range(CLASS // 5):
                await log_in(here, f"Nobody {number}", PASSWORD, f"{network}::{number}")
            last = await log_in(here, "Ann", PASSWORD, f"{network}:a:b:c:d")  # the same /64
            assert_says_when(last, "address_sign_ins")

    asyncio.run(main())


def test_a_refused_message_says_which_limit_it_was(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, connection_messages=4)) as here:
            player = await here.connect(await here.guest())
            for _ in range(2):  # half of it, without a seat
                await player.request(type="open", table="nowhere")
            refused = await player.request(type="open", table="nowhere")
            assert (refused["code"], refused["limit"]) == ("too_fast", "connection_messages")
            assert 0 < refused["seconds"] <= 10
        async with site(settings_for(tmp_path, address_messages=1)) as here:
            player = await here.connect(await here.guest())
            await player.request(type="open", table="nowhere")
            refused = await player.request(type="open", table="nowhere")
            assert (refused["code"], refused["limit"]) == ("too_fast", "address_messages")

    asyncio.run(main())


def test_a_bucket_says_when_the_next_token_comes() -> None:
    bucket = Bucket.full((2.0, 20.0), 0.0)
    assert bucket.take(0.0)
    assert bucket.take(0.0)
    assert not bucket.take(0.0)
    assert bucket.wait == pytest.approx(10.0)
    assert not bucket.take(4.0)
    assert bucket.wait == pytest.approx(6.0)
    assert bucket.take(10.0)
