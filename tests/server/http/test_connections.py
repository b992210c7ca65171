"""Connections: how many there may be, and when those that do nothing are closed."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import websockets

from perudo.games.errors import PerudoError
from perudo.server.open_connections import OpenConnections
from perudo.server.process import protocols
from perudo.server.process.descriptors import RESERVED, most_connections
from server.kit import Site, settings_for, site

BEGUN = b"POST /api/guests HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"


async def dial(here: Site, sent: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a TCP connection."""
    streams = await asyncio.open_connection("127.0.0.1", here.settings.port)
    streams[1].write(sent)
    return streams


async def wait_for(condition: Any) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nhost:",
        BEGUN + b"content-length: 9\r\n\r\n{",
        b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n" + BEGUN,
    ],
    ids=["nothing", "half the headers", "half the body", "half of a second request"],
)
def test_a_client_that_does_not_send_a_whole_request_is_disconnected(
    sent: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocols, "REQUEST_SECONDS", 0.3)

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            reader, writer = await dial(here, sent)
            await wait_for(lambda: here.server.transports.count == 1)
            async with asyncio.timeout(3):  # sooner than an idle connection is closed
                try:
                    while await reader.read(1000):
                        pass
                except ConnectionResetError:
                    pass
            await wait_for(lambda: here.server.transports.count == 0)
            writer.close()

    asyncio.run(main())


def test_a_websocket_and_a_slow_answer_are_not_disconnected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocols, "REQUEST_SECONDS", 0.1)

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            player = await here.connect(await here.guest())
            read = here.server.service.store.read

            async def slowly(work: Any) -> Any:
                await asyncio.sleep(0.3)
                return await read(work)

            monkeypatch.setattr(here.server.service.store, "read", slowly)
            assert (await here.http.get("/healthz")).status_code == 200
            await player.send(type="ping")
            assert (await player.receive())["type"] == "pong"

    asyncio.run(main())


def test_a_client_that_does_not_read_is_disconnected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocols, "READ_SECONDS", 0.2)

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            token = await here.guest()
            count = here.server.transports.count
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
            await asyncio.get_running_loop().sock_connect(client, ("127.0.0.1", here.settings.port))
            wire = await websockets.connect(
                f"ws://127.0.0.1:{here.settings.port}/ws",
                sock=client,
                additional_headers={"Authorization": f"Bearer {token}"},
                max_queue=1,
            )
            await wait_for(lambda: len(here.server.connections) == 1)
            (connection,) = here.server.connections
            long: Any = {"type": "pong", "padding": "x" * 100_000}
            for _ in range(600):  # more than may wait
                connection.send(long)
            await wait_for(lambda: not here.server.connections)
            await wait_for(lambda: here.server.transports.count == count)
            wire.transport.abort()

    asyncio.run(main())


def test_connections_of_one_address_are_limited(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path, address_connections=3)) as here:
            held = [await dial(here) for _ in range(3)]
            await wait_for(lambda: here.server.transports.count == 3)
            reader, refused = await dial(here)
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 429 ")
            assert b"\r\nretry-after: 30" in head
            told = json.loads(body)
            assert (told["code"], told["limit"]) == ("too_many", "address_connections")
            held[0][1].close()
            await wait_for(lambda: here.server.transports.count == 2)
            metrics = await here.http.get("/metrics")
            assert "perudo_refused_connections_total 1.0" in metrics.text
            assert "perudo_transports 3.0" in metrics.text
            for _, writer in (*held, (reader, refused)):
                writer.close()

    asyncio.run(main())


def test_behind_a_proxy_the_clients_websockets_are_counted(tmp_path: Path) -> None:
    async def main() -> None:
        changes = {"address_connections": 2, "trusted_proxies": ("127.0.0.1",)}
        async with site(settings_for(tmp_path, **changes)) as here:
            token = await here.guest()

            async def connect(address: str) -> Any:
                return await websockets.connect(
                    f"ws://127.0.0.1:{here.settings.port}/ws",
                    additional_headers={
                        "Authorization": f"Bearer {token}",
                        "X-Forwarded-For": address,
                    },
                )

            held = [await connect(f"2001:db8::{number}") for number in range(2)]
            with pytest.raises(websockets.InvalidStatus) as refused:
                await connect("2001:db8::ffff:1")  # the same /64
            assert refused.value.response.status_code == 429
            told = json.loads(refused.value.response.body or b"")
            assert told["limit"] == "address_connections"
            held.append(await connect("2001:db8:0:1::1"))  # the proxy itself may have more
            await held.pop(0).close()
            await wait_for(lambda: here.server.sockets.count == 2)
            held.append(await connect("2001:db8::3"))
            for wire in held:
                await wire.close()

    asyncio.run(main())


def test_near_the_limit_of_the_process_the_log_warns_once_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = [0.0]
    connections = OpenConnections(100, lambda: now[0])
    connections.most = 10
    for number in range(10):
        connections.enter(f"192.0.2.{number}")
    assert [record.message for record in caplog.records] == [
        "8 connections are open; at most 10 can be"
    ]
    now[0] = 61.0
    with pytest.raises(PerudoError, match="all connections are in use"):
        connections.enter("127.0.0.1", is_proxy=True)
    assert len(caplog.records) == 2
    assert connections.refused == 1
    connections.leave("192.0.2.1")
    connections.enter("127.0.0.1", is_proxy=True)


@contextmanager
def descriptors(soft: int) -> Iterator[None]:
    """Lower the soft limit on open files."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_limit_on_open_files_is_raised_at_start(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            assert soft == hard or hard == resource.RLIM_INFINITY
            assert here.server.transports.most == soft - RESERVED == most_connections()

    with descriptors(512):
        asyncio.run(main())
