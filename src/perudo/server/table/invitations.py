"""Seats by invitation: whoever has the table's key may take them.

The key is drawn when the table is made and kept in its log, in what nobody is told. It travels in
the link behind the ``#``, which browsers do not send, in a challenge, and in ``sit``.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Any

from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.table.table import TableState
from perudo.server.wire.table_options import InvitedSeat, TableOptions

KEY_BYTES = 16


def hidden_key(options: TableOptions) -> dict[str, Any] | None:
    """What the log of a new table keeps to itself: a key, if it has seats by invitation."""
    if not any(isinstance(seat, InvitedSeat) for seat in options.seats):
        return None
    return {"key": secrets.token_urlsafe(KEY_BYTES)}


def may_invite(state: TableState, person: str) -> bool:
    """Whether somebody may pass the key on: the creator, and all who sit there."""
    return person == state.creator or state.seat_of(person) is not None


def seat_for(state: TableState, person: Person, wanted: int | None, key: str | None) -> int:
    """The seat that somebody gets: the one they want, or else the first that suits them.

    Whoever comes with the key is given a seat by invitation, so that the others stay free for
    those who have none; the creator leaves it to a guest as long as there is another.
    """
    free = [number for number, seat in enumerate(state.seats) if seat.occupant is None]
    if wanted is not None and wanted >= len(state.seats):
        raise Refused("no_seat", f"the table has {len(state.seats)} seats")
    if not free or (wanted is not None and wanted not in free):
        raise Refused("taken", "that seat is taken" if free else "all seats are taken")
    invited = [seat for seat in free if isinstance(state.seats[seat].choice, InvitedSeat)]
    others = [seat for seat in free if seat not in invited]
    if person.id == state.creator:
        offered = others + invited
    elif _fits(state.key, key):
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
    """Whether a key is the table's; how long the answer takes tells nothing about it."""
    if key is None or given is None:
        return False
    return hmac.compare_digest(key.encode(), given.encode())
