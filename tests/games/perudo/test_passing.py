"""Part 7 of docs/rules.md: passing."""

from __future__ import annotations

import pytest

from perudo.games.errors import IllegalActionError
from perudo.games.perudo import Outcome, position


def legal(notation: str) -> str:
    """Return the legal actions as text, bids as ranges of quantities."""
    return str(position(notation).legal_actions)


def doubted(notation: str) -> Outcome:
    """Return the outcome when the turn player doubts the pass."""
    outcome = position(notation).apply("doubt").outcome
    assert outcome is not None
    return outcome


@pytest.mark.parametrize("option", ["yes", "no"])
def test_rule_7_1_a_player_may_pass_instead_of_raising(option: str) -> None:
    state = position(f"s0_sim:enable_pass={option} 22222/33333/44444 B 3x4")
    assert ("pass" in state.legal_actions) is (option == "yes")
    words = "dudo, calza, pass" if option == "yes" else "dudo, calza"
    assert str(state.legal_actions).endswith(f"x6, {words}")


def test_rule_7_1_the_standing_bid_stays() -> None:
    state = position("s0_sim:enable_pass=yes 22222/33333/44444 B 3x4").apply("pass")
    assert (str(state.bid), state.bidder, state.turn) == ("3x4", 0, 2)
    assert [str(action) for _, action in state.history] == ["3x4", "pass"]


@pytest.mark.parametrize("dice", range(1, 9))
def test_rule_7_2_it_takes_exactly_five_dice(dice: int) -> None:
    state = position(f"official:dice=8 22222/{'3' * dice}/44444 B 3x4")
    assert ("pass" in state.legal_actions) is (dice == 5)


def test_rule_7_2_it_may_be_a_bluff() -> None:
    for hand in ("12346", "11223"):
        state = position(f"official 22222/{hand}/44444 B 3x4")
        assert "pass" in state.legal_actions


@pytest.mark.parametrize(
    ("hand", "fits"),
    [
        ("12345", True),
        ("23456", True),
        ("12356", True),
        ("44444", True),
        ("11111", True),
        ("11122", True),
        ("55666", True),
        ("15555", False),
        ("55556", False),
        ("11566", False),
        ("11345", False),
        ("11134", False),
        ("22266", True),
        ("12223", False),
    ],
)
def test_rule_7_2_all_different_all_equal_or_three_and_two(hand: str, fits: bool) -> None:
    outcome = doubted(f"official 22222/{hand}/44444 C 3x4,pass")
    assert outcome.reason == ("pass doubted wrongly" if fits else "pass caught")


def test_rule_7_3_once_a_round_for_each_player() -> None:
    state = position("s0_sim:enable_pass=yes 222/33333/444 B 3x4,pass,4x4,5x4")
    with pytest.raises(IllegalActionError, match="you can pass only once a round"):
        state.apply("pass")
    another = position("s0_sim:enable_pass=yes 22222/33333/444 A 3x4,pass,4x4")
    assert "pass" in another.legal_actions


def test_rule_7_3_again_in_the_next_round() -> None:
    state = position("s0_sim:enable_pass=yes 222/33333/444 A 3x4,pass,8x6").apply("dudo").deal(1)
    assert state.opener == 2
    assert "pass" in state.apply("1x2").apply("1x3").legal_actions


def test_rule_7_3_the_next_player_must_raise_the_bid_or_doubt_the_pass() -> None:
    assert legal("official 222/33333/444 C 8x4,pass") == (
        "4-11x1, 9-11x2, 9-11x3, 9-11x4, 8-11x5, 8-11x6, doubt"
    )


def test_rule_7_3_not_doubt_the_bid() -> None:
    with pytest.raises(IllegalActionError, match="after a pass only the pass can be doubted"):
        position("official 222/33333/444 C 8x4,pass").apply("dudo")


