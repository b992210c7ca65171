"""Commands of people and programs: each decides, without side effects, what happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from perudo.games.errors import IllegalActionError, InvalidActionError, NotYourTurnError
from perudo.games.game import seat_name
from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.table import events
from perudo.server.table.attendance import Attendance
from perudo.server.table.games import Move
from perudo.server.table.invitations import seat_for
from perudo.server.table.progress import AiGames, Command, Moment, Progress
from perudo.server.table.table import Occupant, Table
from perudo.server.wire import client_messages
from perudo.server.wire.events import PlayerKind

MOST_PAUSES = 3
"""Pauses of one rated game."""


@dataclass(frozen=True)
class Act:
    """Make a decision."""

    person: Person
    message: client_messages.Action

    def decide(self, table: Table, at: Moment) -> Progress:
        """Play it; in a window, keep the answer until the window closes."""
        message, seat = self.message, own_seat(table, self.person)
        move = message.move or f"q{message.id}"
        if (made := table.effect_of(seat, move)) is not None:
            return Progress(table, repeats=made)
        play = table.playing
        if play is None:
            raise Refused("not_playing", "no game is being played at this table")
        if table.paused:
            raise Refused("paused", "the table is paused")
        if message.id != table.question:
            raise Refused(
                "stale",
                f"the action answers number {message.id}, but the question is {table.question}",
            )
        try:
            if seat not in play.awaited(at.proposals):
                raise play.not_asked(seat)
            action = play.require(seat, message.action)
        except (IllegalActionError, NotYourTurnError, InvalidActionError) as error:
            raise Refused(error.code, str(error)) from None
        if play.window:
            return Progress(table) + events.Answered(seat, action, move)
        return Move(seat, action, "player", move).decide(table, at)


@dataclass(frozen=True)
class Sit:
    """Take a seat at the table."""

    person: Person
    message: client_messages.Sit

    def decide(self, table: Table, at: Moment) -> Progress:
        """Seat the person."""
        person, message = self.person, self.message
        if table.status == "closed":
            raise Refused("closed", "the table is closed")
        if table.seat_of(person.id) is not None:
            return Progress(table, repeats=table.n)
        if person.id in table.kicked:
            raise Refused("kicked", "the creator of the table has sent you away")
        number = seat_for(table, person, message.seat, message.key)
        _require_may_meet(table, person)
        kind: PlayerKind = "bot" if person.kind == "bot" else "person"
        name = _free_name(table, person.name)
        player = Occupant(name, kind, person.id, None, person.answerable)
        return Progress(table) + events.Seated(number, player.stored, message.seed, message.seeds)


@dataclass(frozen=True)
class SendSeed:
    """Add a fresh seed to the dice of the next game."""

    person: Person
    message: client_messages.Seed

    def decide(self, table: Table, at: Moment) -> Progress:
        """Let the player's first seed since the anchor was published count."""
        number, message = own_seat(table, self.person), self.message
        seat = table.seats[number]
        if (seat.seed, seat.seed_game) == (message.seed, message.game):
            return Progress(table, repeats=table.n)
        if table.playing is not None or table.status == "closed":
            raise Refused("stale", "seeds are for the next game, before it begins")
        if message.game != table.game + 1:
            raise Refused("stale", f"the next game is number {table.game + 1}")
        if seat.seed_game == message.game:
            raise Refused("stale", "another seed of yours counts for this game")
        return Progress(table) + events.Seeded(number, message.game, message.seed)


@dataclass(frozen=True)
class Stand:
    """Leave the table."""

    person: Person
    message: client_messages.Stand

    def decide(self, table: Table, at: Moment) -> Progress:
        """Free the seat, or have an AI play on."""
        return _emptied(table, own_seat(table, self.person), "left", at)


@dataclass(frozen=True)
class Kick:
    """Send a player away."""

    person: Person
    message: client_messages.Kick

    def decide(self, table: Table, at: Moment) -> Progress:
        """Free the seat, or have an AI play on."""
        seat = self.message.seat
        _require_creator(table, self.person)
        _require_seat(table, seat)
        if table.seats[seat].occupant is None:
            raise Refused("no_seat", f"nobody sits at seat {seat_name(seat)}")
        if table.options.rated and table.playing is not None:
            raise Refused("refused", "nobody can be sent away from a rated game")
        return _emptied(table, seat, "kicked", at)


