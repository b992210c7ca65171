"""The messages about a table that each viewer is sent.

Every message about a game that leaves the server is made here, from that viewer's observation and
from what everybody may know.
"""

from __future__ import annotations

from typing import Any, cast

from pydantic_core import to_json

from perudo import protocol
from perudo.fair_dice import sha
from perudo.games.operations import SPECTATOR
from perudo.server.hosted import options_of
from perudo.server.table.attendance import Attendance, Timing
from perudo.server.table.due import deadline, window_closes
from perudo.server.table.play import Play
from perudo.server.table.table import Table
from perudo.server.wire.bodies import TableSummary
from perudo.server.wire.server_messages import (
    Decide,
    ProgramMessage,
    TableInfo,
    View,
    Where,
    Window,
)


def table_info(
    table: Table, attendance: Attendance, timing: Timing, watching: int = 0
) -> TableInfo:
    """Return a table apart from the game on it."""
    options = table.options
    following = table.game if table.playing is not None else table.game + 1
    secret = table.secrets.get(following)
    info: TableInfo = {
        "id": table.id,
        "rules": options.rules_text,
        "options": options_of(options.rules),
        "creator": table.creator,
        "status": table.status,
        "private": options.private,
        "rated": options.rated,
        "timer": options.timer,
        "games": options.games,
        "game": table.game,
        "wins": list(table.wins),
        "paused": table.paused,
        "absence": table.absence,
        "absence_seconds": timing.absence(table),
        "pace": timing.pace(table, attendance),
        "calza_window": timing.window(table),
        "seats": [
            {
                "kind": seat.choice.kind,
                "player": None if seat.occupant is None else seat.occupant.public,
                "here": number in attendance.here,
                "stand_in": seat.stand_in,
                "muted": seat.muted,
            }
            for number, seat in enumerate(table.seats)
        ],
        "watching": watching,
        "anchor": None if secret is None else sha(secret),
        "rematch": sorted(table.rematch),
    }
    if attendance.pausing and table.playing is not None and not table.paused:
        info["pausing"] = sorted(attendance.pausing)
    if table.limit is not None:
        info["limit"] = table.limit
    return info


def table_summary(table: Table) -> str:
    """Return what the list of tables shows, as JSON."""
    summary: TableSummary = {
        "rules": table.options.rules,
        "rated": table.options.rated,
        "timer": table.options.timer,
        "games": table.options.games,
        "game": table.game,
        "seats": [
            {
                "kind": seat.choice.kind,
                "player": None if seat.occupant is None else seat.occupant.public,
            }
            for seat in table.seats
        ],
    }
    return to_json(summary).decode()


def view_of(
    table: Table,
    viewer: int,
    attendance: Attendance,
    timing: Timing,
    now: float,
    *,
    odds: bool = False,
) -> View | None:
    """Return the game on the table as a viewer may see it now."""
    play = table.play
    if play is None:
        return None
    answers = attendance.answers(table)
    asked = viewer >= 0 and viewer in play.awaited(answers) and not table.paused
    hosting, wanted = play.hosting, odds and asked and not table.options.rated
    own = hosting.private_view(viewer, play.last("deal", viewer))
    view = {
        **play.public_view,
        **own,
        "seat": viewer if viewer >= 0 else None,
        "question": play.question,
        "legal": play.legal(viewer) if asked else None,
        "odds": hosting.odds(play.observe(viewer)) if wanted else None,
        "window": _window(table, play, answers, attendance, timing, now),
        "seconds": _left(table, deadline(table, attendance), now),
    }
    return cast(View, view)


def _window(
    table: Table,
    play: Play,
    answers: dict[int, str],
    attendance: Attendance,
    timing: Timing,
    now: float,
) -> Window | None:
    if not play.window:
        return None
    return {
        "seats": list(play.window),
        "answered": sorted({*play.answers, *answers}),
        "seconds": _left(table, window_closes(table, attendance, timing), now) or 0.0,
    }


def _left(table: Table, time: float | None, now: float) -> float | None:
    """Return the seconds until then; None while the clocks stand still."""
    return None if time is None or table.paused else round(max(time - now, 0.0), 1)


# --- to programs --------------------------------------------------------------------------------
def hello(table: Table, viewer: int, n: int) -> ProgramMessage:
    """Return the message that begins a game."""
    play = table.play
    assert play is not None
    seat = None if viewer == SPECTATOR else viewer
    message = protocol.hello(play.hosting.game, play.setting, seat, play.header["players"])
    return {**message, **_where(table, n)}


def outcome(table: Table, viewer: int, n: int, number: int | None) -> ProgramMessage:
    """Return the message about a settled round, by its number in the match's log, or the end."""
    play = table.play
    assert play is not None
    if number is None:
        return {**protocol.end(play.observe(viewer)), **_where(table, n)}
    seen: Any = dict(play.settled)[number].observe(viewer)
    return {**protocol.result(seen), **_where(table, n)}


def question(table: Table, seat: int, attendance: Attendance) -> Decide | None:
    """Return the open question to a seat, if it is asked."""
    play = table.playing
    if play is None or table.paused or seat not in play.awaited(attendance.answers(table)):
        return None
    asked = protocol.decide(play.observe(seat), play.question)
    return {**asked, **_where(table, play.question)}


def _where(table: Table, n: int) -> Where:
    return {"table": table.id, "n": n}
