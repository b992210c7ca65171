"""Text that a database cannot hold is refused, wherever it is given; run on PostgreSQL as well."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from server.kit import Site, settings_for, site

NUL = "a\0b"
LONG = "\u0390" * 24
"""A name of 24 letters, whose key has 72."""
ODD = [NUL, LONG, "\ud800", "\U0001f3b2" * 32, "\u0000"]
PASSWORD = "correct horse"


def bodies(text: str) -> list[tuple[str, str, Any]]:
    """Requests with odd text in each field that takes text."""
    seats = [{"kind": "open"}, {"kind": "ai", "agent": text}]
    level = [{"kind": "open"}, {"kind": "ai", "level": text}]
    return [
        ("POST", "/api/guests", {"name": text}),
        ("POST", "/api/accounts", {"name": text, "password": PASSWORD}),
        ("POST", "/api/login", {"name": text, "password": text}),
        ("POST", "/api/password", {"old": text, "new": text}),
        ("POST", "/api/recover", {"name": text, "code": text, "password": PASSWORD + text}),
        ("POST", "/api/bots", {"name": text}),
        ("PUT", "/api/bots/none/filters", {"rules": [text]}),
        ("POST", "/api/tables", {"seats": seats}),
        ("POST", "/api/tables", {"seats": level}),
        ("POST", "/api/tables", {"seats": [{"kind": "open"}] * 2, "rules": text}),
        ("POST", "/api/reviews", {"game": text}),
        ("POST", "/api/reviews", {"record": text}),
        ("POST", "/api/reviews", {"game": "none", "agents": [text]}),
        ("POST", "/api/guests", {text: 1}),
    ]


PLACES = (
    *("/api/games/{}", "/api/games/{}/record", "/api/games/{}/notation", "/api/people/{}"),
    *("/api/tables/{}", "/api/tables/{}/records", "/api/tables/{}/invitation", "/api/reviews/{}"),
    *("/api/games?person={}", "/api/ladder?rules={}", "/api/lab/figures/{}"),
    *("/api/tables?status={}", "/healthz?x={}"),
)


def test_odd_text_over_http_is_no_error_of_the_server(tmp_path: Path) -> None:
    async def main() -> None:
        many = 10**9
        settings = settings_for(
            tmp_path, address_requests=many, address_sign_ins=many, account_failures=many
        )
        async with site(settings) as here:
            token = await here.guest()
            account = await here.guest()
            body = {"name": "Ada", "password": PASSWORD}
            await here.ask(account, "POST", "/api/accounts", body)
            for text in ODD:
                for method, path, wrong in bodies(text):
                    for who in (token, account):
                        assert await status(here, who, method, path, wrong) < 500, path
            for place in PLACES:
                for text in ("a%00b", "%ED%A0%80", "%FF", "%CE%90" * 32):
                    answer = await here.http.get(place.format(text))
                    assert answer.status_code < 500, place

    asyncio.run(main())


async def status(here: Site, token: str, method: str, path: str, body: Any) -> int:
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    content = json.dumps(body)
    answer = await here.http.request(method, path, content=content, headers=headers)
    return answer.status_code


def test_a_name_whose_key_is_too_long_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            body = {"name": LONG, "password": PASSWORD}
            refused = await here.raw(token, "POST", "/api/accounts", body)
            assert (refused.status_code, refused.json()["code"]) == (400, "bad_name")

    asyncio.run(main())


def test_odd_text_over_the_websocket_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            table = await here.table(token, 2, private=True)
            player = await here.connect(token)
            await player.sit(table)
            for text in ODD:
                for message in (
                    {"type": "invite", "player": text},
                    {"type": "say", "text": text},
                    {"type": "fill", "seat": 1, "agent": text},
                    {"type": "fill", "seat": 1, "level": text},
                    {"type": "sit", "key": text},
                    {"type": "action", "id": 1, "action": text, "thoughts": text},
                ):
                    await player.send(table=table, **message)
                    answer = await player.until(lambda m: m["type"] in ("ack", "error"))
                    assert answer.get("code") != "try_again", message
            await player.send(type="ping")
            assert (await player.receive())["type"] == "pong"

    asyncio.run(main())
