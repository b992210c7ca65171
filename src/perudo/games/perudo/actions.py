"""The text of actions: ``3x5``, ``dudo``, ``calza``, ``pass``, ``doubt``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from perudo.games.errors import InvalidActionError
from perudo.games.perudo.layout import (
    CALZA,
    DECLINE,
    DOUBT,
    DUDO,
    FIRST_BID_CODE,
    PALAFICO,
    PASS,
    bid_code,
    face_of,
    quantity_of,
)
from perudo.games.perudo.rules import FACES, MAX_QUANTITY

_BID = re.compile(r"(\d{1,3})\s*[x*]\s*(\d)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, order=True)
class Bid:
    """A claim that at least ``quantity`` dice show ``face``.

    >>> Bid.parse("3x5")
    Bid(quantity=3, face=5)
    >>> str(Bid(3, 5))
    '3x5'
    """

    quantity: int
    face: int

    def __post_init__(self) -> None:
        if not 1 <= self.quantity <= MAX_QUANTITY or not 1 <= self.face <= FACES:
            raise InvalidActionError(
                f"{self.quantity}x{self.face} is not a bid: the quantity is 1 to {MAX_QUANTITY}, "
                f"the face 1 to {FACES}, as in 3x5"
            )

    @staticmethod
    def parse(text: str) -> Bid:
        """Parse a bid; raise InvalidActionError if the text is none."""
        match = _BID.fullmatch(text.strip())
        if match is None:
            raise InvalidActionError(f"{text!r} is not a bid; write quantity x face, as in 3x5")
        return Bid(int(match[1]), int(match[2]))

    @property
    def code(self) -> int:
        """The bid's action code."""
        return int(bid_code(self.quantity, self.face))

    def __str__(self) -> str:
        return f"{self.quantity}x{self.face}"


@dataclass(frozen=True)
class Word:
    """An action that is not a bid."""

    text: str
    code: int
    meaning: str

    def __str__(self) -> str:
        return self.text


Dudo = Word("dudo", DUDO, "the standing bid is too high")
Calza = Word("calza", CALZA, "the standing bid is exactly right")
Pass = Word("pass", PASS, "claim five dice that are all different, all equal, or three and two")
DoubtPass = Word("doubt", DOUBT, "the pass was not covered by the dice")
Palafico = Word("palafico", PALAFICO, "declare a palafico round")
Decline = Word("decline", DECLINE, "do not claim calza")
WORDS = (Dudo, Calza, Pass, DoubtPass, Palafico, Decline)
Action = Bid | Word
_BY_TEXT = {word.text: word for word in WORDS}
_BY_CODE = {word.code: word for word in WORDS}


def parse_action(text: str) -> Action:
    """Parse any action; raise InvalidActionError if the text is none.

    >>> parse_action("Dudo").meaning
    'the standing bid is too high'
    """
    word = _BY_TEXT.get(text.strip().lower())
    if word is not None:
        return word
    if _BID.fullmatch(text.strip()) is None:
        raise InvalidActionError(
            f"{text!r} is not an action; write a bid such as 3x5, or {', '.join(_BY_TEXT)}"
        )
    return Bid.parse(text)


@cache
def action_from_code(code: int) -> Action:
    """Return the action with this code."""
    if code >= FIRST_BID_CODE:
        return Bid(int(quantity_of(code)), int(face_of(code)))
    return _BY_CODE[code]


def format_actions(codes: Sequence[int]) -> str:
    """Format actions briefly, with bids as ranges of quantities.

    >>> format_actions([Bid(1, 2).code, Bid(2, 2).code, Bid(2, 3).code, Dudo.code])
    '1-2x2, 2x3, dudo'
    """
    quantities: dict[int, list[int]] = {}
    for code in sorted(codes):
        if code >= FIRST_BID_CODE:
            quantities.setdefault(int(face_of(code)), []).append(int(quantity_of(code)))
    parts = []
    for face in sorted(quantities):
        low, high = quantities[face][0], quantities[face][-1]
        parts.append(f"{low}x{face}" if low == high else f"{low}-{high}x{face}")
    parts += [str(_BY_CODE[code]) for code in sorted(codes) if code < FIRST_BID_CODE]
    return ", ".join(parts)
