"""A table's log: numbered events, and the table that they lead to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import cast

from perudo.games.errors import PerudoError
from perudo.games.hosting import Hosting, Json
from perudo.server.table.events import KINDS, Event, Opened
from perudo.server.table.table import Table
from perudo.server.wire import events as wire
from perudo.server.wire.table_options import stored_options


@dataclass(frozen=True)
class Entry:
    """One event of a table's log, with its number and time."""

    n: int
    at: float
    event: Event

    def told(self, viewer: int, hosting: Hosting) -> wire.Event:
        """Return the event as a viewer is sent it."""
        stamp = {"n": self.n, "at": round(self.at, 3), "kind": self.event.kind}
        return cast(wire.Event, {**stamp, **self.event.told(viewer, hosting)})


def read_event(kind: str, data: Json, hidden: Json | None) -> Event:
    """Make an event from its stored parts; fields of another version are left out."""
    made = KINDS[kind]
    stored = {**data, **(hidden or {})}
    return made(**{each.name: stored[each.name] for each in fields(made) if each.name in stored})


def after(table: Table, event: Event, n: int | None = None) -> Table:
    """Return the table after its next event, or after the one with this number."""
    number = table.n + 1 if n is None else n
    made = event.apply(table, number)
    return made if made.n == number else replace(made, n=number)


def table_of(id: str, entries: Iterable[Entry]) -> Table:
    """Return the table of a log; the moves of games before the last may be missing."""
    log = iter(entries)
    first = next(log)
    opened = first.event
    assert isinstance(opened, Opened)
    options = stored_options(opened.options)
    table = Table.with_options(id, options, opened.creator, first.at)
    table = replace(table, n=first.n, key=opened.key)
    for entry in log:
        table = after(table, entry.event, entry.n)
    if table.playing is not None and table.playing.next_event() is not None:
        # An action is stored with what follows from it.
        raise PerudoError(f"the log of table {id} stops in the middle of a move")
    return table
