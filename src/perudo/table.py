"""One match's authority: it holds the state, rolls the dice, takes actions and keeps the record.

No input or output, no clock, no threads. Whoever is at the table gets observations; only the table
has the state. What it refuses leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from perudo.games.chance import key_of
from perudo.games.errors import NotYourTurnError
from perudo.games.game import (
    Game,
    LegalActions,
    Payload,
    State,
    action_code,
    copied,
    require_legal,
    seat_name,
)
from perudo.games.log import DiceSource, Event, SeenEvent, next_event
from perudo.games.operations import SPECTATOR, Record
from perudo.record import MatchRecord


class KeyedDice:
    """Dice that are a function of a key and of each die's place: (round, seat, die)."""

    def __init__(self, key: np.uint64) -> None:
        self._key = key

    def deal(self, game: Game, record: Record) -> Payload:
        """Roll from the key."""
        story = game.chance_story(record, self._key)
        game.operations.deal(record, self._key)
        return story

    def settled(self, game: Game, record: Record) -> Payload:
        """Nothing: the key stays in use."""
        return {}

    def ended(self, game: Game, record: Record) -> Payload:
        """Nothing: whoever made the key knows it."""
        return {}


class SeededDice(KeyedDice):
    """The same from a seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(key_of(seed))


class Table:
    """One match.

    >>> from perudo.games.perudo import PERUDO, Rules
    >>> table = Table(PERUDO, Rules.preset("common"), ["you", "me"], SeededDice(1))
    >>> table.act(table.actor, "2x3")["action"]
    '2x3'
    """

    def __init__(
        self,
        game: Game,
        setting: Any,
        players: Sequence[str],
        dice: DiceSource,
        **start: Any,
    ) -> None:
        self._record = MatchRecord(game, setting, list(players), cast(Payload, start))
        self._dice = dice
        initial = self._record.start_state()
        self._state_type = type(initial)
        self._state = initial.record
        self._snapshots: list[Record] = []  # the state after each event, for those who catch up
        self._advance()

    @staticmethod
    def resume(record: MatchRecord, dice: DiceSource) -> Table:
        """A table that goes on where a record stopped."""
        table = Table.__new__(Table)
        table._record = record
        table._dice = dice
        states = [record.start_state(), *(state for _, state in record.replay())]
        table._state_type = type(states[0])
        table._snapshots = [state.record for state in states[1:]]
        table._state = states[-1].record
        table._advance()
        return table

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self._record.game

    @property
    def record(self) -> MatchRecord:
        """The log so far."""
        return self._record

    @property
    def players(self) -> list[str]:
        """The names at the table, by seat."""
        return list(self._record.players)

    @property
    def actor(self) -> int | None:
        """The seat to act; None when the match is over."""
        return self._actor if self._actor >= 0 else None

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.actor is None

    @property
    def state(self) -> State:
        """The full state, for the lab and for records; never for those who play."""
        return self._state_type(self._state)

    def observe(self, viewer: int = SPECTATOR) -> Any:
        """What a seat, or a spectator, may know."""
        return self.state.observe(viewer)

    def story(self, viewer: int = SPECTATOR, after: int = 0) -> Iterator[tuple[SeenEvent, Any]]:
        """The events after number ``after`` as a viewer may know them, each with its view."""
        for event, snapshot in zip(
            self._record.events[after:], self._snapshots[after:], strict=True
        ):
            view = self._state_type(snapshot).observe(viewer)
            seen = cast(SeenEvent, dict(event))
            if event["event"] == "deal":
                seen.update(cast(SeenEvent, self.game.format_deal(view.record)))
            elif event["event"] == "act" and self.game.hides_action(view.record, event["seat"]):
                seen["action"] = None
            yield seen, view

    @property
    def legal_actions(self) -> LegalActions:
        """What the actor may do."""
        return self.state.legal_actions

    def act(self, seat: int | None, action: Any) -> Event:
        """Take an action; raises, and changes nothing, if it is not theirs or not legal."""
        actor = self.actor
        if actor is None:
            raise NotYourTurnError("the match is over")
        if seat != actor:
            raise NotYourTurnError(
                f"seat {seat_name(actor)} is to act, not "
                + (f"seat {seat_name(seat)}" if seat is not None else "nobody")
            )
        code = action_code(self.game, action)
        require_legal(self._state, code)
        self.game.operations.apply(self._state, code)
        action = self.game.format_action(code)
        event = self._log({"event": "act", "seat": actor, "action": action})
        self._advance()
        return event

    def _log(self, event: Event) -> Event:
        self._snapshots.append(copied(self._state))
        return self._record.append(event)

    def _advance(self) -> None:
        """After an action: write down what it settled, and deal what comes next."""
        last = self._record.events[-1]["event"] if self._record.events else "deal"
        while last != "end":
            event = next_event(self.game, self._state, last != "act", self._dice)
            if event is None:
                break
            last = event["event"]
            self._log(event)
        self._actor = int(self.game.operations.actor(self._state))
