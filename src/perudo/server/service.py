"""The services that all tables of a server share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy.engine import Connection

from perudo.server.ai.budget import Budget
from perudo.server.ai.pool import AiPool
from perudo.server.clock import Clock
from perudo.server.db.store import Store
from perudo.server.settings import Settings
from perudo.server.table.table import Table


@dataclass
class Counts:
    """Counters of table activity for /metrics."""

    moves: int = 0
    games: int = 0
    forced: int = 0
    failed_rooms: int = 0


@dataclass
class Service:
    """The parts of a running server that a table needs."""

    settings: Settings
    store: Store
    pool: AiPool
    clock: Clock = field(default_factory=Clock)
    counts: Counts = field(default_factory=Counts)
    game_ended: Callable[[Connection, Table, float], None] | None = None
    """Callback in the transaction that stores the end of a game, with the table and the time."""
    budget: Budget = field(init=False)

    def __post_init__(self) -> None:
        self.budget = Budget(self.store, self.settings, self.clock)
        self.pool.charge = self.budget.charge
