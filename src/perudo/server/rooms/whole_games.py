"""Series of AIs that nobody wants to follow move by move: their games are played in batches.

An AI process plays as many games as it can in a moment; then they are stored like all others, each
followed through by the rules. The hash that commits to their secrets was published before, in the
log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from perudo.agents.external.wire import pack_memories
from perudo.games.errors import PerudoError
from perudo.games.log import Event
from perudo.server.ai.callers import Caller, Payer, Urgency
from perudo.server.ai.questions import Order
from perudo.server.rooms.ai_memory import Memories
from perudo.server.service import Service
from perudo.server.table.attendance import Attendance
from perudo.server.table.games import Plan, StoreGame, plans_of
from perudo.server.table.progress import Command, Moment, Progress
from perudo.server.table.table import Table

log = logging.getLogger("perudo.whole_games")

GAMES_AT_ONCE = 32
BATCH_SECONDS = 0.2
"""The time after which an AI process returns the games that it has finished. Others wait for it no
longer than this, and an AI whose game takes longer is asked move by move."""


class SeriesRoom(Protocol):
    """The table whose games are played."""

    service: Service
    payer: Payer
    table: Table
    attendance: Attendance

    async def do(self, command: Command) -> Any:
        """Carry a command out."""

    async def store(self, parts: Sequence[Progress]) -> int:
        """Store events in one transaction, then show them part by part."""

    async def perform(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Have the room's task do something, and return what it returns."""

    def post(self, work: Callable[[], Awaitable[Any]]) -> None:
        """Have the room's task do something when it comes to it."""

    async def played_whole(self, games: int) -> None:
        """Go on after a number of games were played."""


@dataclass(frozen=True)
class Batch:
    """Games that were played, and what the AIs remember after them, by player."""

    plans: list[Plan]
    games: list[list[Event]]
    memories: list[str | None]


class WholeGames:
    """The batches of one table."""

    def __init__(self, room: SeriesRoom, memories: Memories) -> None:
        self._room = room
        self._memories = memories
        self._task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """True while games are being played."""
        return self._task is not None

    def wanted(self) -> bool:
        """Return whether the next games can be played whole: AIs alone, and nobody follows."""
        table = self._room.table
        pace = table.options.pace
        unwatched = pace == 0 or (pace is None and not self._room.attendance.watched)
        return table.only_ais and table.options.games > 1 and unwatched

    async def begin(self, first: bool) -> None:
        """Have the next games played."""
        plans = plans_of(self._room.table, first)
        self._task = asyncio.create_task(self._play_all(plans))

    def stop(self) -> None:
        """Cancel the batches."""
        if self._task is not None:
            self._task.cancel()

    async def _play_all(self, plans: list[Plan]) -> None:
        """Play batch after batch; while one is stored the next is played."""
        stored = 0
        storing: asyncio.Task[int] | None = None
        try:
            memories = await self._remembered(plans[0])
            while plans and self.wanted() and not self._is_short():
                batch = await self._play(plans[:GAMES_AT_ONCE], memories)
                memories = batch.memories
                if storing is not None:
                    stored += (kept := await storing)
                    storing = None
                    if not kept:  # the table is not as it was planned
                        break
                if not batch.games:
                    break
                plans = plans[len(batch.games) :]
                work = partial(self._store, batch)
                storing = asyncio.create_task(self._room.perform(work))
            if storing is not None:
                stored += await storing
        except PerudoError as error:
            log.warning("table %s: %s; the game is played by moves", self._room.table.id, error)
        finally:
            self._task = None
            if storing is not None:
                storing.cancel()
        self._room.post(partial(self._room.played_whole, stored))

    def _is_short(self) -> bool:
        return self._room.service.budget.shortage(self._room.payer) is not None

    def _caller(self) -> Caller:
        return self._room.service.budget.caller(self._room.payer, Urgency.AIS_ALONE)

    async def _play(self, plans: list[Plan], memories: list[str | None]) -> Batch:
        """Have some games played; return those that were finished in time."""
        service, table = self._room.service, self._room.table
        # In a log of an older version the secrets of later games are not drawn yet.
        known = [plan for plan in plans if plan.number in table.secrets]
        order = _order(table, known, memories)
        answer = await service.pool.play(order, service.settings.think_seconds, self._caller())
        if answer["problem"] is not None:
            log.warning("table %s: an AI %s", table.id, answer["problem"])
        return Batch(known[: len(answer["games"])], answer["games"], answer["memories"])

    async def _remembered(self, plan: Plan) -> list[str | None]:
        """Return what the AIs know before a game, by player."""
        memories: list[str | None] = []
        table, service, caller = self._room.table, self._room.service, self._caller()
        rules = table.options.rules_text
        for player, agent in enumerate(_agents(plan)):
            width = await service.pool.prepare(agent, rules, len(table.seats), caller)
            packed = None
            if width:
                memory = self._memories.of_player(
                    table, player, agent, width, caller, fresh=plan.first
                )
                packed = pack_memories([await memory])
            memories.append(packed)
        return memories

    async def _store(self, batch: Batch) -> int:
        """Store games, as long as the table is as it was planned; return how many."""
        table = self._room.table
        parts = await asyncio.to_thread(_followed, table, batch)
        if not parts:
            return 0
        await self._room.store(parts)
        if len(parts) == len(batch.plans):
            for player, memory in enumerate(batch.memories):
                if memory is not None:
                    agent, last = _agents(batch.plans[0])[player], batch.plans[-1]
                    self._memories.put(self._room.table, player, agent, memory, last.number)
        return len(parts)


def _followed(table: Table, batch: Batch) -> list[Progress]:
    """Follow games through by the rules; raise if something in one does not follow."""
    parts: list[Progress] = []
    for plan, game in zip(batch.plans, batch.games, strict=True):
        if not plan.fits(table):
            break
        parts.append(StoreGame(plan, game).decide(table, Moment()))
        table = parts[-1].table
    return parts


def _order(table: Table, plans: list[Plan], memories: list[str | None]) -> Order:
    return {
        "rules": table.options.rules_text,
        "agents": _agents(plans[0]),
        "seconds": BATCH_SECONDS,
        "games": [
            {
                "players": [occupant.name for occupant in plan.occupants],
                "seating": plan.seating,
                "secret": table.secrets[plan.number].hex(),
                "seeds": [""] * len(plan.seating),
                "later_games": max(table.chain_end - plan.number, 0),
            }
            for plan in plans
        ],
        "memories": memories,
    }


def _agents(plan: Plan) -> list[str]:
    """Return the AIs by player."""
    agents = [""] * len(plan.seating)
    for player, occupant in zip(plan.seating, plan.occupants, strict=True):
        assert occupant.agent is not None
        agents[player] = occupant.agent
    return agents
