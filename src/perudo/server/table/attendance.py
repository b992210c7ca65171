"""Everything about a table that its log does not say: connections, clocks, undelivered decisions.

It is lost when the server stops; then all clocks start again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from perudo.server.settings import Settings
from perudo.server.table import events
from perudo.server.table.table import Table
from perudo.server.wire.events import By


@dataclass(frozen=True)
class Proposal:
    """A decision that it is not yet time to play."""

    action: str
    by: By
    question: int
    """The number of the question that it answers."""


@dataclass(frozen=True)
class Attendance:
    """Connections and clocks of one table; times are those of the clock that never goes back."""

    here: frozenset[int] = frozenset()
    """Seats whose players are connected, and those of AIs."""
    watched: bool = False
    """True if anybody follows the table."""
    last_used: float = 0.0
    absent_since: Mapping[int, float] = field(default_factory=dict)
    """Since when seats' players have not been connected."""
    returned: Mapping[int, float] = field(default_factory=dict)
    """The times at which players last took their seats back from an AI."""
    pausing: frozenset[int] = frozenset()
    """Seats whose players have asked for a pause of a rated game."""
    paused_since: float = 0.0
    asked_at: float = 0.0
    """The time at which the open question was put."""
    paced_from: float = 0.0
    """The time of the last event that players need a moment to take in."""
    hurried: bool = False
    """True when nobody wants to wait any more."""
    declining: frozenset[int] = frozenset()
    """Seats that decline in every window without being asked."""
    proposals: Mapping[int, Proposal] = field(default_factory=dict)
    """Decisions that are not stored yet, by seat: of AIs, and of players who always decline."""
    programs_asked: bool = False
    """True if programs have been sent the open question."""
    next_game_at: float | None = None
    """The time at which a game begins if all seeds are there."""

    def answers(self, table: Table) -> dict[int, str]:
        """Return the answers to the open window that the log does not have."""
        play = table.playing
        if play is None or not play.window:
            return {}
        return {
            seat: proposal.action
            for seat, proposal in self.proposals.items()
            if proposal.question == play.question
        }

    def with_declines(self, table: Table) -> Attendance:
        """Answer the open window for players who decline without being asked."""
        play, proposals = table.playing, dict(self.proposals)
        if play is None or not play.window or not self.declining:
            return self
        for seat in play.awaited(self.answers(table)):
            if seat in self.declining and table.seats[seat].agent is None:
                proposals[seat] = Proposal(play.default(seat), "player", play.question)
        return replace(self, proposals=proposals)

    # --- players --------------------------------------------------------------------------------
    def missing(self, seat: int, now: float) -> Attendance:
        """Start the clock of a player who is not connected."""
        if seat in self.here:
            return self
        return replace(self, absent_since={**self.absent_since, seat: now})

    def all_missing(self, table: Table, now: float) -> Attendance:
        """Start the clocks of all players: the table has just been loaded."""
        seats = (
            number
            for number, seat in enumerate(table.seats)
            if seat.occupant is not None and not seat.is_ai and not seat.left
        )
        return replace(self, absent_since={**self.absent_since, **dict.fromkeys(seats, now)})

    def forget(self, seat: int) -> Attendance:
        """Stop the clock of a seat: its player is here, or gone for good."""
        since = {number: at for number, at in self.absent_since.items() if number != seat}
        return replace(self, absent_since=since)

    def gone(self, seat: int) -> Attendance:
        """Drop the wishes of a player who has left the seat."""
        return replace(
            self,
            declining=self.declining - {seat},
            pausing=self.pausing - {seat},
            returned={number: at for number, at in self.returned.items() if number != seat},
        )

    def without(self, *seats: int) -> Attendance:
        """Drop the decisions of AIs in these seats."""
        kept = {seat: each for seat, each in self.proposals.items() if seat not in seats}
        return replace(self, proposals=kept)

    # --- clocks ---------------------------------------------------------------------------------
    def restarted(self, now: float) -> Attendance:
        """Start the clocks of the open question again."""
        return replace(self, asked_at=now, paced_from=now)

    def unpaused(self, now: float) -> Attendance:
        """Start all clocks again, so that nobody loses time by a pause."""
        return replace(
            self.restarted(now),
            absent_since=dict.fromkeys(self.absent_since, now),
            paused_since=now,
            pausing=frozenset(),
        )

    def after(
        self, happened: Sequence[events.Event], table: Table, timing: Timing, now: float
    ) -> Attendance:
        """Return the attendance after events of the game that is being played."""
        kinds = {event.kind for event in happened}
        if "started" in kinds:
            return replace(self, hurried=False, proposals={}).restarted(now)
        if "act" not in kinds:
            return self
        settled = "result" in kinds
        reveal = timing.reveal(table, self)
        paced_from, last = self.paced_from, happened[0]
        if settled or (isinstance(last, events.Act) and last.by != "window"):
            paced_from = now + (reveal if settled else 0.0)
        ended = "end" in kinds and table.status == "playing"
        return replace(
            self,
            paced_from=paced_from,
            asked_at=max(now, paced_from) if settled else now,
            next_game_at=now + 2 * reveal if ended else self.next_game_at,
            proposals={},
            pausing=frozenset() if "end" in kinds else self.pausing,
        )


@dataclass(frozen=True)
class Timing:
    """Durations at a table in seconds, from its options or else the server's settings."""

    settings: Settings

    def pace(self, table: Table, attendance: Attendance) -> float:
        """Return how long AIs and bots wait before they answer."""
        chosen = table.options.pace
        if attendance.hurried:
            return 0.0
        if not table.with_person:
            return chosen or 0.0
        return self.settings.pace_seconds if chosen is None else chosen

    def reveal(self, table: Table, attendance: Attendance) -> float:
        """Return how long players can look at a settled round."""
        if attendance.hurried or not table.with_person:
            return 0.0
        return self.settings.reveal_seconds

    def window(self, table: Table) -> float:
        """Return how long a window stays open."""
        chosen = table.options.calza_window
        return self.settings.calza_seconds if chosen is None else chosen

    def absence(self, table: Table) -> float:
        """Return how long a player can be away before an AI plays for them."""
        if table.absence_seconds is not None:
            return table.absence_seconds
        if table.options.private:
            return self.settings.private_absence_seconds
        return self.settings.absence_seconds
