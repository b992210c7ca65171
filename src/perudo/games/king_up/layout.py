"""The record that a match of King UP lives in: actions as numbers, the state, the cards."""

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
"""A move of piece p is number ``FIRST_MOVE + p``."""
FIRST_PLACE, LEVEL_CODES = 16, 16
"""Placing piece p on a level is number ``FIRST_PLACE + LEVEL_CODES * p + level``."""
ACTION_CODES = FIRST_PLACE + LEVEL_CODES * MAX_PIECES
"""Every action is a number below this."""

REASONS = {
    "match_over": "the match is over",
    "cards_not_dealt": "the target cards have not been dealt",
    "unknown_action": "that is not the number of an action",
    "unknown_piece": "the pieces are A to {last}",
    "only_placing": "pieces are being placed; write for example 'place A 0'",
    "only_moving": "pieces are being moved; write for example 'move A'",
    "only_voting": "the piece at the top is voted on; say 'yes' or 'no'",
    "level_too_high": "pieces are placed on levels 0 to {highest}",
    "level_full": "the level is full: the top holds 1 piece, others above level 0 hold {width}",
    "already_on_board": "the piece is on the board already",
    "not_on_board": "the piece is not on the board",
    "no_vote_card": "no vote card is left, so the vote can only be yes",
}
"""Why an action is refused: a stable code, and what it means."""
REFUSALS = ("legal", *REASONS)
"""``refusal`` returns an index into this."""
LEGAL, MATCH_OVER, CARDS_NOT_DEALT, UNKNOWN_ACTION, UNKNOWN_PIECE = range(5)
ONLY_PLACING, ONLY_MOVING, ONLY_VOTING, LEVEL_TOO_HIGH, LEVEL_FULL = range(5, 10)
ALREADY_ON_BOARD, NOT_ON_BOARD, NO_VOTE_CARD = range(10, 13)

# --- the record --------------------------------------------------------------------------------
AWAITING_DEAL, PLACING, MOVING, VOTING, FINISHED = range(5)
OFF_BOARD = -1
"""The level of a piece that was not placed, or has been discarded."""

SETTING_DTYPE: np.dtype[Any] = options_dtype(KingUpSetting)
STATE_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("king_up", "i1"),  # marker: record types are told apart by their fields
            ("setting", SETTING_DTYPE),
            ("viewer", "i1"),  # EVERYTHING, SPECTATOR, or the seat that this is an observation for
            ("players", "i1"),
            ("round_number", "i1"),  # from 1; 0 before the first deal
            ("stage", "i1"),
            ("turn", "i1"),  # who is to act, or made the move that is voted on, or begins next
            ("placed", "i1"),  # pieces placed in stage 1
            ("voted", "i1"),  # seats that have voted, in the order of the seats
            ("public_key", "u8"),  # hash of the match so far and of what all saw of this round
            ("levels", "i1", (MAX_PIECES,)),  # of each piece in the game, or OFF_BOARD
            ("filled", "i1", (MAX_HEIGHT + 1,)),  # pieces on each level
            ("vote_cards", "i1", (MAX_PLAYERS,)),  # left, as far as votes have been revealed
            ("revealed", "i1", (MAX_PLAYERS,)),  # the round's last votes that all have seen
            ("scores", "i2", (MAX_PLAYERS,)),  # of the round just scored
            ("totals", "i2", (MAX_PLAYERS,)),  # of the rounds scored so far
            ("cards", "i2", (MAX_PLAYERS,)),  # hidden: target cards, from 1; 0 is not known
            ("votes", "i1", (MAX_PLAYERS,)),  # hidden: votes cast but not yet revealed
        ],
    )
)

CHOOSE = np.array([[comb(n, k) for k in range(12)] for n in range(MAX_PIECES + 1)], np.int64)
"""Ways to choose k of n pieces; a card has at most 11."""


@kernel
def deck_size(state: Record) -> int:
    """How many target cards there are."""
    pieces = int(state.setting.pieces_num)
    if state.setting.deck == WINDOWS:
        return pieces
    return int(CHOOSE[pieces, int(state.setting.target_num)])


@kernel
def card_pieces(state: Record, number: int) -> int:
    """The pieces on a card, a bit for each; none on card 0, which is not known."""
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
    """The n-th card that nobody holds: the smallest number with n + 1 free cards up to it."""
    number = index + 1
    while True:
        held = 0
        for seat in range(int(state.players)):
            if 0 < state.cards[seat] <= number:
                held += 1
        if index + 1 + held == number:
            return number
        number = index + 1 + held
