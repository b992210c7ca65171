"""King UP: pieces climb a board, secret cards say whose pieces they are, and a vote ends the round.

The game of a thesis on planning in a public game tree: three to six players, partly shared goals,
and votes cast at the same time. A round has three stages (the numbers are those of the thesis):

1. *Placing.* In turn each player puts a piece on a level, ``set_round`` times.
2. *Moving.* In turn each player moves one piece up one level, until one is on the top.
3. *Voting.* All vote on the piece at the top, in secret. A "no" costs its voter a vote card. If
   there is one, the piece is discarded and the seat after the mover goes on with stage 2; else
   the round is scored.

Levels are 0 to ``board_height``, which is the top and holds one piece; level 0 holds any number,
the others ``board_width``. Whoever scores nothing gets the bonus. While a piece is on the board the
highest one can always move, so a round is also scored when rejections have emptied the board.
"""

from __future__ import annotations

import re
from dataclasses import Field, dataclass, field, fields, replace
from math import comb
from typing import Any

import numpy as np

from perudo.games.chance import Stream, below, combine, scale
from perudo.games.errors import InvalidActionError, PerudoError, RulesError, UnknownNameError
from perudo.games.game import (
    CHANCE,
    EVERYTHING,
    MATCH,
    OVER,
    Game,
    Operations,
    Properties,
    Record,
    register,
)
from perudo.games.kernel import kernel
from perudo.games.state import State, seat_name

MIN_PLAYERS, MAX_PLAYERS = 3, 6
MAX_PIECES = 12
"""With so many, the ordered deals to six players still fit a 64-bit number."""
MAX_HEIGHT = 10
PIECES = "ABCDEFGHIJKL"
REWARD_SCALE = 50.0
"""The thesis divides every score by the highest one of the real game."""


# --- the setting -------------------------------------------------------------------------------
# Each option says what it is in records from before there was the option: `thesis_match`.


def _number(default: int, lowest: int, highest: int, *, before: int) -> Any:
    values = tuple(range(lowest, highest + 1))
    return field(default=default, metadata={"values": values, "before": before})


def _choice(*values: str, before: str) -> Any:
    return field(default=values[0], metadata={"values": values, "before": before})


