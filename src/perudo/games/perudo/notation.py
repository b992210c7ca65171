"""The notation of hands and positions: a position on one line, like FEN in chess.

    official 11246/???/1/- B 3x4,4x4 palafico=A been=AC round=7

The parts are the rules, the hands by seat, the turn, the bids and passes of the round, and flags,
which are left out at their defaults. The grammar is in docs/rules.md, part 11; ``position.py``
parses it.
"""

from __future__ import annotations

import numpy as np

from perudo.games.errors import PerudoError
from perudo.games.game import seat_name
from perudo.games.operations import EVERYTHING, Record
from perudo.games.perudo.actions import action_from_code
from perudo.games.perudo.layout import (
    AWAITING_DEAL,
    BIDDING,
    FINISHED,
    NOBODY,
    count_in_hand,
    die_in_hand,
    history_action,
    read_rules,
)
from perudo.games.perudo.rolling import begin_round
from perudo.games.perudo.rules import FACES

HIDDEN, UNROLLED, OUT, NOTHING = "?", ".", "-", "-"


def hand_text(hand: int) -> str:
    """Return a hand's dice as digits, in rising order."""
    word = np.uint64(hand)
    return "".join(str(face) * int(count_in_hand(word, face)) for face in range(1, FACES + 1))


def parse_hand(text: object, count: int) -> np.uint64:
    """Parse a hand of ``count`` dice."""
    if (
        not isinstance(text, str)
        or len(text) != count
        or not all(digit in "123456" for digit in text)
    ):
        raise PerudoError(f"{text!r} is not a hand of {count} dice, digits 1 to {FACES}")
    return np.uint64(sum(int(die_in_hand(int(digit))) for digit in text))


def format_position(record: Record) -> str:
    """Return the notation of a position."""
    players = range(int(record.players))
    hands = "/".join(_hand(record, seat) for seat in players)
    entries = [int(entry) for entry in record.history[: int(record.actions)]]
    said = [str(action_from_code(int(history_action(entry)))) for entry in entries]
    if record.phase != BIDDING:
        said = []  # after the round is settled, its bids no longer matter
    parts = [str(read_rules(record)), hands, _turn(record), ",".join(said) or NOTHING]
    if record.phase == BIDDING and record.palafico != NOBODY:
        parts.append(f"palafico={seat_name(record.palafico)}")
    elif record.phase == BIDDING and int(record.wild_face) != usual_wild_face(record):
        parts.append("wild=no")
    if record.palafico_due != NOBODY:
        parts.append(f"due={seat_name(record.palafico_due)}")
    been = "".join(seat_name(seat) for seat in players if (int(record.been_palafico) >> seat) & 1)
    if been:
        parts.append(f"been={been}")
    if record.phase == FINISHED:
        parts.append(f"winner={seat_name(record.winner)}")
    if record.round_number != (0 if record.phase == AWAITING_DEAL else 1):
        parts.append(f"round={int(record.round_number)}")
    return " ".join(parts)


def usual_wild_face(record: Record) -> int:
    """Return the face that would be wild in a round with these dice if no palafico were due."""
    scratch = record.copy()
    scratch.palafico_due = NOBODY
    begin_round(scratch)
    return int(scratch.wild_face)


def _hand(record: Record, seat: int) -> str:
    count = int(record.counts[seat])
    if count == 0:
        return OUT
    if record.phase != BIDDING:
        return UNROLLED * count
    if record.viewer not in (EVERYTHING, seat):
        return HIDDEN * count
    return hand_text(int(record.hands[seat]))


def _turn(record: Record) -> str:
    if record.phase == FINISHED or (record.phase == AWAITING_DEAL and record.opener == NOBODY):
        return NOTHING
    if record.phase == AWAITING_DEAL:
        return seat_name(record.opener)
    asked = f"+{seat_name(record.pending)}" if record.pending != NOBODY else ""
    return seat_name(record.turn) + asked
