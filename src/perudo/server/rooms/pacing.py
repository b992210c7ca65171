"""How long things take at a table: the AIs' pace, the calza window, a turn, an absence.

Clocks are the server's. After a restart they begin anew.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perudo.server.rooms.room import Room


class Pacing:
    """One table's clocks."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.asked_at = 0.0
        """When the awaited decisions were asked for."""
        self.paced_from = 0.0
        """When somebody last said something that the others should have time to take in."""
        self.hurried = False
        """Whether nobody wants to wait any more."""

    def now(self) -> float:
        """What the clock shows that only goes forward."""
        return self._room.service.clock.now()

    def anew(self) -> None:
        """From now on."""
        self.asked_at = self.paced_from = self.now()

    @property
    def pace_seconds(self) -> float:
        """How long AIs and bots wait before they answer."""
        chosen = self._room.state.options.pace
        if self.hurried:
            return 0.0
        if not self._with_person:
            return chosen or 0.0
        return self._room.service.settings.pace_seconds if chosen is None else chosen

    @property
    def calza_seconds(self) -> float:
        """How long a window for calza stays open."""
        chosen = self._room.state.options.calza_window
        return self._room.service.settings.calza_seconds if chosen is None else chosen

    @property
    def absence_seconds(self) -> float:
        """How long a player can be away before an AI plays for them."""
        settings, state = self._room.service.settings, self._room.state
        if state.absence_seconds is not None:
            return state.absence_seconds
        if state.options.private:
            return settings.private_absence_seconds
        return settings.absence_seconds

    @property
    def reveal_seconds(self) -> float:
        """How long everybody can look at a settled round."""
        if self.hurried or not self._with_person:
            return 0.0
        return self._room.service.settings.reveal_seconds

    @property
    def _with_person(self) -> bool:
        """Whether a person sits here who might want to follow the game."""
        return any(
            seat.occupant is not None and seat.occupant.kind == "person" and not seat.left
            for seat in self._room.state.seats
        )

    def deadline(self, away: Container[int]) -> float | None:
        """When the time of the person or program that is to act is over."""
        match, state = self._room.state.match, self._room.state
        if match is None or match.over or match.window or state.options.timer is None:
            return None
        seat = match.awaited[0]
        if state.seats[seat].agent is not None:
            return None
        if state.absence == "wait" and seat in away:
            return None
        return self.asked_at + state.options.timer

    def window_closes(self) -> float:
        """When calza can be claimed no longer."""
        return self.asked_at + self.calza_seconds

    def say_at(self) -> float:
        """When AIs and bots may say what they have decided."""
        return self.paced_from + self.pace_seconds

    def left_until(self, moment: float | None) -> float | None:
        """The seconds until then; None while the clocks stand still."""
        if moment is None or self._room.state.paused:
            return None
        return round(max(moment - self.now(), 0.0), 1)
