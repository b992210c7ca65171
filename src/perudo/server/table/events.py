"""The kinds of events of a table's log: a frozen class for each.

``apply`` is the only code that makes a new ``Table``, live and when a log is loaded. An old log may
lack the fields that have a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from perudo.fair_dice import chain_to
from perudo.games.errors import PerudoError
from perudo.games.hosting import Hosting, Json
from perudo.games.log import Event as MatchEvent
from perudo.games.log import Header
from perudo.server.table.event import Event as Event
from perudo.server.table.play import Play
from perudo.server.table.table import Occupant, Ref, StoredPlayer, Table
from perudo.server.table.trail import Trail
from perudo.server.wire.events import AbsenceAction, By, Player


@dataclass(frozen=True)
class Opened(Event):
    """The table was made."""

    kind = "opened"
    hidden = ("key",)

    options: Json
    creator: str
    key: str | None = None


@dataclass(frozen=True)
class Anchor(Event):
    """The server has drawn the secrets of games, and published the hash of the first."""

    kind = "anchor"
    hidden = ("secret",)
    optional = ("last",)

    game: int
    anchor: str
    secret: str
    """The secret of the last of these games, from which the others follow."""
    last: int | None = None
    """The last game that the anchor commits to; None: there is only one."""

    def apply(self, table: Table, n: int) -> Table:
        """Keep the secrets."""
        last = self.game if self.last is None else self.last
        games = range(self.game, last + 1)
        drawn = zip(games, chain_to(bytes.fromhex(self.secret), len(games)), strict=True)
        return replace(
            table,
            secrets={**table.secrets, **dict(drawn)},
            chain_end=table.chain_end if self.last is None else last,
        )


@dataclass(frozen=True)
class Seated(Event):
    """A player has taken a seat."""

    kind = "seated"
    optional = ("seeds",)

    seat: int
    player: StoredPlayer
    seed: str
    seeds: bool = False
    """True if the player's client sends a seed for every game."""

    def apply(self, table: Table, n: int) -> Table:
        """Put the player there."""
        seat = replace(
            table.seats[self.seat].free(),
            occupant=Occupant(**self.player),
            seed=self.seed,
            seeds=self.seeds,
            muted=False,
        )
        return replace(table.with_seat(self.seat, seat), away=table.away - {self.seat})

    def told(self, viewer: int, hosting: Hosting) -> Json:
        """Leave out the seed and the owner of a bot."""
        return {"seat": self.seat, "player": Occupant(**self.player).public}


@dataclass(frozen=True)
class Left(Event):
    """A player has left a seat."""

    kind = "left"

    seat: int
    reason: str
    stand_in: str | None

    def apply(self, table: Table, n: int) -> Table:
        """Free the seat; during a game an AI plays on, and the record keeps the name."""
        seat = table.seats[self.seat]
        if self.reason == "kicked" and seat.occupant and seat.occupant.id:
            table = replace(table, kicked=table.kicked | {seat.occupant.id})
        if self.stand_in is None:
            seat = seat.free()
        else:
            seat = replace(seat, left=True, stand_in=self.stand_in)
            if self.seat in _in_play(table):
                table = replace(table, quit=table.quit | {self.seat})
        return replace(
            table.with_seat(self.seat, seat),
            rematch=table.rematch - {self.seat},
            away=table.away - {self.seat},
        )


@dataclass(frozen=True)
class Absent(Event):
    """An AI plays for a player who is away."""

    kind = "absent"

    seat: int
    agent: str

    def apply(self, table: Table, n: int) -> Table:
        """Let the AI play here."""
        counts = self.seat in _in_play(table)
        away = table.away | {self.seat} if counts else table.away - {self.seat}
        seat = replace(table.seats[self.seat], stand_in=self.agent)
        return replace(table.with_seat(self.seat, seat), away=away)


@dataclass(frozen=True)
class Back(Event):
    """An absent player plays again."""

    kind = "back"

    seat: int

    def apply(self, table: Table, n: int) -> Table:
        """Give the seat back."""
        seat = replace(table.seats[self.seat], stand_in=None)
        return replace(table.with_seat(self.seat, seat), away=table.away - {self.seat})


