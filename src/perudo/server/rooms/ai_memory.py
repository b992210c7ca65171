"""The memories that AIs at a table have of the other players of a series.

An AI learns from the settled rounds of the series, in order, as its seat saw them. A memory is a
function of the log and is therefore not stored: after a restart, or when an AI takes a seat, the
AI learns from the rounds again. Its rows are kept by player (``seating``), and arranged by seat for
a decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from sqlalchemy.engine import Connection

from perudo.agents.external.wire import pack_memories, unpack_memories
from perudo.games.game import SEATS
from perudo.games.operations import Record
from perudo.games.policy import Memory
from perudo.server.ai.callers import Caller
from perudo.server.history.records import series_games
from perudo.server.service import Service
from perudo.server.table.play import Play
from perudo.server.table.seating import by_player, by_seat
from perudo.server.table.table import Table

SHOWN_AT_ONCE = 200
"""Rounds per message to an AI process."""


@dataclass(frozen=True)
class Learned:
    """A memory, and its position in the log."""

    memory: Memory
    game: int
    events: int
    """Events of that game that it has learned from."""


class Memories:
    """The memories of the AIs at one table."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._learned: dict[tuple[int, int, str], Learned] = {}
        """Memories by the series' first game, the player and the agent."""

    async def of_seat(
        self, table: Table, seat: int, agent: str, width: int, caller: Caller
    ) -> str | None:
        """Return the memory of the AI in a seat, arranged by seat; None for agents without one."""
        if not width:
            return None
        memory = await self.of_player(table, table.seating[seat], agent, width, caller)
        return pack_memories([by_seat(memory, table.seating)])

    async def of_player(
        self,
        table: Table,
        player: int,
        agent: str,
        width: int,
        caller: Caller,
        *,
        fresh: bool = False,
    ) -> Memory:
        """Return a player's memory after all settled rounds, or an empty one if ``fresh``."""
        if fresh:
            return np.zeros((len(SEATS), width))
        play, seating = table.play, table.seating
        key = (table.first_game, player, agent)
        learned = self._learned.get(key)
        if learned is None:
            learned = Learned(np.zeros((len(SEATS), width)), table.first_game, 0)
        if play is None or play.number < learned.game:
            return learned.memory
        memory = learned.memory
        if learned.game < play.number:
            read = partial(_rounds_of_games, table=table.id, after=learned, player=player)
            upto = play.number - 1
            for then, rounds in await self._service.store.read(partial(read, upto=upto)):
                memory = await self._shown(agent, memory, then, rounds, caller)
        seen = learned.events if learned.game == play.number else 0
        rounds = _rounds(play, seating.index(player), seen)
        memory = await self._shown(agent, memory, seating, rounds, caller)
        self._learned[key] = Learned(memory, play.number, len(play.events))
        return memory

    def put(self, table: Table, player: int, agent: str, memory: str, game: int) -> None:
        """Replace a player's memory with one that has learned from all games up to this one."""
        (numbers,) = unpack_memories(memory, 1)
        self._learned[table.first_game, player, agent] = Learned(numbers, game + 1, 0)

    async def _shown(
        self,
        agent: str,
        memory: Memory,
        seating: Sequence[int],
        rounds: Sequence[Record],
        caller: Caller,
    ) -> Memory:
        if not rounds:
            return memory
        packed = pack_memories([by_seat(memory, seating)])
        for place in range(0, len(rounds), SHOWN_AT_ONCE):
            packed = await self._service.pool.learn(
                agent,
                rounds[place : place + SHOWN_AT_ONCE],
                packed,
                self._service.settings.think_seconds,
                caller,
            )
        return by_player(unpack_memories(packed, 1)[0], seating)


def _rounds(play: Play, seat: int, after: int) -> list[Record]:
    """Return the current game's settled rounds after an event, as a seat saw them."""
    return [position.observe(seat).record for n, position in play.settled if n > after]


def _rounds_of_games(
    connection: Connection, *, table: str, after: Learned, player: int, upto: int
) -> list[tuple[list[int], list[Record]]]:
    """Return the settled rounds of earlier games, each game with its seating."""
    found = []
    for number, seating, record in series_games(connection, table, after.game, upto):
        seat = seating.index(player)
        seen = after.events if number == after.game else 0
        rounds = [
            state.observe(seat).record
            for event, state in record.replay()
            if event["event"] == "result" and event["n"] > seen
        ]
        found.append((seating, rounds))
    return found
