"""Commands that start games and carry them on: of clocks, AIs and series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perudo.games.log import Event as MatchEvent
from perudo.games.log import Header, header
from perudo.server.table import events
from perudo.server.table.play import Play
from perudo.server.table.progress import (
    Moment,
    Progress,
    after_game,
    with_next_secret,
    with_what_follows,
)
from perudo.server.table.seating import seating_of
from perudo.server.table.table import Occupant, Seat, Table
from perudo.server.wire.events import By


@dataclass(frozen=True)
class Begin:
    """Begin the next game."""

    first: bool
    """True for the first game of a series."""

    def decide(self, table: Table, at: Moment) -> Progress:
        """Start it and deal; nothing if a game is being played, or a seat is free."""
        if not table.may_begin:
            return Progress(table)
        number = table.game + 1
        seating = list(range(len(table.seats)))
        if not self.first:
            seating = next_seating(table, number)
        return with_what_follows(Progress(table) + started(table, number, seating, self.first))


def started(table: Table, number: int, seating: list[int], first: bool) -> events.Started:
    """Return the event that begins a game with this seating."""
    seats = seats_of(table, seating, first)
    dice = table.dice(number, seeds := [seat.seed for seat in seats])
    return events.Started(
        game=number,
        first=first,
        players=[seat.occupant.public for seat in seats if seat.occupant is not None],
        header=_header(table, [seat.occupant.name for seat in seats if seat.occupant is not None]),
        seeds=seeds,
        commit=dice.commit(1),
        sitting=seating,
    )


def seats_of(table: Table, seating: Sequence[int], first: bool) -> list[Seat]:
    """Return the seats in the order of a seating; a series begins with them as they are."""
    places = seating if first else table.places(seating)
    return [table.seats[place] for place in places]


def next_seating(table: Table, number: int) -> list[int]:
    """Return the seating of a series' next game: AIs change their seats, people stay."""
    if not table.only_ais:
        return list(table.seating)
    return seating_of(table.id, table.first_game, number, len(table.seats))


def _header(table: Table, players: list[str]) -> Header:
    game = table.options.hosting.game
    return header(game, table.options.parsed_rules(), players, {})


@dataclass(frozen=True)
class Move:
    """Play the action of the seat that has the turn."""

    seat: int
    action: str | None
    """None: what an expired clock plays."""
    by: By
    move: str | None = None
    """The client's name for it."""

    def decide(self, table: Table, at: Moment) -> Progress:
        """Play it and all that follows."""
        play = _playing(table)
        action = play.default(self.seat) if self.action is None else self.action
        return _played(Progress(table), [(self.seat, action)], self.by, self.move, at)


@dataclass(frozen=True)
class Settle:
    """Close the window and settle the answers; who gave none lets the chance pass."""

    def decide(self, table: Table, at: Moment) -> Progress:
        """Play what the answers come to."""
        moves = _playing(table).moves(at.proposals, closing=True)
        assert moves is not None
        return _played(Progress(table), moves, "window", None, at)


def _played(
    progress: Progress,
    moves: Sequence[tuple[int, str]],
    by: By,
    move: str | None,
    at: Moment,
) -> Progress:
    for seat, action in moves:
        play = _playing(progress.table)
        act: MatchEvent = {"event": "act", "seat": seat, "action": action}
        progress += events.Act(play.numbered(act), by, move)
    progress = with_what_follows(progress)
    if progress.table.playing is None:
        progress = after_game(progress, at)
    return progress


def _playing(table: Table) -> Play:
    assert table.playing is not None
    return table.playing


@dataclass(frozen=True)
class StandIn:
    """Let AIs play for players who have been away for too long."""

    due: Mapping[int, float]
    """The time at which each player's absence is over, by seat."""

    def decide(self, table: Table, at: Moment) -> Progress:
        """Let AIs play in the seats whose time is over."""
        progress = Progress(table)
        for seat, time in self.due.items():
            if time <= at.now:
                progress += events.Absent(seat, at.stand_in)
        return progress


@dataclass(frozen=True)
class Return:
    """Give a seat back to its player."""

    seat: int

    def decide(self, table: Table, at: Moment) -> Progress:
        """Send the stand-in away."""
        return Progress(table) + events.Back(self.seat)


@dataclass(frozen=True)
class GoOn:
    """End a pause that has lasted long enough."""

    def decide(self, table: Table, at: Moment) -> Progress:
        """Let the clocks go on."""
        return Progress(table) + events.Paused(False, None)


@dataclass(frozen=True)
class RunOut:
    """Pause a table of AIs alone whose creator has used up a share of the processor time."""

    limit: str
    """The setting that limits it."""

    def decide(self, table: Table, at: Moment) -> Progress:
        """Stop the clocks."""
        if table.paused or not table.only_ais or table.status not in ("waiting", "playing"):
            return Progress(table)
        return Progress(table) + events.Paused(True, None, self.limit)


@dataclass(frozen=True)
class Close:
    """Close a table that nobody needs."""

    def decide(self, table: Table, at: Moment) -> Progress:
        """Close the table."""
        return Progress(table) + events.Closed("nobody came")


# --- games that are played whole ----------------------------------------------------------------
@dataclass(frozen=True)
class Plan:
    """A game that is about to be played whole."""

    number: int
    first: bool
    seating: list[int]
    occupants: list[Occupant]
    """The AIs by seat."""

    def fits(self, table: Table) -> bool:
        """Return whether the table is still as the game was planned for."""
        if table.paused or table.status == "closed" or self.number != table.game + 1:
            return False
        here = [seat.occupant for seat in seats_of(table, self.seating, self.first)]
        return here == self.occupants


def plans_of(table: Table, first: bool) -> list[Plan]:
    """Return all games of the series that have not been played."""
    following = table.game + 1
    first_game = following if first else table.first_game
    plans = []
    for number in range(following, first_game + table.options.games):
        seating = seating_of(table.id, first_game, number, len(table.seats))
        seats = seats_of(table, seating, first)
        occupants = [seat.occupant for seat in seats if seat.occupant is not None]
        plans.append(Plan(number, number == first_game, seating, occupants))
    return plans


@dataclass(frozen=True)
class StoreGame:
    """Write down a game that was played whole, following it move by move."""

    plan: Plan
    record: Sequence[MatchEvent]

    def decide(self, table: Table, at: Moment) -> Progress:
        """Play the record; raise if something in it does not follow."""
        plan = self.plan
        progress = Progress(table) + started(table, plan.number, plan.seating, plan.first)
        for event in self.record:
            kind = events.MATCH_KINDS[event["event"]]
            progress += kind(event, "ai" if kind is events.Act else None)
        return with_next_secret(progress, at)
