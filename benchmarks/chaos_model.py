"""What must be true of a server whatever happens to it, checked against its database.

The database is only read. A table's log says what each viewer may know; the package's own functions
make the views from it, as the server does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from fuzz import problems_in
from kills import check_moves
from pydantic_core import to_json
from sqlalchemy.engine import Connection

from perudo.games.operations import SPECTATOR
from perudo.server.db import schema
from perudo.server.hosted import HOSTING
from perudo.server.rooms.table_log import read_log
from perudo.server.settings import Settings
from perudo.server.table.attendance import Attendance, Timing
from perudo.server.table.events import Opened, Started
from perudo.server.table.log import table_of
from perudo.server.table.views import table_info, view_of

SHORTEST_HAND = 3
"""Hands with fewer dice are not searched for: texts of two digits occur by accident."""
OF_THE_MOMENT = ("seconds", "window")
"""Fields of a view that depend on clocks, not on the log."""
OF_THE_LOG = ("status", "game", "wins", "paused", "rematch", "anchor", "rated", "private")
"""Fields of a table's description that follow from its log."""
OF_A_SEAT = ("kind", "player", "stand_in", "muted")
STORAGE_ERRORS = ("NotStored", "StoreError", "OperationalError", "InterfaceError")
"""Errors that a server may report while it cannot write."""


class Difference(AssertionError):
    """Something that must be true is not."""


@dataclass
class Seen:
    """A client's knowledge of one table, from the messages that it got."""

    name: str
    table: str
    person: str
    """The id of the person; a spectator has no seat at the table."""
    in_order: bool = True
    """With one process each event comes once, in order; what Redis may have lost is sent again."""
    n: int = 0
    view: dict[str, Any] | None = None
    info: dict[str, Any] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    frames: list[tuple[int, str]] = field(default_factory=list)
    """Frames that have not been checked yet, with the table's number in them."""

    def take_frames(self) -> list[tuple[int, str]]:
        """Return the frames to be checked, and forget them."""
        frames, self.frames = self.frames, []
        return frames

    def take(self, message: dict[str, Any], text: str) -> None:
        """Take in a message about the table."""
        self.frames.append((message.get("n") or self.n, text))
        if message["type"] not in ("table", "events"):
            return
        new = message["events"]
        if message["type"] == "table":
            self.events = []
        elif self.in_order:
            numbers = [event["n"] for event in new]
            if numbers != list(range(self.n + 1, message["n"] + 1)):
                raise Difference(f"{self.name} had event {self.n} of {self.table}, got {numbers}")
        events = {event["n"]: event for event in [*self.events, *new]}
        started = [n for n, event in events.items() if event["kind"] == "started"]
        self.events = [events[n] for n in sorted(events) if n >= max(started, default=0)]
        self.n, self.view = message["n"], message["view"]
        self.info = message["info"] or self.info


def view_difference(connection: Connection, seen: Seen, settings: Settings) -> str | None:
    """Compare a client's knowledge of a table with the table's log; return a difference."""
    entries = read_log(connection, seen.table)
    table = table_of(seen.table, entries)
    if seen.n != table.n:
        return f"{seen.name} has event {seen.n} of {seen.table}, the log has {table.n}"
    seat = table.seat_of(seen.person)
    viewer = SPECTATOR if seat is None else seat
    timing, nobody = Timing(settings), Attendance()
    starts = [place for place, entry in enumerate(entries) if isinstance(entry.event, Started)]
    shown = entries[starts[-1] :] if starts else entries
    pairs: list[tuple[str, Any, Any]] = [
        (
            "events",
            seen.events,
            [e.told(viewer, HOSTING) for e in shown if not isinstance(e.event, Opened)],
        ),
        (
            "view",
            _lasting(seen.view),
            _lasting(view_of(table, viewer, nobody, timing, 0.0)),
        ),
        ("info", _of_log(seen.info), _of_log(table_info(table, nobody, timing))),
    ]
    for name, got, expected in pairs:
        plain = json.loads(to_json(expected))
        if got != plain:
            return (
                f"{seen.name} (viewer {viewer}) has other {name} of {seen.table} at {seen.n} than "
                f"the log\n  client {_excerpt(got, plain)}\n  log    {_excerpt(plain, got)}"
            )
    return None


def _lasting(view: Any) -> Any:
    return view and {name: view[name] for name in view if name not in OF_THE_MOMENT}


def _of_log(info: Any) -> Any:
    seats = [{name: seat[name] for name in OF_A_SEAT} for seat in info["seats"]]
    return {**{name: info[name] for name in OF_THE_LOG}, "seats": seats}


