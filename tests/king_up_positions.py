"""Positions of King UP to test with."""

from __future__ import annotations

import random
from typing import Any

from perudo.games.game import State
from perudo.games.kernel import INTERPRETED
from perudo.games.king_up import KING_UP, PIECES
from perudo.games.king_up.game import Deal
from perudo.games.king_up.layout import MOVING, OFF_BOARD

GAMES = 10 if INTERPRETED else 1000
"""Random games of each kind; interpreted kernels are a hundred times slower."""
LARGE = "thesis:pieces_num=12,target_num=6,board_height=10,deck=all,set_round=2,rejection_limit=2"


def start(text: str = "thesis", players: int = 3) -> State:
    """A match before its first deal."""
    return KING_UP.start(KING_UP.setting(text), players)


def play(state: State, *actions: str) -> State:
    """The state after some actions."""
    for text in actions:
        state = state.apply(text)
    return state


def position(
    levels: str, targets: str = "ABCD BCDE CDEF", text: str = "thesis", **changes: Any
) -> State:
    """Stage 2 with pieces on these levels, these target cards, and other fields as given."""
    cards = targets.split()
    record = start(text, len(cards)).record
    KING_UP.replay_deal(record, Deal(round=1, targets=[*cards]))
    for place in levels.split():
        record.levels[PIECES.index(place[0])] = int(place[1:])
        record.filled[int(place[1:])] += 1
    record.placed = len(levels.split())
    record.stage = MOVING
    for name, value in changes.items():
        if isinstance(value, tuple):
            record[name][: len(value)] = value
        else:
            record[name] = value
    return State(record)


def levels_of(state: State) -> dict[str, int]:
    """The pieces on the board."""
    pieces = enumerate(state.record.levels[: state.record.setting.pieces_num])
    return {PIECES[piece]: int(level) for piece, level in pieces if level != OFF_BOARD}


def random_state(seed: int, text: str = "thesis", players: int = 3) -> State:
    """A state somewhere in a round."""
    chance = random.Random(seed)
    state = start(text, players).deal(seed)
    for _ in range(chance.randrange(30)):
        following = state.apply(chance.choice(state.legal_actions.codes))
        if following.round_over:
            break
        state = following
    return state
