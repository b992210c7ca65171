"""What the host of a service can choose; flags and ``PERUDO_*`` variables fill it in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from perudo.games.errors import PerudoError

FRAME_BYTES = 8192
"""The largest message that is read from a client."""


@dataclass(frozen=True)
class Settings:
    """One server's settings; ``perudo serve --help`` explains each."""

    database: str = "sqlite:///perudo.db"
    """An SQLAlchemy address: ``sqlite:///file`` or ``postgresql://user:password@host/name``."""
    redis: str | None = None
    """``redis://host:port/number``: other processes serve the same tables."""
    workers: int = 1
    """Processes that serve, on this machine."""
    host: str = "127.0.0.1"
    port: int = 8000
    lan: bool = False
    """Listen on all interfaces and accept the origin of this machine's own address."""
    origins: tuple[str, ...] = ()
    """Web origins that may use the service beside its own address."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses whose X-Forwarded-For and -Proto headers are believed."""
    secure_cookies: bool = False
    """Send session cookies over https only."""
    metrics_token: str | None = None
    """Whoever gives it as a bearer token reads /metrics from elsewhere; others only from here."""
    registration: bool = True
    """Whether new accounts can be made; guests always can."""

    ai_processes: int = field(default_factory=lambda: max(2, os.cpu_count() or 2))
    """Processes in which built-in AIs think, as long as none hangs."""
    think_seconds: float = 5.0
    """How long a built-in AI may think before a plain move is played in its place."""
    ai_memory_mb: int = 2048
    """Memory of a thinking process, beyond which it is replaced."""
    pace_seconds: float = 1.5
    """How long AIs and bots wait before they answer at a table with a person."""
    reveal_seconds: float = 3.0
    """How long everybody can look at a settled round at a table with a person."""
    calza_seconds: float = 3.0
    """How long a calza can be claimed after a bid, where the rules let others claim it."""
    absence_seconds: float = 30.0
    """After this long an absent player's seat is played by an AI; at public tables."""
    private_absence_seconds: float = 180.0
    """The same at private tables."""
    stand_in: str = "observer"
    """The AI that plays for people who are away."""

    tables_per_person: int = 20
    """Tables that one person may have open."""
    ai_games_per_day: int = 2000
    """Games between AIs alone that one visitor may ask for in a day."""
    address_messages: int = 600
    """WebSocket messages in 20 seconds from one address, all its connections together."""
    address_requests: int = 300
    """HTTP requests in a minute from one address."""
    retention_days: int = 0
    """Finished casual games and idle guests older than this are deleted; 0: never."""

    def __post_init__(self) -> None:
        if self.think_seconds <= 0 or self.ai_processes < 1:
            raise PerudoError("ai_processes and think_seconds should be positive")
        if self.workers > 1 and self.redis is None:
            raise PerudoError("--workers above 1 needs --redis redis://host:6379/0")
        if self.redis is not None and not self.database.startswith("postgresql://"):
            raise PerudoError(
                "several processes share a PostgreSQL database, not an SQLite file: --redis and "
                "--workers need --database postgresql://user:password@host/name"
            )