@dataclass(frozen=True)
class Fill:
    """Give an empty seat to an AI."""

    person: Person
    message: client_messages.Fill
    agent: str
    """The AI, which can play here."""

    @staticmethod
    def require(table: Table, person: Person, message: client_messages.Fill) -> None:
        """Raise unless the person may fill this seat."""
        _require_creator(table, person)
        _require_seat(table, message.seat)
        if table.seats[message.seat].occupant is not None:
            raise Refused("taken", "that seat is taken")

    def decide(self, table: Table, at: Moment) -> Progress:
        """Seat the AI; a series of AIs alone counts against the person's day."""
        person, message = self.person, self.message
        self.require(table, person, message)
        guards: tuple[AiGames, ...] = ()
        if all(seat.is_ai for n, seat in enumerate(table.seats) if n != message.seat):
            if table.options.rated:
                raise Refused("not_rateable", "games of AIs alone are not rated")
            guards = (AiGames(person.answerable, table.options.games),)
        player = Occupant.ai(self.agent, message.level, message.seat)
        return Progress(table, guards=guards) + events.Seated(message.seat, player.stored, "")


@dataclass(frozen=True)
class Pause:
    """Stop the clocks, or let them go on: the creator may, and in a rated game all by consent."""

    person: Person
    message: client_messages.Pause

    def lets_ais_go_on(self, table: Table) -> bool:
        """Return whether a game of AIs alone is to go on, which takes processor time."""
        is_creator = self.person.id == table.creator
        return is_creator and table.paused and table.only_ais and not self.message.on

    def decide(self, table: Table, at: Moment) -> Progress:
        """Stop, or go on; a rated game stops when all players who are here have asked."""
        on = self.message.on
        if table.options.rated:
            own_seat(table, self.person)
        else:
            _require_creator(table, self.person)
        if table.paused == on:
            return Progress(table, repeats=table.n)
        if on:
            _require_pausable(table)
            if table.options.rated and not self._is_agreed(table, at):
                return Progress(table)
        return Progress(table) + events.Paused(on, self.person.name)

    def _is_agreed(self, table: Table, at: Moment) -> bool:
        asked = at.pausing | {own_seat(table, self.person)}
        return all(
            seat.is_ai or seat.left or number in asked or number not in at.here
            for number, seat in enumerate(table.seats)
        )

    def attend(self, attendance: Attendance, table: Table, now: float) -> Attendance:
        """Note who asks for a pause of a rated game, or no longer does."""
        if not table.options.rated or table.paused:
            return attendance
        seat = {own_seat(table, self.person)}
        pausing = attendance.pausing
        return replace(attendance, pausing=pausing | seat if self.message.on else pausing - seat)


@dataclass(frozen=True)
class ChooseAbsence:
    """Choose what an absence does."""

    person: Person
    message: client_messages.Absence

    def decide(self, table: Table, at: Moment) -> Progress:
        """Let the choice count from now on."""
        _require_creator(table, self.person)
        if table.options.rated:
            problem = "rated games are alike for all: nobody chooses what an absence does"
            raise Refused("refused", problem)
        chosen = (self.message.action, self.message.seconds)
        if chosen == (table.absence, table.absence_seconds):
            return Progress(table, repeats=table.n)
        return Progress(table) + events.AbsenceChosen(*chosen)


@dataclass(frozen=True)
class Rematch:
    """Ask for another series."""

    person: Person
    message: client_messages.Rematch

    def decide(self, table: Table, at: Moment) -> Progress:
        """Add the seat to those that want a rematch."""
        seat = own_seat(table, self.person)
        if table.status != "finished":
            raise Refused("not_over", "the series is not over")
        if seat in table.rematch:
            return Progress(table, repeats=table.n)
        if not table.full:
            raise Refused("seats_free", "a seat is free: fill it, or wait for a player")
        return Progress(table) + events.RematchWanted(seat, self.message.seed)


def rematch_is_agreed(table: Table, here: frozenset[int]) -> bool:
    """Return whether all people who are here have asked for another series."""
    people = {
        number
        for number, seat in enumerate(table.seats)
        if seat.occupant is not None and seat.occupant.kind == "person" and number in here
    }
    return people <= table.rematch


@dataclass(frozen=True)
class Say:
    """React or say something."""

    person: Person
    message: client_messages.Say

    def decide(self, table: Table, at: Moment) -> Progress:
        """Say one of the three."""
        seat, message = own_seat(table, self.person), self.message
        if (
            sum(value is not None for value in (message.reaction, message.phrase, message.text))
            != 1
        ):
            raise Refused("wrong_field", "say needs one of reaction, phrase and text")
        if message.text is not None:
            if not table.options.private:
                raise Refused("no_text", "free text can be said at private tables only")
            if table.seats[seat].muted or self.person.muted:
                raise Refused("muted", "your words are not let through here")
        return Progress(table) + events.Said(seat, message.reaction, message.phrase, message.text)


