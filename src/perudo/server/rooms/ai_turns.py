"""The AIs at a table: asked when their decision is wanted, heard when it is time."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO
from perudo.games.state import action_code, require_legal

if TYPE_CHECKING:
    from perudo.server.rooms.ai_memory import Memories
    from perudo.server.rooms.room import Room

log = logging.getLogger("perudo.thoughts")


class Thoughts:
    """What the AIs of one table think, and have decided."""

    def __init__(self, room: Room, memories: Memories) -> None:
        self._room = room
        self._memories = memories
        self._thinking: dict[int, asyncio.Task[None]] = {}
        self.ready: dict[int, tuple[str, str]] = {}
        """What AIs have decided, and by what (ai or fallback), until it is time to say it."""

    async def prepare(self, agent: str) -> int:
        """Have an AI ready for this table; returns how much it remembers."""
        options = self._room.state.options
        pool = self._room.service.pool
        return await pool.prepare(agent, options.rules_text, len(options.seats))

    def ask(self, awaited: list[int]) -> None:
        """Have the AIs in these seats decide, and no others."""
        state = self._room.state
        for seat in list(self._thinking):
            if seat not in awaited:
                self.drop(seat)
        for seat in awaited:
            agent = state.seats[seat].agent
            if agent is not None and seat not in self._thinking and seat not in self.ready:
                task = asyncio.create_task(self._think(seat, agent, state.question))
                self._thinking[seat] = task

    def drop(self, seat: int) -> None:
        """A seat's decision is not wanted any more."""
        task = self._thinking.pop(seat, None)
        if task is not None:
            task.cancel()
        self.ready.pop(seat, None)

    def drop_all(self) -> None:
        """Nobody need think any more."""
        for seat in list(self._thinking):
            self.drop(seat)
        self.ready.clear()

    async def _think(self, seat: int, agent: str, question: int) -> None:
        service, match = self._room.service, self._room.state.match
        assert match is not None
        seconds = service.settings.think_seconds
        try:
            width = await asyncio.wait_for(self.prepare(agent), seconds)
            memory = await self._memories.of_seat(seat, agent, width)
            observation = match.observe(seat)
            action: str | None = await service.pool.decide(
                agent, observation.record, memory, seconds
            )
            require_legal(observation.record, action_code(PERUDO, action))
            by = "ai"
        except (PerudoError, TimeoutError) as error:
            log.warning(
                "table %s: %s: %s; a plain move is played", self._room.state.id, agent, error
            )
            service.counts.forced += 1
            action, by = None, "fallback"
        self._room.post(lambda: self._thought(seat, action, by, question))

    async def _thought(self, seat: int, action: str | None, by: str, question: int) -> None:
        self._thinking.pop(seat, None)
        match = self._room.state.match
        if match is None or question != self._room.state.question or seat not in match.awaited:
            return
        action = match.forced_action(seat) if action is None else action
        if match.window:
            match.answer(seat, action)
        else:
            self.ready[seat] = (action, by)
