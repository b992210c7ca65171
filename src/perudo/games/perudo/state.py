"""The Python interface of a Perudo position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from typing_extensions import TypedDict

from perudo.games.game import State, action_code, seat_name
from perudo.games.operations import EVERYTHING
from perudo.games.perudo.actions import Action, Bid, action_from_code
from perudo.games.perudo.layout import (
    NOBODY,
    history_action,
    history_seat,
    read_rules,
)
from perudo.games.perudo.notation import format_position, hand_text
from perudo.games.perudo.odds import chance_right
from perudo.games.perudo.outcome import Outcome, Settled, outcome_of
from perudo.games.perudo.rules import Rules


class Facts(TypedDict, total=False):
    """A position as JSON, with the fields that messages, views, reviews and retries share."""

    round: int
    dice: str | None
    """The viewer's own dice."""
    counts: list[int]
    """The number of dice of each seat; 0 if it is out."""
    turn: int | None
    bid: str | None
    bidder: int | None
    history: list[tuple[int, str]]
    """The round's bids and passes."""
    wild: int | None
    palafico: int | None
    been_palafico: list[int]
    opener: int | None
    total: int
    """The number of dice in play."""
    last: Settled | None
    """The outcome of the last round."""
    winner: int | None
    over: bool


def _seat_or_none(seat: int) -> int | None:
    return None if seat == NOBODY else int(seat)


class PerudoState(State):
    """A Perudo position, with the methods of every game's state."""

    @property
    def rules(self) -> Rules:
        """The rules of the match."""
        return read_rules(self._record)

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return int(self._record.round_number)

    @property
    def dice_counts(self) -> tuple[int, ...]:
        """The number of dice of each seat."""
        return tuple(int(count) for count in self._record.counts[: self.players])

    @property
    def total_dice(self) -> int:
        """The number of dice in play."""
        return int(self._record.total)

    def hand(self, seat: int) -> str | None:
        """Return a seat's dice as digits; None if not rolled, or hidden from the viewer."""
        if self._record.counts[seat] == 0:
            return ""
        shown = self.actor is not None and self.viewer in (EVERYTHING, seat)
        return hand_text(int(self._record.hands[seat])) if shown else None

    @property
    def turn(self) -> int | None:
        """The seat whose turn it is; others may claim calza before it acts (see ``actor``)."""
        return int(self._record.turn) if self.actor is not None else None

    @property
    def opener(self) -> int | None:
        """The seat that opened this round, or opens the next while dice are to be rolled."""
        return _seat_or_none(self._record.opener)

    @property
    def bid(self) -> Bid | None:
        """The standing bid."""
        bid = action_from_code(int(self._record.bid)) if self._record.bid else None
        assert bid is None or isinstance(bid, Bid)
        return bid

    @property
    def bidder(self) -> int | None:
        """The seat that made the standing bid."""
        return _seat_or_none(self._record.bidder)

    @property
    def history(self) -> tuple[tuple[int, Action], ...]:
        """The round's bids and passes, as pairs (seat, action)."""
        entries = self._record.history[: int(self._record.actions)]
        return tuple(
            (int(history_seat(int(entry))), action_from_code(int(history_action(int(entry)))))
            for entry in entries
        )

    @property
    def palafico(self) -> int | None:
        """The palafico player of this round; None in other rounds."""
        return _seat_or_none(self._record.palafico)

    @property
    def been_palafico(self) -> tuple[int, ...]:
        """The seats that have been down to one die before."""
        marked = int(self._record.been_palafico)
        return tuple(seat for seat in range(self.players) if (marked >> seat) & 1)

    @property
    def wild_face(self) -> int | None:
        """The face that counts for all others in this round; None if nothing is wild."""
        return int(self._record.wild_face) or None

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the last round; None before the first."""
        return outcome_of(self._record)

    @property
    def winner(self) -> int | None:
        """The seat that has won the match; None until then."""
        return _seat_or_none(self._record.winner)

    def chance(self, action: object, seat: int | None = None) -> float | None:
        """Return the exact probability of an action's claim, as a seat (the actor) can know it."""
        looker = self.actor if seat is None else seat
        if looker is None or self.hand(looker) is None:
            raise ValueError("the odds need a seat whose dice are known")
        return chance_right(self._record, looker, action_code(self.game, action))

    @property
    def notation(self) -> str:
        """The position on one line; ``perudo.position`` reads it back."""
        return format_position(self._record)

    def describe(self) -> str:
        """Describe the table on a few lines of plain text."""
        wild = f"{self.wild_face}s are wild" if self.wild_face else "nothing is wild"
        if self.palafico is not None:
            wild += f", palafico of {seat_name(self.palafico)}"
        lines = [f"{self.rules}, round {self.round}, {self.total_dice} dice, {wild}"]
        for seat in range(self.players):
            dice = self.hand(seat)
            unseen = "." if self.actor is None else "?"
            cup = unseen * self.dice_counts[seat] if dice is None else dice or "out"
            said = [str(action) for bidder, action in self.history if bidder == seat]
            lines.append(f"{seat_name(seat)}: {cup:<8} {' '.join(said)}".rstrip())
        if self.actor is not None:
            lines.append(f"{seat_name(self.actor)} may: {self.legal_actions}")
        elif self.winner is not None:
            lines.append(f"{seat_name(self.winner)} has won")
        else:
            lines.append("dice are to be rolled")
        return "\n".join(lines)


_FACTS: dict[str, Callable[[PerudoState], Any]] = {
    "round": lambda state: state.round,
    "dice": lambda state: state.hand(state.viewer) if state.viewer >= 0 else None,
    "counts": lambda state: list(state.dice_counts),
    "turn": lambda state: state.turn,
    "bid": lambda state: None if state.bid is None else str(state.bid),
    "bidder": lambda state: state.bidder,
    "history": lambda state: [(seat, str(action)) for seat, action in state.history],
    "wild": lambda state: state.wild_face,
    "palafico": lambda state: state.palafico,
    "been_palafico": lambda state: list(state.been_palafico),
    "opener": lambda state: state.opener,
    "total": lambda state: state.total_dice,
    "last": lambda state: state.outcome and {**state.outcome.data(), "opener": state.opener},
    "winner": lambda state: state.winner,
    "over": lambda state: state.over,
}


def facts(state: PerudoState, *names: str) -> Facts:
    """Return these facts about a position, in this order."""
    return cast(Facts, {name: _FACTS[name](state) for name in names})
