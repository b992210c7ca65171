"""Starting the server."""

from __future__ import annotations

import gc
import logging
import sys

import uvicorn
from fastapi import FastAPI

from perudo.games.errors import PerudoError
from perudo.server.ai.catalogue import opponent
from perudo.server.app import make_app
from perudo.server.cluster.peers import client_of
from perudo.server.db.store import Store, open_engine
from perudo.server.logs import set_up
from perudo.server.process.lan import code, is_loopback, own_addresses
from perudo.server.process.server_lock import hold
from perudo.server.process.workers import Workers, listen
from perudo.server.settings import FRAME_BYTES, Settings

log = logging.getLogger("perudo")


SWITCH_SECONDS = 0.0005
"""How long one thread may keep Python to itself. With the usual 5 ms the thread that writes to the
database, which gives way at each of its steps, would wait ten times longer for its turns than for
the disk."""


COLLECT_AFTER = (700, 5, 300)
"""When Python looks for cycles of objects that nobody needs. With the usual numbers it went through
all objects of 500 games every 14 seconds, for half a second, to find a few dozen."""


def server_of(settings: Settings, app: FastAPI | None = None) -> uvicorn.Server:
    """A uvicorn server for these settings."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(*COLLECT_AFTER)
    return uvicorn.Server(
        uvicorn.Config(
            app or make_app(settings),
            host="0.0.0.0" if settings.lan else settings.host,
            port=settings.port,
            ws="websockets-sansio",
            ws_max_size=2 * FRAME_BYTES,
            ws_ping_interval=20.0,
            ws_ping_timeout=20.0,
            ws_per_message_deflate=False,
            access_log=False,
            log_config=None,
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=list(settings.trusted_proxies),
            server_header=False,
            timeout_graceful_shutdown=3,
        )
    )


def run(settings: Settings, log_level: str) -> int:
    """Serve until told to stop."""
    if log_level not in ("debug", "info", "warning", "error"):
        raise PerudoError(f"log level {log_level!r} should be debug, info, warning or error")
    opponent(settings.stand_in, None)
    if settings.redis is not None:
        client_of(settings.redis)
    set_up(log_level)
    open_engine(settings.database).dispose()  # says what is wrong with the address
    with listen(settings) as listening, hold(settings.database, settings.redis is not None):
        if settings.workers > 1:
            Store(settings.database).close()  # brings it to this version, or says why it cannot
            _announce(settings)
            return Workers(settings, log_level).run(listening)
        server = server_of(settings)
        _announce(settings)
        server.run(sockets=[listening])
        return 0 if server.started else 1


def _announce(settings: Settings) -> None:
    """Say where the page is."""
    addresses = own_addresses() if settings.lan else [settings.host]
    place = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
    address = f"http://{place}:{settings.port}"
    print(f"perudo is served at {address}", flush=True)
    if settings.lan and is_loopback(addresses[0]):
        print("no network was found in which others could reach this machine", flush=True)
    elif settings.lan:
        print(code(address), flush=True)
