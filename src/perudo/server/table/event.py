"""An event of a table's log: what is stored of it, what it changes, and what each viewer is sent.

The fields of a class are the event's data in the database, except those named in ``hidden``, which
are stored apart and never leave the server.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from perudo.games.hosting import Hosting, Json
from perudo.server.table.table import Table


@dataclass(frozen=True)
class Event:
    """Something that has happened at a table."""

    kind: ClassVar[str]
    hidden: ClassVar[tuple[str, ...]] = ()
    """Fields that never leave the server, and that only the database has."""
    private: ClassVar[tuple[str, ...]] = ()
    """Fields that nobody is shown."""
    optional: ClassVar[tuple[str, ...]] = ()
    """Fields that are stored only if they have a value."""

    @property
    def data(self) -> Json:
        """The event as it is stored."""
        data = {each.name: getattr(self, each.name) for each in fields(self)}
        for name in self.hidden:
            del data[name]
        for name in self.optional:
            if not data[name]:
                del data[name]
        return data

    @property
    def hidden_data(self) -> Json | None:
        """The part that is stored apart."""
        found = {name: getattr(self, name) for name in self.hidden}
        return None if all(value is None for value in found.values()) else found

    def apply(self, table: Table, n: int) -> Table:
        """Return the table after this event, which has the number ``n``."""
        return table

    def told(self, viewer: int, hosting: Hosting) -> Json:
        """Return what a viewer may know of the event; SPECTATOR: what everybody may."""
        data = self.data
        return {name: data[name] for name in data if name not in self.private}
