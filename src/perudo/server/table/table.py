"""What a table's log says: a fold over its events, the same live and after a restart."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from perudo.fair_dice import FairDice
from perudo.record import MatchRecord
from perudo.server.table.match import Match
from perudo.server.wire.events import AbsenceAction, Event, Player, PlayerKind
from perudo.server.wire.server_messages import PublicView, Status
from perudo.server.wire.table_options import SeatChoice, TableOptions, stored_options

RECORD_KINDS = ("deal", "act", "result", "end")
"""Kinds of events that belong to a game's own record."""


@dataclass(frozen=True)
class Logged:
    """One event of a table's log."""

    n: int
    at: float
    kind: str
    data: dict[str, Any]
    hidden: dict[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Draft:
    """An event that is about to happen."""

    kind: str
    data: dict[str, Any]
    hidden: dict[str, Any] | None = field(default=None, repr=False)


class StoredPlayer(Player):
    """A player as the log keeps them."""

    owner: str | None


@dataclass(frozen=True)
class Occupant:
    """Who has a seat."""

    name: str
    kind: PlayerKind
    id: str | None = None
    agent: str | None = None
    owner: str | None = None
    """Who answers for a bot."""

    @property
    def public(self) -> Player:
        """What everybody may know."""
        return {"name": self.name, "kind": self.kind, "id": self.id, "agent": self.agent}

    @property
    def stored(self) -> StoredPlayer:
        """What the log keeps."""
        return {**self.public, "owner": self.owner}


@dataclass
class Seat:
    """A place at a table."""

    choice: SeatChoice
    occupant: Occupant | None = None
    seed: str = ""
    stand_in: str | None = None
    """The AI that plays here for somebody who is away."""
    left: bool = False
    """Whether the player has left during the game."""
    muted: bool = False

    @property
    def agent(self) -> str | None:
        """The AI that decides here now, if one does."""
        if self.stand_in is not None:
            return self.stand_in
        return self.occupant.agent if self.occupant is not None else None


@dataclass
class TableState:
    """A table, as its log tells."""

    id: str
    options: TableOptions
    creator: str
    created: float
    seats: list[Seat]
    key: str | None = field(default=None, repr=False)
    """Of its invitation; None: no seat is kept for those who have it."""
    n: int = 0
    status: Status = "waiting"
    game: int = 0
    """The number of the game that is played, or was played last."""
    first_game: int = 1
    """The number of the first game of this series."""
    match: Match | None = None
    question: int = 0
    """The number of the event that the awaited decisions answer."""
    secrets: dict[int, bytes] = field(default_factory=dict)
    """The dice's secret of this game and the next."""
    paused: bool = False
    wins: list[int] = field(default_factory=list)
    sitting: list[int] = field(default_factory=list)
    """Who sits where: by seat, the seat at which they were when the series began."""
    rematch: set[int] = field(default_factory=set)
    moves: dict[tuple[int, str], int] = field(default_factory=dict)
    """The event that each move of this game caused, by seat and the client's name for it."""
    log: list[Logged] = field(default_factory=list)
    """Events since this game began, or since the one before ended."""
    absence: AbsenceAction = "ai"
    absence_seconds: float | None = None
    kicked: set[str] = field(default_factory=set)
    """People whom the creator has sent away for good."""
    told: dict[int, Event] = field(default_factory=dict, repr=False)
    """Events of this game as everybody is told them, made once."""
    public_view: PublicView | None = field(default=None, repr=False)
    """What everybody may know of the game now; None: to be made."""

    @staticmethod
    def from_options(id: str, options: TableOptions, creator: str, at: float) -> TableState:
        """A table at which nobody sits."""
        return TableState(
            id,
            options,
            creator,
            at,
            [Seat(choice) for choice in options.seats],
            wins=[0] * len(options.seats),
            sitting=list(range(len(options.seats))),
            absence=options.absence,
            absence_seconds=options.absence_seconds,
        )

    def seat_of(self, person: str) -> int | None:
        """Where somebody sits."""
        for number, seat in enumerate(self.seats):
            if seat.occupant is not None and seat.occupant.id == person and not seat.left:
                return number
        return None

    @property
    def series_over(self) -> bool:
        """Whether all games of the series have been played."""
        return self.game - self.first_game + 1 >= self.options.games and (
            self.match is None or self.match.over
        )

    @property
    def only_ais(self) -> bool:
        """Whether there is an AI in every seat."""
        return all(seat.occupant is not None and seat.occupant.kind == "ai" for seat in self.seats)

    @property
    def deserted(self) -> bool:
        """Whether all people and bots have left."""
        return all(
            seat.occupant is None or seat.occupant.kind == "ai" or seat.left for seat in self.seats
        )

    def places(self, sitting: list[int]) -> list[int]:
        """By seat of another sitting, where that player sits now."""
        return [self.sitting.index(entrant) for entrant in sitting]

    def dice(self, number: int, seeds: list[str]) -> FairDice:
        """The dice of a game."""
        return FairDice(self.secrets[number], seeds)

    # --- the fold -------------------------------------------------------------------------------
    def apply(self, event: Logged) -> None:
        """Take in one event. The game on the table has taken in its own already."""
        self.n = event.n
        self.log.append(event)
        if event.kind in RECORD_KINDS:
            self.question = event.n
            self.public_view = None
        taker = getattr(self, f"_{event.kind}", None)
        if taker is not None:
            taker(event)

    def _anchor(self, event: Logged) -> None:
        assert event.hidden is not None
        self.secrets[event.data["game"]] = bytes.fromhex(event.hidden["secret"])

    def _seated(self, event: Logged) -> None:
        seat = self.seats[event.data["seat"]]
        seat.occupant = Occupant(**event.data["player"])
        seat.seed = event.data["seed"]
        seat.stand_in, seat.left, seat.muted = None, False, False

    def _left(self, event: Logged) -> None:
        seat = self.seats[event.data["seat"]]
        if event.data["reason"] == "kicked" and seat.occupant and seat.occupant.id:
            self.kicked.add(seat.occupant.id)
        if event.data["stand_in"] is None:
            seat.occupant, seat.seed, seat.stand_in = None, "", None
        else:  # during a game: its record keeps the name
            seat.left, seat.stand_in = True, event.data["stand_in"]
        self.rematch.discard(event.data["seat"])

    def _absent(self, event: Logged) -> None:
        self.seats[event.data["seat"]].stand_in = event.data["agent"]

    def _back(self, event: Logged) -> None:
        self.seats[event.data["seat"]].stand_in = None

    def _started(self, event: Logged) -> None:
        self.status, self.game = "playing", event.data["game"]
        if event.data["first"]:
            self.first_game, self.wins = self.game, [0] * len(self.seats)
            self.sitting = list(range(len(self.seats)))
        # Logs from before AIs changed their seats do not tell.
        self._reseat(event.data.get("sitting", self.sitting))
        self.rematch, self.moves = set(), {}
        self.secrets = {number: key for number, key in self.secrets.items() if number >= self.game}
        self.log, self.told, self.public_view = [event], {}, None

    def _reseat(self, sitting: list[int]) -> None:
        places = self.places(sitting)
        self.seats = [self.seats[place] for place in places]
        self.wins = [self.wins[place] for place in places]
        self.sitting = list(sitting)

    def _act(self, event: Logged) -> None:
        if event.data.get("move") is not None:
            self.moves[event.data["record"]["seat"], event.data["move"]] = event.n

    def _answered(self, event: Logged) -> None:
        if event.data.get("move") is not None:
            self.moves[event.data["seat"], event.data["move"]] = event.n

    def _end(self, event: Logged) -> None:
        payoffs = event.data["record"]["payoffs"]
        self.wins[payoffs.index(max(payoffs))] += 1
        if self.game - self.first_game + 1 >= self.options.games:
            self.status = "finished"

    def _free(self, event: Logged) -> None:
        """After a game the seats of those who left it are free."""
        for number in event.data["seats"]:
            seat = self.seats[number]
            seat.occupant, seat.seed, seat.stand_in, seat.left = None, "", None, False

    def _paused(self, event: Logged) -> None:
        self.paused = event.data["on"]

    def _absence(self, event: Logged) -> None:
        self.absence, self.absence_seconds = event.data["action"], event.data["seconds"]

    def _rematch(self, event: Logged) -> None:
        self.rematch.add(event.data["seat"])
        if event.data["seed"]:
            self.seats[event.data["seat"]].seed = event.data["seed"]

    def _muted(self, event: Logged) -> None:
        self.seats[event.data["seat"]].muted = event.data["on"]

    def _closed(self, event: Logged) -> None:
        self.status = "closed"

    # --- loading --------------------------------------------------------------------------------
    @staticmethod
    def load(id: str, events: Iterable[Logged]) -> TableState:
        """The table that a log tells of; events of games before the last may be missing."""
        log = iter(events)
        opened = next(log)
        options = stored_options(opened.data["options"])
        state = TableState.from_options(id, options, opened.data["creator"], opened.at)
        state.n = opened.n
        state.key = None if opened.hidden is None else opened.hidden["key"]
        record: list[dict[str, Any]] = []
        answers: dict[int, str] = {}
        for event in log:
            if event.kind == "started":
                record, seeds = [event.data["header"]], event.data["seeds"]
            elif event.kind in RECORD_KINDS and record:
                record.append(event.data["record"])
                answers = {}
            elif event.kind == "answered":
                answers[event.data["seat"]] = event.data["action"]
            state.apply(event)
        if record and len(record) > 1:
            lines = (json.dumps(line) for line in record)
            match_record = MatchRecord.parse(lines, unfinished=True)
            state.match = Match.resume(state.game, match_record, state.dice(state.game, seeds))
            state.match.answers = answers
        return state
