"""The number of open connections, in all and from each address."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable

from perudo.server.errors import Refused
from perudo.server.rate_limits import network_of

log = logging.getLogger("perudo.connections")

NEAR = 0.8
"""Share of the maximum from which the log warns."""
WARN_SECONDS = 60.0
"""Shortest time between two warnings."""
RETRY_SECONDS = 30.0
"""Time after which a client that was refused may find a connection free."""


class OpenConnections:
    """Counts connections, and refuses those that are too many."""

    def __init__(self, most_of_address: int, now: Callable[[], float]) -> None:
        self.count = 0
        self.refused = 0
        """Connections refused so far."""
        self.most = math.inf
        """Maximum for this process, which its file descriptors set."""
        self._most_of_address = most_of_address
        self._now = now
        self._by_address: Counter[str] = Counter()
        self._warned = -math.inf

    def enter(self, address: str, is_proxy: bool = False) -> None:
        """Count a connection; raise if there are too many, of all or of an address but a proxy."""
        if self.count >= NEAR * self.most:
            self._warn()
        network = network_of(address)
        if self.count >= self.most:
            self.refused += 1
            raise Refused("too_many", "all connections are in use", "connections", RETRY_SECONDS)
        if not is_proxy and self._by_address[network] >= self._most_of_address:
            self.refused += 1
            problem = f"{self._most_of_address} connections are open from your address"
            raise Refused("too_many", problem, "address_connections", RETRY_SECONDS)
        self.count += 1
        self._by_address[network] += 1

    def leave(self, address: str) -> None:
        """Count the end of a connection that had entered."""
        network = network_of(address)
        self.count -= 1
        self._by_address[network] -= 1
        if self._by_address[network] == 0:
            del self._by_address[network]

    def _warn(self) -> None:
        if self._now() - self._warned >= WARN_SECONDS:
            self._warned = self._now()
            log.warning("%d connections are open; at most %d can be", self.count, self.most)
