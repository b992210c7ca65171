"""Commands, and what a decision comes to: a new table and its events, together or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from perudo.fair_dice import SECRET_BYTES, chain_to, sha
from perudo.server.table.events import MATCH_KINDS, Anchor, Closed, Event, Free, Seated
from perudo.server.table.log import after
from perudo.server.table.table import Occupant, Table


@dataclass(frozen=True)
class AiGames:
    """Games of AIs alone, to be counted against a visitor's day when the events are stored."""

    visitor: str
    games: int


@dataclass(frozen=True)
class Moment:
    """Facts outside the log that a decision may use."""

    now: float = 0.0
    """The time, by the clock that never goes back."""
    here: frozenset[int] = frozenset()
    """Seats whose players are connected."""
    proposals: Mapping[int, str] = field(default_factory=dict)
    """Answers that are not stored: of AIs, and of players who always decline."""
    pausing: frozenset[int] = frozenset()
    """Seats whose players have asked for a pause."""
    stand_in: str = ""
    """The AI that plays for players who leave or are away."""
    fresh: Callable[[int], bytes] = field(default_factory=lambda: secrets.token_bytes)
    """The source of new random bytes."""


@dataclass(frozen=True)
class Progress:
    """A new table and the events that led to it; the old table is untouched."""

    table: Table
    events: tuple[Event, ...] = ()
    guards: tuple[AiGames, ...] = ()
    """Conditions that the transaction that stores the events checks."""
    repeats: int | None = None
    """The event that has carried out this command before; then nothing is to be done."""

    def __add__(self, event: Event) -> Progress:
        """Let an event happen."""
        return replace(self, table=after(self.table, event), events=(*self.events, event))


class Command(Protocol):
    """Something asked of a table, by a person, a clock or an AI."""

    def decide(self, table: Table, at: Moment) -> Progress:
        """Return what happens; raise ``Refused`` if nothing may. Pure."""


def new_anchor(first: int, last: int, at: Moment) -> Anchor:
    """Draw the secrets of a series' games, which the hash of the first commits to."""
    secret = at.fresh(SECRET_BYTES)
    anchor = sha(chain_to(secret, last - first + 1)[0])
    return Anchor(first, anchor, secret.hex(), None if last == first else last)


def with_next_secret(progress: Progress, at: Moment) -> Progress:
    """Draw the secrets of the next series, once the last of this one has been used.

    Logs of older versions have a secret for each game: then those of the other games are drawn.
    """
    table = progress.table
    following = table.game + 1
    if following in table.secrets:
        return progress
    first_game = following if table.series_over else table.first_game
    return progress + new_anchor(following, first_game + table.options.games - 1, at)


def with_what_follows(progress: Progress) -> Progress:
    """Add results, deals and the end: all events of the match that need no decision."""
    assert progress.table.play is not None
    while (event := progress.table.play.next_event()) is not None:
        progress += MATCH_KINDS[event["event"]](event)
        assert progress.table.play is not None
    return progress


def after_game(progress: Progress, at: Moment) -> Progress:
    """See that the next game has a secret, and free the seats of players who left.

    While the series goes on AIs take these seats; a series that everybody has left is over.
    """
    progress = with_next_secret(progress, at)
    table = progress.table
    left = [number for number, seat in enumerate(table.seats) if seat.left]
    if not left:
        return progress
    progress += Free(left)
    if table.series_over:
        return progress
    if table.deserted:
        return progress + Closed("everybody has left")
    for number in left:
        agent = table.seats[number].stand_in
        assert agent is not None
        progress += Seated(number, Occupant.ai(agent, None, number).stored, "")
    return progress
