"""The play of King UP: legal actions, their effects, and payoffs."""

from __future__ import annotations

import numpy as np

from perudo.games.chance import combine, scale
from perudo.games.kernel import kernel
from perudo.games.king_up.layout import (
    ACTION_CODES,
    ALREADY_ON_BOARD,
    AWAITING_DEAL,
    CARDS_NOT_DEALT,
    FINISHED,
    FIRST_MOVE,
    FIRST_PLACE,
    LEGAL,
    LEVEL_CODES,
    LEVEL_FULL,
    LEVEL_TOO_HIGH,
    MATCH_OVER,
    MOVING,
    NO,
    NO_VOTE_CARD,
    NOT_ON_BOARD,
    OFF_BOARD,
    ONLY_MOVING,
    ONLY_PLACING,
    ONLY_VOTING,
    PLACING,
    UNKNOWN_ACTION,
    UNKNOWN_PIECE,
    VOTING,
    YES,
    card_pieces,
    deck_size,
    free_card,
)
from perudo.games.king_up.settings import SHARED, ZERO_CREDIT
from perudo.games.operations import CHANCE, MATCH, OVER, Record

REWARD_SCALE = 50.0
"""The divisor of scores: the highest score of the real game, as in the thesis."""


# --- legality ----------------------------------------------------------------------------------
@kernel
def is_full(state: Record, level: int) -> bool:
    """Return true if a level is full: the top holds one piece, the lowest level any number."""
    if level == 0:
        return False
    top = level == state.setting.board_height
    return bool(state.filled[level] >= (1 if top else int(state.setting.board_width)))


@kernel
def may_move(state: Record, piece: int) -> bool:
    """Return true if a piece is on the board with room above it."""
    level = int(state.levels[piece])
    return level != OFF_BOARD and not is_full(state, level + 1)


@kernel
def refusal(state: Record, action: int) -> int:
    """Return the reason why an action is illegal, or LEGAL; only this function decides legality."""
    stage = int(state.stage)
    vote = action in (YES, NO)
    if not vote and not FIRST_MOVE <= action < ACTION_CODES:
        return UNKNOWN_ACTION
    if stage == FINISHED:
        return MATCH_OVER
    if stage == AWAITING_DEAL:
        return CARDS_NOT_DEALT
    if stage == VOTING:
        if not vote:
            return ONLY_VOTING
        return NO_VOTE_CARD if action == NO and state.vote_cards[state.voted] == 0 else LEGAL
    place = action >= FIRST_PLACE
    if vote or place != (stage == PLACING):
        return ONLY_PLACING if stage == PLACING else ONLY_MOVING
    piece = (action - FIRST_PLACE) // LEVEL_CODES if place else action - FIRST_MOVE
    if piece >= state.setting.pieces_num:
        return UNKNOWN_PIECE
    level = int(state.levels[piece])
    if not place:
        if level == OFF_BOARD:
            return NOT_ON_BOARD
        return LEGAL if may_move(state, piece) else LEVEL_FULL
    if level != OFF_BOARD:
        return ALREADY_ON_BOARD
    level = (action - FIRST_PLACE) % LEVEL_CODES
    if level > int(state.setting.board_height) - 2:
        return LEVEL_TOO_HIGH
    return LEVEL_FULL if is_full(state, level) else LEGAL


@kernel
def open_levels(state: Record) -> int:
    """Return the number of levels on which a piece can be placed in stage 1."""
    count = 0
    for level in range(int(state.setting.board_height) - 1):
        count += 0 if is_full(state, level) else 1
    return count


@kernel
def action_count(state: Record) -> int:
    """Return the actor's number of legal actions, without calling ``refusal`` for every piece."""
    if state.stage == VOTING:
        return 2 if state.vote_cards[state.voted] > 0 else 1
    pieces = int(state.setting.pieces_num)
    if state.stage == PLACING:
        return (pieces - int(state.placed)) * open_levels(state)
    count = 0
    for piece in range(pieces):
        count += 1 if may_move(state, piece) else 0
    return count


@kernel
def action(state: Record, index: int) -> int:
    """Return the n-th legal action: by piece, then by level; yes before no."""
    if state.stage == VOTING:
        return YES + index
    piece, level = 0, 0
    if state.stage == MOVING:
        while index > 0 or not may_move(state, piece):
            index -= 1 if may_move(state, piece) else 0
            piece += 1
        return FIRST_MOVE + piece
    levels = open_levels(state)
    nth_piece, nth_level = index // levels, index % levels
    while nth_piece > 0 or state.levels[piece] != OFF_BOARD:
        nth_piece -= 1 if state.levels[piece] == OFF_BOARD else 0
        piece += 1
    while nth_level > 0 or is_full(state, level):
        nth_level -= 0 if is_full(state, level) else 1
        level += 1
    return FIRST_PLACE + LEVEL_CODES * piece + level


# --- play --------------------------------------------------------------------------------------
@kernel
def actor(state: Record) -> int:
    """Return the seat to act, or CHANCE before a deal, or OVER."""
    if state.stage == FINISHED:
        return OVER
    if state.stage == AWAITING_DEAL:
        return CHANCE
    return int(state.voted) if state.stage == VOTING else int(state.turn)