@dataclass(frozen=True)
class Started(Event):
    """A game has begun."""

    kind = "started"
    private = ("first", "header", "seeds")

    game: int
    first: bool
    """True for the first game of a series."""
    players: list[Player]
    sitting: list[int] | None = field(default=None, kw_only=True)
    """Each seat's player, as the seat they had when the series began; None: as before."""
    header: Header
    seeds: list[str]
    commit: str | None

    def apply(self, table: Table, n: int) -> Table:
        """Set the game up, and seat the players for it."""
        if self.first:
            seats = len(table.seats)
            table = replace(
                table, first_game=self.game, wins=(0,) * seats, seating=tuple(range(seats))
            )
        seating = table.seating if self.sitting is None else tuple(self.sitting)
        places = table.places(seating)
        seats_now = tuple(table.seats[place] for place in places)
        later = {game: secret for game, secret in table.secrets.items() if game >= self.game}
        table = replace(
            table,
            status="playing",
            game=self.game,
            seats=seats_now,
            wins=tuple(table.wins[place] for place in places),
            seating=seating,
            rematch=frozenset(),
            refs=Trail(),
            secrets=later,
            paused=False,
            pauses=0,
            quit=frozenset(),
            away=frozenset(
                n for n, seat in enumerate(seats_now) if seat.stand_in and not seat.left
            ),
        )
        return replace(table, play=_set_up(self, table))

    def told(self, viewer: int, hosting: Hosting) -> Json:
        """Leave out a seating that an old log does not have."""
        told = super().told(viewer, hosting)
        if self.sitting is None:
            del told["sitting"]
        return told


@dataclass(frozen=True)
class OfMatch(Event):
    """An event of the log of the match that is being played."""

    record: MatchEvent
    by: By | None = None
    """The decider of an action."""
    move: str | None = None
    """The client's name for it."""

    @property
    def data(self) -> Json:
        """The event as it is stored."""
        return super().data if self.by is not None else {"record": self.record}

    def apply(self, table: Table, n: int) -> Table:
        """Continue the match."""
        if table.play is None:
            raise PerudoError(f"{self.kind} before a game has started")
        return replace(table, n=n, play=table.play.after(self.record, n))

    def told(self, viewer: int, hosting: Hosting) -> Json:
        """Show what the game lets the viewer see."""
        seen = cast(Json, hosting.seen(self.record, viewer))
        return {name: value for name, value in seen.items() if name not in ("n", "event")}


@dataclass(frozen=True)
class Deal(OfMatch):
    """A round has been dealt."""

    kind = "deal"


@dataclass(frozen=True)
class Act(OfMatch):
    """A player has acted."""

    kind = "act"

    def apply(self, table: Table, n: int) -> Table:
        """Play it, and keep the client's name for it."""
        if table.play is None or self.move is None:
            return super().apply(table, n)
        refs = table.refs.plus(Ref(self.record["seat"], self.move, n))
        return replace(table, n=n, play=table.play.after(self.record, n), refs=refs)

    def told(self, viewer: int, hosting: Hosting) -> Json:
        """Add the decider."""
        return {**super().told(viewer, hosting), "by": self.by}


@dataclass(frozen=True)
class Result(OfMatch):
    """A round has been settled."""

    kind = "result"


@dataclass(frozen=True)
class End(OfMatch):
    """The game is over."""

    kind = "end"

    def apply(self, table: Table, n: int) -> Table:
        """Count the win; of earlier games the log may be loaded without their moves."""
        if table.play is not None and table.play.events:
            table = super().apply(table, n)
        payoffs = self.record["payoffs"]
        winner = payoffs.index(max(payoffs))
        wins = tuple(won + (seat == winner) for seat, won in enumerate(table.wins))
        over = table.game - table.first_game + 1 >= table.options.games
        return replace(table, wins=wins, status="finished" if over else table.status)


