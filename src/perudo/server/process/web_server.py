"""The uvicorn server that one process runs."""

from __future__ import annotations

import gc
import sys

import uvicorn
from fastapi import FastAPI

from perudo.server.app import make_app
from perudo.server.settings import FRAME_BYTES, Settings

SWITCH_SECONDS = 0.0005
"""Interval at which threads switch. With Python's default of 5 ms the thread that writes to the
database, which releases the GIL at every step, would wait ten times longer for the GIL than for the
disk."""

COLLECT_AFTER = (350, 2, 1200)
"""Thresholds of the garbage collector. With Python's defaults it scanned all objects of 500 games
every 14 seconds, for half a second, to find a few dozen to free. The first two keep the
collections of young objects short: a move waits for each."""


def web_server(settings: Settings, app: FastAPI | None = None) -> uvicorn.Server:
    """Return a uvicorn server for these settings."""
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