@kernel
def begin_round(state: Record) -> None:
    """Clear the board and take back all cards; the caller deals the target cards."""
    state.round_number += 1
    state.stage = PLACING
    state.placed = 0
    key = combine(combine(np.uint64(0), int(state.round_number)), int(state.turn))
    for seat in range(int(state.players)):
        state.vote_cards[seat] = state.setting.rejection_limit
        state.revealed[seat] = 0
        state.scores[seat] = 0
        state.cards[seat] = 0
        key = combine(key, int(state.totals[seat]))
    state.public_key = key
    for piece in range(int(state.setting.pieces_num)):
        state.levels[piece] = OFF_BOARD
    for level in range(int(state.setting.board_height) + 1):
        state.filled[level] = 0


@kernel
def chance_count(state: Record) -> int:
    """Return the number of equally likely ways to deal a card to each seat."""
    count, cards = 1, deck_size(state)
    for seat in range(int(state.players)):
        count *= cards - seat
    return count


@kernel
def chance_outcome(state: Record, index: int) -> None:
    """Deal the n-th outcome; the last seat's card varies fastest."""
    deals, cards = chance_count(state), deck_size(state)
    begin_round(state)
    for seat in range(int(state.players)):
        deals //= cards - seat
        state.cards[seat] = free_card(state, index // deals)
        index %= deals


@kernel
def deal(state: Record, key: np.uint64) -> None:
    """Deal the target cards from the match's key and the number of the round."""
    round_key = combine(key, int(state.round_number) + 1)
    begin_round(state)
    for seat in range(int(state.players)):
        rest = deck_size(state) - seat
        state.cards[seat] = free_card(state, int(scale(combine(round_key, seat), rest)))


@kernel
def apply(state: Record, action: int) -> None:
    """Play a legal action."""
    if state.stage == VOTING:
        state.votes[state.voted] = action
        state.voted += 1
        if state.voted == state.players:
            count_votes(state)
        return
    state.public_key = combine(np.uint64(state.public_key), action)
    if state.stage == PLACING:
        piece, level = divmod(action - FIRST_PLACE, LEVEL_CODES)
        state.placed += 1
        wanted = int(state.players) * int(state.setting.set_round)
        if state.placed == min(wanted, int(state.setting.pieces_num)):
            state.stage = MOVING
    else:
        piece = action - FIRST_MOVE
        level = int(state.levels[piece]) + 1
        state.filled[level - 1] -= 1
    state.levels[piece] = level
    state.filled[level] += 1
    if level == state.setting.board_height:
        state.stage = VOTING
    else:
        state.turn = (int(state.turn) + 1) % int(state.players)


@kernel
def count_votes(state: Record) -> None:
    """Reveal the votes; then score the round, or discard the top piece and continue moving."""
    state.stage = MOVING
    state.voted = 0
    rejected = False
    for seat in range(int(state.players)):
        vote = int(state.votes[seat])
        state.votes[seat] = 0
        state.revealed[seat] = vote
        state.public_key = combine(np.uint64(state.public_key), vote)
        if vote == NO:
            state.vote_cards[seat] -= 1
            rejected = True
    if rejected:
        state.turn = (int(state.turn) + 1) % int(state.players)
        state.filled[state.setting.board_height] = 0
        for piece in range(int(state.setting.pieces_num)):
            if state.levels[piece] == state.setting.board_height:
                state.levels[piece] = OFF_BOARD
    if not rejected or action_count(state) == 0:
        score_round(state)


@kernel
def score(state: Record, seat: int) -> int:
    """Return a seat's score of the current board."""
    mask = card_pieces(state, state.cards[seat])
    credit, pieces = 0, 0
    for piece in range(int(state.setting.pieces_num)):
        level = int(state.levels[piece])
        if (mask >> piece) & 1 and level != OFF_BOARD:
            pieces += 1
            top = level == state.setting.board_height
            credit += int(state.setting.top_score) if top else level
    missed = credit if state.setting.bonus_if == ZERO_CREDIT else pieces
    return int(state.setting.bonus) if missed == 0 else credit


@kernel
def score_round(state: Record) -> None:
    """Score the round, add to the totals, and let the lowest score begin the next round."""
    loser = 0
    for seat in range(int(state.players)):
        state.scores[seat] = score(state, seat)
        state.totals[seat] += state.scores[seat]
        if state.scores[seat] < state.scores[loser]:
            loser = seat
    state.turn = loser
    state.stage = FINISHED if state.round_number == state.setting.rounds else AWAITING_DEAL


@kernel
def round_over(state: Record) -> bool:
    """Return true if a round has been scored and the next has not been dealt."""
    return bool(int(state.stage) in (AWAITING_DEAL, FINISHED) and state.round_number > 0)


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """Return a round's score / 50, or for a match 1 to the highest total, subject to ``tie``."""
    if horizon != MATCH:
        return int(state.scores[seat]) / REWARD_SCALE
    equals, before = 0, 0
    for other in range(int(state.players)):
        if state.totals[other] > state.totals[seat]:
            return 0.0
        if state.totals[other] == state.totals[seat]:
            equals += 1
            before += 1 if other < seat else 0
    if state.setting.tie == SHARED:
        return 1.0 / equals
    return 1.0 if before == 0 else 0.0
