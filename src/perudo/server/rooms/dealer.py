"""Who runs the game at a table: asks AIs and programs, watches clocks, begins the next game."""

from __future__ import annotations

import asyncio
import logging
import math
from functools import partial
from typing import TYPE_CHECKING, Any

from perudo.server.ai.pool import AiError
from perudo.server.history.projections import game_began, game_ended
from perudo.server.rooms.ai_memory import Memories
from perudo.server.rooms.ai_turns import Thoughts
from perudo.server.rooms.pacing import Pacing
from perudo.server.rooms.presence import Presence
from perudo.server.rooms.whole_games import Series
from perudo.server.table import drafting
from perudo.server.table.match import Match
from perudo.server.table.seating import sitting_of
from perudo.server.table.table import RECORD_KINDS, Draft

if TYPE_CHECKING:
    from perudo.server.rooms.room import Room

log = logging.getLogger("perudo.dealer")

CLOSE_WAITING_SECONDS = 1800.0
"""A table that waits for players is closed when nobody has looked at it for so long."""
CLOSE_ABANDONED_SECONDS = 7 * 86400.0
"""The same for one whose game or series stands still since everybody is away."""


class Dealer:
    """One table's."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.pacing = Pacing(room)
        self._presence = Presence(room, self.pacing)
        self.memories = Memories(room)
        self._thoughts = Thoughts(room, self.memories)
        self._series = Series(room, self.memories, self._thoughts)
        self._programs_asked = False
        self._next_game_at: float | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._early: asyncio.Task[None] | None = None

    # --- how long things take here --------------------------------------------------------------
    def seconds_left(self) -> float | None:
        """What is left of the time of whoever is to act."""
        return self.pacing.left_until(self._deadline())

    def window_seconds_left(self) -> float:
        """What is left of the window for calza."""
        if self._match is None or not self._match.window:
            return 0.0
        return self.pacing.left_until(self.pacing.window_closes()) or 0.0

    def _deadline(self) -> float | None:
        return self.pacing.deadline(self._presence.away)

    # --- waking ---------------------------------------------------------------------------------
    def wake_at(self) -> float | None:
        """When something is due, whatever else happens."""
        state = self._room.state
        due = [math.inf]
        if state.status == "waiting" and not self._room.followers:
            due.append(self._room.last_used + CLOSE_WAITING_SECONDS)
        if state.status == "playing" and not state.paused:
            due += self._due()
        if self._is_abandoned:
            due.append(self._room.last_used + CLOSE_ABANDONED_SECONDS)
        earliest = min(due)
        return None if earliest == math.inf else earliest

    @property
    def _is_abandoned(self) -> bool:
        """Whether the table is paused or between two games, and nobody who plays there is here."""
        state, match = self._room.state, self._match
        still = state.paused or match is None or match.over
        if state.status != "playing" or not still or state.only_ais or self._room.followers:
            return False
        return not any(
            self._room.is_here(number)
            for number, seat in enumerate(state.seats)
            if seat.occupant is not None and seat.occupant.kind != "ai"
        )

    def _due(self) -> list[float]:
        match = self._match
        due = []
        if self._next_game_at is not None and not self._is_abandoned:
            due.append(self._next_game_at)
        if match is None or match.over:
            return due
        if match.window:
            due.append(self.pacing.window_closes() if match.awaited else self.pacing.now())
        elif match.awaited and match.awaited[0] in self._thoughts.ready:
            due.append(self.pacing.say_at())
        if not self._programs_asked:
            due.append(self._ask_programs_at(match))
        deadline = self._deadline()
        if deadline is not None:
            due.append(deadline)
        return due + self._presence.due()

    def _ask_programs_at(self, match: Match) -> float:
        return self.pacing.asked_at if match.window else self.pacing.say_at()

    async def tick(self) -> None:
        """Do what is due."""
        now, state, match = self.pacing.now(), self._room.state, self._match
        if state.status == "waiting" or (
            self._is_abandoned and now >= self._room.last_used + CLOSE_ABANDONED_SECONDS
        ):
            await self._room.commit([Draft("closed", {"reason": "nobody came"})])
            return
        if state.paused:
            return
        if self._next_game_at is not None and now >= self._next_game_at:
            self._next_game_at = None
            self.begin_if_ready()
            return
        if match is None or match.over:
            return
        late = self._presence.late()
        if late:
            await self._room.commit(late)
            self.ask()
            return
        if not self._programs_asked and now >= self._ask_programs_at(match):
            self._programs_asked = True
            for follower in list(self._room.followers):
                if follower.program:
                    self._room.ask_program(follower)
            return
        if match.window:
            if not match.awaited or now >= self.pacing.window_closes():
                await self._record("window", None, None)
            return
        await self._act_if_due(match, now)

    async def _act_if_due(self, match: Match, now: float) -> None:
        """What an AI has decided is said, or a turn's time is over."""
        seat = match.awaited[0]
        deadline = self._deadline()
        if seat in self._thoughts.ready and now >= self.pacing.say_at():
            action, by = self._thoughts.ready.pop(seat)
            await self._record(by, (seat, action), None)
        elif deadline is not None and now >= deadline:
            self._room.service.counts.forced += 1
            await self._record("timer", (seat, match.forced_action(seat)), None)

    # --- coming and going -----------------------------------------------------------------------
    async def came(self, person: str) -> None:
        """A player is connected again: the seat is theirs."""
        seat = self._room.state.seat_of(person)
        if seat is None:
            return
        self._presence.forget(seat)
        if self._room.state.seats[seat].stand_in is not None:
            self._thoughts.drop(seat)
            await self._room.commit([Draft("back", {"seat": seat})])
            self.ask()

    def went(self, person: str) -> None:
        """A connection of a player is gone."""
        seat = self._room.state.seat_of(person)
        if seat is not None and not self._room.is_here(seat):
            self._presence.note(seat)
            self._room.tell(True)

    def sat(self, seat: int) -> None:
        """Somebody has sat down; perhaps before their connection follows the table."""
        self._presence.note(seat)

    def hurry(self) -> None:
        """Nobody wants to wait any more."""
        self.pacing.hurried = True
        self.pacing.anew()

    def clocks_anew(self) -> None:
        """The table was paused, or goes on: nobody loses time by it."""
        self.pacing.anew()
        self._presence.anew()
        self.ask()
        if not self._room.state.paused and self._room.state.status == "waiting":
            self.begin_if_ready()

    def forget(self, seat: int) -> None:
        """Somebody else may sit here."""
        self._presence.forget(seat)
        self._thoughts.drop(seat)

    def stop(self) -> None:
        """The room is given up."""
        self._thoughts.drop_all()
        self._series.stop()
        for task in (self._preparing, self._early):
            if task is not None:
                task.cancel()

    # --- games ----------------------------------------------------------------------------------
    async def resume(self) -> None:
        """Go on after the table has been loaded."""
        state, match = self._room.state, self._match
        self.pacing.anew()
        self._presence.note_all()
        if state.status == "playing" and match is not None and not match.over:
            logged = sum(event.kind in RECORD_KINDS for event in state.log)
            if len(match.events) > logged:  # cannot be: an action is stored with what follows
                raise RuntimeError(f"the log of table {state.id} stops in the middle of a move")
            self.ask()
        elif state.status == "playing":
            self._next_game_at = self.pacing.now()
        else:
            self.begin_if_ready()
        if state.status == "waiting" and self._preparing is None:
            self._early = asyncio.create_task(self._prepare_ais())

    def begin_if_ready(self) -> None:
        """Begin a game if every seat is taken, as soon as its AIs can play."""
        if self._preparing is None and not self._series.busy and self._may_begin():
            if self._room.state.status != "finished":
                self._preparing = asyncio.create_task(self._prepare())

    def _may_begin(self) -> bool:
        state, match = self._room.state, self._match
        free = any(seat.occupant is None for seat in state.seats)
        return not free and state.status != "closed" and (match is None or match.over)

    async def _prepare(self) -> None:
        try:
            await self._prepare_ais()
        finally:
            self._preparing = None
        self._room.post(self.begin)

    async def _prepare_ais(self) -> None:
        """Have the AIs that sit here ready; before all seats are taken, that is time well spent."""
        agents = {seat.agent for seat in self._room.state.seats if seat.agent is not None}
        try:
            for agent in agents:
                await self._thoughts.prepare(agent)
        except AiError as error:
            log.warning("table %s plays with a plain move for %s", self._room.state.id, error)

    async def begin(self, first: bool | None = None, *, whole: bool = True) -> None:
        """Begin the next game; games of AIs alone may be played whole."""
        if not self._may_begin() or self._series.busy:
            return
        state = self._room.state
        begins = state.match is None or state.series_over if first is None else first
        if whole and self._series.wanted():
            await self._series.begin(begins, self._played_whole)
            return
        number, sitting = state.game + 1, list(range(len(state.seats)))
        if not begins:
            sitting = self._next_sitting(number)
        seats = state.seats if begins else [state.seats[n] for n in state.places(sitting)]
        dice = state.dice(number, [seat.seed for seat in seats])
        names = [seat.occupant.name for seat in seats if seat.occupant is not None]
        match = Match.begin(number, state.options.parsed_rules(), names, dice)
        started = drafting.started(match, dice, seats, sitting, begins)
        state.match = match
        self.pacing.hurried = False
        drafts = [started, *drafting.moves(match.events, "dice")]
        await self._room.commit(drafts, partial(game_began, state=state))
        self.pacing.anew()
        self.ask()

    def _next_sitting(self, number: int) -> list[int]:
        """Who sits where in the next game of a series: AIs change their seats, people stay."""
        state = self._room.state
        if not state.only_ais:
            return state.sitting
        return sitting_of(state.id, state.first_game, number, len(state.seats))

    async def _played_whole(self, games: int) -> None:
        """So many games of the series have been played whole; without any, one is by moves."""
        state = self._room.state
        if not games and not state.paused:
            await self.begin(whole=False)
        elif not state.series_over:
            self._next_game_at = self.pacing.now()

    # --- decisions ------------------------------------------------------------------------------
    async def take_action(self, seat: int, action: str, move: str | None) -> int:
        """A person's or program's own action, which has been found to be legal."""
        match = self._match
        assert match is not None
        if not match.window:
            return await self._record("player", (seat, action), move)
        match.answer(seat, action)
        data = {"seat": seat, "action": action, "move": move}
        (logged,) = await self._room.commit([Draft("answered", data)])
        if not match.awaited:
            await self._record("window", None, None)
        return logged.n

    async def _record(self, by: str, act: tuple[int, str] | None, move: str | None) -> int:
        """Play an action, or close the window, and store what follows."""
        match, state, service = self._match, self._room.state, self._room.service
        assert match is not None
        gained = match.close_window() if act is None else match.act(*act)
        drafts = drafting.moves(gained, by, move)
        kinds = [event["event"] for event in gained]
        also: Any = None
        if "end" in kinds:
            last = state.game - state.first_game + 1 >= state.options.games
            drafts += drafting.after_game(state, state.game, not last)
            also = partial(game_ended, state=state, rate=service.game_ended)
            service.counts.games += 1
        service.counts.moves += 1
        logged = await self._room.commit(drafts, also)
        now, pacing = self.pacing.now(), self.pacing
        settled = "result" in kinds
        if settled or act is not None:
            pacing.paced_from = now + (pacing.reveal_seconds if settled else 0.0)
        pacing.asked_at = max(now, pacing.paced_from) if settled else now
        if "end" in kinds and state.status == "playing":
            self._next_game_at = now + 2 * pacing.reveal_seconds
        self.ask()
        return logged[0].n

    def ask(self) -> None:
        """Ask all whose decision is wanted now."""
        match, state = self._match, self._room.state
        self._programs_asked = False
        if match is None or match.over or state.paused:
            self._thoughts.drop_all()
            return
        self._thoughts.ask(match.awaited)
        if match.window:
            for seat in match.awaited:
                if seat in self._room.auto_decline and state.seats[seat].agent is None:
                    match.answer(seat, "decline")

    def may_ask_program(self, seat: int) -> bool:
        """Whether a program is to be asked now, rather than when it is time."""
        return self._programs_asked and self._room.state.seats[seat].agent is None

    @property
    def _match(self) -> Match | None:
        return self._room.state.match
