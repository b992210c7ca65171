"""Who of a table's players is away, and since when; an AI takes the seat after a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perudo.server.table.table import Draft

if TYPE_CHECKING:
    from perudo.server.rooms.pacing import Pacing
    from perudo.server.rooms.room import Room


class Presence:
    """One table's."""

    def __init__(self, room: Room, pacing: Pacing) -> None:
        self._room = room
        self._pacing = pacing
        self.away: dict[int, float] = {}
        """Since when seats' players have not been connected."""

    def note(self, seat: int) -> None:
        """Begin to count, unless the seat's player is connected."""
        if not self._room.is_here(seat):
            self.away[seat] = self._pacing.now()

    def note_all(self) -> None:
        """Count everybody as away: the table has just been loaded."""
        for number, seat in enumerate(self._room.state.seats):
            if seat.occupant is not None and seat.occupant.kind != "ai" and not seat.left:
                self.away[number] = self._pacing.now()

    def forget(self, seat: int) -> None:
        """The seat's player is here, or gone for good."""
        self.away.pop(seat, None)

    def anew(self) -> None:
        """Nobody loses time by a pause."""
        self.away = dict.fromkeys(self.away, self._pacing.now())

    def due(self) -> list[float]:
        """When AIs are to take seats."""
        state = self._room.state
        if state.absence != "ai":
            return []
        return [
            since + self._pacing.absence_seconds
            for seat, since in self.away.items()
            if state.seats[seat].stand_in is None
        ]

    def late(self) -> list[Draft]:
        """The AIs that take seats now."""
        state, now = self._room.state, self._pacing.now()
        if state.absence != "ai":
            return []
        agent = self._room.service.settings.stand_in
        return [
            Draft("absent", {"seat": seat, "agent": agent})
            for seat, since in self.away.items()
            if state.seats[seat].stand_in is None and now >= since + self._pacing.absence_seconds
        ]
