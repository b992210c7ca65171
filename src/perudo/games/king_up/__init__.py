"""King UP: pieces climb a board, secret cards assign them to players, and a vote ends the round.

This is the game of a thesis on planning in a public game tree (Gao Peng, Lancaster, 2022): three to
six players, partly shared goals, and simultaneous votes. A round has three stages, numbered as in
the thesis:

1. *Placing.* In turn each player puts a piece on a level, ``set_round`` times.
2. *Moving.* In turn each player moves one piece up one level, until one is on the top.
3. *Voting.* All vote on the piece at the top, in secret. A "no" costs its voter a vote card. If
   there is a "no", the piece is discarded and the seat after the mover continues stage 2; else
   the round is scored.

Levels are 0 to ``board_height``, which is the top and holds one piece; level 0 holds any number,
the others ``board_width``. A player who scores nothing gets the bonus. While a piece is on the
board, the highest one can always move; when rejections have emptied the board, the round is scored.
"""

from __future__ import annotations

from perudo.games.king_up.appendix import APPENDIX_STATES, appendix_state
from perudo.games.king_up.game import KING_UP, KingUp
from perudo.games.king_up.play import REWARD_SCALE
from perudo.games.king_up.settings import PIECES, PRESETS, KingUpSetting

__all__ = [
    "APPENDIX_STATES",
    "KING_UP",
    "PIECES",
    "PRESETS",
    "REWARD_SCALE",
    "KingUp",
    "KingUpSetting",
    "appendix_state",
]
