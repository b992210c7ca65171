"""Part 2 of docs/rules.md: bidding."""

from __future__ import annotations

import pytest

from perudo.games.perudo import position


def legal(notation: str) -> str:
    """Return the legal actions as text, bids as ranges of quantities."""
    return str(position(notation).legal_actions)


def count(notation: str) -> int | None:
    """Return the number of dice that match the standing bid."""
    outcome = position(notation).apply("dudo").outcome
    assert outcome is not None
    return outcome.count


def test_rule_2_1_the_opener_must_bid() -> None:
    assert legal("official 12345/12345/12345 A -") == "1-15x2, 1-15x3, 1-15x4, 1-15x5, 1-15x6"


def test_rule_2_1_then_each_player_raises_or_ends_the_round() -> None:
    assert legal("uk 123/123/123 B 8x5") == "4-9x1, 9x2, 9x3, 9x4, 9x5, 8-9x6, dudo"


def test_rule_2_2_any_face_a_higher_quantity_or_a_higher_face() -> None:
    state = position("uk 12345/12345/12345/12345 B 6x5")
    assert all(bid in state.legal_actions for bid in ("6x6", "7x2", "7x5", "9x3"))
    assert not any(bid in state.legal_actions for bid in ("6x3", "5x6", "6x5", "6x2", "1x6"))


def test_rule_2_2_any_face() -> None:
    rules = "common:raise_rule=any_face"
    assert legal(f"{rules} 123/123/123 B 6x4") == "7-9x2, 7-9x3, 7-9x4, 6-9x5, 6-9x6, dudo"


def test_rule_2_2_one_of_two() -> None:
    rules = "common:raise_rule=one_of_two"
    assert legal(f"{rules} 123/123/123 B 6x4") == "7-9x4, 6x5, 6x6, dudo"


def test_rule_2_2_neither_falls() -> None:
    rules = "common:raise_rule=neither_falls"
    assert legal(f"{rules} 123/123/123 B 6x4") == "7-9x4, 6-9x5, 6-9x6, dudo"


@pytest.mark.parametrize("raise_rule", ["any_face", "one_of_two", "neither_falls"])
def test_rule_2_2_the_opening_is_free(raise_rule: str) -> None:
    everything = "1-6x2, 1-6x3, 1-6x4, 1-6x5, 1-6x6"
    assert legal(f"common:raise_rule={raise_rule} 123/123 A -") == everything


@pytest.mark.parametrize(
    ("raise_rule", "others"),
    [
        ("any_face", "7-9x2, 7-9x3, 7-9x4, 6-9x5, 6-9x6"),
        ("one_of_two", "7-9x4, 6x5, 6x6"),
        ("neither_falls", "7-9x4, 6-9x5, 6-9x6"),
    ],
)
def test_rule_2_2_ones_are_compared_by_part_3_under_every_raise_rule(
    raise_rule: str, others: str
) -> None:
    rules = f"uk:raise_rule={raise_rule}"
    assert legal(f"{rules} 123/123/123 B 6x4") == f"3-9x1, {others}, dudo"
    from_ones = "4-9x1, 7-9x2, 7-9x3, 7-9x4, 7-9x5, 7-9x6, dudo"
    assert legal(f"{rules} 123/123/123 C 6x4,3x1") == from_ones


@pytest.mark.parametrize(
    ("raise_rule", "after_four", "after_ones"),
    [
        ("any_face", "5-6x1, 5-6x2, 5-6x3, 5-6x4, 4-6x5, 4-6x6", "5-6x1, 4-6x2, 4-6x3, 4-6x4"),
        ("one_of_two", "5-6x4, 4x5, 4x6", "5-6x1, 4x2, 4x3, 4x4"),
        ("neither_falls", "5-6x4, 4-6x5, 4-6x6", "5-6x1, 4-6x2, 4-6x3, 4-6x4"),
    ],
)
def test_rule_2_2_ones_as_the_plain_lowest_face_follow_the_raise_rule(
    raise_rule: str, after_four: str, after_ones: str
) -> None:
    rules = f"dudo_ai:raise_rule={raise_rule}"
    assert legal(f"{rules} 123/123 B 4x4") == f"{after_four}, dudo"
    assert legal(f"{rules} 123/123 B 4x1").startswith(f"{after_ones}, 4")


def test_rule_2_3_raises_may_jump() -> None:
    state = position("official 12345/12345/12345 B 1x2")
    assert "15x6" in state.legal_actions
    assert "15x1" in state.legal_actions


def test_rule_2_4_no_quantity_above_the_dice_in_play() -> None:
    top = "2x2, 2x3, 2x4, 2x5, 1-2x6, dudo"
    assert legal("common:cap_bids_at_total=yes 3/-/4 C 1x5") == top


def test_rule_2_4_without_the_cap_up_to_eighty() -> None:
    rules = "common:cap_bids_at_total=no"
    assert legal(f"{rules} 3/-/4 C 1x5") == "2-80x2, 2-80x3, 2-80x4, 2-80x5, 1-80x6, dudo"
    assert legal(f"{rules} 3/-/4 C 80x5") == "80x6, dudo"


def test_rule_2_4_who_cannot_raise_has_only_the_words_left() -> None:
    assert legal("common 3/-/4 C 2x6") == "dudo"
    assert legal("uk 33/4/55 C 3x6,5x1") == "dudo"
    assert legal("s0_sim 33/4/55 C 3x6,5x1") == "dudo, calza"
    assert legal("official 22222/33333 A 10x6,pass") == "5-10x1, doubt"
    assert legal("common:enable_pass=yes 22222/33333 A 10x6,pass") == "doubt"


@pytest.mark.parametrize(
    ("wild", "bid", "matching"),
    [
        ("ones", "3x4", 5),
        ("ones", "3x6", 4),
        ("ones", "3x1", 3),
        ("highest", "3x4", 3),
        ("highest", "3x6", 1),
        ("highest", "3x1", 4),
        ("none", "3x4", 2),
        ("none", "3x6", 1),
        ("none", "3x1", 3),
    ],
)
def test_rule_2_5_a_wild_die_counts_for_every_other_face(
    wild: str, bid: str, matching: int
) -> None:
    assert count(f"dudo_ai:wild={wild} 114/146 B {bid}") == matching