@dataclass(frozen=True)
class Answered(Event):
    """A player has answered in a window."""

    kind = "answered"
    private = ("action", "move")

    seat: int
    action: str
    move: str | None = None

    def apply(self, table: Table, n: int) -> Table:
        """Keep the answer, sealed."""
        if self.move is not None:
            table = replace(table, refs=table.refs.plus(Ref(self.seat, self.move, n)))
        play = table.play
        if play is None or not play.events:  # of an earlier game
            return table
        return replace(table, play=replace(play, answers={**play.answers, self.seat: self.action}))

    def told(self, viewer: int, hosting: Hosting) -> Json:
        """Show the answer to the player who gave it."""
        told = super().told(viewer, hosting)
        return {**told, "action": self.action} if viewer == self.seat else told


@dataclass(frozen=True)
class Free(Event):
    """The seats of players who left the game are free again."""

    kind = "free"

    seats: list[int]

    def apply(self, table: Table, n: int) -> Table:
        """Free these seats."""
        for number in self.seats:
            table = table.with_seat(number, table.seats[number].free())
        return table


@dataclass(frozen=True)
class Paused(Event):
    """The clocks have been stopped, or go on."""

    kind = "paused"
    optional = ("limit",)

    on: bool
    by: str | None
    """The name of who did it; None: the server, when a pause was over or a limit was reached."""
    limit: str | None = None
    """The limit that the creator has reached, if the server stopped the clocks for that."""

    def apply(self, table: Table, n: int) -> Table:
        """Stop the clocks, or let them go on."""
        pauses = table.pauses + self.on
        return replace(table, paused=self.on, limit=self.limit, pauses=pauses)


@dataclass(frozen=True)
class AbsenceChosen(Event):
    """The creator has chosen what an absence does."""

    kind = "absence"

    action: AbsenceAction
    seconds: float | None

    def apply(self, table: Table, n: int) -> Table:
        """Do so from now on."""
        return replace(table, absence=self.action, absence_seconds=self.seconds)


@dataclass(frozen=True)
class RematchWanted(Event):
    """A player asks for another series."""

    kind = "rematch"
    private = ("seed",)

    seat: int
    seed: str

    def apply(self, table: Table, n: int) -> Table:
        """Note it; a new seed takes the place of the old one."""
        table = replace(table, rematch=table.rematch | {self.seat})
        if not self.seed:
            return table
        return table.with_seat(self.seat, replace(table.seats[self.seat], seed=self.seed))


@dataclass(frozen=True)
class Seeded(Event):
    """A player has sent a fresh seed for the next game."""

    kind = "seeded"
    private = ("seed",)

    seat: int
    game: int
    seed: str

    def apply(self, table: Table, n: int) -> Table:
        """Let it take the place of the player's last seed."""
        seat = replace(table.seats[self.seat], seed=self.seed, seed_game=self.game)
        return table.with_seat(self.seat, seat)


@dataclass(frozen=True)
class Said(Event):
    """A player has said something."""

    kind = "said"

    seat: int
    reaction: str | None
    phrase: str | None
    text: str | None


@dataclass(frozen=True)
class Muted(Event):
    """The creator has muted a seat or lets it speak again."""

    kind = "muted"

    seat: int
    on: bool

    def apply(self, table: Table, n: int) -> Table:
        """Mute it or not."""
        return table.with_seat(self.seat, replace(table.seats[self.seat], muted=self.on))


@dataclass(frozen=True)
class Closed(Event):
    """The table is closed."""

    kind = "closed"

    reason: str

    def apply(self, table: Table, n: int) -> Table:
        """Close the table."""
        return replace(table, status="closed")


KINDS: Mapping[str, type[Event]] = {
    each.kind: each
    for each in (
        *(Opened, Anchor, Seated, Left, Absent, Back, Started, Deal, Act, Result, End, Answered),
        *(Free, Paused, AbsenceChosen, RematchWanted, Seeded, Said, Muted, Closed),
    )
}
"""Every kind of event."""
MATCH_KINDS: Mapping[str, type[OfMatch]] = {each.kind: each for each in (Deal, Act, Result, End)}


def _in_play(table: Table) -> tuple[int, ...]:
    play = table.playing
    return () if play is None else play.hosting.in_play(play.position)


def _set_up(started: Started, table: Table) -> Play:
    dice = table.dice(started.game, started.seeds)
    return Play.begin(started.game, started.header, started.players, dice)
