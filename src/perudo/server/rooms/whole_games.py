"""Games of a series of AIs that nobody wants to watch move by move: played whole, in batches.

A thinking process plays as many games as it can in a moment; then they are written down like all
others, one after the other. Their dice were drawn and published before, in the table's log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.engine import Connection

from perudo.agents.external.wire import pack_memories
from perudo.games.errors import PerudoError
from perudo.games.log import Event
from perudo.games.perudo import PERUDO
from perudo.record import MatchRecord
from perudo.server.ai.questions import Order
from perudo.server.history.projections import game_began, game_ended
from perudo.server.table import drafting
from perudo.server.table.anchors import new_anchor
from perudo.server.table.match import Match
from perudo.server.table.seating import sitting_of
from perudo.server.table.table import Draft, Logged, Occupant, Seat

if TYPE_CHECKING:
    from perudo.server.rooms.ai_memory import Memories
    from perudo.server.rooms.ai_turns import Thoughts
    from perudo.server.rooms.room import Room

log = logging.getLogger("perudo.series")

GAMES_AT_ONCE = 32
AHEAD = 2 * GAMES_AT_ONCE
"""How many games before it is stored a game's dice are drawn, so that none wait for the disk."""
BATCH_SECONDS = 0.2
"""How long a process plays before it tells what it has finished. Others who want it wait no longer
than this, and an AI whose game takes longer is asked move by move."""


@dataclass(frozen=True)
class Plan:
    """A game that is about to be played whole."""

    number: int
    first: bool
    sitting: list[int]
    occupants: list[Occupant]
    """By seat."""