@dataclass(frozen=True)
class Mute:
    """Hide what a seat says, or show it again."""

    person: Person
    message: client_messages.Mute

    def decide(self, table: Table, at: Moment) -> Progress:
        """Hide it or show it."""
        _require_creator(table, self.person)
        _require_seat(table, self.message.seat)
        if table.seats[self.message.seat].muted == self.message.on:
            return Progress(table, repeats=table.n)
        return Progress(table) + events.Muted(self.message.seat, self.message.on)


@dataclass(frozen=True)
class Hurry:
    """Let AIs finish at once when only they are left."""

    person: Person
    message: client_messages.Hurry

    def decide(self, table: Table, at: Moment) -> Progress:
        """Check that nobody else still plays; only clocks change."""
        if self.person.id != table.creator:
            own_seat(table, self.person)
        play = table.playing
        if play is None:
            raise Refused("not_playing", "no game is being played at this table")
        if any(table.seats[seat].agent is None for seat in play.hosting.in_play(play.position)):
            raise Refused("still_playing", "a person or bot still has dice")
        return Progress(table)

    def attend(self, attendance: Attendance, table: Table, now: float) -> Attendance:
        """Let nobody wait any more."""
        return replace(attendance, hurried=True).restarted(now)


@dataclass(frozen=True)
class Auto:
    """Decline out of turn without being asked."""

    person: Person
    message: client_messages.Auto

    def decide(self, table: Table, at: Moment) -> Progress:
        """Check that the person plays here."""
        own_seat(table, self.person)
        return Progress(table)

    def attend(self, attendance: Attendance, table: Table, now: float) -> Attendance:
        """Decline from now on, or no longer."""
        seat = {own_seat(table, self.person)}
        declining = attendance.declining
        return replace(
            attendance, declining=declining | seat if self.message.decline else declining - seat
        )


COMMANDS: dict[type[Any], Callable[[Person, Any], Command]] = {
    client_messages.Action: Act,
    client_messages.Sit: Sit,
    client_messages.Seed: SendSeed,
    client_messages.Stand: Stand,
    client_messages.Kick: Kick,
    client_messages.Pause: Pause,
    client_messages.Absence: ChooseAbsence,
    client_messages.Rematch: Rematch,
    client_messages.Hurry: Hurry,
    client_messages.Auto: Auto,
    client_messages.Say: Say,
    client_messages.Mute: Mute,
}
"""The command that each message asks for; ``fill`` needs to know its AI as well."""
CHANGES = (Sit, Stand, Kick, Fill, Pause, ChooseAbsence, Mute)
"""Commands that a person can give again and again, each time with a new event."""


# --- conditions ---------------------------------------------------------------------------------
def own_seat(table: Table, person: Person) -> int:
    """Return a person's seat."""
    seat = table.seat_of(person.id)
    if seat is None:
        raise Refused("not_seated", "you have no seat at this table")
    return seat


def _require_creator(table: Table, person: Person) -> None:
    if person.id != table.creator:
        raise Refused("not_creator", "only the creator of the table may do that")


def _require_seat(table: Table, seat: int) -> None:
    if seat >= len(table.seats):
        raise Refused("no_seat", f"the table has {len(table.seats)} seats")


def _require_pausable(table: Table) -> None:
    """Raise unless the table may be paused: rated ones only during a game, and not for ever."""
    rated = table.options.rated
    if table.status not in ("waiting", "playing") or (rated and table.playing is None):
        raise Refused("not_playing", "no game is being played at this table")
    if rated and table.pauses >= MOST_PAUSES:
        problem = f"a rated game can be paused {MOST_PAUSES} times"
        raise Refused("refused", problem, limit="pauses_per_game")


def _require_may_meet(table: Table, person: Person) -> None:
    """Raise unless the person may sit at this table: accounts of different owners, if rated."""
    if not table.options.rated:
        return
    if person.kind == "guest":
        raise Refused("needs_account", "rated games need an account")
    for seat in table.seats:
        if seat.occupant is not None and seat.occupant.owner == person.answerable:
            raise Refused("same_owner", "seats of one owner do not meet in rated games")


def _free_name(table: Table, name: str) -> str:
    """Return the name, with a number if another player here has it."""
    names = {seat.occupant.name for seat in table.seats if seat.occupant is not None}
    tried, number = name, 2
    while tried in names:
        tried, number = f"{name} {number}", number + 1
    return tried


def _emptied(table: Table, seat: int, reason: str, at: Moment) -> Progress:
    """Take a player from a seat; during a game an AI plays on."""
    occupant = table.seats[seat].occupant
    assert occupant is not None
    stand_in = None if table.playing is None else occupant.agent or at.stand_in
    return Progress(table) + events.Left(seat, reason, stand_in)
