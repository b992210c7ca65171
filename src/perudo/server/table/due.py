"""Everything that is due at a table, and when: games, absences, questions, expired clocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from perudo.server.table.attendance import Attendance, Timing
from perudo.server.table.games import Close, GoOn, Move, Settle, StandIn
from perudo.server.table.play import Play
from perudo.server.table.progress import Command
from perudo.server.table.table import Table

CLOSE_WAITING_SECONDS = 1800.0
"""A table that waits for players is closed when nobody has looked at it for so long."""
CLOSE_ABANDONED_SECONDS = 7 * 86400.0
"""A game or series that stands still since everybody is away is closed after this."""
RATED_PAUSE_SECONDS = 600.0
"""A rated game goes on by itself after this, so that nobody can avoid its end."""
STAND_IN_SECONDS = 60.0
"""An AI plays for a player again this long after they took their seat back, at the earliest."""
SEED_SECONDS = 2.0
"""Seconds for which a game waits for the seeds of clients that send one for every game."""


@dataclass(frozen=True)
class NextGame:
    """The next game of the series is to begin."""


@dataclass(frozen=True)
class AskPrograms:
    """Programs are to be sent the open question."""


@dataclass(frozen=True)
class Due:
    """Something that is to be done at a certain time."""

    at: float
    what: Command | NextGame | AskPrograms


def due(table: Table, attendance: Attendance, timing: Timing) -> list[Due]:
    """Return what is to be done when; of what is due at once the first comes first."""
    if table.status not in ("waiting", "playing"):
        return []
    found: list[Due] = []
    if table.paused and table.options.rated:
        found.append(Due(attendance.paused_since + RATED_PAUSE_SECONDS, GoOn()))
    game = _next_game(table, attendance)
    if table.status == "waiting":
        found += game
        if not attendance.watched:
            found.append(Due(attendance.last_used + CLOSE_WAITING_SECONDS, Close()))
        return found
    abandoned = is_abandoned(table, attendance)
    if abandoned:
        found.append(Due(attendance.last_used + CLOSE_ABANDONED_SECONDS, Close()))
    if table.paused:
        return found
    if not abandoned:
        found += game
    if table.playing is not None:
        found += _of_game(table, table.playing, attendance, timing)
    return found


def _next_game(table: Table, attendance: Attendance) -> list[Due]:
    if attendance.next_game_at is None:
        return []
    wait = SEED_SECONDS if table.awaits_seeds else 0.0
    return [Due(attendance.next_game_at + wait, NextGame())]


def _of_game(table: Table, play: Play, attendance: Attendance, timing: Timing) -> Iterator[Due]:
    if table.absence == "ai":
        seconds = timing.absence(table)
        late = {
            seat: max(since + seconds, attendance.returned.get(seat, -math.inf) + STAND_IN_SECONDS)
            for seat, since in attendance.absent_since.items()
            if table.seats[seat].stand_in is None
        }
        if late:
            yield Due(min(late.values()), StandIn(late))
    speak_at = attendance.paced_from + timing.pace(table, attendance)
    if not attendance.programs_asked:
        yield Due(attendance.asked_at if play.window else speak_at, AskPrograms())
    if play.window:
        waiting = play.awaited(attendance.answers(table))
        yield Due(window_closes(table, attendance, timing) if waiting else 0.0, Settle())
        return
    (seat,) = play.asked
    proposal = attendance.proposals.get(seat)
    if proposal is not None and proposal.question == play.question:
        yield Due(speak_at, Move(seat, proposal.action, proposal.by))
    over = deadline(table, attendance)
    if over is not None:
        yield Due(over, Move(seat, None, "timer"))


def is_abandoned(table: Table, attendance: Attendance) -> bool:
    """Return whether nobody who plays is here, while the table is paused or between two games."""
    still = table.paused or table.playing is None
    if table.status != "playing" or not still or table.only_ais or attendance.watched:
        return False
    return not any(
        number in attendance.here
        for number, seat in enumerate(table.seats)
        if seat.occupant is not None and not seat.is_ai
    )


def deadline(table: Table, attendance: Attendance) -> float | None:
    """Return when the time of the person or program that has the turn is over."""
    play = table.playing
    if play is None or play.window or table.options.timer is None:
        return None
    (seat,) = play.asked
    if table.seats[seat].agent is not None:
        return None
    if table.absence == "wait" and seat in attendance.absent_since:
        return None
    return attendance.asked_at + table.options.timer


def window_closes(table: Table, attendance: Attendance, timing: Timing) -> float:
    """Return when the open window closes."""
    return attendance.asked_at + timing.window(table)
