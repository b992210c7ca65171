"""Part 6 of docs/rules.md: calza."""

from __future__ import annotations

import pytest

from perudo.games.errors import IllegalActionError
from perudo.games.perudo import PerudoState, position

RIGHT = "222/333/444/555 B 3x2"
"""A bid three twos; there are three."""
WRONG = "222/333/444/555 B 4x2"


def asked(state: PerudoState) -> list[tuple[int | None, str]]:
    """List the seats asked after a bid, in order, with their legal actions."""
    questions = []
    while "decline" in state.legal_actions:
        questions.append((state.actor, str(state.legal_actions)))
        state = state.apply("decline")
    assert state.actor == state.turn
    return questions


def test_rule_6_1_a_bid_may_be_claimed_to_be_exactly_right() -> None:
    state = position(f"official:calza=yes {RIGHT}")
    assert "calza" in state.legal_actions
    settled = state.apply("calza")
    assert settled.round_over
    assert settled.outcome is not None
    assert (settled.outcome.reason, settled.outcome.count) == ("calza right", 3)
    assert (settled.outcome.caller, settled.outcome.target) == (1, 0)
    assert settled.outcome.hands == ("222", "333", "444", "555")


def test_rule_6_1_without_calza_nobody_may_and_nobody_is_asked() -> None:
    state = position("official:calza=no 222/333/444/555 A -").apply("3x2")
    assert state.actor == 1
    with pytest.raises(IllegalActionError, match="these rules have no calza"):
        state.apply("calza")


def test_rule_6_1_there_must_be_a_bid() -> None:
    with pytest.raises(IllegalActionError, match="there is no bid to claim"):
        position("official 222/333/444/555 A -").apply("calza")


@pytest.mark.parametrize("bid", ["4x2", "2x2"])
def test_rule_6_2_wrong_the_caller_loses_one_die_and_the_bidder_is_unharmed(bid: str) -> None:
    state = position(f"official 222/333/444/555 B {bid}").apply("calza")
    assert state.outcome is not None
    assert state.outcome.reason == "calza wrong"
    assert state.outcome.lost == (0, 1, 0, 0)
    assert state.dice_counts == (3, 2, 3, 3)


CALZA_OR_DECLINE = "calza, decline"


@pytest.mark.parametrize(
    ("who", "others", "turn_player"),
    [("turn_only", [], True), ("any_but_bidder", [2, 3], True), ("any_but_next", [2, 3], False)],
)
def test_rule_6_3_who_may_claim(who: str, others: list[int], turn_player: bool) -> None:
    rules = f"official:calza_who={who}"
    state = position(f"{rules} 222/333/444/555 A -").apply("3x2")
    assert asked(state) == [(seat, CALZA_OR_DECLINE) for seat in others]
    turn = position(f"{rules} {RIGHT}")
    assert ("calza" in turn.legal_actions) is turn_player


def test_rule_6_3_asked_in_seat_order_from_the_bidders_left_past_those_who_are_out() -> None:
    state = position("official 22/33/44/-/66/55 C -").apply("3x2")
    assert [seat for seat, _ in asked(state)] == [5, 0, 1]
    assert state.turn == 4


def test_rule_6_3_the_first_claim_ends_the_round() -> None:
    state = position("official 222/333/444/555 A -").apply("3x2").apply("decline")
    assert state.actor == 3
    settled = state.apply("calza")
    assert settled.outcome is not None
    assert (settled.outcome.caller, settled.outcome.gained) == (3, (0, 0, 0, 1))


def test_rule_6_3_who_is_asked_says_nothing_else() -> None:
    state = position("official 222/333/444/555 B+C 3x2")
    for action in ("dudo", "4x2", "pass", "doubt"):
        with pytest.raises(IllegalActionError, match="seat C can only claim calza or decline now"):
            state.apply(action)


def test_rule_6_3_nobody_declines_unasked() -> None:
    with pytest.raises(IllegalActionError, match="there is no calza to decline"):
        position(f"official {RIGHT}").apply("decline")


def test_rule_6_3_what_was_declined_leaves_no_trace() -> None:
    state = position("official 222/333/444/555 A -").apply("3x2")
    state = state.apply("decline").apply("decline")
    assert state == position(f"official {RIGHT}")
    assert [str(action) for _, action in state.history] == ["3x2"]


@pytest.mark.parametrize(
    ("reward", "counts"),
    [
        ("die", (3, 4, 3, 3)),
        ("void", (3, 3, 3, 3)),
        ("others_lose", (2, 3, 2, 2)),
        ("die_and_others_lose", (2, 4, 2, 2)),
    ],
)
def test_rule_6_4_what_a_right_calza_brings(reward: str, counts: tuple[int, ...]) -> None:
    state = position(f"official:calza_reward={reward} {RIGHT}").apply("calza")
    assert state.dice_counts == counts
    assert state.total_dice == sum(counts)
    assert state.outcome is not None
    assert state.outcome.gained == (0, counts[1] - 3, 0, 0)
    assert state.outcome.lost == tuple(3 - min(count, 3) for count in counts)


