"""``perudo serve``: its settings, the local network, logs, and what it says about itself."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import re
import socket
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
import websockets
from fuzz import Watched
from typer.testing import CliRunner

from perudo.cli.app import app
from perudo.cli.serve import serve
from perudo.client import request
from perudo.games.errors import PerudoError
from perudo.server.app import make_app, origins_of
from perudo.server.lan import code, is_loopback, own_addresses, own_names
from perudo.server.process import run as running
from perudo.server.process.logs import JsonLines, set_up
from perudo.server.process.server_lock import hold
from perudo.server.process.workers import listen
from perudo.server.settings import Settings
from server.kit import settings_for, site


def flags() -> dict[str, Any]:
    """The options of ``perudo serve``, by name."""
    return {each.name: each.default for each in inspect.signature(serve).parameters.values()}


def test_every_setting_has_a_flag_a_variable_and_an_explanation() -> None:
    assert {setting.name for setting in fields(Settings)} == set(flags())
    for name, flag in flags().items():
        variables = [flag.envvar] if isinstance(flag.envvar, str) else flag.envvar
        assert variables[0] == f"PERUDO_{name.upper()}"
        assert flag.help


def test_flags_and_variables_fill_in_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[Settings] = []

    def run(settings: Settings) -> int:
        got.append(settings)
        return 0

    monkeypatch.setattr(running, "run", run)
    CliRunner().invoke(app, ["serve"], catch_exceptions=False)
    assert got[0] == Settings()
    variables = {
        "PERUDO_PORT": "8123",
        "PERUDO_LAN": "1",
        "PERUDO_ORIGINS": "https://dice.example/, https://other.example",
        "PERUDO_REGISTRATION": "0",
        "PERUDO_THINKERS": "3",
        "PERUDO_TIMER": "nobody reads this",
    }
    flags = ["serve", "--port", "8124", "--calza-seconds", "2"]
    CliRunner().invoke(app, flags, env=variables, catch_exceptions=False)
    assert (got[1].port, got[1].lan, got[1].registration) == (8124, True, False)
    assert {"https://dice.example", "https://other.example"} <= origins_of(got[1])
    assert (got[1].calza_seconds, got[1].ai_processes) == (2.0, 3)


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--stand-in", "cmd:true"], "unknown agent"),
        (["--log-level", "loud"], "log level"),
        (["--workers", "2"], "--redis"),
        (["--database", "nonsense"], "--database"),
    ],
)
def test_wrong_settings_are_refused_with_what_would_be_right(
    flags: list[str], problem: str
) -> None:
    result = CliRunner().invoke(app, ["serve", *flags])
    assert isinstance(result.exception, PerudoError)
    assert problem in str(result.exception)


def test_in_a_local_network_the_address_and_a_code_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(running, "own_addresses", lambda: ["192.0.2.7", "127.0.0.1"])
    monkeypatch.setattr(running, "set_up", lambda level: None)
    served: list[Settings] = []

    class Server:
        started = True

        def run(self, sockets: Any) -> None:
            return None

    def web_server(settings: Settings) -> Any:
        served.append(settings)
        return Server()

    monkeypatch.setattr(running, "web_server", web_server)
    settings = settings_for(tmp_path, lan=True)
    assert running.run(settings) == 0
    said = capsys.readouterr().out
    assert f"http://192.0.2.7:{settings.port}" in said
    assert code(f"http://192.0.2.7:{settings.port}") in said
    monkeypatch.setattr(running, "own_addresses", lambda: ["127.0.0.1"])
    running.run(settings_for(tmp_path, lan=True))
    assert "no network" in capsys.readouterr().out


def test_a_second_server_is_refused_its_port_and_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(running, "set_up", lambda level: None)
    monkeypatch.setattr("perudo.server.process.server_lock.WAIT_SECONDS", 0.0)
    settings = settings_for(tmp_path)
    with listen(settings), pytest.raises(PerudoError, match="cannot listen at"):
        running.run(settings)
    with hold(settings.database):
        with pytest.raises(PerudoError, match="by another perudo server"):
            running.run(settings)
        wish = ["admin", "restore", str(tmp_path / "copy.db"), "--database", settings.database]
        result = CliRunner().invoke(app, wish)
        assert "by another perudo server" in str(result.exception)
    with hold(settings.database):  # let go
        pass
    nowhere = settings_for(tmp_path, database="sqlite:////nonexistent/perudo.db")
    with pytest.raises(PerudoError, match="cannot open the database"):
        running.run(nowhere)


def test_in_a_local_network_the_machines_addresses_and_names_are_origins(tmp_path: Path) -> None:
    addresses = own_addresses()
    assert addresses[-1] == "127.0.0.1" or is_loopback(addresses[-1])
    settings = settings_for(tmp_path, lan=True, port=8000)
    accepted = origins_of(settings)
    for place in (*addresses, *own_names()):
        assert f"http://{place}:8000" in accepted
    assert "http://192.0.2.99:8000" not in accepted
    assert f"http://{own_names()[0]}:8000" not in origins_of(settings_for(tmp_path, port=8000))


def test_a_log_line_is_an_object_of_json() -> None:
    try:
        raise ValueError("a problem\non two lines")
    except ValueError as error:
        raised = (type(error), error, error.__traceback__)
    record = logging.LogRecord(
        "perudo.room", logging.ERROR, "x", 1, "table %s failed", ("t",), raised
    )
    text = JsonLines().format(record)
    assert "\n" not in text
    line = json.loads(text)
    assert (line["level"], line["from"], line["message"]) == (
        "error",
        "perudo.room",
        "table t failed",
    )
    assert "a problem" in line["error"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["at"])


def test_not_even_debug_logs_contain_tokens_passwords_or_messages(tmp_path: Path) -> None:
    """Of a real server, with all that uvicorn and websockets would log."""
    password, said = "correct horse battery", "a-word-of-my-own"

    async def main() -> str:
        server = Watched(tmp_path, "--log-level=debug", "--ai-processes=1")
        await server.start()
        try:
            ask = partial(request, server.url)
            token = str(ask("/api/guests", {"name": "Zoe"})["token"])
            ask("/api/accounts", {"name": "Zoe", "password": password}, token)
            options = {"rules": "common", "private": True, "seats": [{"kind": "open"}] * 2}
            table = ask("/api/tables", options, token)["table"]
            address = server.url.replace("http", "ws") + f"/ws?token={token}"
            for headers, offered in (
                ({"Authorization": f"Bearer {token}"}, None),
                ({"Cookie": f"perudo={token}"}, None),
                ({}, ["perudo", f"token.{token}"]),
            ):
                async with websockets.connect(
                    address, additional_headers=headers, subprotocols=cast(Any, offered)
                ) as wire:
                    for message in (
                        {"type": "open", "table": table},
                        {"type": "sit", "table": table, "ref": said},
                        {"type": "say", "table": table, "text": said},
                        {"type": "action", "table": table, "id": 1, "action": "2x3"},
                        {"type": said},
                    ):
                        await wire.send(json.dumps(message))
                    async for text in wire:
                        if json.loads(text).get("code") == "unknown_type":
                            break
                    await wire.send("x" * 20_000 + said)
            with socket.create_connection(("127.0.0.1", urlsplit(server.url).port)) as broken:
                broken.sendall(
                    b"GET /\x00 HTTP/1.1\r\nauthorization: " + token.encode() + b"\r\n\r\n"
                )
                broken.recv(1000)
        finally:
            await server.end()
        return token

    token = asyncio.run(main())
    output = (tmp_path / "server.log").read_text(encoding="utf-8")
    for secret in (token, password, said, "2x3", "/ws?"):
        assert secret not in output


@pytest.mark.parametrize("level", ["debug", "info", "warning", "error"])
def test_the_log_level_is_for_this_programs_own_messages(
    level: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    before = root.handlers, root.level, logging.getLogger("perudo").level
    try:
        set_up(level)
        logging.getLogger("uvicorn.error").info("a path")
        logging.getLogger("websockets.server").debug("a frame")
        logging.getLogger("perudo.server").debug("a detail")
        logging.getLogger("perudo.server").error("a problem")
    finally:
        root.handlers, root.level = before[:2]
        logging.getLogger("perudo").setLevel(before[2])
    lines = [json.loads(line)["message"] for line in capsys.readouterr().err.splitlines()]
    assert lines == [*(["a detail"] if level == "debug" else []), "a problem"]


def test_the_description_for_people_needs_no_other_address(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            page = await here.http.get("/api")
            assert page.status_code == 200
            for path in here_app_paths(here.web.config.loaded_app):
                assert path in page.text, path
            sources = re.findall(r"""(?:src|href|action)\s*=\s*["']?([^"'\s>]+)""", page.text)
            assert all(source.startswith(("/", "#")) for source in sources)
            assert "<script" not in page.text
            health = (await here.http.get("/healthz")).json()
            assert health["ready"]

    asyncio.run(main())


def here_app_paths(loaded: Any) -> list[str]:
    """The paths of the HTTP API."""
    while not hasattr(loaded, "openapi"):
        loaded = loaded.app
    return [path for path in loaded.openapi()["paths"] if path.startswith("/api/")]


def test_the_page_is_there_before_the_rules_are(tmp_path: Path) -> None:
    """As long as kernels compile, the page and its files are served, and tables wait."""

    async def main() -> None:
        import httpx

        from perudo.server.server import Server

        server = Server(settings_for(tmp_path))  # never started: as if it were still compiling
        transport = httpx.ASGITransport(app=make_app(server.settings, server))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            assert (await http.get("/")).status_code == 200
            assert (await http.get("/js/main.js")).status_code == 200
            assert (await http.get("/healthz")).json()["ready"] is False
            assert (await http.get("/api/rules")).status_code == 200
        await server.service.pool.close()
        server.service.store.close()

    asyncio.run(main())
