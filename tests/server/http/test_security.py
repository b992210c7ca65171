"""Refusals of other origins, floods and nonsense; and the security headers for browsers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
import re
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
import websockets
from fuzz import LAST, nonsense, problems_in, run
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from perudo.server.settings import FRAME_BYTES
from server.kit import settings_for, site, unlimited

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]

SEATS = [{"kind": "open"}, {"kind": "open"}]


def test_other_origins_are_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, origins=("https://dice.example",))) as here:
            token = await here.guest()
            address = here.url.replace("http", "ws") + "/ws"
            for origin, welcome in (
                ("https://evil.example", False),
                ("https://dice.example", True),
                (here.url, True),
            ):
                answer = await here.http.post("/api/guests", json={}, headers={"origin": origin})
                assert (answer.status_code == 201) == welcome
                headers = {"Authorization": f"Bearer {token}"}
                try:
                    async with websockets.connect(
                        address,
                        additional_headers=headers,
                        origin=origin,  # type: ignore[arg-type]
                    ):
                        opened = True
                except websockets.InvalidStatus:
                    opened = False
                assert opened == welcome

    asyncio.run(main())


def test_a_browser_session_is_a_strict_cookie_and_pages_have_strict_headers(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, secure_cookies=True)) as here:
            answer = await here.http.post("/api/guests", json={})
            cookie = answer.headers["set-cookie"]
            for part in ("HttpOnly", "SameSite=strict", "Secure", "Path=/"):
                assert part.lower() in cookie.lower()
            page = await here.http.get("/api")
            policy = page.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'; script-src 'self'")
            assert "unsafe" not in policy
            assert page.headers["x-content-type-options"] == "nosniff"
            assert not re.search(r"https?://", page.text)
            for path in ("/openapi.json", "/asyncapi.json", "/healthz", "/metrics"):
                assert (await here.http.get(path)).status_code == 200, path

    asyncio.run(main())


def test_floods_are_refused_and_then_cut_off(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            player = await here.connect(await here.guest())
            for _ in range(90):
                await player.send(type="ping")
            answers = [json.loads(text)["type"] async for text in drain(player.wire)]
            assert answers.count("pong") in range(50, 55)  # 50 in 20 s for those who watch
            assert player.wire.close_code == 4029

    asyncio.run(main())


@pytest.mark.parametrize("frame", [b"\x00" * 10, "\u00e9" * 5000])
def test_frames_that_cannot_be_read_count_too(frame: bytes | str, tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            player = await here.connect(await here.guest())
            for _ in range(90):
                await player.wire.send(frame)
            codes = [json.loads(text)["code"] async for text in drain(player.wire)]
            assert codes.count("unreadable") in range(50, 55)
            assert player.wire.close_code == 4029

    asyncio.run(main())


def test_a_refused_message_is_named_in_its_refusal(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, address_messages=3)) as here:
            player = await here.connect(await here.guest())
            unknown = await player.request(type="open", table="nowhere-at-all", ref="first")
            assert unknown["code"] == "no_table"
            wrong = await player.request(type="sit", table=7, ref="second")
            assert wrong["code"] == "wrong_field"
            await player.send(type="ping")
            assert (await player.receive())["type"] == "pong"
            for message, ref in (
                ({"type": "open", "table": "nowhere", "ref": "third"}, "third"),
                ({"type": "action", "table": "x", "id": 1, "move": "m.4"}, "m.4"),
                ({"type": "ping"}, None),
                ({"type": "open", "ref": "<not a name>"}, None),
            ):
                await player.send(**message)
                refused = await player.receive()
                assert (refused["code"], refused["ref"]) == ("too_fast", ref)

    asyncio.run(main())


async def drain(wire: Any) -> Any:
    while True:
        try:
            yield await wire.recv()
        except websockets.ConnectionClosed:
            return


def test_large_bodies_and_frames_are_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            large = await here.http.post("/api/guests", json={"name": "x" * 70_000})
            assert large.status_code == 413

            async def endless() -> Any:
                for _ in range(100):
                    yield b" " * 1000

            cut = await here.http.post("/api/guests", content=endless())
            assert cut.status_code in (400, 413, 422)
            player = await here.connect(await here.guest())
            await player.wire.send("x" * 9000)
            assert (await player.receive())["code"] == "unreadable"
            await player.wire.send("x" * 20_000)
            await player.wire.wait_closed()
            assert player.wire.close_code == 1009

    asyncio.run(main())


def test_metrics_are_private(tmp_path: Path) -> None:
    async def main() -> None:
        changes = {"trusted_proxies": ("127.0.0.1",), "metrics_token": "let me in"}
        async with site(settings_for(tmp_path, **changes)) as here:
            elsewhere = {"x-forwarded-for": "203.0.113.9"}
            refused = await here.http.get("/metrics", headers=elsewhere)
            assert refused.status_code == 403
            allowed = await here.http.get(
                "/metrics", headers={**elsewhere, "authorization": "Bearer let me in"}
            )
            assert "perudo_moves_total 0.0" in allowed.text
            wrong = [
                (b"x-forwarded-for", b"203.0.113.9"),
                (b"authorization", "Bearer l\u00e9t me in".encode("latin-1")),
            ]
            assert (await here.http.get("/metrics", headers=wrong)).status_code == 403
        async with site(settings_for(tmp_path)) as here:
            assert (await here.http.get("/metrics")).status_code == 200
            for name in ("x-forwarded-for", "forwarded", "via"):  # a proxy that is not trusted
                passed_on = await here.http.get("/metrics", headers={name: "203.0.113.9"})
                assert passed_on.status_code == 403

    asyncio.run(main())


@pytest.mark.parametrize("frames", [1500])
def test_nonsense_over_the_websocket_breaks_nothing(
    frames: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        changes = {**unlimited(), "connection_messages": 10**9}
        async with site(settings_for(tmp_path, **changes)) as here:
            token = await here.guest()
            table = await here.table(token, 3, private=True, rules="official")
            player = await here.connect(token)
            rng = random.Random(7)
            reading = asyncio.create_task(read_all(player.wire))
            for _ in range(frames):
                frame = nonsense(rng, [table])
                if len(frame) < 2 * FRAME_BYTES:  # else the connection is closed, see below
                    await player.wire.send(frame)
            await player.send(type="shut", table=table, ref=LAST)
            assert await asyncio.wait_for(reading, 60) > frames * 0.8
            assert (await here.http.get("/healthz")).status_code == 200

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_server_that_is_sent_nonsense_logs_no_exception(tmp_path: Path) -> None:
    """The full run is ``python benchmarks/fuzz.py``."""
    report = asyncio.run(run(600, tmp_path))
    assert report.frames >= 600
    assert report.problems == []
    assert {"ack", "wrong_field", "unreadable", "unknown_type"} <= set(report.answers)
    assert len(report.memory_mb) == 2


@pytest.mark.parametrize("frame", ["x" * 3 * FRAME_BYTES, b"\xff"])
def test_a_frame_that_closes_the_connection_while_answers_are_pending_is_no_error(
    frame: str | bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, connection_messages=10**9)) as here:
            token = await here.guest()
            for _ in range(10):
                player = await here.connect(token)
                table = json.dumps({"type": "open", "table": "nowhere"})
                await asyncio.gather(*(player.wire.send(table) for _ in range(50)))
                await player.wire.send(frame, text=True)
                async for _ in drain(player.wire):
                    pass
                assert player.wire.close_code in (1007, 1009)

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_an_exception_in_a_log_is_noticed() -> None:
    warning = '{"at":"now","level":"warning","from":"perudo","message":"an AI is late"}'
    assert problems_in([warning]) == []
    error = '{"at":"now","level":"error","from":"perudo.room","message":"table x failed"}'
    caught = '{"at":"now","level":"info","from":"x","message":"y","error":"Traceback"}'
    assert problems_in([warning, error, caught, "Traceback (most recent call last):"]) == [
        error,
        caught,
        "Traceback (most recent call last):",
    ]


async def read_all(wire: Any) -> int:
    """Count answers up to the last."""
    count = 0
    async for text in wire:
        count += 1
        if json.loads(text).get("ref") == LAST:
            return count
    return count


def test_the_http_api_answers_anything_without_breaking(tmp_path: Path) -> None:
    async def main() -> None:
        changes = {**unlimited(), "account_failures": 10**9}
        async with site(settings_for(tmp_path, **changes)) as here:
            token = await here.guest()
            document = (await here.http.get("/openapi.json")).json()
            schema = schemathesis.openapi.from_dict(document)
            for result in schema.get_all_operations():
                for mode in GenerationMode:
                    await asyncio.to_thread(
                        call_with_anything, unpacked(result), mode, here.url, token
                    )

    asyncio.run(main())


def unpacked(result: Any) -> Any:
    return result.ok()


def call_with_anything(operation: Any, mode: GenerationMode, url: str, token: str) -> None:
    """Call one operation with what fits its description, or does not."""
    headers = {"authorization": f"Bearer {token}"}

    @settings(
        max_examples=4,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        response = case.call(base_url=url, headers=headers, session=session)
        case.validate_response(response, checks=CHECKS)

    # A request without parts cannot be wrong: then nothing satisfies the strategy.
    with requests.Session() as session, contextlib.suppress(Unsatisfiable):
        call()
