"""Settings of the server, from flags and environment variables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Interval

from perudo.games.errors import PerudoError

FRAME_BYTES = 8192
"""Limit for a client's message, in bytes."""


@dataclass(frozen=True)
class Settings:
    """Settings of one server; ``perudo serve`` makes a flag and a variable from each field.

    A string among a field's annotations is its former name, which is still accepted.
    """

    database: str = "sqlite:///perudo.db"
    """sqlite:///file, or postgresql://user:password@host/name."""
    redis: str | None = None
    """redis://host:6379/0: lets several processes share one PostgreSQL database. Give the same
    address to each of them."""
    workers: Annotated[int, Interval(ge=1, le=64)] = 1
    """Server processes on this machine; more than one needs --redis."""
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[int, Interval(ge=1, le=65535)] = 8000
    """Port to listen on."""
    lan: bool = False
    """Listen on all interfaces, and print the address with a QR code."""
    origins: tuple[str, ...] = ()
    """Web origins that may use the server, separated by commas: https://dice.example."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses of reverse proxies whose X-Forwarded headers are trusted, separated by commas."""
    secure_cookies: bool = False
    """Send session cookies over https only."""
    registration: bool = True
    """Allow new accounts; guests can always play."""
    metrics_token: str | None = None
    """Bearer token that gives other machines access to /metrics; default: only this machine."""

    ai_processes: Annotated[int | None, Interval(ge=1, le=64), "thinkers"] = None
    """AI processes of each worker; default: one per core, at least 2, shared among the workers."""
    think_seconds: Annotated[float, Interval(ge=0.1, le=30.0)] = 5.0
    """Seconds that an AI may think before a simple move replaces its own."""
    ai_memory_mb: Annotated[int, Ge(256), "thinker_memory_mb"] = 2048
    """Memory limit of an AI process, in MB; beyond it the process is replaced."""
    pace_seconds: Annotated[float, Interval(ge=0.0, le=10.0)] = 1.5
    """Seconds that AIs and bots wait before they answer at a table with a person."""
    reveal_seconds: Annotated[float, Interval(ge=0.0, le=30.0)] = 3.0
    """Seconds that a settled round stays in view before AIs continue."""
    calza_seconds: Annotated[float, Interval(ge=0.1, le=15.0)] = 3.0
    """Seconds after a bid in which calza can be called out of turn."""
    absence_seconds: Annotated[float, Ge(1.0)] = 30.0
    """Seconds after which an AI plays for an absent player at a public table."""
    private_absence_seconds: Annotated[float, Ge(1.0)] = 180.0
    """Seconds after which an AI plays for an absent player at a private table."""
    stand_in: str = "observer"
    """Name of the AI that plays for absent players."""

    tables_per_person: Annotated[int, Ge(1)] = 20
    """Maximum number of open tables per person."""
    ai_games_per_day: Annotated[int, Ge(0)] = 2000
    """Maximum number of games among AIs that one visitor may start per day."""
    connection_messages: Annotated[int, Ge(2)] = 100
    """Rate limit: messages of one WebSocket in 20 seconds; half as many if it only watches."""
    ai_seconds_per_person: Annotated[float, Ge(1.0)] = 1800.0
    """Processor time of AIs that one person may use, in seconds; it refills within an hour."""
    ai_seconds_per_address: Annotated[float, Ge(1.0)] = 3600.0
    """Processor time of AIs that all guests of one address may use together."""
    ai_work: Annotated[int, Ge(1000)] = 100_000
    """Maximum number of simulations in one decision of an AI: the product of its parameters."""
    reviews_per_person: Annotated[int, Ge(1)] = 3
    """Maximum number of reviews that one person may have waiting or running."""
    address_messages: Annotated[int, Ge(1)] = 600
    """Rate limit: WebSocket messages from one address in 20 seconds."""
    address_requests: Annotated[int, Ge(1)] = 1200
    """Rate limit: HTTP requests from one address in a minute, without the page's files."""
    address_files: Annotated[int, Ge(1)] = 12000
    """Rate limit: requests for the page's files from one address in a minute."""
    address_guests: Annotated[int, Ge(1)] = 200
    """Rate limit: new guests from one address in an hour."""
    address_sign_ins: Annotated[int, Ge(1)] = 100
    """Rate limit: sign-ins from one address in five minutes; one that fails counts as five."""
    account_failures: Annotated[int, Ge(1)] = 10
    """Rate limit: failed sign-ins to one account in five minutes, from all addresses together."""
    address_connections: Annotated[int, Ge(1)] = 500
    """Maximum number of open connections from one address."""
    retention_days: Annotated[int, Ge(0)] = 0
    """Delete casual games and idle guests older than this many days; 0: never."""
    log_level: str = "info"
    """debug, info, warning or error."""

    def __post_init__(self) -> None:
        if self.think_seconds <= 0 or self.ai_pool_size < 1:
            raise PerudoError("ai_processes and think_seconds should be positive")
        if self.workers > 1 and self.redis is None:
            raise PerudoError("--workers above 1 needs --redis redis://host:6379/0")
        if self.redis is not None and not self.database.startswith("postgresql://"):
            raise PerudoError(
                "several processes share a PostgreSQL database, not an SQLite file: --redis and "
                "--workers need --database postgresql://user:password@host/name"
            )

    @property
    def ai_pool_size(self) -> int:
        """AI processes of each worker."""
        if self.ai_processes is not None:
            return self.ai_processes
        return max(2, (os.cpu_count() or 2) // self.workers)