@dataclass(frozen=True, kw_only=True)
class KingUpSetting:
    """The parameters of a match; the defaults are those of the thesis' experiments.

    >>> KingUpSetting(deck="some")
    Traceback (most recent call last):
    ...
    perudo.games.errors.RulesError: deck='some' is not possible; choose windows or all
    """

    target_num: int = _number(4, 1, MAX_PIECES - 1, before=4)
    """Pieces on each target card."""
    pieces_num: int = _number(7, 2, MAX_PIECES, before=7)
    """Pieces in the game."""
    bonus: int = _number(15, 0, 100, before=15)
    """The score of a player who would have none."""
    top_score: int = _number(10, 0, 100, before=10)
    """What a target on the top level scores; on others it scores the number of its level."""
    set_round: int = _number(2, 1, MAX_PIECES, before=2)
    """How many pieces each player places."""
    board_height: int = _number(5, 2, MAX_HEIGHT, before=5)
    """The number of the top level."""
    board_width: int = _number(3, 1, MAX_PIECES, before=3)
    """The most pieces that a level between the lowest and the top can hold."""
    rejection_limit: int = _number(1, 0, 9, before=1)
    """Vote cards of each player in a round: how often they can vote no."""
    deck: str = _choice("windows", "all", before="windows")
    """The cards: windows of the cycle A, B, ..., A (as in the thesis' appendix), or all sets."""
    bonus_if: str = _choice("zero_credit", "no_piece", before="zero_credit")
    """Who gets the bonus: whose targets are worth nothing, or who has none on the board."""
    tie: str = _choice("shared", "lowest_seat", before="lowest_seat")
    """Who has won if several have the highest total."""
    rounds: int = _number(3, 1, 9, before=3)
    """Rounds in a match; the loser of a round (of equals the lowest seat) begins the next."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        for option in fields(self):
            value, values = getattr(self, option.name), option.metadata["values"]
            if type(value) is not type(values[0]) or value not in values:
                raise _wrong_value(option.name, value)
        if self.target_num >= self.pieces_num:
            raise RulesError(
                f"target_num={self.target_num} is too many for pieces_num={self.pieces_num}: "
                "all cards would be the same; choose fewer targets or more pieces"
            )


OPTIONS: dict[str, Field[Any]] = {option.name: option for option in fields(KingUpSetting)}
"""Every option of the setting by name."""

WINDOWS, ALL_SETS = range(2)
ZERO_CREDIT, NO_PIECE = range(2)
SHARED, LOWEST_SEAT = range(2)

_THESIS = KingUpSetting(rounds=1, tie="lowest_seat")  # its tournament games are single rounds
# The thesis gives the real game a highest score of 50: a target on top and five on the level below,
# which needs board_width=5 or more. It names no other width than 3.
_REAL = KingUpSetting(target_num=6, board_height=7, top_score=20)
PRESETS: dict[str, KingUpSetting] = {
    "thesis": _THESIS,
    "thesis_match": replace(_THESIS, rounds=3),
    "real": _REAL,
    "real_15": replace(_REAL, top_score=15),
    # Small enough to walk through the whole tree, with every stage and one vote card each.
    "tiny": KingUpSetting(
        target_num=2,
        pieces_num=3,
        bonus=2,
        top_score=3,
        set_round=1,
        board_height=2,
        board_width=2,
        rounds=1,
    ),
}


def _wrong_value(name: str, value: object) -> RulesError:
    values = OPTIONS[name].metadata["values"]
    joint = " to " if isinstance(values[0], int) else " or "
    return RulesError(f"{name}={value!r} is not possible; choose {values[0]}{joint}{values[-1]}")


def _parse_option(name: str, text: str) -> object:
    if name not in OPTIONS:
        raise UnknownNameError(f"unknown option {name!r}; there are: {', '.join(OPTIONS)}")
    for value in OPTIONS[name].metadata["values"]:
        if str(value) == text:
            return value
    raise _wrong_value(name, text)


# --- actions -----------------------------------------------------------------------------------
YES, NO = 1, 2
FIRST_MOVE = 4
"""A move of piece p is number ``FIRST_MOVE + p``."""
FIRST_PLACE, LEVEL_CODES = 16, 16
"""Placing piece p on a level is number ``FIRST_PLACE + LEVEL_CODES * p + level``."""
ACTION_CODES = FIRST_PLACE + LEVEL_CODES * MAX_PIECES
"""Every action is a number below this."""

_PLACE = re.compile(r"place\s+([a-l])\s+(\d{1,2})", re.IGNORECASE | re.ASCII)
_MOVE = re.compile(r"move\s+([a-l])", re.IGNORECASE | re.ASCII)

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

SETTING_DTYPE: np.dtype[Any] = np.dtype((np.record, [(name, "i1") for name in OPTIONS]))
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


# --- legality ----------------------------------------------------------------------------------
@kernel
def is_full(state: Record, level: int) -> bool:
    """Whether a level can take no more pieces: one on top, any number on the lowest."""
    if level == 0:
        return False
    top = level == state.setting.board_height
    return bool(state.filled[level] >= (1 if top else int(state.setting.board_width)))


@kernel
def may_move(state: Record, piece: int) -> bool:
    """Whether a piece is on the board with room above it."""
    level = int(state.levels[piece])
    return level != OFF_BOARD and not is_full(state, level + 1)


@kernel
def refusal(state: Record, action: int) -> int:
    """Why the actor may not do this, or LEGAL. The one place that decides legality."""
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
    """How many levels can take a piece in stage 1."""
    count = 0
    for level in range(int(state.setting.board_height) - 1):
        count += 0 if is_full(state, level) else 1
    return count


@kernel
def action_count(state: Record) -> int:
    """How many actions the actor has; counted without asking ``refusal`` about every piece."""
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
    """The n-th of them: by piece, then by level; yes before no."""
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
    """The seat to act, or CHANCE before a deal, or OVER."""
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
    """Equally likely ways to deal a card to each seat."""
    count, cards = 1, deck_size(state)
    for seat in range(int(state.players)):
        count *= cards - seat
    return count


@kernel
def chance_outcome(state: Record, index: int) -> None:
    """The n-th deal, the last seat's card running fastest."""
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
    """Reveal the votes; then score the round, or discard the top piece and go on moving."""
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
    """What the board is worth to a seat now."""
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
    """Lay the target cards open, add up, and see who begins the next round."""
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
    """Whether a round has been scored and the next not been dealt."""
    return bool(int(state.stage) in (AWAITING_DEAL, FINISHED) and state.round_number > 0)


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """Round: the score, divided by 50. Match: 1 to the highest total; ties as the setting says."""
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


