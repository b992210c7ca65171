"""The connections that follow a table, and what each has been sent of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from perudo.games.operations import SPECTATOR
from perudo.server.people.people import Person
from perudo.server.table import events, views
from perudo.server.table.attendance import Attendance, Timing
from perudo.server.table.log import Entry
from perudo.server.table.table import Table
from perudo.server.wire.events import Event, SaidEvent
from perudo.server.wire.server_messages import (
    Earlier,
    ProgramMessage,
    ServerMessage,
    TableInfo,
    View,
)

TALK_SENT = 50
"""Most events of talk that are sent together; clients ask for older ones."""


class Follower(Protocol):
    """A connection that follows tables."""

    person: Person
    program: bool
    """True if it gets the messages of programs."""

    def send(self, message: ServerMessage) -> None:
        """Hand over a message, without waiting."""

    def moved(self, table: str, odds: bool, after: int | None) -> None:
        """Hear that another process has a table now."""


class Stage(Protocol):
    """The table that is shown."""

    timing: Timing

    @property
    def table(self) -> Table:
        """The table as it is stored."""

    @property
    def attendance(self) -> Attendance:
        """Its connections and clocks."""

    def now(self) -> float:
        """Return the time by the clock that never goes back."""


@dataclass
class Following:
    """State of a connection that follows this table."""

    odds: bool = False
    sent: int = 0
    """The number of the last event that it was sent."""


class Audience:
    """The followers of one table."""

    def __init__(self, stage: Stage, entries: Iterable[Entry]) -> None:
        self._stage = stage
        self.entries: list[Entry] = []
        self._public: dict[int, Event] = {}
        self._talk = 0
        """The number of events of talk among the entries."""
        self.followers: dict[Follower, Following] = {}
        self.take_in(entries)

    def take_in(self, entries: Iterable[Entry]) -> None:
        """Keep events for followers that missed them, from the start of the last game on."""
        for entry in entries:
            if isinstance(entry.event, events.Opened):
                continue
            if isinstance(entry.event, events.Started):
                self.entries, self._public, self._talk = [], {}, 0
            self.entries.append(entry)
            self._talk += isinstance(entry.event, events.Said)
            if self._talk >= 2 * TALK_SENT:
                self._forget_talk()

    def _forget_talk(self) -> None:
        """Drop all but the newest talk; the log has it."""
        talk = [entry.n for entry in self.entries if isinstance(entry.event, events.Said)]
        old = set(talk[:-TALK_SENT])
        self.entries = [entry for entry in self.entries if entry.n not in old]
        self._public = {n: event for n, event in self._public.items() if n not in old}
        self._talk = TALK_SENT

    @property
    def _table(self) -> Table:
        return self._stage.table

    def viewer_of(self, follower: Follower) -> int:
        """Return the seat through whose eyes a connection sees the table."""
        seat = self._table.seat_of(follower.person.id)
        return SPECTATOR if seat is None else seat

    def seats_here(self) -> frozenset[int]:
        """Return the seats whose players are connected, and those of AIs."""
        people = {follower.person.id for follower in self.followers}
        return frozenset(
            number
            for number, seat in enumerate(self._table.seats)
            if seat.is_ai or (seat.occupant is not None and seat.occupant.id in people)
        )

    def info(self) -> TableInfo:
        """Return the table apart from the game on it."""
        watching = sum(self.viewer_of(follower) < 0 for follower in self.followers)
        return views.table_info(self._table, self._stage.attendance, self._stage.timing, watching)

    # --- showing --------------------------------------------------------------------------------
    def show(self, *, info: bool, others_than: Follower | None = None) -> None:
        """Send everybody what is new."""
        if not self.followers:
            return
        made: dict[tuple[int, int, bool], ServerMessage] = {}
        new_info = self.info() if info else None
        for follower, following in list(self.followers.items()):
            if follower is not others_than:
                self._show(follower, following, new_info, made)

    def show_from(self, follower: Follower, after: int | None) -> None:
        """Send a follower what it has missed, or the whole table if too much is missing."""
        following = self.followers[follower]
        known = self.entries[0].n - 1 if self.entries else self._table.n
        if after is not None and known <= after <= self._table.n:
            following.sent = after
            self._show(follower, following, self.info(), {})
        else:
            self._show_all(follower, following)

    def _show(
        self,
        follower: Follower,
        following: Following,
        info: TableInfo | None,
        made: dict[tuple[int, int, bool], ServerMessage],
    ) -> None:
        viewer, after = self.viewer_of(follower), following.sent
        following.sent = self._table.n
        if follower.program:
            self._send_all(follower, self._to_program(viewer, after))
            return
        key = (viewer, after, following.odds)
        if key not in made:
            made[key] = {
                "type": "events",
                "table": self._table.id,
                "n": self._table.n,
                "info": info,
                "events": self._events(viewer, after),
                "view": self._view(viewer, following.odds),
            }
        follower.send(made[key])

    def _show_all(self, follower: Follower, following: Following) -> None:
        viewer = self.viewer_of(follower)
        following.sent = self._table.n
        if follower.program:
            self._send_all(follower, self._to_program(viewer, 0))
            return
        follower.send(
            {
                "type": "table",
                "table": self._table.id,
                "n": self._table.n,
                "info": self.info(),
                "events": self._events(viewer, 0),
                "view": self._view(viewer, following.odds),
            }
        )

    def _send_all(self, follower: Follower, messages: Sequence[ServerMessage]) -> None:
        for message in messages:
            follower.send(message)

    def _events(self, viewer: int, after: int) -> list[Event]:
        """Return the events after a number, as the viewer may know them; only the newest talk."""
        found, talk = [], 0
        for entry in reversed(self.entries):
            if entry.n <= after:
                break
            if isinstance(entry.event, events.Said):
                talk += 1
                if talk > TALK_SENT:
                    continue
            found.append(self._seen(entry, viewer))
        return found[::-1]

    def send_talk(self, follower: Follower, entries: Sequence[Entry], more: bool) -> None:
        """Send a follower older talk."""
        hosting = self._table.options.hosting
        told = [cast(SaidEvent, entry.told(SPECTATOR, hosting)) for entry in entries]
        message: Earlier = {
            "type": "earlier",
            "table": self._table.id,
            "events": told,
            "more": more,
        }
        follower.send(message)

    def _seen(self, entry: Entry, viewer: int) -> Event:
        """Return an event as a viewer is sent it; what everybody is sent is made once."""
        hosting = self._table.options.hosting
        if viewer >= 0 and entry.event.kind in (events.Answered.kind, *hosting.personal_events):
            return entry.told(viewer, hosting)
        if entry.n not in self._public:
            self._public[entry.n] = entry.told(SPECTATOR, hosting)
        return self._public[entry.n]

    def _view(self, viewer: int, odds: bool) -> View | None:
        stage = self._stage
        return views.view_of(
            stage.table, viewer, stage.attendance, stage.timing, stage.now(), odds=odds
        )

    # --- programs -------------------------------------------------------------------------------
    def _to_program(self, viewer: int, after: int) -> list[ProgramMessage]:
        """Return the events after a number in the messages that programs know."""
        messages = []
        for entry in self.entries:
            if entry.n <= after:
                continue
            match entry.event:
                case events.Started():
                    messages.append(views.hello(self._table, viewer, entry.n))
                case events.Result(record):
                    messages.append(views.outcome(self._table, viewer, entry.n, record["n"]))
                case events.End():
                    messages.append(views.outcome(self._table, viewer, entry.n, None))
        return messages

    def ask_programs(self) -> None:
        """Send the open question to all programs that are to answer it."""
        for follower in list(self.followers):
            if follower.program:
                self.ask_program(follower)

    def ask_program(self, follower: Follower) -> None:
        """Send a program the open question, if it is to answer it and it is time to."""
        seat = self._table.seat_of(follower.person.id)
        attendance = self._stage.attendance
        if seat is None or not attendance.programs_asked or self._table.seats[seat].agent:
            return
        question = views.question(self._table, seat, attendance)
        if question is not None:
            follower.send(question)
