"""Exact chances against counting every roll, and against published figures."""

from __future__ import annotations

from itertools import product

import pytest

from perudo.games.perudo import position
from perudo.games.perudo.notation import parse_hand
from perudo.games.perudo.odds import VALID_PASS, at_least, exactly
from perudo.games.perudo.reveal import pass_is_valid

FACES = range(1, 7)


def hits(roll: tuple[int, ...], face: int, wild: int | None) -> int:
    """Dice of a roll that count for a bid on a face."""
    return sum(die in (face, wild) for die in roll)


@pytest.mark.parametrize("dice", range(6))
@pytest.mark.parametrize(("face", "wild"), [(4, 1), (4, None), (1, 1), (6, 6), (1, 6)])
def test_chances_agree_with_counting_every_roll(dice: int, face: int, wild: int | None) -> None:
    counts = [hits(roll, face, wild) for roll in product(FACES, repeat=dice)]
    ways = 1 if wild in (None, face) else 2
    for wanted in range(-1, dice + 2):
        assert exactly(dice, wanted, ways) == pytest.approx(counts.count(wanted) / 6**dice)
        share = sum(count >= wanted for count in counts) / 6**dice
        assert at_least(dice, wanted, ways) == pytest.approx(share)


@pytest.mark.parametrize(
    ("notation", "wild"),
    [
        ("s0_sim 1344/????? A 2x4", 1),
        ("s0_sim 1344/???/?? A 2x4,2x5", 1),
        ("s0_sim ?/???/44 C 2x4,3x4 palafico=A", None),
        ("dudo_ai:wild=highest 1146/???? A 3x6", 6),
        ("dudo_ai:wild=none 1146/???? A 3x6", None),
    ],
)
def test_chances_from_a_seat_agree_with_counting_every_roll(
    notation: str, wild: int | None
) -> None:
    state = position(notation)
    seat = state.turn
    assert seat is not None
    own = tuple(map(int, state.hand(seat) or ""))
    unseen = list(product(FACES, repeat=state.total_dice - len(own)))
    standing = state.bid
    assert standing is not None

    def share(face: int, low: int, high: int) -> float:
        found = [hits(own + roll, face, wild) for roll in unseen]
        return sum(low <= count <= high for count in found) / len(unseen)

    everything = state.total_dice
    for face in FACES:
        for quantity in range(1, everything + 1):
            expected = share(face, quantity, everything)
            assert state.chance(f"{quantity}x{face}") == pytest.approx(expected)
    too_high = share(standing.face, 0, standing.quantity - 1)
    exact = share(standing.face, standing.quantity, standing.quantity)
    assert state.chance("dudo") == pytest.approx(too_high)
    assert state.chance("calza") == pytest.approx(exact)


def test_chance_of_a_pass() -> None:
    assert position("official 22222/12345 B 3x2").chance("pass") == 1.0
    assert position("official 22222/11345 B 3x2").chance("pass") == 0.0
    assert position("official 22222/????? A 3x2,pass").chance("doubt") == 1 - VALID_PASS
    assert position("official 22222/33333/44444 C+A 3x2,4x2").chance("decline") is None


def test_chance_for_another_seat() -> None:
    state = position("common 22222/34 B 3x2")
    assert state.chance("3x2") == pytest.approx(at_least(5, 3, 2))
    assert state.chance("3x2", seat=0) == 1.0


def test_chance_needs_dice_that_are_seen() -> None:
    with pytest.raises(ValueError, match="dice are known"):
        position("common ?????/34 B 3x2").chance("3x2", seat=0)
    with pytest.raises(ValueError, match="dice are known"):
        position("common ...../.. B -").chance("3x2")


def test_valid_passes_by_counting_every_roll() -> None:
    """All different, all equal, or three and two: 1026 of 7776."""
    shapes = ([1, 1, 1, 1, 1], [5], [2, 3])
    valid = 0
    for roll in product(FACES, repeat=5):
        expected = sorted(roll.count(face) for face in set(roll)) in shapes
        assert pass_is_valid(parse_hand("".join(map(str, roll)), 5)) == expected
        valid += expected
    assert valid == 1026
    assert pytest.approx(valid / 6**5) == VALID_PASS


@pytest.mark.parametrize(
    ("dice", "ways", "chance", "digits"),
    [(30, 1, 0.384, 3), (30, 2, 0.965, 3), (10, 1, 0.0024, 4), (10, 2, 0.0766, 4)],
)
def test_six_ones_are_not_half_as_likely_as_six_fours(
    dice: int, ways: int, chance: float, digits: int
) -> None:
    """The Perudo thesis says half; only the expected number halves."""
    assert round(at_least(dice, 6, ways), digits) == chance
