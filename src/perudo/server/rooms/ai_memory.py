"""What the AIs at a table remember of the others in a series: a function of the table's log.

A memory is what an AI has learned from the settled rounds of the series, as its seat saw them, in
their order. So it is not stored: after a restart, or when an AI takes a seat, it is shown the
rounds again. Rows are kept by entrant (``seating``), and arranged by seat for a decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from perudo.agents.external.wire import pack_memories, unpack_memories
from perudo.games.game import Record
from perudo.games.policy import Memory
from perudo.games.state import SEATS
from perudo.server.history.records import series_games
from perudo.server.table.match import Match
from perudo.server.table.seating import by_entrant, seated

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from perudo.server.rooms.room import Room

SHOWN_AT_ONCE = 200
"""Rounds in one message to a thinking process."""


@dataclass(frozen=True)
class Learned:
    """A memory, and how far in the log it has come."""

    memory: Memory
    game: int
    events: int
    """How many events of that game it knows."""


class Memories:
    """Those of the AIs at one table."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._learned: dict[tuple[int, int, str], Learned] = {}
        """By the series' first game, entrant and agent."""

    async def of_seat(self, seat: int, agent: str, width: int) -> str | None:
        """What the AI in a seat remembers now, arranged by seat; None if it never does."""
        if not width:
            return None
        sitting = list(self._room.state.sitting)
        memory = await self.of_entrant(sitting[seat], agent, width)
        return pack_memories([seated(memory, sitting)])

    async def of_entrant(
        self, entrant: int, agent: str, width: int, *, fresh: bool = False
    ) -> Memory:
        """The same by entrant, after all settled rounds of the series, or before one."""
        if fresh:
            return np.zeros((len(SEATS), width))
        state = self._room.state
        match, sitting = state.match, list(state.sitting)
        key = (state.first_game, entrant, agent)
        learned = self._learned.get(key)
        if learned is None:
            learned = Learned(np.zeros((len(SEATS), width)), state.first_game, 0)
        if match is None or match.number < learned.game:
            return learned.memory
        events = len(match.events)
        memory = learned.memory
        if learned.game < match.number:
            read = partial(_rounds_of_games, table=state.id, after=learned, entrant=entrant)
            upto = match.number - 1
            for then, rounds in await self._room.service.store.read(partial(read, upto=upto)):
                memory = await self._shown(agent, memory, then, rounds)
        seen = learned.events if learned.game == match.number else 0
        rounds = _rounds(match, sitting.index(entrant), seen)
        memory = await self._shown(agent, memory, sitting, rounds)
        self._learned[key] = Learned(memory, match.number, events)
        return memory

    def put(self, entrant: int, agent: str, memory: str, game: int) -> None:
        """An AI has seen whole games up to this one where they were played."""
        (numbers,) = unpack_memories(memory, 1)
        key = (self._room.state.first_game, entrant, agent)
        self._learned[key] = Learned(numbers, game + 1, 0)

    async def _shown(
        self, agent: str, memory: Memory, sitting: Sequence[int], rounds: Sequence[Record]
    ) -> Memory:
        if not rounds:
            return memory
        service = self._room.service
        packed = pack_memories([seated(memory, sitting)])
        for place in range(0, len(rounds), SHOWN_AT_ONCE):
            packed = await service.pool.learn(
                agent,
                rounds[place : place + SHOWN_AT_ONCE],
                packed,
                service.settings.think_seconds,
            )
        return by_entrant(unpack_memories(packed, 1)[0], sitting)


def _rounds(match: Match, seat: int, after: int) -> list[Record]:
    """The settled rounds of the game that is played, as a seat saw them."""
    return [
        view.record for event, view in match.table.story(seat, after) if event["event"] == "result"
    ]


def _rounds_of_games(
    connection: Connection, *, table: str, after: Learned, entrant: int, upto: int
) -> list[tuple[list[int], list[Record]]]:
    """The same of games before it, each with its sitting."""
    found = []
    for number, sitting, record in series_games(connection, table, after.game, upto):
        seat = sitting.index(entrant)
        seen = after.events if number == after.game else 0
        rounds = [
            state.observe(seat).record
            for event, state in record.replay()
            if event["event"] == "result" and event["n"] > seen
        ]
        found.append((sitting, rounds))
    return found
