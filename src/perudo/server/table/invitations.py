"""The choice of seats. Seats by invitation are for people who have the table's key.

The key is drawn when the table is made, and is in the hidden part of its log. It travels in the
link behind the ``#``, which browsers do not send, in a challenge, and in ``sit``.
"""

from __future__ import annotations

import hmac
import secrets

from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.table.table import Table
from perudo.server.wire.table_options import InvitedSeat, TableOptions

KEY_BYTES = 16


def new_key(options: TableOptions) -> str | None:
    """Draw the key of a new table, if it has seats by invitation."""
    if not any(isinstance(seat, InvitedSeat) for seat in options.seats):
        return None
    return secrets.token_urlsafe(KEY_BYTES)


def may_invite(table: Table, person: str) -> bool:
    """Return whether a person may pass the key on: the creator and all players may."""
    return person == table.creator or table.seat_of(person) is not None


def seat_for(table: Table, person: Person, wanted: int | None, key: str | None) -> int:
    """Return the seat that a person gets: the one they want, or else the first that suits them.

    A person with the key gets a seat by invitation, so that the others stay free for people
    without; the creator leaves it to a guest as long as there is another.
    """
    free = [number for number, seat in enumerate(table.seats) if seat.occupant is None]
    if wanted is not None and wanted >= len(table.seats):
        raise Refused("no_seat", f"the table has {len(table.seats)} seats")
    if not free or (wanted is not None and wanted not in free):
        raise Refused("taken", "that seat is taken" if free else "all seats are taken")
    invited = [seat for seat in free if isinstance(table.seats[seat].choice, InvitedSeat)]
    others = [seat for seat in free if seat not in invited]
    if person.id == table.creator:
        offered = others + invited
    elif _fits(table.key, key):
        offered = invited + others
    else:
        offered = others
    if wanted in offered:
        return wanted
    if wanted is None and offered:
        return offered[0]
    if key is None:
        raise Refused("needs_invitation", "this seat is by invitation: it needs the table's link")
    raise Refused("wrong_invitation", "this invitation is not for this table; ask for its link")


def _fits(key: str | None, given: str | None) -> bool:
    """Compare a key with the table's, in a time that reveals nothing about it."""
    if key is None or given is None:
        return False
    return hmac.compare_digest(key.encode(), given.encode())
