"""The entry point that runs the server."""

from __future__ import annotations

import logging

from perudo.games.errors import PerudoError
from perudo.server.ai.catalogue import opponent
from perudo.server.cluster.peers import client_of
from perudo.server.db.engine import open_engine
from perudo.server.db.store import Store
from perudo.server.lan import code, is_loopback, own_addresses
from perudo.server.process.logs import set_up
from perudo.server.process.server_lock import hold
from perudo.server.process.web_server import web_server
from perudo.server.process.workers import Workers, listen
from perudo.server.settings import Settings

log = logging.getLogger("perudo")


def run(settings: Settings) -> int:
    """Serve until stopped, and return the exit code."""
    log_level = settings.log_level
    if log_level not in ("debug", "info", "warning", "error"):
        raise PerudoError(f"log level {log_level!r} should be debug, info, warning or error")
    opponent(settings.stand_in, None)
    if settings.redis is not None:
        client_of(settings.redis)
    set_up(log_level)
    open_engine(settings.database).dispose()  # raises if the address is wrong
    with listen(settings) as listening, hold(settings.database, settings.redis is not None):
        if settings.workers > 1:
            Store(settings.database).close()  # migrates the database, or raises
            _announce(settings)
            return Workers(settings).run(listening)
        server = web_server(settings)
        _announce(settings)
        server.run(sockets=[listening])
        return 0 if server.started else 1


def _announce(settings: Settings) -> None:
    """Print the address of the page."""
    addresses = own_addresses() if settings.lan else [settings.host]
    place = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
    address = f"http://{place}:{settings.port}"
    print(f"perudo is running at {address}", flush=True)
    if settings.lan and is_loopback(addresses[0]):
        print("found no network in which others can reach this machine", flush=True)
    elif settings.lan:
        print(code(address), flush=True)
