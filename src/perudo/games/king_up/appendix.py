"""The states printed in the appendix of the King UP thesis (Gao Peng, Lancaster, 2022)."""

from __future__ import annotations

import numpy as np

from perudo.games.chance import combine
from perudo.games.errors import PerudoError, UnknownNameError
from perudo.games.game import State
from perudo.games.king_up.game import KING_UP, Deal
from perudo.games.king_up.layout import MOVING
from perudo.games.king_up.settings import PIECES, PRESETS

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
    # Piece A is printed without a level ("A:,"), so it is off the board. Level 3 has one too many.
    "4.9": ("ABFG BCDE AEFG", (0, 0, 0), "B2 C3 D3 E3 G3"),
    "4.10": ("DEFG BCDE ABFG", (1, 1, 1), "A4 B4 D3 E4 F2 G2"),
    "4.11": ("ABFG ABCD BCDE", (0, 0, 1), "A4 B0 C3 E0 G2"),
    "4.12": ("ABCD ABFG BCDE", (1, 1, 1), "A0 B0 C1 E0 G1"),
}
"""The states of the thesis' figures 4.1 to 4.12, as printed, in its experiments' setting."""


def appendix_state(figure: str, turn: int = 0) -> State:
    """Return the state of a figure, in stage 2, with seat ``turn`` (from 0) to move.

    The state need not be reachable: several of the printed ones are not.
    """
    if figure not in APPENDIX_STATES:
        raise UnknownNameError(f"no state {figure!r}; there are: {', '.join(APPENDIX_STATES)}")
    if turn not in range(3):
        raise PerudoError(f"turn={turn} is not a seat of three players; choose 0, 1 or 2")
    cards, vote_cards, levels = APPENDIX_STATES[figure]
    record = KING_UP.start(PRESETS["thesis"], 3).record
    KING_UP.replay_deal(record, Deal(round=1, targets=[*cards.split()]))
    record.vote_cards[:3] = vote_cards
    for place in levels.split():
        level = int(place[1])
        record.levels[PIECES.index(place[0])] = level
        record.filled[level] += 1
        record.placed += 1
    record.stage = MOVING
    record.turn = turn
    # There is no history; a key from public data keeps the states' information sets distinct.
    for number in (turn, *vote_cards, *record.levels.tolist()):
        record.public_key = np.uint64(combine(np.uint64(record.public_key), number + 1))
    return State(record)
