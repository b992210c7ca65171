"""The data layout of Perudo: action codes, hands, and the state record.

A hand is the number of dice of each face, eight bits for each in one 64-bit word: the order of dice
does not matter, and hands can be added like integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perudo.games.chance import whole
from perudo.games.kernel import copy_bytes, kernel
from perudo.games.operations import Record
from perudo.games.options import options_dtype, read_options
from perudo.games.perudo.rules import FACES, MAX_PLAYERS, MAX_QUANTITY, Rules

# --- actions -----------------------------------------------------------------------------------
DUDO = 1
"""The claim that the standing bid is too high."""
CALZA = 2
"""The claim that the standing bid is exactly right."""
PASS = 3
"""The claim that the player's five dice are all different, all equal, or three and two."""
DOUBT = 4
"""The claim that the last pass was false."""
PALAFICO = 5
"""The declaration of a palafico round, where the rules leave that to the player."""
DECLINE = 6
"""The refusal to claim calza out of turn."""
FIRST_BID_CODE = 8
ACTION_CODES = (MAX_QUANTITY + 1) * FIRST_BID_CODE
"""The limit of action codes: all are smaller. A bid is ``quantity * 8 + face``."""
MAX_HISTORY = 740
"""The length of the longest round. Each bid on 2-6 is made at most once (400) and each seat passes
once (10); bids on ones rise up to 80, but can recur between two bids on the same even quantity, or
on an odd one and the next, under rules that let ones be left at exactly double (at most 240 times).
"""
MAX_ACTIONS = MAX_QUANTITY * FACES + 4


@kernel
def bid_code(quantity: int, face: int) -> int:
    """Return the action code of a bid."""
    return quantity * FIRST_BID_CODE + face


@kernel
def quantity_of(bid: int) -> int:
    """Return the quantity of a bid."""
    return int(bid) >> 3


@kernel
def face_of(bid: int) -> int:
    """Return the face of a bid."""
    return int(bid) & 7


# --- hands -------------------------------------------------------------------------------------
@kernel
def die_in_hand(face: int) -> np.uint64:
    """Return a hand of one die."""
    return np.uint64(1) << np.uint64(8 * face)


@kernel
def count_in_hand(hand: np.uint64, face: int) -> int:
    """Return the number of dice of a face in a hand."""
    return whole((hand >> np.uint64(8 * face)) & np.uint64(255))


# --- the record --------------------------------------------------------------------------------
NOBODY = -1
NO_COUNT = -1
"""The ``count`` of a doubted pass."""

AWAITING_DEAL, BIDDING, FINISHED = range(3)
"""The phases of a match."""

BID_TOO_HIGH, DUDO_TOO_SOON, CALZA_WRONG, CALZA_RIGHT, PASS_CAUGHT, PASS_DOUBTED_WRONGLY = range(
    1, 7
)
"""The reasons of outcomes; 0 before the first."""

# All integers but the 64-bit words are signed: in a kernel, mixing signed and unsigned integers
# gives a float.
RULES_DTYPE: np.dtype[Any] = options_dtype(Rules)

REVEAL_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("reason", "i1"),
            ("caller", "i1"),  # the seat that said dudo, calza or doubt
            ("target", "i1"),  # the seat whose bid or pass was called
            ("count", "i1"),  # dice that matched the bid; NO_COUNT for a pass
            ("bid", "i2"),
            ("lost", "i1", (MAX_PLAYERS,)),  # dice lost by each seat
            ("gained", "i1", (MAX_PLAYERS,)),
            ("hands", "u8", (MAX_PLAYERS,)),  # the hands that were shown; zero elsewhere
        ],
    )
)

OFFER_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("choices", "i2"),  # the number of legal actions
            ("bids", "i2"),  # the number of legal bids
            ("step_shift", "i2"),  # from an action's index to its rank on the ladder
            ("aces", "i1"),  # the number of legal bids on ones
            ("ace_low", "i1"),  # the lowest quantity of those
            ("words", "i1"),  # bit per legal action that is not a bid
        ],
    )
)

STATE_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("perudo", "i1"),  # marker: distinguishes this game's record type
            ("rules", RULES_DTYPE),
            ("viewer", "i1"),  # EVERYTHING, SPECTATOR, or the observing seat
            ("players", "i1"),
            ("live", "i1"),  # seats that have dice
            ("total", "i1"),  # dice in play
            ("phase", "i1"),
            ("winner", "i1"),
            ("opener", "i1"),  # of this round, or of the next while a deal is awaited
            ("turn", "i1"),
            ("pending", "i1"),  # seat asked for an out-of-turn calza before the turn player acts
            ("bidder", "i1"),
            ("passer", "i1"),  # the seat whose pass the turn player may doubt
            ("palafico", "i1"),  # the palafico player of this round
            ("newly_at_one", "i2"),  # bit per seat: fell to one die for the first time just now
            ("palafico_due", "i1"),  # opener newly down to one die, until the round's first action
            ("plain_round", "i1"),  # see offer.faces_in_plain_round
            ("wild_face", "i1"),  # 0 while nothing is wild
            ("bid", "i2"),  # the standing bid, 0 before the first
            ("plain_bid", "i2"),  # the last bid on a face other than ones, for clause 3.5
            ("passed", "i2"),  # bit per seat: has passed this round
            ("been_palafico", "i2"),  # bit per seat: has been down to one die before
            ("round_number", "i4"),  # from 1; 0 before the first
            ("actions", "i2"),  # entries of history in use
            ("counts", "i1", (MAX_PLAYERS,)),  # dice of each seat
            ("offer", OFFER_DTYPE),  # the legal actions, computed once per decision
            ("hands", "u8", (MAX_PLAYERS,)),  # hidden: each seat's dice, as in die_in_hand
            ("reveal", REVEAL_DTYPE),  # the outcome of the last round
            ("history", "i2", (MAX_HISTORY,)),  # seat << 10 | action, bids and passes of this round
        ],
    )
)

HISTORY_SEAT_SHIFT = 10
HISTORY_OFFSET = STATE_DTYPE.fields["history"][1]  # type: ignore[index]  # it has fields


@kernel
def history_seat(entry: int) -> int:
    """Return the seat that made a move of the history."""
    return int(entry) >> HISTORY_SEAT_SHIFT


@kernel
def history_action(entry: int) -> int:
    """Return the action code of a move of the history."""
    return int(entry) & ((1 << HISTORY_SEAT_SHIFT) - 1)


@kernel
def next_live(state: Record, seat: int) -> int:
    """Return the next seat to the left that has dice."""
    players = int(state.players)
    seat = int(seat)
    for _ in range(players):
        seat += 1
        if seat == players:
            seat = 0
        if state.counts[seat] > 0:
            break
    return seat


def read_rules(record: Record) -> Rules:
    """Return the rules stored in a record."""
    return read_options(record.rules, Rules)


@kernel
def copy_state(target: Record, source: Record) -> None:
    """Copy a state, with only the used part of the history: the rest is zero in both."""
    used = max(int(source.actions), int(target.actions))
    copy_bytes(target, source, HISTORY_OFFSET + 2 * used)
