"""The data layout of King UP: action codes, the state record, the cards."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from perudo.games.kernel import kernel
from perudo.games.king_up.settings import (
    MAX_HEIGHT,
    MAX_PIECES,
    MAX_PLAYERS,
    WINDOWS,
    KingUpSetting,
)
from perudo.games.operations import Record
from perudo.games.options import options_dtype

# --- actions -----------------------------------------------------------------------------------
YES, NO = 1, 2
FIRST_MOVE = 4
"""The code of moving piece p is ``FIRST_MOVE + p``."""
FIRST_PLACE, LEVEL_CODES = 16, 16
"""The code of placing piece p on a level is ``FIRST_PLACE + LEVEL_CODES * p + level``."""
ACTION_CODES = FIRST_PLACE + LEVEL_CODES * MAX_PIECES
"""The limit of action codes: all are smaller."""

REASONS = {
    "match_over": "the match is over",
    "cards_not_dealt": "the target cards have not been dealt",
    "unknown_action": "that is not the number of an action",
    "unknown_piece": "the pieces are A to {last}",
    "only_placing": "pieces are being placed; write for example 'place A 0'",
    "only_moving": "pieces are being moved; write for example 'move A'",
    "only_voting": "this is a vote on the piece at the top; write 'yes' or 'no'",
    "level_too_high": "pieces are placed on levels 0 to {highest}",
    "level_full": "the level is full: the top holds 1 piece, others above level 0 hold {width}",
    "already_on_board": "the piece is on the board already",
    "not_on_board": "the piece is not on the board",
    "no_vote_card": "no vote card is left, so the vote can only be yes",
}
"""The reasons for refusing an action: stable codes and their messages."""
REFUSALS = ("legal", *REASONS)
"""The codes, indexed by the result of ``refusal``."""
LEGAL, MATCH_OVER, CARDS_NOT_DEALT, UNKNOWN_ACTION, UNKNOWN_PIECE = range(5)
ONLY_PLACING, ONLY_MOVING, ONLY_VOTING, LEVEL_TOO_HIGH, LEVEL_FULL = range(5, 10)
ALREADY_ON_BOARD, NOT_ON_BOARD, NO_VOTE_CARD = range(10, 13)

# --- the record --------------------------------------------------------------------------------
AWAITING_DEAL, PLACING, MOVING, VOTING, FINISHED = range(5)
OFF_BOARD = -1
"""The level of a piece that has not been placed, or has been discarded."""

SETTING_DTYPE: np.dtype[Any] = options_dtype(KingUpSetting)
STATE_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("king_up", "i1"),  # marker: distinguishes this game's record type
            ("setting", SETTING_DTYPE),
            ("viewer", "i1"),  # EVERYTHING, SPECTATOR, or the observing seat
            ("players", "i1"),
            ("round_number", "i1"),  # from 1; 0 before the first deal
            ("stage", "i1"),
            ("turn", "i1"),  # the seat to act, or whose move is being voted on, or that begins next
            ("placed", "i1"),  # pieces placed in stage 1
            ("voted", "i1"),  # seats that have voted, in the order of the seats
            ("public_key", "u8"),  # hash of the match so far and of this round's public history
            ("levels", "i1", (MAX_PIECES,)),  # of each piece in the game, or OFF_BOARD
            ("filled", "i1", (MAX_HEIGHT + 1,)),  # pieces on each level
            ("vote_cards", "i1", (MAX_PLAYERS,)),  # left; votes not yet revealed are not subtracted
            ("revealed", "i1", (MAX_PLAYERS,)),  # the last revealed votes of the round
            ("scores", "i2", (MAX_PLAYERS,)),  # of the round just scored
            ("totals", "i2", (MAX_PLAYERS,)),  # of the rounds scored so far
            ("cards", "i2", (MAX_PLAYERS,)),  # hidden: target cards, from 1; 0 if unknown
            ("votes", "i1", (MAX_PLAYERS,)),  # hidden: votes cast but not yet revealed
        ],
    )
)

CHOOSE = np.array([[comb(n, k) for k in range(12)] for n in range(MAX_PIECES + 1)], np.int64)
"""Binomial coefficients: ways to choose k of n pieces; a card has at most 11."""


@kernel
def deck_size(state: Record) -> int:
    """Return the number of target cards."""
    pieces = int(state.setting.pieces_num)
    if state.setting.deck == WINDOWS:
        return pieces
    return int(CHOOSE[pieces, int(state.setting.target_num)])


@kernel
def card_pieces(state: Record, number: int) -> int:
    """Return the pieces on a card as a bit mask; 0 for card 0, the hidden one."""
    pieces, left = int(state.setting.pieces_num), int(state.setting.target_num)
    mask, index = 0, int(number) - 1
    if index < 0:
        return mask
    if state.setting.deck == WINDOWS:
        for place in range(index, index + left):
            mask |= 1 << (place % pieces)
        return mask
    for piece in range(pieces - 1, -1, -1):  # sets in the order of their masks
        if left > 0 and index >= CHOOSE[piece, left]:
            index -= int(CHOOSE[piece, left])
            left -= 1
            mask |= 1 << piece
    return mask


@kernel
def free_card(state: Record, index: int) -> int:
    """Return the n-th card that nobody holds: the smallest with n + 1 free cards up to it."""
    number = index + 1
    while True:
        held = 0
        for seat in range(int(state.players)):
            if 0 < state.cards[seat] <= number:
                held += 1
        if index + 1 + held == number:
            return number
        number = index + 1 + held