def _excerpt(one: Any, other: Any) -> str:
    """Return the part of a value that another does not have."""
    if isinstance(one, dict) and isinstance(other, dict):
        one = {name: one[name] for name in one if name not in other or one[name] != other[name]}
    elif isinstance(one, list) and isinstance(other, list):
        one = [each for each in one if each not in other]
    return json.dumps(one, ensure_ascii=False)[:1500]


# --- hidden dice --------------------------------------------------------------------------------
@dataclass
class Hand:
    """A seat's dice in one round."""

    seat: int
    dice: str
    dealt: int
    """The number of the deal."""
    shown: int | None = None
    """The number of the event that showed them; None: they are still hidden."""


class Secrets:
    """The hidden dice and secrets of a table, from its log."""

    def __init__(self, connection: Connection, table: str) -> None:
        self.hands: list[Hand] = []
        self.secrets: list[Hand] = []
        query = sa.select(schema.events).where(schema.events.c.table_id == table)
        for row in connection.execute(query.order_by(schema.events.c.n)):
            self._take(row.n, row.kind, json.loads(row.data), json.loads(row.hidden or "{}"))

    def _take(self, n: int, kind: str, data: dict[str, Any], hidden: dict[str, Any]) -> None:
        if kind == "anchor":
            self.secrets.append(Hand(SPECTATOR, hidden["secret"], n))
        elif kind == "deal":
            dealt = enumerate(data["record"]["dice"])
            self.hands += [Hand(seat, dice, n) for seat, dice in dealt if dice]
        elif kind == "result":
            for seat, dice in enumerate(data["record"]["hands"]):
                for hand in self.hands:
                    if dice and hand.seat == seat and hand.shown is None:
                        hand.shown = n
        elif kind == "end":
            for hand in [*self.hands, *self.secrets]:
                hand.shown = hand.shown or n

    def leak(self, viewer: int, n: int, text: str) -> str | None:
        """Return what a frame tells a viewer, at the table's event ``n``, that is hidden then."""
        hidden = [hand for hand in self.hands if hand.seat != viewer and _is_hidden(hand, n)]
        known = {hand.dice for hand in self.hands if hand not in hidden and hand.dealt <= n}
        for hand in hidden:
            is_long = len(hand.dice) >= SHORTEST_HAND and hand.dice not in known
            if is_long and f'"{hand.dice}"' in text:
                return f"the dice {hand.dice} of seat {hand.seat}, dealt with {hand.dealt}"
        for secret in self.secrets:
            if _is_hidden(secret, n) and secret.dice in text:
                return f"the secret of the game that was announced with {secret.dealt}"
        return None


def _is_hidden(hand: Hand, n: int) -> bool:
    return hand.shown is None or n < hand.shown


def check_frames(connection: Connection, clients: Sequence[Seen]) -> int:
    """Raise if a frame told a client hidden dice; return the number of frames checked."""
    secrets: dict[str, Secrets] = {}
    checked = 0
    # All frames before the first log: what a client was sent is stored, and AIs go on meanwhile.
    for seen, frames in [(seen, seen.take_frames()) for seen in clients]:
        if not frames:
            continue
        if seen.table not in secrets:
            secrets[seen.table] = Secrets(connection, seen.table)
        seat = table_of(seen.table, read_log(connection, seen.table)).seat_of(seen.person)
        viewer = SPECTATOR if seat is None else seat
        for n, text in frames:
            checked += 1
            found = secrets[seen.table].leak(viewer, n, text)
            if found is not None:
                raise Difference(
                    f"{seen.name} (viewer {viewer}) got {found}, at {n}: {text[:1500]}"
                )
    return checked


def check_acknowledged(
    connection: Connection, acknowledged: Sequence[tuple[str, str, int]]
) -> None:
    """Raise if an acknowledged move was lost, or a move was made twice."""
    try:
        check_moves(connection, acknowledged)
    except AssertionError as error:
        raise Difference(str(error)) from None


def check_log(lines: Sequence[str], storage_failed: bool) -> None:
    """Raise if a server has reported an exception that no fault of storage explains."""
    for line in problems_in(lines):
        if not (storage_failed and any(error in line for error in STORAGE_ERRORS)):
            raise Difference(f"an uncaught exception in the server's log: {line[:3000]}")


def ai_seconds(connection: Connection, tables: Sequence[str]) -> list[float]:
    """Return the time from each question to an AI at these tables to its move."""
    found, last = [], 0.0
    events = schema.events.c
    query = sa.select(events.kind, events.at, events.data)
    for row in connection.execute(
        query.where(events.table_id.in_(tables)).order_by(events.table_id, events.n)
    ):
        if row.kind == "act" and json.loads(row.data).get("by") == "ai":
            found.append(max(row.at - last, 0.0))
        last = row.at
    return found
