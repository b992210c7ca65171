"""Hands as people write them: the dice as digits, ``11356``."""

from __future__ import annotations

import numpy as np

from perudo.games.errors import PerudoError
from perudo.games.perudo.layout import count_in_hand, die_in_hand
from perudo.games.perudo.rules import FACES


def hand_text(hand: int) -> str:
    """A hand's dice in rising order."""
    word = np.uint64(hand)
    return "".join(str(face) * int(count_in_hand(word, face)) for face in range(1, FACES + 1))


def parse_hand(text: object, count: int) -> np.uint64:
    """Read a hand of ``count`` dice."""
    if (
        not isinstance(text, str)
        or len(text) != count
        or not all(digit in "123456" for digit in text)
    ):
        raise PerudoError(f"{text!r} is not a hand of {count} dice, digits 1 to {FACES}")
    return np.uint64(sum(int(die_in_hand(int(digit))) for digit in text))
