"""The AIs at a table: each is asked as soon as its decision is wanted, and proposes one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from perudo.games.errors import PerudoError
from perudo.games.game import require_legal
from perudo.server.ai.callers import Payer, Urgency
from perudo.server.ai.pool import PREPARE_SECONDS
from perudo.server.rooms.ai_memory import Memories
from perudo.server.service import Service
from perudo.server.table.table import Table
from perudo.server.wire.events import By

log = logging.getLogger("perudo.ai_turns")

Propose = Callable[[int, str | None, By, int], None]
"""Takes seat, action, decider and the number of the question."""
RunsOut = Callable[[str], None]
"""Takes the limit of processor time that the table's creator has reached."""


class AiTurns:
    """The decisions that the AIs of one table are thinking about."""

    def __init__(
        self,
        service: Service,
        payer: Payer,
        memories: Memories,
        propose: Propose,
        run_out: RunsOut,
    ) -> None:
        self._service = service
        self._payer = payer
        self._run_out = run_out
        self._memories = memories
        self._propose = propose
        self._thinking: dict[int, asyncio.Task[None]] = {}

    def ask(self, table: Table, seats: Sequence[int]) -> None:
        """Have the AIs in these seats decide, and no others."""
        for seat in list(self._thinking):
            if seat not in seats:
                self.drop(seat)
        for seat in seats:
            agent = table.seats[seat].agent
            if agent is not None and seat not in self._thinking:
                self._thinking[seat] = asyncio.create_task(self._think(table, seat, agent))

    def drop(self, seat: int) -> None:
        """Stop thinking about a decision that is not wanted any more."""
        task = self._thinking.pop(seat, None)
        if task is not None:
            task.cancel()

    def drop_all(self) -> None:
        """Stop all thinking."""
        for seat in list(self._thinking):
            self.drop(seat)

    async def _think(self, table: Table, seat: int, agent: str) -> None:
        service, play, options = self._service, table.play, table.options
        assert play is not None
        seconds = service.settings.think_seconds
        short = service.budget.shortage(self._payer)
        if short is not None and table.only_ais:
            self._thinking.pop(seat, None)
            self._run_out(short.limit)
            return
        if short is not None:  # the others at the table can play on
            agent = service.settings.stand_in
        urgency = urgency_at(table)
        caller = service.budget.caller(self._payer, urgency)
        action: str | None = None
        by: By = "fallback"
        try:
            rules, players = options.rules_text, len(options.seats)
            preparing = service.pool.prepare(agent, rules, players, caller)
            patience = seconds if urgency is Urgency.PEOPLE else PREPARE_SECONDS
            width = await asyncio.wait_for(preparing, patience)
            memory = await self._memories.of_seat(table, seat, agent, width, caller)
            observation = play.observe(seat)
            decided = await service.pool.decide(agent, observation.record, memory, seconds, caller)
            require_legal(observation.record, play.hosting.action_code(decided))
            action, by = decided, "ai" if short is None else "fallback"
        except (PerudoError, TimeoutError) as error:
            log.warning("table %s: %s: %s; a plain move is played", table.id, agent, error)
            service.counts.forced += 1
        self._thinking.pop(seat, None)
        self._propose(seat, action, by, play.question)


def urgency_at(table: Table) -> Urgency:
    """Return how urgent the decisions of a table's AIs are."""
    return Urgency.AIS_ALONE if table.deserted else Urgency.PEOPLE
