"""A position on one line, as FEN is for chess: how it is written.

    official 11246/???/1/- B 3x4,4x4 palafico=A been=AC round=7

Rules, hands by seat, turn, what has been said since the round was opened, then flags that are left
out when they say nothing. The grammar is in docs/rules.md, part 11; ``position.py`` reads it.
"""

from __future__ import annotations

from perudo.games.game import EVERYTHING, Record
from perudo.games.perudo.actions import action_from_code
from perudo.games.perudo.hands import hand_text
from perudo.games.perudo.layout import (
    AWAITING_DEAL,
    BIDDING,
    FINISHED,
    NOBODY,
    history_action,
    read_rules,
)
from perudo.games.perudo.rolling import begin_round
from perudo.games.state import seat_name

HIDDEN, UNROLLED, OUT, NOTHING = "?", ".", "-", "-"


def format_position(record: Record) -> str:
    """Write a position."""
    players = range(int(record.players))
    hands = "/".join(_hand(record, seat) for seat in players)
    entries = [int(entry) for entry in record.history[: int(record.actions)]]
    said = [str(action_from_code(int(history_action(entry)))) for entry in entries]
    if record.phase != BIDDING:
        said = []  # settled: what was said no longer matters
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
    """What would be wild in a round with these dice if no palafico were due."""
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