def test_rule_7_3_after_a_raise_dudo_is_about_the_new_bid() -> None:
    state = position("official 222/33333/444 A 8x4,pass,9x4")
    assert "dudo" in state.legal_actions
    with pytest.raises(IllegalActionError, match="there is no pass to doubt"):
        state.apply("doubt")
    outcome = state.apply("dudo").outcome
    assert outcome is not None
    assert (str(outcome.bid), outcome.target, outcome.lost) == ("9x4", 2, (0, 0, 1))


@pytest.mark.parametrize("option", ["yes", "no"])
def test_rule_7_4_a_pass_after_a_pass(option: str) -> None:
    state = position(f"official:consecutive_pass={option} 22222/33333/44444 C 3x4,pass")
    assert ("pass" in state.legal_actions) is (option == "yes")


def test_rule_7_4_only_the_last_pass_can_be_doubted() -> None:
    rules = "official:consecutive_pass=yes"
    outcome = doubted(f"{rules} 22222/33344/11223/55555 D 3x4,pass,pass")
    assert (outcome.caller, outcome.target, outcome.lost) == (3, 2, (0, 0, 1, 0))
    outcome = doubted(f"{rules} 22222/11223/33344/55555 D 3x4,pass,pass")
    assert (outcome.caller, outcome.target, outcome.lost) == (3, 2, (0, 0, 0, 1))


@pytest.mark.parametrize("option", ["yes", "no"])
def test_rule_7_5_the_opener(option: str) -> None:
    state = position(f"official:pass_on_opening={option} 22222/33333/44444 A -")
    assert ("pass" in state.legal_actions) is (option == "yes")


def test_rule_7_5_after_an_opening_pass_the_next_player_bids_or_doubts() -> None:
    rules = "official:pass_on_opening=yes"
    assert legal(f"{rules} 22222/33/44 B pass") == "1-9x2, 1-9x3, 1-9x4, 1-9x5, 1-9x6, doubt"
    outcome = doubted(f"{rules} 22223/33/44 B pass")
    assert (outcome.bid, outcome.count, outcome.lost) == (None, None, (1, 0, 0))


@pytest.mark.parametrize("option", ["yes", "no"])
def test_rule_7_6_in_palafico_rounds(option: str) -> None:
    rules = f"official:pass_in_palafico={option}"
    state = position(f"{rules} 2/33333/44444 B 3x4 palafico=A")
    assert ("pass" in state.legal_actions) is (option == "yes")
    ordinary = position(f"{rules} 2/33333/44444 B 3x4")
    assert "pass" in ordinary.legal_actions


def test_rule_7_6_with_two_players_left() -> None:
    assert "pass" in position("official 22222/33333/- B 3x4").legal_actions


def test_rule_7_7_only_the_passers_cup_is_lifted() -> None:
    outcome = doubted("official 22222/11223/44444 C 3x4,pass")
    assert outcome.hands == ("", "11223", "")
    assert outcome.count is None


def test_rule_7_7_if_it_fits_the_doubter_loses_and_opens() -> None:
    outcome = doubted("official 22222/12356/44444 C 3x4,pass")
    assert (outcome.reason, outcome.lost) == ("pass doubted wrongly", (0, 0, 1))
    assert (outcome.caller, outcome.target, outcome.opener) == (2, 1, 2)


def test_rule_7_7_else_the_passer_loses_and_opens() -> None:
    outcome = doubted("official 22222/11223/44444 C 3x4,pass")
    assert (outcome.reason, outcome.lost) == ("pass caught", (0, 1, 0))
    assert (outcome.caller, outcome.target, outcome.opener) == (2, 1, 1)


def test_rule_7_7_a_doubter_who_is_out_is_replaced_by_the_seat_to_their_left() -> None:
    outcome = doubted("official 22222/12356/4/- C 3x4,pass")
    assert (outcome.lost, outcome.opener) == ((0, 0, 1, 0), 0)


def test_rule_7_7_the_opener_does_not_go_by_dudo_starter() -> None:
    outcome = doubted("official:dudo_starter=winner 22222/12356/44444 C 3x4,pass")
    assert outcome.opener == 2
