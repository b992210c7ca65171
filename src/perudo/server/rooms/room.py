"""One table that is awake, run by one task: the only writer of its log.

Whatever is asked of a table its task does, one thing after the other: a command decides, the room
stores the events, and only then shows them. A refused command leaves nothing to undo. If it is not
known whether events were stored, the room is given up and loaded again from the log.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from perudo.server.ai.callers import Payer, Urgency
from perudo.server.ai.pool import AiError
from perudo.server.errors import Refused
from perudo.server.rate_limits import CHANGE_RATE, Buckets
from perudo.server.rooms.ai_memory import Memories
from perudo.server.rooms.ai_turns import AiTurns, urgency_at
from perudo.server.rooms.audience import Audience, Follower, Following
from perudo.server.rooms.inbox import Inbox, Work
from perudo.server.rooms.table_log import OF_THE_GAME, TableLog
from perudo.server.rooms.whole_games import WholeGames
from perudo.server.service import Service
from perudo.server.table import events
from perudo.server.table.attendance import Attendance, Proposal, Timing
from perudo.server.table.commands import CHANGES, Auto, Hurry, Pause, rematch_is_agreed
from perudo.server.table.due import AskPrograms, Due, NextGame, due
from perudo.server.table.games import Begin, Move, Return, RunOut, Settle
from perudo.server.table.log import Entry
from perudo.server.table.progress import Command, Moment, Progress
from perudo.server.table.table import Table
from perudo.server.wire.events import By
from perudo.server.wire.server_messages import TableInfo

log = logging.getLogger("perudo.room")

ASKING = frozenset({"started", "act", "left", "absent", "back", "paused"})
"""Kinds of events after which the room puts the open question again."""


@dataclass(frozen=True)
class Answer:
    """The acknowledgement of a command."""

    n: int | None
    """The event that it caused."""
    repeated: bool = False
    """True if it had been carried out before."""


class Room:
    """A table that is awake."""

    def __init__(
        self,
        service: Service,
        table: Table,
        entries: Iterable[Entry],
        payer: Payer,
        fence: int | None = None,
    ) -> None:
        self.service = service
        self.table = table
        self.payer = payer
        """The person who is charged for the decisions of the AIs."""
        self.timing = Timing(service.settings)
        now = service.clock.now()
        self.attendance = Attendance(last_used=now, paused_since=now)
        self.log = TableLog(service, fence)
        weak: Room = weakref.proxy(self)  # without cycles, a table that sleeps is freed at once
        self.audience = Audience(weak, entries)
        self.memories = Memories(service)
        self._ais = AiTurns(
            service,
            payer,
            self.memories,
            lambda *decision: weak.propose(*decision),
            lambda *limit: weak._run_out(*limit),
        )
        self._series = WholeGames(weak, self.memories)
        self._changes = Buckets(
            CHANGE_RATE, service.clock.now, "table_changes", "too many changes of this table"
        )
        """Changes of the table that people make, by person: each is kept in the log for ever."""
        self._inbox = Inbox()
        self._task: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._preparing_early: asyncio.Task[None] | None = None
        self.failed = asyncio.Event()
        self._stopped = False
        self._last_due: tuple[Table | None, Attendance, list[Due]] = (None, self.attendance, [])

    def now(self) -> float:
        """Return the time by the clock that never goes back."""
        return self.service.clock.now()

    @property
    def last_used(self) -> float:
        """The time of the last activity."""
        return self.attendance.last_used

    @property
    def info(self) -> TableInfo:
        """The table apart from the game on it."""
        return self.audience.info()

    # --- the task -------------------------------------------------------------------------------
    def start(self) -> None:
        """Start the task."""
        self._task = asyncio.create_task(self._run(), name=f"table {self.table.id}")

    async def stop(self) -> None:
        """Stop working; the log has everything."""
        self._stopped = True
        self._stop_ais()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None  # its exception refers to this room
        self._inbox.refuse_all()

    async def perform(self, work: Work) -> Any:
        """Have the room's task do something, and return what it returns or raises."""
        if self.failed.is_set() or self._stopped:
            raise Refused("try_again", "the table is being loaded again; try again")
        return await self._inbox.perform(work)

    def post(self, work: Work) -> None:
        """Have the room's task do something when it comes to it."""
        self._inbox.post(work)

    async def _run(self) -> None:
        try:
            self._resume()
            while True:
                await self._step()
        except asyncio.CancelledError:
            raise
        except Exception:  # the log is true, this room is not: load it again
            log.exception("table %s failed and is loaded again", self.table.id)
            self.service.counts.failed_rooms += 1
            self.failed.set()
            self._stop_ais()
            self._inbox.refuse_all()

    async def _step(self) -> None:
        coming = self._due()
        timeout = max(min(each.at for each in coming) - self.now(), 0.0) if coming else None
        if not await self._inbox.do_next(timeout):
            await self._do_due()

    def _resume(self) -> None:
        """Go on after the table has been loaded; all clocks start again."""
        self.attendance = self.attendance.restarted(self.now()).all_missing(self.table, self.now())
        self._look_around()
        if self.table.playing is not None:
            self._ask()
        elif self.table.status == "playing":
            self._expect_game(self.now())
        else:
            self._begin_with_seeds()
        if self.table.status == "waiting" and self._preparing is None:
            self._preparing_early = asyncio.create_task(self._prepare_ais(Urgency.AHEAD))

    def _stop_ais(self) -> None:
        self._ais.drop_all()
        self._series.stop()
        for task in (self._preparing, self._preparing_early):
            if task is not None:
                task.cancel()

    # --- doing ----------------------------------------------------------------------------------
    async def do(self, command: Command) -> Answer:
        """Carry a command out: decide, store, show."""
        progress = command.decide(self.table, self._moment())
        if progress.events and isinstance(command, CHANGES):
            self._changes.take(command.person.id)
        if isinstance(command, (Auto, Hurry, Pause)):
            pausing = self.attendance.pausing
            attendance = command.attend(self.attendance, self.table, self.now())
            self.attendance = attendance.with_declines(self.table)
            if not progress.events and pausing != self.attendance.pausing:
                self.audience.show(info=True)
        if not progress.events:
            repeated = progress.repeats is not None
            return Answer(progress.repeats if repeated else self.table.n, repeated)
        first = await self.store([progress])
        await self._go_on(progress.events)
        return Answer(first)

    def _moment(self) -> Moment:
        return Moment(
            self.now(),
            self.attendance.here,
            self.attendance.answers(self.table),
            self.attendance.pausing,
            self.service.settings.stand_in,
        )

    async def store(self, parts: Sequence[Progress]) -> int:
        """Store events in one transaction, then show them part by part; return the first number."""
        at, first = self.service.clock.time(), self.table.n + 1
        numbers = itertools.count(first)
        numbered = [
            (part, [Entry(n, at, event) for event, n in zip(part.events, numbers, strict=False)])
            for part in parts
        ]
        await self.log.append(self.table.id, numbered)
        self.attendance = replace(self.attendance, last_used=self.now())
        for part, entries in numbered:
            self.table = part.table
            self.audience.take_in(entries)
            kinds = [event.kind for event in part.events]
            self.service.counts.moves += kinds.count("act")
            self.service.counts.games += kinds.count("end")
            changed = not OF_THE_GAME.issuperset(kinds)
            if changed:
                self._look_around()
            self.audience.show(info=changed)
        return first

    async def _go_on(self, happened: Sequence[events.Event]) -> None:
        """Set the clocks, ask for decisions, and do what follows at once."""
        now, table = self.now(), self.table
        self.attendance = self.attendance.after(happened, table, self.timing, now)
        for event in happened:
            match event:
                case events.Seated(seat, player):
                    self._forget(seat)
                    if player["kind"] != "ai":
                        self.attendance = self.attendance.missing(seat, now)
                case events.Left(seat):
                    self._forget(seat)
                    self.attendance = self.attendance.gone(seat)
                case events.Back(seat):
                    returned = {**self.attendance.returned, seat: now}
                    self.attendance = replace(self.attendance, returned=returned)
                case events.Paused():
                    self.attendance = self.attendance.unpaused(now)
        kinds = {event.kind for event in happened}
        if kinds & ASKING:
            self._ask()
        goes_on = "paused" in kinds and not table.paused
        if table.status == "waiting" and ("seated" in kinds or goes_on):
            self._begin_with_seeds()
        if goes_on and table.status == "playing" and table.playing is None:
            self._expect_game(now)
        if "rematch" in kinds and rematch_is_agreed(table, self.attendance.here):
            await self.begin(first=True)
        play = table.playing
        if "answered" in kinds and play is not None:
            if not play.awaited(self.attendance.answers(table)):
                await self.do(Settle())

    def _due(self) -> list[Due]:
        """Return what is due, which is worked out again only when something has changed."""
        table, attendance, found = self._last_due
        if table is not self.table or attendance is not self.attendance:
            found = due(self.table, self.attendance, self.timing)
            self._last_due = (self.table, self.attendance, found)
        return found

    async def _do_due(self) -> None:
        """Do the first thing whose time has come."""
        now = self.now()
        what = next((each.what for each in self._due() if each.at <= now), None)
        match what:
            case None:
                return
            case NextGame():
                self._expect_game(None)
                self._begin_if_ready()
            case AskPrograms():
                self.attendance = replace(self.attendance, programs_asked=True)
                self.audience.ask_programs()
            case Move(by=by):
                self.service.counts.forced += by == "timer"
                await self.do(what)
            case _:
                await self.do(what)

    # --- games ----------------------------------------------------------------------------------
    def _expect_game(self, at: float | None) -> None:
        self.attendance = replace(self.attendance, next_game_at=at)

    def _begin_with_seeds(self) -> None:
        """Begin a game if every seat is taken, at once unless seeds are awaited."""
        if self.table.may_begin and self.table.awaits_seeds:
            self._expect_game(self.now())
        else:
            self._begin_if_ready()

    def _begin_if_ready(self) -> None:
        """Begin a game if every seat is taken, as soon as its AIs can play."""
        if self._preparing is None and not self._series.busy and self.table.may_begin:
            if self.table.status != "finished":
                self._preparing = asyncio.create_task(self._prepare())

    async def _prepare(self) -> None:
        try:
            await self._prepare_ais(urgency_at(self.table))
        finally:
            self._preparing = None
        self.post(self.begin)

    async def _prepare_ais(self, urgency: Urgency) -> None:
        """Have the AIs that sit here ready; before all seats are taken, that is time well spent."""
        caller = self.service.budget.caller(self.payer, urgency)
        agents = {seat.agent for seat in self.table.seats if seat.agent is not None}
        try:
            for agent in agents:
                await self.service.pool.prepare(
                    agent, self.table.options.rules_text, len(self.table.seats), caller
                )
        except AiError as error:
            log.warning("table %s plays with a plain move for %s", self.table.id, error)

    async def begin(self, first: bool | None = None, *, whole: bool = True) -> None:
        """Begin the next game; games of AIs alone may be played whole."""
        table = self.table
        if not table.may_begin or self._series.busy:
            return
        short = self.service.budget.shortage(self.payer)
        if short is not None and table.only_ais:
            if table.status == "playing":
                self._expect_game(self.now())  # once the table goes on
            await self.do(RunOut(short.limit))
            return
        begins = table.play is None or table.series_over if first is None else first
        if whole and self._series.wanted():
            await self._series.begin(begins)
        else:
            await self.do(Begin(begins))

    async def played_whole(self, games: int) -> None:
        """Go on after a number of games were played whole; after none the next is by moves."""
        if not games and not self.table.paused:
            await self.begin(whole=False)
        elif not self.table.series_over:
            self._expect_game(self.now())

    # --- decisions of AIs -----------------------------------------------------------------------
    def _ask(self) -> None:
        """Put the open question to all who are to answer it."""
        if self.attendance.programs_asked:
            self.attendance = replace(self.attendance, programs_asked=False)
        table, play = self.table, self.table.playing
        if play is None or table.paused:
            self._ais.drop_all()
            self.attendance = replace(self.attendance, proposals={})
            return
        self.attendance = self.attendance.with_declines(table)
        awaited = play.awaited(self.attendance.answers(table))
        self._ais.ask(table, [seat for seat in awaited if seat not in self.attendance.proposals])

    def _run_out(self, limit: str) -> None:
        """Pause, because the creator's share of the processor time is used up."""
        self.post(partial(self.do, RunOut(limit)))

    def propose(self, seat: int, action: str | None, by: By, question: int) -> None:
        """Take an AI's decision; None: it has none, and plays as an expired clock would."""
        self.post(partial(self._propose, seat, action, by, question))

    async def _propose(self, seat: int, action: str | None, by: By, question: int) -> None:
        play = self.table.playing
        if play is None or question != play.question:
            return
        if seat in play.awaited(self.attendance.answers(self.table)):
            proposal = Proposal(play.default(seat) if action is None else action, by, question)
            proposals = {**self.attendance.proposals, seat: proposal}
            self.attendance = replace(self.attendance, proposals=proposals)

    def _forget(self, seat: int) -> None:
        """Drop what is known of the player in a seat."""
        self._ais.drop(seat)
        self.attendance = self.attendance.forget(seat).without(seat)

    # --- coming and going -----------------------------------------------------------------------
    def _look_around(self) -> None:
        """See whose players are connected."""
        here, watched = self.audience.seats_here(), bool(self.audience.followers)
        self.attendance = replace(self.attendance, here=here, watched=watched)

    async def open(self, follower: Follower, after: int | None, odds: bool) -> int:
        """Let a connection follow the table, and send it what it has missed."""
        audience = self.audience
        following = Following(odds)
        self.attendance = replace(self.attendance, last_used=self.now())
        seat = self.table.seat_of(follower.person.id)
        if seat is not None:
            self.attendance = self.attendance.forget(seat)
            if self.table.seats[seat].stand_in is not None:
                self._forget(seat)
                await self.do(Return(seat))
        audience.followers.pop(follower, None)
        audience.followers[follower] = following
        self._look_around()
        if seat is not None:
            following.sent = self.table.n
            audience.show(info=True, others_than=follower)
        audience.show_from(follower, after)
        if follower.program:  # the question may not have reached it
            audience.ask_program(follower)
        return self.table.n

    async def open_again(self, follower: Follower) -> None:
        """Show a follower of the room before this what it has missed, unless it has let go."""
        following = self.audience.followers.get(follower)
        if following is not None:
            await self.open(follower, following.sent, following.odds)

    def let_go(self, follower: Follower) -> None:
        """Have a connection let go, as soon as the room's task comes to it."""
        if self.failed.is_set():
            self.audience.followers.pop(follower, None)
        else:
            self.post(partial(self.shut, follower))

    async def shut(self, follower: Follower) -> None:
        """Let a connection go; its player's clock starts unless there is another."""
        if self.audience.followers.pop(follower, None) is None:
            return
        self.attendance = replace(self.attendance, last_used=self.now())
        self._look_around()
        seat = self.table.seat_of(follower.person.id)
        if seat is not None and seat not in self.attendance.here:
            self.attendance = self.attendance.missing(seat, self.now())
            self.audience.show(info=True)
