"""A moment of a match as OpenSpiel's states need it: dice rolled one by one, and a full history."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from perudo.games.game import CHANCE, MATCH, seat_name
from perudo.games.perudo import PERUDO
from perudo.games.perudo.game import Deal
from perudo.games.perudo.layout import NOBODY
from perudo.games.perudo.notation import hand_text
from perudo.lab.adapters.single import copied, play_only


@dataclass(eq=False)
class Moment:
    """A state of the game. It never changes once it is made, so that clones can share it."""

    states: Any
    """The game's record, in an array of one; between rounds it is the record before the roll."""
    actor: int
    opener: int
    """The seat that opens the next round, or NOBODY if chance will choose it."""
    dice: str = ""
    """The dice rolled so far for the next round, in the order of the seats."""
    hands: tuple[str, ...] = ()
    """The dice of each seat in all rounds so far."""
    public: str = ""
    """The history that all players know."""
    payoffs: tuple[float, ...] = ()
    moves: int = 0
    """The number of actions so far, including those of chance."""
    rolled_from: int = 0
    """The number of the action that rolled the first die of this round."""
    legal: list[int] | None = None
    """The legal actions, computed when they are first needed."""

    def __deepcopy__(self, memory: dict[int, Any]) -> Moment:
        return self

    @property
    def record(self) -> Any:
        """The game's record."""
        return self.states[0]

    @functools.cached_property
    def counts(self) -> list[int]:
        """The number of dice of each seat."""
        return [int(count) for count in self.record.counts[: int(self.record.players)]]

    def rolled(self) -> list[str]:
        """Return the dice rolled so far by seat, each hand in rising order."""
        ends = np.cumsum(self.counts)
        return [
            "".join(sorted(self.dice[end - count : end]))
            for count, end in zip(self.counts, ends, strict=True)
        ]

    def known_dice(self, seat: int) -> str:
        """Return all dice that a seat has seen in its own cup."""
        if not self.dice:
            return self.hands[seat]
        return " ".join(part for part in (self.hands[seat], self.rolled()[seat]) if part)

    def chance(self, outcome: int) -> Moment:
        """Return the moment after chance chooses the opener or rolls a die."""
        if self.opener == NOBODY:
            public = f"{seat_name(outcome)} opens"
            return replace(self, opener=outcome, public=public, moves=1, rolled_from=1)
        moment = replace(self, dice=self.dice + str(outcome + 1), moves=self.moves + 1)
        return moment.begin_round() if len(moment.dice) == sum(self.counts) else moment

    def begin_round(self) -> Moment:
        """Return the first decision of a round, once all dice are rolled."""
        states = copied(self.states)
        rolled = self.rolled()
        PERUDO.replay_deal(states[0], Deal(round=1, opener=self.opener, dice=[*rolled]))
        hands = tuple(self.known_dice(seat) for seat in range(len(rolled)))
        actor = int(states[0].turn)
        return replace(self, states=states, actor=actor, dice="", hands=hands)

    def play(self, code: int, text: str) -> Moment:
        """Return the moment after a legal action."""
        states, payoffs = copied(self.states), np.zeros(len(self.hands))
        actor = int(play_only(states, code, MATCH, payoffs))
        public = f"{self.public} {text}" if self.public else text
        if actor == CHANCE:
            shown = states[0].reveal.hands[: len(payoffs)]
            public += f" [{'/'.join(hand_text(int(hand)) for hand in shown)}]"
        return Moment(
            states,
            actor,
            states["opener"].item(),  # faster than reading the record's field
            hands=self.hands,
            public=public,
            payoffs=tuple(payoffs.tolist()),
            moves=self.moves + 1,
            rolled_from=self.rolled_from if actor >= 0 else self.moves + 1,
        )
