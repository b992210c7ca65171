"""Construction of positions, from the one-line notation or from parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict, Unpack

from perudo.games.errors import PerudoError, PositionError
from perudo.games.game import SEATS, require_legal, seat_name
from perudo.games.operations import EVERYTHING, SPECTATOR, Record
from perudo.games.perudo.actions import Pass, Word, parse_action
from perudo.games.perudo.game import PERUDO
from perudo.games.perudo.layout import DECLINE, FINISHED, NOBODY, PALAFICO
from perudo.games.perudo.notation import HIDDEN, NOTHING, OUT, UNROLLED, parse_hand
from perudo.games.perudo.offer import begin_offers
from perudo.games.perudo.play import apply
from perudo.games.perudo.rolling import begin_round, start_palafico
from perudo.games.perudo.rules import Rules
from perudo.games.perudo.state import PerudoState

Seat = int | str
"""A seat by number from 0, or by letter."""
Hand = str | int | Iterable[int]
"""Dice as digits or numbers; or unseen dice, as question marks or as their number."""

_FLAGS = ("palafico", "due", "been", "wild", "winner", "round")


class Flags(TypedDict, total=False):
    """The optional parts of a position."""

    asked: Seat | None
    """The seat that may claim calza before the turn player acts."""
    palafico: Seat | None
    """The palafico player of the round."""
    due: Seat | None
    """The opener newly down to one die, with a palafico round to come or to be declared."""
    been_palafico: Iterable[Seat]
    """The seats that have been down to one die before."""
    wild: bool | None
    """False if nothing is wild in this round."""
    winner: Seat | None
    round: int | None
    """The number of the round; 1 if not given."""


def position(
    rules: Rules | str,
    dice: Sequence[Hand] | None = None,
    *,
    turn: Seat | None = None,
    bids: Sequence[object] = (),
    **flags: Unpack[Flags],
) -> PerudoState:
    """Return a position, from its notation or from its parts.

    ``turn`` is the seat to act after the ``bids``, which the seats made in turn.

    >>> state = position("uk", ["41126", "433", "1"], turn="C", bids=["4x4", "5x4"])
    >>> state.notation
    'uk 11246/334/1 C 4x4,5x4'
    >>> state.apply("dudo").outcome.reason
    'dudo too soon'
    >>> position("official 11246/???/? B 3x4").bid
    Bid(quantity=3, face=4)
    """
    if dice is None:
        if not isinstance(rules, str):
            raise PositionError("give the dice of every seat, or a position as text")
        return parse_position(rules)
    for name in flags.keys() - Flags.__annotations__.keys():
        raise TypeError(f"position() got an unexpected keyword argument {name!r}")
    players = len(dice)

    def seat(given: Seat | None) -> int | None:
        return None if given is None else _seat(given, players)

    parts = Parts(
        rules=Rules.parse(rules) if isinstance(rules, str) else rules,
        hands=[_hand_as_text(hand) for hand in dice],
        turn=seat(turn),
        asked=seat(flags.get("asked")),
        said=[str(action) for action in bids],
        palafico=seat(flags.get("palafico")),
        due=seat(flags.get("due")),
        been=[_seat(each, players) for each in flags.get("been_palafico", ())],
        wild=flags.get("wild"),
        winner=seat(flags.get("winner")),
        round=flags.get("round"),
    )
    return parts.build()


def parse_position(text: str) -> PerudoState:
    """Parse a position from its notation."""
    words = text.split()
    if len(words) < 4:
        raise PositionError(
            f"{text!r} is not a position; write rules, dice, turn and bids, as in "
            "'official 11246/???/? B 3x4'"
        )
    flags: dict[str, str] = {}
    for word in words[4:]:
        name, _, value = word.partition("=")
        if name not in _FLAGS or not value or name in flags:
            raise PositionError(f"{word!r} is not a flag; there are {', '.join(_FLAGS)}, once each")
        flags[name] = value
    hands = words[1].split("/")
    players = len(hands)
    turn, plus, asked = words[2].partition("+")
    if "" in hands:
        raise PositionError(f"{words[1]!r} has an empty hand; write - for a seat that is out")
    if plus and not asked:
        raise PositionError(f"{words[2]!r} does not say who is asked; write B+C, or B alone")
    if flags.get("wild", "no") not in ("no", "yes"):
        raise PositionError(f"wild={flags['wild']} should be wild=no or wild=yes")
    number = flags.get("round")
    if number is not None and not (number.isascii() and number.isdigit() and len(number) < 7):
        raise PositionError(f"round={number} should be a whole number")

    def flag_seat(name: str) -> int | None:
        return _seat(flags[name], players) if name in flags else None

    parts = Parts(
        rules=Rules.parse(words[0]),
        hands=hands,
        turn=None if turn == NOTHING else _seat(turn, players),
        asked=_seat(asked, players) if asked else None,
        said=[] if words[3] == NOTHING else words[3].split(","),
        palafico=flag_seat("palafico"),
        due=flag_seat("due"),
        been=[_seat(letter, players) for letter in flags.get("been", "")],
        wild=flags["wild"] == "yes" if "wild" in flags else None,
        winner=flag_seat("winner"),
        round=None if number is None else int(number),
    )
    return parts.build()


@dataclass
class Parts:
    """The parts of a position, not yet checked."""

    rules: Rules
    hands: list[str]
    turn: int | None
    asked: int | None
    said: list[str]
    palafico: int | None
    due: int | None
    been: list[int]
    wild: bool | None
    winner: int | None
    round: int | None

    def build(self) -> PerudoState:
        """Return the position; raise PositionError if it is impossible."""
        counts = [0 if hand in (OUT, "") else len(hand) for hand in self.hands]
        unrolled = all(set(hand) <= {UNROLLED} or hand in (OUT, "") for hand in self.hands)
        if self.winner is not None:
            return self._finished(counts, self.winner)
        record = self._start(counts)
        if unrolled:
            return self._awaiting_deal(record)
        if self.turn is None or counts[self.turn] == 0:
            raise PositionError("the seat to act must have dice")
        if self.round is not None and self.round < 1:
            raise PositionError(f"round={self.round} is before the first roll; rounds begin at 1")
        self._fill_cups(record, counts)
        record.opener = self._opener(counts, self.turn)
        record.round_number = (1 if self.round is None else self.round) - 1
        begin_round(record)
        self._set_flags(record)
        self._say(record)
        return PerudoState(record)

    def _start(self, counts: list[int]) -> Record:
        record = PERUDO.start(self.rules, len(counts), counts).record
        for seat in self.been:
            record.been_palafico |= 1 << seat
        return record

    def _finished(self, counts: list[int], winner: int) -> PerudoState:
        if sum(count > 0 for count in counts) > 1 and not self.rules.single_round:
            raise PositionError("nobody has won while two seats have dice")
        if counts[winner] == 0:
            raise PositionError(f"winner={seat_name(winner)} has no dice, so cannot have won")
        padded = counts if self.rules.single_round else [count or 1 for count in counts]
        record = self._start(padded)
        record.counts[: len(counts)] = counts
        record.total = sum(counts)
        record.live = sum(count > 0 for count in counts)
        record.phase = FINISHED
        record.winner = winner
        record.opener = NOBODY if self.turn is None else self.turn
        record.round_number = 1 if self.round is None else self.round
        return PerudoState(record)

    def _awaiting_deal(self, record: Record) -> PerudoState:
        if self.said or self.palafico is not None or self.asked is not None:
            raise PositionError("there can be no bids before the dice are rolled")
        if self.turn is not None and record.counts[self.turn] == 0:
            raise PositionError(f"seat {seat_name(self.turn)} is out and cannot open")
        record.opener = NOBODY if self.turn is None else self.turn
        if self.due is not None:
            self._make_due(record, self.due)
        record.round_number = 0 if self.round is None else self.round
        return PerudoState(record)

    def _fill_cups(self, record: Record, counts: list[int]) -> None:
        holders = [seat for seat, count in enumerate(counts) if count]
        known = [seat for seat in holders if HIDDEN not in self.hands[seat]]
        if known == holders:
            record.viewer = EVERYTHING
        elif len(known) == 1:
            record.viewer = known[0]
        elif not known:
            record.viewer = SPECTATOR
        else:
            raise PositionError("show all hands, or one seat's, or none")
        for seat in holders:
            try:
                if seat in known:
                    record.hands[seat] = parse_hand(self.hands[seat], counts[seat])
                elif set(self.hands[seat]) != {HIDDEN}:
                    raise PerudoError(f"{self.hands[seat]!r} mixes seen and unseen dice")
            except PerudoError as error:
                raise PositionError(f"seat {seat_name(seat)}: {error}") from None

    def _opener(self, counts: list[int], turn: int) -> int:
        """Return the opener, by walking back from the turn, one live seat for each action."""
        live = [seat for seat, count in enumerate(counts) if count]
        return live[(live.index(turn) - len(self.said)) % len(live)]

    def _set_flags(self, record: Record) -> None:
        seat = self.due if self.palafico is None else self.palafico
        if seat is not None:
            self._make_due(record, seat)
            if record.live == 2 and self.rules.two_player_palafico != "full":
                raise PositionError(f"{self.rules} has no palafico with two players left")
        if self.due is not None and (self.rules.palafico != "declared" or self.said):
            raise PositionError(
                "due= needs dice that are not yet rolled, or a palafico still to be declared"
            )
        if self.wild is False:
            record.wild_face = 0
        elif self.wild and record.wild_face == 0:
            raise PositionError("nothing is wild in this round, so wild=yes is not possible")
        begin_offers(record)
        if self.palafico is not None and self.rules.palafico == "declared":
            apply(record, PALAFICO)
        elif self.palafico is not None:
            start_palafico(record)
            begin_offers(record)

    def _make_due(self, record: Record, seat: int) -> None:
        """Mark the opener as newly down to one die."""
        name = "due" if self.palafico is None else "palafico"
        if self.rules.palafico == "off":
            raise PositionError(f"{self.rules} has no palafico rounds")
        if seat != int(record.opener) or record.counts[seat] != 1:
            opened = "nobody" if record.opener == NOBODY else seat_name(record.opener)
            raise PositionError(
                f"{name}={seat_name(seat)} needs that seat to hold one die and to open; "
                f"{opened} opened"
            )
        record.palafico_due = seat
        record.been_palafico |= 1 << seat

    def _say(self, record: Record) -> None:
        for text in self.said:
            action = parse_action(text)
            while record.pending != NOBODY:
                apply(record, DECLINE)
            if isinstance(action, Word) and action != Pass:
                raise PositionError(f"{text!r} ends a round; a position holds bids and passes")
            try:
                require_legal(record, action.code)
            except PerudoError as error:
                raise PositionError(f"{text} is not possible here: {error}") from None
            apply(record, action.code)
        while record.pending != NOBODY and int(record.pending) != self.asked:
            apply(record, DECLINE)
        if self.asked is not None and record.pending == NOBODY:
            raise PositionError(f"seat {seat_name(self.asked)} has no calza to claim here")


def _seat(seat: Seat, players: int) -> int:
    number = SEATS.find(seat) if isinstance(seat, str) and len(seat) == 1 else seat
    if type(number) is not int or not 0 <= number < players:
        last = SEATS[min(players, len(SEATS)) - 1]
        raise PositionError(f"{seat!r} is not a seat; there are A to {last}")
    return number


def _hand_as_text(hand: Hand) -> str:
    if isinstance(hand, str):
        return hand
    if isinstance(hand, int):
        return HIDDEN * hand
    return "".join(str(die) for die in hand)