# --- knowledge ---------------------------------------------------------------------------------
@kernel
def observe(state: Record, seat: int) -> None:
    """Blank the others' target cards, unless the round is scored, and their pending votes."""
    state.viewer = seat
    if round_over(state):
        return
    for other in range(int(state.players)):
        if other != seat:
            state.cards[other] = 0
            state.votes[other] = 0


@kernel
def information_key(state: Record, seat: int) -> np.uint64:
    """A hash of what all have seen, how many have voted, and the seat's own card and vote."""
    card, vote = 0, 0
    if seat >= 0:
        card, vote = int(state.cards[seat]), int(state.votes[seat])
    key = combine(np.uint64(state.public_key), int(state.stage) * 8 + int(state.voted))
    return combine(combine(key, (seat + 2) * 4 + vote), card)


@kernel
def redeal(state: Record, seat: int, stream: Stream) -> None:
    """Sample the others' target cards from those that the seat does not hold, and pending votes.

    Each vote that a voter could have cast is equally likely.
    """
    if int(state.stage) in (AWAITING_DEAL, FINISHED):
        return
    players = int(state.players)
    for other in range(players):
        if other != seat:
            state.cards[other] = 0
    rest = deck_size(state) - (1 if seat >= 0 else 0)
    for other in range(players):
        if other != seat:
            state.cards[other] = free_card(state, int(below(stream, rest)))
            rest -= 1
            if other < state.voted:
                may_reject = state.vote_cards[other] > 0
                state.votes[other] = NO if may_reject and below(stream, 2) == 1 else YES


# --- for people --------------------------------------------------------------------------------
def card_text(record: Record, number: int) -> str:
    """The letters of a card's pieces; empty for card 0, which is not known."""
    mask = int(card_pieces(record, number))
    return "".join(letter for piece, letter in enumerate(PIECES) if mask >> piece & 1)


def card_number(record: Record, text: object) -> int:
    """The number of the card with these letters."""
    for number in range(1, int(deck_size(record)) + 1):
        if card_text(record, number) == text:
            return number
    raise PerudoError(f"{text!r} is not a target card here; one is {card_text(record, 1)!r}")


