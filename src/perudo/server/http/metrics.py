"""Metrics of the service, in Prometheus's format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from perudo.server.server import Server


class ServerCollector:
    """Collector that reads the metrics on each request."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def collect(self) -> Iterator[Any]:
        """Yield all metrics."""
        server, counts = self._server, self._server.service.counts
        for name, about, value in (
            ("perudo_tables_awake", "Tables in memory.", server.lobby.awake),
            ("perudo_connections", "Open WebSockets.", len(server.connections)),
            ("perudo_transports", "Open TCP connections.", server.transports.count),
            ("perudo_transports_most", "Most TCP connections.", server.transports.most),
            (
                "perudo_ai_questions_waiting",
                "Questions to AIs that wait for a process.",
                server.service.pool.waiting,
            ),
            ("perudo_queue", "Players waiting for a game.", len(server.queue)),
        ):
            yield GaugeMetricFamily(name, about, value=value)
        totals: tuple[tuple[str, str, float], ...] = (
            ("perudo_moves", "Moves played and stored.", counts.moves),
            ("perudo_games", "Games played to the end.", counts.games),
            ("perudo_forced_moves", "Moves played for players out of time.", counts.forced),
            ("perudo_failed_tables", "Tables reloaded after a failure.", counts.failed_rooms),
            (
                "perudo_refused_connections",
                "Connections refused because too many were open.",
                server.transports.refused + server.sockets.refused,
            ),
            (
                "perudo_ai_seconds",
                "Processor time that AIs have used.",
                server.service.pool.seconds,
            ),
            (
                "perudo_ai_refused",
                "Requests refused because a share of the AIs' processor time was used up.",
                server.service.budget.refused,
            ),
            (
                "perudo_thinkers_replaced",
                "AI processes replaced after a failure.",
                server.service.pool.replaced,
            ),
        )
        for name, about, total in totals:
            yield CounterMetricFamily(name, about, value=total)


def exposition(server: Server) -> bytes:
    """Return the text of /metrics."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(ServerCollector(server))
    return generate_latest(registry)
