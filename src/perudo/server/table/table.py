"""A table: exactly what its log says. It never changes; each event makes another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from perudo.fair_dice import FairDice
from perudo.games.game import seat_name
from perudo.server.table.play import Play
from perudo.server.table.trail import Trail
from perudo.server.wire.events import AbsenceAction, Player, PlayerKind
from perudo.server.wire.server_messages import Status
from perudo.server.wire.table_options import SeatChoice, TableOptions


class StoredPlayer(Player):
    """A player as the log keeps them."""

    owner: str | None


@dataclass(frozen=True)
class Occupant:
    """The player in a seat."""

    name: str
    kind: PlayerKind
    id: str | None = None
    agent: str | None = None
    owner: str | None = None
    """The account that answers for a bot."""

    @staticmethod
    def ai(spec: str, level: str | None, seat: int) -> Occupant:
        """Return an AI with a name that no other at the table has."""
        return Occupant(f"{level or spec} ({seat_name(seat)})"[:64], "ai", agent=spec)

    @property
    def public(self) -> Player:
        """The part that everybody may know."""
        return {"name": self.name, "kind": self.kind, "id": self.id, "agent": self.agent}

    @property
    def stored(self) -> StoredPlayer:
        """The player as the log keeps them."""
        return {**self.public, "owner": self.owner}


@dataclass(frozen=True)
class Seat:
    """A place at a table."""

    choice: SeatChoice
    occupant: Occupant | None = None
    seed: str = ""
    seed_game: int = 0
    """The game for which the seed was sent, once its anchor was published; 0: for no certain one.
    """
    seeds: bool = False
    """True if the player's client sends a seed for every game."""
    stand_in: str | None = None
    """The AI that plays here for an absent player."""
    left: bool = False
    """True if the player has left during the game."""
    muted: bool = False

    @property
    def agent(self) -> str | None:
        """The AI that decides here now, if one does."""
        if self.stand_in is not None:
            return self.stand_in
        return self.occupant.agent if self.occupant is not None else None

    @property
    def is_ai(self) -> bool:
        """True if an AI sits here."""
        return self.occupant is not None and self.occupant.kind == "ai"

    def free(self) -> Seat:
        """Return the seat without its player."""
        return Seat(self.choice, muted=self.muted)


class Ref(NamedTuple):
    """A move by its seat and the client's name for it, and the number of the event it caused."""

    seat: int
    move: str
    n: int


@dataclass(frozen=True)
class Table:
    """A table and the game on it."""

    id: str
    options: TableOptions
    creator: str
    created: float
    seats: tuple[Seat, ...]
    absence: AbsenceAction
    absence_seconds: float | None
    key: str | None = field(default=None, repr=False)
    """The key of its invitation; None: no seat is kept for invited players."""
    n: int = 0
    """The number of the last event."""
    status: Status = "waiting"
    game: int = 0
    """The number of the game being played, or else of the last; 0 before the first."""
    first_game: int = 1
    """The number of the first game of this series."""
    play: Play | None = None
    secrets: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    """The secrets of the dice, by game, of this game and later ones."""
    chain_end: int = 0
    """The last game of the chain of secrets; those of old logs are not chained."""
    paused: bool = False
    pauses: int = 0
    """The number of times that this game has been paused."""
    limit: str | None = None
    """The limit for which the server has paused the table."""
    wins: tuple[int, ...] = ()
    seating: tuple[int, ...] = ()
    """Each seat's player, as the seat they had when the series began."""
    rematch: frozenset[int] = frozenset()
    refs: Trail[Ref] = field(default_factory=Trail)
    """The moves of this game that clients have named."""
    kicked: frozenset[str] = frozenset()
    """People whom the creator has sent away for good."""
    quit: frozenset[int] = frozenset()
    """Seats whose players left this game before they were out of it."""
    away: frozenset[int] = frozenset()
    """Seats whose players were away before they were out of the game, and have not come back."""

    @staticmethod
    def with_options(id: str, options: TableOptions, creator: str, created: float) -> Table:
        """Return a table at which nobody sits."""
        seats = range(len(options.seats))
        return Table(
            id,
            options,
            creator,
            created,
            tuple(Seat(choice) for choice in options.seats),
            options.absence,
            options.absence_seconds,
            wins=tuple(0 for _ in seats),
            seating=tuple(seats),
        )

    def with_seat(self, number: int, seat: Seat) -> Table:
        """Return the table with one seat replaced."""
        seats = list(self.seats)
        seats[number] = seat
        return replace(self, seats=tuple(seats))

    def seat_of(self, person: str) -> int | None:
        """Return the seat of a person."""
        for number, seat in enumerate(self.seats):
            if seat.occupant is not None and seat.occupant.id == person and not seat.left:
                return number
        return None

    def effect_of(self, seat: int, move: str) -> int | None:
        """Return the event that a move of this game has caused, if it has been made."""
        made = (ref.n for ref in reversed(self.refs) if ref.move == move and ref.seat == seat)
        return next(made, None)

    @cached_property
    def playing(self) -> Play | None:
        """The game on the table, if it is not over."""
        return None if self.play is None or self.play.over else self.play

    @property
    def question(self) -> int:
        """The number that an action must quote."""
        return 0 if self.play is None else self.play.question

    @property
    def series_over(self) -> bool:
        """True when all games of the series have been played."""
        return self.game - self.first_game + 1 >= self.options.games and self.playing is None

    @property
    def only_ais(self) -> bool:
        """True if there is an AI in every seat."""
        return all(seat.is_ai for seat in self.seats)

    @property
    def deserted(self) -> bool:
        """True when all people and bots have left."""
        return all(seat.occupant is None or seat.is_ai or seat.left for seat in self.seats)

    @property
    def full(self) -> bool:
        """True if every seat has a player."""
        return all(seat.occupant is not None for seat in self.seats)

    @property
    def with_person(self) -> bool:
        """True if a person sits here who might want to follow the game."""
        return any(
            seat.occupant is not None and seat.occupant.kind == "person" and not seat.left
            for seat in self.seats
        )

    @property
    def may_begin(self) -> bool:
        """True if a game can begin; none begins at a paused table."""
        return self.full and self.status != "closed" and self.playing is None and not self.paused

    @property
    def awaits_seeds(self) -> bool:
        """True if the next game lacks the seed of a client that sends one for every game."""
        return any(
            seat.seeds and seat.stand_in is None and seat.seed_game != self.game + 1
            for seat in self.seats
        )

    def places(self, seating: Sequence[int]) -> list[int]:
        """Return, by seat of another seating, where that player sits now."""
        return [self.seating.index(player) for player in seating]

    def dice(self, number: int, seeds: list[str]) -> FairDice:
        """Return the dice of a game."""
        return FairDice(self.secrets[number], seeds, max(self.chain_end - number, 0))
