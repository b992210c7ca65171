"""The uvicorn server that one process runs."""

from __future__ import annotations

import gc
import sys
from typing import Any, cast

import uvicorn
from fastapi import FastAPI
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from perudo.server.app import make_app
from perudo.server.open_connections import OpenConnections
from perudo.server.process.descriptors import most_connections
from perudo.server.process.protocols import protocols
from perudo.server.settings import FRAME_BYTES, Settings

SWITCH_SECONDS = 0.0005
"""Interval at which threads switch. With Python's default of 5 ms the thread that writes to the
database, which releases the GIL at every step, would wait ten times longer for the GIL than for the
disk."""

COLLECT_AFTER = (350, 2, 1200)
"""Thresholds of the garbage collector. With Python's defaults it scanned all objects of 500 games
every 14 seconds, for half a second, to find a few dozen to free. The first two keep the
collections of young objects short: a move waits for each."""

KEEP_ALIVE_SECONDS = 5
"""Time for which a connection stays open after a response if no other request begins."""


def web_server(settings: Settings, app: FastAPI | None = None) -> uvicorn.Server:
    """Return a uvicorn server for these settings."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(*COLLECT_AFTER)
    app = app or make_app(settings)
    connections: OpenConnections = app.state.server.transports
    connections.most = most_connections()
    proxies = ProxyHeadersMiddleware(cast(Any, app), list(settings.trusted_proxies))
    http, websocket = protocols(connections, proxies.trusted_hosts.__contains__)
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host="0.0.0.0" if settings.lan else settings.host,
            port=settings.port,
            http=http,
            ws=websocket,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
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