@pytest.mark.parametrize("reward", ["die", "die_and_others_lose"])
def test_rule_6_4_never_above_the_dice_at_the_start(reward: str) -> None:
    state = position(f"official:calza_reward={reward},dice=3 {RIGHT}").apply("calza")
    assert state.dice_counts[1] == 3
    assert state.outcome is not None
    assert state.outcome.gained == (0, 0, 0, 0)
    assert state.outcome.reason == "calza right"


def test_rule_6_4_those_who_are_out_stay_out() -> None:
    state = position("official:calza_reward=others_lose 222/333/-/555 B 3x2").apply("calza")
    assert state.dice_counts == (2, 3, 0, 2)


def test_rule_6_4_the_others_may_all_be_out_at_once() -> None:
    state = position("official:calza_reward=others_lose 2/333/4 B 1x2").apply("calza")
    assert (state.over, state.winner) == (True, 1)


@pytest.mark.parametrize(("starter", "opener"), [("caller", 1), ("bidder", 0)])
def test_rule_6_5_who_opens_after_a_right_calza(starter: str, opener: int) -> None:
    other = "bidder" if starter == "caller" else "caller"
    rules = f"official:calza_success_starter={starter},calza_failure_starter={other}"
    assert position(f"{rules} {RIGHT}").apply("calza").opener == opener


def test_rule_6_5_a_bidder_who_is_out_is_replaced_by_the_seat_to_their_left() -> None:
    rules = "official:calza_success_starter=bidder,calza_reward=others_lose"
    state = position(f"{rules} 2/3/444/555 C+D 1x2,1x3").apply("calza")
    assert (state.dice_counts, state.opener) == ((0, 0, 2, 3), 2)


@pytest.mark.parametrize(("starter", "opener"), [("caller", 1), ("bidder", 0)])
def test_rule_6_6_who_opens_after_a_wrong_calza(starter: str, opener: int) -> None:
    other = "bidder" if starter == "caller" else "caller"
    rules = f"official:calza_failure_starter={starter},calza_success_starter={other}"
    assert position(f"{rules} {WRONG}").apply("calza").opener == opener


def test_rule_6_6_a_caller_who_is_out_is_replaced_by_the_seat_to_their_left() -> None:
    state = position("official 222/3/-/555 B 4x2").apply("calza")
    assert (state.dice_counts, state.opener) == ((3, 0, 0, 3), 3)


@pytest.mark.parametrize("option", ["no", "yes"])
def test_rule_6_7_in_palafico_rounds(option: str) -> None:
    allowed = option == "yes"
    rules = f"official:calza_in_palafico={option}"
    state = position(f"{rules} 2/333/444 A - palafico=A").apply("1x2")
    assert asked(state) == ([(2, CALZA_OR_DECLINE)] if allowed else [])
    turn = position(f"{rules} 2/333/444 B 1x2 palafico=A")
    assert ("calza" in turn.legal_actions) is allowed


def test_rule_6_7_in_a_round_that_could_have_been_declared_palafico() -> None:
    state = position("official:palafico=declared 2/333/444 A - due=A").apply("1x2").apply("decline")
    assert "calza" in state.legal_actions


@pytest.mark.parametrize("option", ["no", "yes"])
def test_rule_6_8_with_two_players_left(option: str) -> None:
    rules = f"official:calza_two_players={option}"
    state = position(f"{rules} 222/333/- B 3x2")
    assert ("calza" in state.legal_actions) is (option == "yes")


@pytest.mark.parametrize("option", ["no", "yes"])
def test_rule_6_9_right_after_a_pass(option: str) -> None:
    allowed = option == "yes"
    rules = f"official:calza_after_pass={option}"
    state = position(f"{rules} 222/33333/444/555 B 3x2").apply("pass")
    assert asked(state) == ([(1, CALZA_OR_DECLINE), (3, CALZA_OR_DECLINE)] if allowed else [])
    turn = position(f"{rules} 222/33333/444/555 C 3x2,pass")
    assert ("calza" in turn.legal_actions) is allowed
    raised = position(f"{rules} 222/33333/444/555 D 3x2,pass,4x2")
    assert "calza" in raised.legal_actions


def test_rule_6_9_not_after_an_opening_pass() -> None:
    rules = "official:calza_after_pass=yes,pass_on_opening=yes"
    state = position(f"{rules} 22222/33333/44444 A -").apply("pass")
    assert state.actor == 1
    assert "calza" not in state.legal_actions


def test_rule_6_9_a_claim_after_a_pass_is_about_the_bid() -> None:
    rules = "official:calza_after_pass=yes"
    state = position(f"{rules} 222/33333/444/555 C 3x2,pass").apply("calza")
    assert state.outcome is not None
    assert (state.outcome.reason, state.outcome.target) == ("calza right", 0)
    assert state.dice_counts == (3, 5, 4, 3)


def test_rule_6_10_nobody_claims_calza_on_their_own_bid() -> None:
    rules = "official:calza_after_pass=yes,consecutive_pass=yes,calza_two_players=yes"
    state = position(f"{rules} 222/33333/44444 A 3x2,pass,pass")
    assert state.turn == state.bidder == 0
    with pytest.raises(IllegalActionError, match="you cannot claim calza on your own bid"):
        state.apply("calza")
    two = position(f"{rules} 22222/33333 B 3x2").apply("pass")
    assert two.actor == 1
    assert "calza" not in position(f"{rules} 22222/33333 A 3x2,pass").legal_actions