class Series:
    """One table's batches."""

    def __init__(self, room: Room, memories: Memories, thoughts: Thoughts) -> None:
        self._room = room
        self._memories = memories
        self._thoughts = thoughts
        self._task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether games are being played."""
        return self._task is not None

    def wanted(self) -> bool:
        """Whether the next games can be played whole: AIs alone, and nobody wants to follow."""
        state = self._room.state
        pace = state.options.pace
        unwatched = pace == 0 or (pace is None and not self._room.followers)
        return state.only_ais and state.options.games > 1 and unwatched

    async def begin(self, first: bool, then: Callable[[int], Awaitable[None]]) -> None:
        """Have the next games played; ``then`` is told, in the room's task, how many were."""
        state = self._room.state
        plans = self._plans(first)
        missing = [plan.number for plan in plans[:AHEAD] if plan.number not in state.secrets]
        if missing:
            await self._room.commit([new_anchor(number) for number in missing])
        self._task = asyncio.create_task(self._play_all(plans, then))

    def stop(self) -> None:
        """The room is given up."""
        if self._task is not None:
            self._task.cancel()

    def _plans(self, first: bool) -> list[Plan]:
        """All games of the series that have not been played."""
        state = self._room.state
        following = state.game + 1
        first_game = following if first else state.first_game
        plans = []
        for number in range(following, first_game + state.options.games):
            sitting = sitting_of(state.id, first_game, number, len(state.seats))
            occupants = [seat.occupant for seat in self._seats(sitting, first) if seat.occupant]
            plans.append(Plan(number, number == first_game, sitting, occupants))
        return plans

    def _seats(self, sitting: list[int], first: bool) -> list[Seat]:
        """The table's seats in the order of a sitting; a series begins with them as they are."""
        state = self._room.state
        places = sitting if first else state.places(sitting)
        return [state.seats[place] for place in places]

    async def _play_all(self, plans: list[Plan], then: Callable[[int], Awaitable[None]]) -> None:
        """Play batch after batch; while one is stored the next is played."""
        stored = 0
        storing: asyncio.Task[int] | None = None
        try:
            memories = await self._remembered(plans[0])
            while plans and self.wanted():
                matches, memories = await self._play(plans[:GAMES_AT_ONCE], memories)
                if storing is not None:
                    stored += (kept := await storing)
                    storing = None
                    if not kept:  # the table is not as it was planned
                        break
                if not matches:
                    break
                batch, plans = plans[: len(matches)], plans[len(matches) :]
                work = partial(self._store_all, batch, matches, memories)
                storing = asyncio.create_task(self._room.perform(work))
            if storing is not None:
                stored += await storing
        except PerudoError as error:
            log.warning("table %s: %s; the game is played by moves", self._room.state.id, error)
        finally:
            self._task = None
            if storing is not None:
                storing.cancel()
        self._room.post(partial(then, stored))

    async def _play(
        self, plans: list[Plan], memories: list[str | None]
    ) -> tuple[list[Match], list[str | None]]:
        """Have some games played; returns those that were finished in time."""
        service = self._room.service
        known = [plan for plan in plans if plan.number in self._room.state.secrets]
        order = self._order(known, memories)
        answer = await service.pool.play(order, service.settings.think_seconds)
        if answer["problem"] is not None:
            log.warning("table %s: an AI %s", self._room.state.id, answer["problem"])
        return await asyncio.to_thread(self._matches, plans, answer["games"]), answer["memories"]

    async def _remembered(self, plan: Plan) -> list[str | None]:
        """What the AIs know before a game, by entrant."""
        memories: list[str | None] = []
        for entrant, agent in enumerate(_agents(plan)):
            width = await self._thoughts.prepare(agent)
            packed = None
            if width:
                known = self._memories.of_entrant(entrant, agent, width, fresh=plan.first)
                packed = pack_memories([await known])
            memories.append(packed)
        return memories

    async def _store_all(
        self, plans: list[Plan], matches: list[Match], memories: list[str | None]
    ) -> int:
        """Write games down, as long as the table is as it was planned; returns how many."""
        for stored, (plan, match) in enumerate(zip(plans, matches, strict=True)):
            if not self._fits(plan):
                return stored
            await self._store(plan, match)
        for entrant, (agent, memory) in enumerate(zip(_agents(plans[0]), memories, strict=True)):
            if memory is not None:
                self._memories.put(entrant, agent, memory, plans[-1].number)
        return len(plans)

    def _order(self, plans: list[Plan], memories: list[str | None]) -> Order:
        state = self._room.state
        return {
            "rules": state.options.rules_text,
            "agents": _agents(plans[0]),
            "seconds": BATCH_SECONDS,
            "games": [
                {
                    "players": [occupant.name for occupant in plan.occupants],
                    "sitting": plan.sitting,
                    "secret": state.secrets[plan.number].hex(),
                    "seeds": [""] * len(plan.sitting),
                }
                for plan in plans
            ],
            "memories": memories,
        }

    def _matches(self, plans: list[Plan], games: list[list[Event]]) -> list[Match]:
        """The games that were played, each followed through by the rules."""
        state, matches = self._room.state, []
        for plan, events in zip(plans, games, strict=False):
            names = [occupant.name for occupant in plan.occupants]
            record = MatchRecord(PERUDO, state.options.parsed_rules(), names, {})
            record.events = events
            dice = state.dice(plan.number, [""] * len(names))
            matches.append(Match.resume(plan.number, record, dice))
        return matches

    def _fits(self, plan: Plan) -> bool:
        """Whether the table is still as the game was planned for."""
        state = self._room.state
        if state.paused or state.status == "closed" or plan.number != state.game + 1:
            return False
        here = [seat.occupant for seat in self._seats(plan.sitting, plan.first)]
        return here == plan.occupants

    async def _store(self, plan: Plan, match: Match) -> None:
        state, service = self._room.state, self._room.service
        seats = self._seats(plan.sitting, plan.first)
        dice = state.dice(plan.number, [""] * len(seats))
        drafts = [
            drafting.started(match, dice, seats, plan.sitting, plan.first),
            *drafting.moves(match.events, "ai"),
            *self._anchors(plan, state.options.games),
        ]
        state.match = match
        service.counts.games += 1
        service.counts.moves += sum(event["event"] == "act" for event in match.events)

        def also(connection: Connection, logged: list[Logged]) -> None:
            game_began(connection, logged, state=state)
            game_ended(connection, logged, state=state, rate=service.game_ended)

        await self._room.commit(drafts, also)

    def _anchors(self, plan: Plan, games: int) -> list[Draft]:
        """The secret of a game that is played later; of the next, as ever, after the last."""
        state = self._room.state
        last = (plan.number if plan.first else state.first_game) + games - 1
        later = min(plan.number + AHEAD, last + 1)
        return [] if later in state.secrets else [new_anchor(later)]


def _agents(plan: Plan) -> list[str]:
    """The AIs by entrant."""
    agents = [""] * len(plan.sitting)
    for entrant, occupant in zip(plan.sitting, plan.occupants, strict=True):
        assert occupant.agent is not None
        agents[entrant] = occupant.agent
    return agents
