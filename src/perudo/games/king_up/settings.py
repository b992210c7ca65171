"""The options of a match of King UP, and named sets of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from perudo.games.errors import RulesError
from perudo.games.options import Setting, choice, number

MIN_PLAYERS, MAX_PLAYERS = 3, 6
MAX_PIECES = 12
"""The most pieces: with these, the number of ordered deals to six players still fits 64 bits."""
MAX_HEIGHT = 10
PIECES = "ABCDEFGHIJKL"

# ``before`` values are those of the preset `thesis_match`.


@dataclass(frozen=True, kw_only=True)
class KingUpSetting(Setting):
    """The parameters of a match; the defaults are those of the thesis' experiments.

    >>> KingUpSetting(deck="some")
    Traceback (most recent call last):
    ...
    perudo.games.errors.RulesError: deck='some' is not possible; choose windows or all
    """

    target_num: int = number(4, 1, MAX_PIECES - 1, before=4)
    """The number of pieces on each target card."""
    pieces_num: int = number(7, 2, MAX_PIECES, before=7)
    """The number of pieces in the game."""
    bonus: int = number(15, 0, 100, before=15)
    """The score of a player who gets the bonus."""
    top_score: int = number(10, 0, 100, before=10)
    """The score of a target on the top level; on other levels it is the number of the level."""
    set_round: int = number(2, 1, MAX_PIECES, before=2)
    """The number of pieces that each player places."""
    board_height: int = number(5, 2, MAX_HEIGHT, before=5)
    """The number of the top level."""
    board_width: int = number(3, 1, MAX_PIECES, before=3)
    """The most pieces that a level between the lowest and the top can hold."""
    rejection_limit: int = number(1, 0, 9, before=1)
    """The vote cards of each player in a round, that is, the number of times they can vote no."""
    deck: str = choice("windows", ("windows", "all"), before="windows")
    """The deck: windows of the cycle A, B, ..., A (as in the thesis' appendix), or all sets."""
    bonus_if: str = choice("zero_credit", ("zero_credit", "no_piece"), before="zero_credit")
    """The condition for the bonus: targets that score nothing, or no target on the board."""
    tie: str = choice("shared", ("shared", "lowest_seat"), before="lowest_seat")
    """The winner if several have the highest total: all share the win, or the lowest seat wins."""
    rounds: int = number(3, 1, 9, before=3)
    """The number of rounds in a match; a round's loser (in a tie the lowest seat) begins next."""

    def __post_init__(self) -> None:
        """Raise RulesError if the options contradict each other."""
        super().__post_init__()
        if self.target_num >= self.pieces_num:
            raise RulesError(
                f"target_num={self.target_num} is too many for pieces_num={self.pieces_num}: "
                "all cards would be the same; choose fewer targets or more pieces"
            )

    @classmethod
    def presets(cls) -> Mapping[str, KingUpSetting]:
        """Return the named settings.

        >>> KingUpSetting.parse("thesis:top_score=15").top_score
        15
        """
        return PRESETS


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
    # Small enough to walk the full tree, with every stage and one vote card each.
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
