"""The game on a table: a position, the log that led to it, and the answers to its open question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from perudo.fair_dice import FairDice
from perudo.games.errors import NotYourTurnError, PerudoError
from perudo.games.game import State, require_legal, seat_name
from perudo.games.hosting import Hosting, Json, Moves, hosting_of
from perudo.games.log import Event, Header, SeenEvent, follow, next_event
from perudo.games.operations import SPECTATOR
from perudo.record import MatchRecord, parse_header
from perudo.server.table.trail import Trail
from perudo.server.wire.events import Player


@dataclass(frozen=True)
class Play:
    """One game of a table, as far as it has been played.

    Where several seats are asked at once (a *window*), their answers stay sealed until it closes.
    """

    number: int
    header: Header
    lineup: tuple[Player, ...]
    """The players by seat when the game began."""
    dice: FairDice = field(repr=False)
    hosting: Hosting
    setting: Any
    position: State = field(repr=False)
    events: Trail[Event] = field(default_factory=Trail, repr=False)
    """The log of the match."""
    settled: tuple[tuple[int, State], ...] = field(default=(), repr=False)
    """The position after each settled round, with the number of its event in ``events``."""
    question: int = 0
    """The number of the table's event that put the question."""
    answers: Mapping[int, str] = field(default_factory=dict, repr=False)
    """Stored answers to the open question, by seat."""
    kept_view: Json = field(default_factory=dict, repr=False, compare=False)
    """The public facts that most moves leave as they are, made once for several positions."""

    @staticmethod
    def begin(number: int, header: Header, lineup: Sequence[Player], dice: FairDice) -> Play:
        """Set a game up, before its first deal."""
        record = parse_header(header)
        return Play(
            number=number,
            header=header,
            lineup=tuple(lineup),
            dice=dice,
            hosting=hosting_of(record.game.name),
            setting=record.setting,
            position=record.start_state(),
        )

    # --- going on -------------------------------------------------------------------------------
    def after(self, event: Event, question: int) -> Play:
        """Return the game after an event of its log; raise if the event does not follow."""
        if event.get("n") != len(self.events) + 1:
            raise PerudoError(f"event {event.get('n')!r} of a match is not {len(self.events) + 1}")
        record = self.position.record
        is_settled = not self.events or self.events[-1]["event"] != "act"
        follow(self.position.game, record, event, is_settled)
        position, settled = type(self.position)(record), self.settled
        if event["event"] == "result":
            settled = (*settled, (event["n"], position))
        return replace(
            self,
            position=position,
            events=self.events.plus(event),
            settled=settled,
            question=question,
            answers={},
            kept_view=self.kept_view if self.hosting.keeps_view(event) else {},
        )

    def next_event(self) -> Event | None:
        """Return the event that follows without a decision; None if a decision is awaited."""
        last = self.events[-1]["event"] if self.events else "deal"
        if last == "end":
            return None
        found = next_event(self.position.game, self.position.record, last != "act", self.dice)
        return None if found is None else self.numbered(found)

    def numbered(self, event: Event) -> Event:
        """Return an event with the next number of the log."""
        return {"n": len(self.events) + 1, **event}

    def record(self) -> MatchRecord:
        """Return the match as a record."""
        record = parse_header(self.header)
        record.events = list(self.events)
        return record

    @property
    def over(self) -> bool:
        """True when the match has ended."""
        return bool(self.events) and self.events[-1]["event"] == "end"

    # --- what is asked --------------------------------------------------------------------------
    @cached_property
    def asked(self) -> tuple[int, ...]:
        """The seats whose decision is wanted."""
        return self.hosting.asked(self.position)

    @cached_property
    def window(self) -> tuple[int, ...]:
        """The seats in the open window; empty if there is none."""
        return self.asked if self.hosting.is_window(self.position) else ()

    def awaited(self, proposals: Mapping[int, str]) -> tuple[int, ...]:
        """Return the seats in the window that have not answered, or the seat that has the turn."""
        if not self.window:
            return self.asked
        return tuple(s for s in self.window if s not in self.answers and s not in proposals)

    def moves(self, proposals: Mapping[int, str], *, closing: bool = False) -> Moves | None:
        """Return what the answers come to; ``closing`` a window answers for the other seats."""
        answers = {**proposals, **self.answers}
        if closing:
            for seat in self.awaited(proposals):
                answers[seat] = self.default(seat)
        return self.hosting.moves(self.position, answers)

    def require(self, seat: int, action: str) -> str:
        """Return a legal action in its usual spelling; raise what is wrong with it."""
        if seat not in self.asked:
            raise self.not_asked(seat)
        code = self.hosting.action_code(action)
        text = self.hosting.action_text(code)
        if text not in self._legal.get(seat, ()):  # else the seat's view has offered it
            require_legal(self.observe(seat).record, code)
        return text

    def not_asked(self, seat: int) -> NotYourTurnError:
        """Return the error of a seat whose decision is not wanted."""
        actor = self.position.actor
        who = "nobody" if actor is None else f"seat {seat_name(actor)}"
        why = "the calza window is open" if self.window else f"{who} is to act"
        return NotYourTurnError(f"seat {seat_name(seat)} is not asked: {why}")

    def default(self, seat: int) -> str:
        """Return what an expired clock plays."""
        return self.hosting.default(self.observe(seat), self.legal(seat))

    # --- what viewers see -----------------------------------------------------------------------
    def observe(self, viewer: int = SPECTATOR) -> Any:
        """Return what a viewer may know; a seat that is asked sees itself as the actor."""
        if viewer not in self._seen:
            asked = viewer in self.window
            look = self.hosting.observe if asked else type(self.position).observe
            self._seen[viewer] = look(self.position, viewer)
        return self._seen[viewer]

    def last(self, kind: str, viewer: int = SPECTATOR) -> SeenEvent | None:
        """Return the last event of a kind as a viewer may know it."""
        found = next((each for each in reversed(self.events) if each["event"] == kind), None)
        return None if found is None else self.hosting.seen(found, viewer)

    def legal(self, seat: int) -> list[str]:
        """Return what a seat may do now."""
        if seat not in self.asked:
            return []
        if seat not in self._legal:
            self._legal[seat] = self.hosting.legal(self.observe(seat))
        return self._legal[seat]

    @cached_property
    def public_view(self) -> Json:
        """The part of the position that everybody may know."""
        turn = self.hosting.turn(self.position) if self.window else self.position.actor
        if not self.kept_view:
            self.kept_view.update(self.hosting.view(self.observe(), self.last("result")))
        passing = self.hosting.passing_view(self.events)
        return {**self.kept_view, **passing, "game": self.number, "turn": turn}

    @cached_property
    def _seen(self) -> dict[int, State]:
        return {}

    @cached_property
    def _legal(self) -> dict[int, list[str]]:
        return {}
