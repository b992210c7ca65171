"""Part 3 of docs/rules.md: bids on ones."""

from __future__ import annotations

import pytest

from perudo.games.perudo import PerudoState, position

OTHERS = "1-9x2, 1-9x3, 1-9x4, 1-9x5, 1-9x6"


def legal(notation: str) -> str:
    """Return the legal actions as text, bids as ranges of quantities."""
    return str(position(notation).legal_actions)


def lowest(state: PerudoState, face: int) -> int:
    """The smallest quantity of a face that may be bid."""
    quantities = range(1, state.total_dice + 1)
    return next(quantity for quantity in quantities if f"{quantity}x{face}" in state.legal_actions)


TWENTY = "22222/33333/44444/55555"


def test_rule_3_1_above_double_stands_above_double_sixes() -> None:
    rules = "uk:ace_rank=above_double"
    assert "3x1" in position(f"{rules} {TWENTY} B 6x6").legal_actions
    assert "3x1" not in position(f"{rules} {TWENTY} B 7x2").legal_actions
    assert "6x6" not in position(f"{rules} {TWENTY} C 6x2,3x1").legal_actions
    assert "7x2" in position(f"{rules} {TWENTY} C 6x2,3x1").legal_actions


def test_rule_3_1_below_double_stands_below_double_twos() -> None:
    rules = "uk:ace_rank=below_double"
    assert "3x1" in position(f"{rules} {TWENTY} B 5x6").legal_actions
    assert "3x1" not in position(f"{rules} {TWENTY} B 6x2").legal_actions
    assert "6x2" in position(f"{rules} {TWENTY} C 5x6,3x1").legal_actions
    assert "5x6" not in position(f"{rules} {TWENTY} C 5x2,3x1").legal_actions


def test_rule_3_1_lowest_is_the_plain_lowest_face() -> None:
    rules = "uk:ace_rank=lowest"
    expected = "7-9x1, 7-9x2, 7-9x3, 6-9x4, 6-9x5, 6-9x6, dudo"
    assert legal(f"{rules} 222/333/444 B 6x3") == expected
    expected = "8-9x1, 7-9x2, 7-9x3, 7-9x4, 7-9x5, 7-9x6, dudo"
    assert legal(f"{rules} 222/333/444 C 6x3,7x1") == expected


def test_rule_3_1_not_biddable() -> None:
    rules = "uk:ace_rank=not_biddable,ace_opening=no"
    assert legal(f"{rules} 222/333/444 A -") == OTHERS
    assert legal(f"{rules} 222/333/444 B 6x3") == "7-9x2, 7-9x3, 6-9x4, 6-9x5, 6-9x6, dudo"


@pytest.mark.parametrize(
    ("opening", "ordinary", "palafico"),
    [("no", False, False), ("palafico_only", False, True), ("yes", True, True)],
)
def test_rule_3_2_opening_on_ones(opening: str, ordinary: bool, palafico: bool) -> None:
    rules = f"uk:ace_opening={opening}"
    assert ("1x1" in position(f"{rules} 2/33/44 A -").legal_actions) is ordinary
    assert ("1x1" in position(f"{rules} 2/33/44 A - palafico=A").legal_actions) is palafico


def test_rule_3_2_ones_as_the_lowest_face_may_be_kept_from_the_opening() -> None:
    rules = "dudo_ai:ace_opening=no"
    assert legal(f"{rules} 222/333 A -") == "1-6x2, 1-6x3, 1-6x4, 1-6x5, 1-6x6"
    assert legal(f"{rules} 222/333 B 5x4") == "6x1, 6x2, 6x3, 6x4, 5-6x5, 5-6x6, dudo"
    assert legal("dudo_ai 222/333 A -") == "1-6x1, 1-6x2, 1-6x3, 1-6x4, 1-6x5, 1-6x6"


@pytest.mark.parametrize(
    ("opening", "first", "second"),
    [("no", False, False), ("palafico_only", False, True), ("yes", True, True)],
)
def test_rule_3_2_the_palafico_round_must_have_been_declared(
    opening: str, first: bool, second: bool
) -> None:
    state = position(f"uk:palafico=declared,ace_opening={opening} 2/33/44 A - due=A")
    assert ("1x1" in state.legal_actions) is first
    assert ("1x1" in state.apply("palafico").legal_actions) is second


