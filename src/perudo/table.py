"""The authority over a match: it holds the state, rolls the dice, takes actions, keeps the record.

It has no input or output, no clock and no threads. Players and spectators get observations; only
the table has the state. An action that it refuses changes nothing.
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
    """Dice that are a function of a key and of each die's position: (round, seat, die)."""

    def __init__(self, key: np.uint64) -> None:
        self._key = key

    def deal(self, game: Game, record: Record) -> Payload:
        """Roll all dice of a round from the key."""
        story = game.chance_story(record, self._key)
        game.operations.deal(record, self._key)
        return story

    def settled(self, game: Game, record: Record) -> Payload:
        """Reveal nothing: the key stays in use."""
        return {}

    def ended(self, game: Game, record: Record) -> Payload:
        """Reveal nothing: the caller has the key."""
        return {}


class SeededDice(KeyedDice):
    """Dice that are a function of an integer seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(key_of(seed))


class Table:
    """A match in progress.

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
        self._snapshots: list[Record] = []  # the state after each event, for ``story``
        self._advance()

    @staticmethod
    def resume(record: MatchRecord, dice: DiceSource) -> Table:
        """Return a table that continues a match from its record."""
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
        """The game being played."""
        return self._record.game

    @property
    def record(self) -> MatchRecord:
        """The record of the match so far."""
        return self._record

    @property
    def players(self) -> list[str]:
        """The players' names, by seat."""
        return list(self._record.players)

    @property
    def actor(self) -> int | None:
        """The seat to act; None when the match is over."""
        return self._actor if self._actor >= 0 else None

    @property
    def over(self) -> bool:
        """True if the match is over."""
        return self.actor is None

    @property
    def state(self) -> State:
        """The full state, for the lab and for records; never show it to a player."""
        return self._state_type(self._state)

    def observe(self, viewer: int = SPECTATOR) -> Any:
        """Return the observation of a seat or, by default, of a spectator."""
        return self.state.observe(viewer)

    def story(self, viewer: int = SPECTATOR, after: int = 0) -> Iterator[tuple[SeenEvent, Any]]:
        """Yield the events after number ``after``, each with the viewer's observation after it.

        Fields that the viewer may not know are hidden.
        """
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
        """The legal actions of the seat to act."""
        return self.state.legal_actions

    def act(self, seat: int | None, action: Any) -> Event:
        """Apply an action and return its event.

        If it is not the seat's turn, or the action is not legal, raise and change nothing.
        """
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
        """Log the consequences of the last action: a result, the next deal, the end."""
        last = self._record.events[-1]["event"] if self._record.events else "deal"
        while last != "end":
            event = next_event(self.game, self._state, last != "act", self._dice)
            if event is None:
                break
            last = event["event"]
            self._log(event)
        self._actor = int(self.game.operations.actor(self._state))
