"""The outcome of a round, as a Python value, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass

from perudo.games.game import Payload, seat_name
from perudo.games.operations import Record
from perudo.games.perudo.actions import Bid, action_from_code
from perudo.games.perudo.layout import (
    AWAITING_DEAL,
    BID_TOO_HIGH,
    CALZA_RIGHT,
    CALZA_WRONG,
    DUDO_TOO_SOON,
    NO_COUNT,
    NOBODY,
    PASS_CAUGHT,
    PASS_DOUBTED_WRONGLY,
)
from perudo.games.perudo.notation import hand_text

REASONS = {
    BID_TOO_HIGH: "bid too high",
    DUDO_TOO_SOON: "dudo too soon",
    CALZA_WRONG: "calza wrong",
    CALZA_RIGHT: "calza right",
    PASS_CAUGHT: "pass caught",
    PASS_DOUBTED_WRONGLY: "pass doubted wrongly",
}
"""The texts of the reasons of outcomes."""


class Settled(Payload):
    """The outcome of a round. Seats are numbers from 0."""

    reason: str
    caller: int
    target: int
    bid: str | None
    count: int | None
    lost: list[int]
    gained: list[int]
    hands: list[str]
    opener: int | None
    winner: int | None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a round."""

    reason: str
    caller: int
    """The seat that said dudo, calza or doubt."""
    target: int
    """The seat whose bid or pass was called."""
    bid: Bid | None
    count: int | None
    """The number of dice that matched the bid; None for a doubted pass."""
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    hands: tuple[str, ...]
    """The dice that were shown, by seat."""
    opener: int | None
    """The seat that opens the next round; None after the last."""
    winner: int | None
    """The seat that has won the match, if it is over."""

    @property
    def losers(self) -> tuple[int, ...]:
        """The seats that lost dice."""
        return tuple(seat for seat, dice in enumerate(self.lost) if dice)

    def data(self) -> Settled:
        """Return the outcome as plain data, for records and JSON."""
        return {
            "reason": self.reason,
            "caller": self.caller,
            "target": self.target,
            "bid": str(self.bid) if self.bid else None,
            "count": self.count,
            "lost": list(self.lost),
            "gained": list(self.gained),
            "hands": list(self.hands),
            "opener": self.opener,
            "winner": self.winner,
        }


def outcome_of(record: Record) -> Outcome | None:
    """Return the outcome of the last round, or None before the first reveal."""
    reveal = record.reveal
    if reveal.reason == 0:
        return None
    players = int(record.players)
    return Outcome(
        reason=REASONS[int(reveal.reason)],
        caller=int(reveal.caller),
        target=int(reveal.target),
        bid=action_from_code(int(reveal.bid)) if reveal.bid else None,  # type: ignore[arg-type]  # a bid
        count=None if reveal.count == NO_COUNT else int(reveal.count),
        lost=tuple(int(dice) for dice in reveal.lost[:players]),
        gained=tuple(int(dice) for dice in reveal.gained[:players]),
        hands=tuple(hand_text(int(hand)) for hand in reveal.hands[:players]),
        opener=int(record.opener) if record.phase == AWAITING_DEAL else None,
        winner=int(record.winner) if record.winner != NOBODY else None,
    )


def result_text(result: Settled) -> str:
    """Describe an outcome's data in one short phrase."""
    losers = [seat for seat, dice in enumerate(result["lost"]) if dice]
    gainers = [seat for seat, dice in enumerate(result["gained"]) if dice]
    parts = [result["reason"]]
    if result["count"] is not None:
        parts.append(f"{result['count']} there")
    for seat in losers:
        dice = result["lost"][seat]
        parts.append(f"{seat_name(seat)} loses {'a die' if dice == 1 else f'{dice} dice'}")
    parts += [f"{seat_name(seat)} gains a die" for seat in gainers]
    if not losers and not gainers:
        parts.append("no die changes hands")
    if result["winner"] is not None:
        parts.append(f"{seat_name(result['winner'])} wins")
    return ", ".join(parts)