class KingUp(Game):
    """King UP for three to six players.

    A round's payoffs add up to no fixed sum; those of a match always add up to 1.
    """

    name = "king_up"
    summary = "move pieces up a board, guess whose they are, and vote when one is on the top"
    dtype = STATE_DTYPE
    operations = Operations(
        actor=actor,
        chance_count=chance_count,
        chance_outcome=chance_outcome,
        deal=deal,
        action_count=action_count,
        action=action,
        refusal=refusal,
        apply=apply,
        round_over=round_over,
        payoff=payoff,
        observe=observe,
        information_key=information_key,
        redeal=redeal,
    )
    properties = Properties(
        min_players=MIN_PLAYERS,
        max_players=MAX_PLAYERS,
        max_actions=MAX_PIECES * (MAX_HEIGHT - 1),
        hidden_moves=True,
        zero_sum=False,
        chance=True,
    )
    refusals = REFUSALS
    presets = tuple(PRESETS)
    smallest = "tiny"
    setting_type = KingUpSetting

    def setting(self, text: str) -> KingUpSetting:
        """Read a preset with options.

        >>> KingUp().setting("thesis:top_score=15").top_score
        15
        """
        name, _, options = text.partition(":")
        if name not in PRESETS:
            raise UnknownNameError(f"unknown setting {name!r}; there are: {', '.join(PRESETS)}")
        pairs = [option.partition("=") for option in options.split(",") if option]
        changes: dict[str, Any] = {key: _parse_option(key, value) for key, _, value in pairs}
        return replace(PRESETS[name], **changes)

    def describe_setting(self, setting: KingUpSetting) -> str:
        """The nearest preset and what differs."""

        def differences(name: str) -> list[str]:
            pairs = [(key, getattr(setting, key), getattr(PRESETS[name], key)) for key in OPTIONS]
            return [f"{key}={value}" for key, value, usual in pairs if value != usual]

        nearest = min(PRESETS, key=lambda name: len(differences(name)))
        return ":".join([nearest, ",".join(differences(nearest))]).rstrip(":")

    def start(self, setting: KingUpSetting, players: int) -> State:
        """The empty board before the first deal; seat A begins the first round."""
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise RulesError(
                f"{players} players are not possible; choose {MIN_PLAYERS} to {MAX_PLAYERS}"
            )
        record = self.new_record()
        for name, option in OPTIONS.items():
            value = getattr(setting, name)
            record.setting[name] = (
                value if isinstance(value, int) else option.metadata["values"].index(value)
            )
        record.viewer = EVERYTHING
        record.players = players
        record.vote_cards[:players] = setting.rejection_limit
        record.levels[: setting.pieces_num] = OFF_BOARD
        if players > deck_size(record):
            raise RulesError(
                f"{deck_size(record)} target cards are not enough for {players} players; "
                "choose more pieces, or deck=all"
            )
        return State(record)

    def parse_action(self, text: str) -> int:
        """Read ``place A 3``, ``move A``, ``yes`` or ``no``."""
        words = text.strip()
        if words.lower() in ("yes", "no"):
            return YES if words.lower() == "yes" else NO
        if match := _MOVE.fullmatch(words):
            return FIRST_MOVE + PIECES.index(match[1].upper())
        match = _PLACE.fullmatch(words)
        if match is None or int(match[2]) >= LEVEL_CODES:
            raise InvalidActionError(
                f"{text!r} is not an action; write 'place A 3' (a piece and a level), 'move A', "
                "'yes' or 'no'"
            )
        return FIRST_PLACE + LEVEL_CODES * PIECES.index(match[1].upper()) + int(match[2])

    def format_action(self, action: int) -> str:
        """Write an action as ``parse_action`` reads it."""
        if action in (YES, NO):
            return "yes" if action == YES else "no"
        if FIRST_MOVE <= action < FIRST_PLACE:
            return f"move {PIECES[action - FIRST_MOVE]}"
        piece, level = divmod(action - FIRST_PLACE, LEVEL_CODES)
        if not 0 <= piece < MAX_PIECES:
            raise InvalidActionError(f"{action} is not the number of an action")
        return f"place {PIECES[piece]} {level}"

    def hides_action(self, observation: Record, seat: int) -> bool:
        """Votes, until all have voted."""
        pending = observation.stage == VOTING and seat < observation.voted
        return bool(pending and observation.votes[seat] == 0)

    def format_deal(self, record: Record) -> dict[str, Any]:
        """The target cards by seat; hidden ones are null."""
        cards = [card_text(record, number) or None for number in record.cards[: record.players]]
        return {"round": int(record.round_number), "targets": cards}

    def replay_deal(self, record: Record, deal: dict[str, Any]) -> None:
        """Deal exactly these target cards; in an observation, those that the viewer knows."""
        if record.stage != AWAITING_DEAL:
            raise PerudoError("no target cards are to be dealt now")
        targets, players = deal.get("targets"), int(record.players)
        if not isinstance(targets, list) or len(targets) != players:
            raise PerudoError(f"targets should be a list of {players} cards such as 'ABCD'")
        numbers = [
            card_number(record, text) if record.viewer in (EVERYTHING, seat) else 0
            for seat, text in enumerate(targets)
        ]
        if len({number for number in numbers if number}) < sum(number > 0 for number in numbers):
            raise PerudoError(f"targets {targets} give two seats the same card")
        begin_round(record)
        record.cards[:players] = numbers

    def deal_text(self, deal: dict[str, Any]) -> str:
        """The round's number and the target cards."""
        return f"{deal['round']}. {'/'.join(card or '-' for card in deal['targets'])}"

    def format_result(self, record: Record) -> dict[str, Any]:
        """The scores of the round, the totals, and the target cards, all by seat."""
        return {
            "scores": record.scores[: record.players].tolist(),
            "totals": record.totals[: record.players].tolist(),
            "targets": self.format_deal(record)["targets"],
        }

    def result_text(self, result: dict[str, Any]) -> str:
        """What each seat scored."""
        return f"scores {'/'.join(map(str, result['scores']))}"

    def describe(self, record: Record) -> str:
        """The board from top to bottom, then a line for each seat."""
        stage = ("cards to be dealt", "placing", "moving", "voting", "match over")[record.stage]
        seat = int(actor(record))
        to_act = f", {seat_name(seat)} to act" if seat >= 0 else ""
        lines = [
            f"King UP, round {record.round_number} of {record.setting.rounds}: {stage}{to_act}"
        ]
        height = int(record.setting.board_height)
        on_level = dict.fromkeys(range(height, OFF_BOARD - 1, -1), "")
        for piece in range(int(record.setting.pieces_num)):
            on_level[int(record.levels[piece])] += f" {PIECES[piece]}"
        for level, pieces in on_level.items():
            name = "off the board" if level == OFF_BOARD else f"level {level}"
            lines.append(f"{name + (' (top)' if level == height else ''):<14}{pieces or ' -'}")
        for seat in range(int(record.players)):
            line = (
                f"{seat_name(seat)}: targets {card_text(record, record.cards[seat]) or 'not known'}"
            )
            line += f", vote cards {record.vote_cards[seat]}, total {record.totals[seat]}"
            if round_over(record):
                line += f", this round {record.scores[seat]}"
            if record.votes[seat] != 0:
                line += f", votes {self.format_action(int(record.votes[seat]))}"
            elif seat < record.voted:
                line += ", has voted"
            elif record.revealed[seat] != 0:
                line += f", last voted {self.format_action(int(record.revealed[seat]))}"
            lines.append(line)
        return "\n".join(lines)

    def explain_refusal(self, record: Record, action: int, code: str) -> str:
        """Say in one line why an action is not allowed."""
        reason = REASONS[code].format(
            last=PIECES[int(record.setting.pieces_num) - 1],
            highest=int(record.setting.board_height) - 2,
            width=int(record.setting.board_width),
        )
        known = code != "unknown_action"
        return f"{self.format_action(action) if known else action}: {reason}"