@pytest.mark.parametrize(("opening", "allowed"), [("palafico_only", False), ("yes", True)])
def test_rule_3_2_who_bids_first_after_passes_opens(opening: str, allowed: bool) -> None:
    rules = f"official:pass_on_opening=yes,ace_opening={opening}"
    assert ("1x1" in position(f"{rules} 22222/33333/44444 B pass").legal_actions) is allowed


@pytest.mark.parametrize(
    ("rank", "quantity", "ones"),
    [
        ("above_double", 1, 1),
        ("above_double", 6, 3),
        ("above_double", 7, 4),
        ("above_double", 8, 4),
        ("above_double", 11, 6),
        ("below_double", 1, 1),
        ("below_double", 6, 4),
        ("below_double", 7, 4),
        ("below_double", 8, 5),
        ("below_double", 11, 6),
        ("lowest", 8, 9),
    ],
)
def test_rule_3_3_to_ones(rank: str, quantity: int, ones: int) -> None:
    for face in (2, 6):
        state = position(f"uk:ace_rank={rank} {TWENTY} B {quantity}x{face}")
        assert lowest(state, 1) == ones
        assert f"{ones + 1}x1" in state.legal_actions


@pytest.mark.parametrize("rank", ["above_double", "below_double", "lowest"])
def test_rule_3_3_more_ones_raise_fewer_ones(rank: str) -> None:
    state = position(f"uk:ace_rank={rank},ace_opening=yes {TWENTY} B 4x1")
    assert lowest(state, 1) == 5
    assert "20x1" in state.legal_actions


@pytest.mark.parametrize(
    ("options", "quantity"),
    [
        ("ace_rank=above_double,ace_exit_plus_one=yes", 9),
        ("ace_rank=above_double,ace_exit_plus_one=no", 8),
        ("ace_rank=below_double,ace_exit_plus_one=yes", 8),
        ("ace_rank=below_double,ace_exit_plus_one=no", 8),
        ("ace_rank=lowest", 4),
    ],
)
def test_rule_3_4_from_ones_to_another_face(options: str, quantity: int) -> None:
    state = position(f"uk:{options},ace_opening=yes {TWENTY} B 4x1")
    assert {lowest(state, face) for face in range(2, 7)} == {quantity}
    assert "20x2" in state.legal_actions


def test_rule_3_4_the_exit_may_be_above_the_cap() -> None:
    assert legal("uk 222/333/444 C 6x3,5x1") == "6-9x1, dudo"


def test_rule_3_5_with_an_exit_at_double_the_last_other_bid_must_be_beaten() -> None:
    assert legal("common_aces 222/333/444 C 4x5,2x1") == (
        "3-9x1, 5-9x2, 5-9x3, 5-9x4, 5-9x5, 4-9x6, dudo"
    )
    assert legal("common_aces 222/333/444 C 3x5,2x1") == (
        "3-9x1, 4-9x2, 4-9x3, 4-9x4, 4-9x5, 4-9x6, dudo"
    )


def test_rule_3_5_the_last_other_bid_counts_even_if_ones_were_raised_since() -> None:
    state = position("common_aces 222/333/444/555 D 4x6,2x1,3x1")
    assert lowest(state, 2) == 6
    again = state.apply("6x4").apply("3x1")
    assert [lowest(again, face) for face in (4, 5)] == [7, 6]


def test_rule_3_5_another_round_starts_afresh() -> None:
    state = position("common_aces:ace_opening=yes 222/333/444 C 4x6,2x1").apply("dudo").deal(1)
    state = state.apply("2x1")
    assert lowest(state, 2) == 4
    assert str(state.legal_actions) == "3-8x1, 4-8x2, 4-8x3, 4-8x4, 4-8x5, 4-8x6, dudo"


@pytest.mark.parametrize("raise_rule", ["one_of_two", "neither_falls"])
def test_rule_3_5_compares_by_any_face(raise_rule: str) -> None:
    state = position(f"common_aces:raise_rule={raise_rule} 222/333/444 C 4x5,2x1")
    assert [lowest(state, face) for face in range(2, 7)] == [5, 5, 5, 5, 4]


@pytest.mark.parametrize("monotone", ["yes", "no"])
@pytest.mark.parametrize("options", ["ace_exit_plus_one=yes", "ace_rank=below_double"])
def test_rule_3_5_other_exits_do_not_need_it(options: str, monotone: str) -> None:
    rules = f"uk:{options},ace_exit_monotone={monotone}"
    state = position(f"{rules} 222/333/444 C 3x5,2x1")
    assert lowest(state, 2) == (5 if "plus_one" in options else 4)