KING_UP = register(KingUp())

# --- the states of the thesis' appendix ---------------------------------------------------------
APPENDIX_STATES: dict[str, tuple[str, tuple[int, int, int], str]] = {
    # figure: (target cards, vote cards, levels of the pieces on the board)
    "4.1": ("DEFG ABFG BCDE", (1, 1, 0), "D3 E2 G3"),
    "4.2": ("ABFG BCDE ABCG", (1, 0, 0), "A0 B0 D4 E4 F3"),
    "4.3": ("AEFG BCDE ABCD", (1, 0, 1), "A0 B0 D4 E4 F3"),
    "4.4": ("DEFG AEFG BCDE", (1, 1, 1), "A3 B0 D4 E4 G2"),
    "4.5": ("ABCG DEFG ABCD", (1, 0, 1), "A2 B2 D0 E4 F4"),
    "4.6": ("ABCG DEFG ABCD", (1, 0, 0), "A3 B3 D0 E4"),
    "4.7": ("ABCG DEFG ABCD", (0, 0, 0), "A3 B3 D0"),
    "4.8": ("ABCG DEFG ABCD", (0, 0, 0), "A3 B4 D0"),
    # Printed as "A:," without a level: taken as off the board. Level 3 holds four, one too many.
    "4.9": ("ABFG BCDE AEFG", (0, 0, 0), "B2 C3 D3 E3 G3"),
    "4.10": ("DEFG BCDE ABFG", (1, 1, 1), "A4 B4 D3 E4 F2 G2"),
    "4.11": ("ABFG ABCD BCDE", (0, 0, 1), "A4 B0 C3 E0 G2"),
    "4.12": ("ABCD ABFG BCDE", (1, 1, 1), "A0 B0 C1 E0 G1"),
}
"""The states behind the thesis' figures 4.1 to 4.12, as printed, in its experiments' setting."""


def appendix_state(figure: str, turn: int = 0) -> State:
    """The state behind a figure, in stage 2, with this seat (the thesis' player turn + 1) to move.

    Whether it could be reached is not asked: several of the printed states could not.
    """
    if figure not in APPENDIX_STATES:
        raise UnknownNameError(f"no state {figure!r}; there are: {', '.join(APPENDIX_STATES)}")
    if turn not in range(3):
        raise PerudoError(f"turn={turn} is not a seat of three players; choose 0, 1 or 2")
    cards, vote_cards, levels = APPENDIX_STATES[figure]
    record = KING_UP.start(PRESETS["thesis"], 3).record
    KING_UP.replay_deal(record, {"targets": cards.split()})
    record.vote_cards[:3] = vote_cards
    for place in levels.split():
        level = int(place[1])
        record.levels[PIECES.index(place[0])] = level
        record.filled[level] += 1
        record.placed += 1
    record.stage = MOVING
    record.turn = turn
    # There is no history; a key from what is seen keeps the states' information sets apart.
    for number in (turn, *vote_cards, *record.levels.tolist()):
        record.public_key = np.uint64(combine(np.uint64(record.public_key), number + 1))
    return State(record)
