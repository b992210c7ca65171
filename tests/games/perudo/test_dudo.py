"""Part 4 of docs/rules.md: dudo."""

from __future__ import annotations

import pytest

from perudo.games.errors import IllegalActionError
from perudo.games.perudo import Bid, Outcome, position


def doubted(notation: str) -> Outcome:
    """Return the outcome when the turn player calls dudo."""
    outcome = position(notation).apply("dudo").outcome
    assert outcome is not None
    return outcome


def test_rule_4_1_the_player_whose_turn_it_is_may_say_dudo() -> None:
    state = position("official 22222/33333/44444 B 3x4")
    assert "dudo" in state.legal_actions
    assert doubted("official 22222/33333/44444 B 3x4").caller == 1
    asked = position("official 22222/33333/44444 B+C 3x4")
    assert "dudo" not in asked.legal_actions


def test_rule_4_1_there_must_be_a_standing_bid() -> None:
    with pytest.raises(IllegalActionError, match="there is no bid to doubt"):
        position("official 22222/33333/44444 B -").apply("dudo")


def test_rule_4_2_all_cups_are_lifted_and_matching_dice_counted() -> None:
    outcome = doubted("official 11246/334/1 C 4x4,5x4")
    assert outcome.hands == ("11246", "334", "1")
    assert (outcome.bid, outcome.count) == (Bid(5, 4), 5)


def test_rule_4_3_fewer_than_bid_the_bidder_loses() -> None:
    outcome = doubted("official 11246/3344/13 C 4x4,7x4")
    assert (outcome.count, outcome.reason) == (6, "bid too high")
    assert (outcome.caller, outcome.target, outcome.lost) == (2, 1, (0, 1, 0))


@pytest.mark.parametrize("bid", ["6x4", "5x4"])
def test_rule_4_3_as_many_or_more_the_doubter_loses(bid: str) -> None:
    outcome = doubted(f"official 11246/3344/13 C 4x4,{bid}")
    assert (outcome.count, outcome.reason) == (6, "dudo too soon")
    assert (outcome.caller, outcome.target, outcome.lost) == (2, 1, (0, 0, 1))


def test_rule_4_3_a_bid_on_ones_counts_ones_only() -> None:
    """The example round of the Perudo thesis: four ones were bid, there were three."""
    outcome = doubted("official 11246/3344/13 C 4x4,4x1")
    assert (outcome.count, outcome.reason, outcome.lost) == (3, "bid too high", (0, 1, 0))


def test_rule_4_3_example_of_the_maynooth_project() -> None:
    """Three threes, four fours, five fours, called; four are there, one of them a one."""
    too_high = doubted("common 33562/14255/44236 A 3x3,4x4,5x4")
    assert (too_high.count, too_high.lost, too_high.opener) == (4, (0, 0, 1), 2)
    enough = doubted("common 33562/14255/44236 C 3x3,4x4")
    assert (enough.count, enough.lost, enough.opener) == (4, (0, 0, 1), 2)


def test_rule_4_3_each_round_is_settled_by_itself() -> None:
    state = position("s0_sim 222/333/444 B 3x2").apply("calza")
    assert state.outcome is not None
    assert (state.outcome.lost, state.outcome.gained) == ((0, 0, 0), (0, 1, 0))
    state = state.deal(1).apply("10x6").apply("dudo")
    assert state.outcome is not None
    assert (state.outcome.lost, state.outcome.gained) == ((0, 1, 0), (0, 0, 0))
    state = state.deal(1).apply("1x2").apply("9x6").apply("dudo")
    assert state.outcome is not None
    assert (state.outcome.lost, state.outcome.gained) == ((0, 0, 1), (0, 0, 0))


@pytest.mark.parametrize(
    ("starter", "after_too_high", "after_too_soon"), [("loser", 1, 2), ("winner", 2, 1)]
)
def test_rule_4_4_who_opens_the_next_round(
    starter: str, after_too_high: int, after_too_soon: int
) -> None:
    rules = f"official:dudo_starter={starter}"
    assert doubted(f"{rules} 222/333/444/555 C 3x3,9x3").opener == after_too_high
    assert doubted(f"{rules} 222/333/444/555 C 2x3,3x3").opener == after_too_soon


def test_rule_4_4_who_is_out_is_replaced_by_the_seat_to_their_left() -> None:
    assert doubted("common 22/3/-/55 D 4x6").opener == 3
    assert doubted("common 22/33/44/5 D 1x5,2x4").opener == 0


def test_rule_4_4_the_winner_opens_even_if_the_loser_is_out() -> None:
    assert doubted("common:dudo_starter=winner 22/3/-/55 A 1x6,5x6").opener == 0
    assert doubted("common:dudo_starter=winner 22/33/44/5 D 1x4,2x4").opener == 2


@pytest.mark.parametrize(
    ("loss", "bid", "lost"),
    [
        ("one", "6x3", (0, 1, 0)),
        ("one", "1x3", (0, 0, 1)),
        ("difference", "6x3", (0, 3, 0)),
        ("difference", "4x3", (0, 1, 0)),
        ("difference", "3x3", (0, 0, 1)),
        ("difference", "2x3", (0, 0, 1)),
        ("difference", "1x3", (0, 0, 2)),
    ],
)
def test_rule_4_5_loss(loss: str, bid: str, lost: tuple[int, ...]) -> None:
    state = position(f"common:loss={loss} 22222/33355/44444 C 1x2,{bid}").apply("dudo")
    assert state.outcome is not None
    assert state.outcome.lost == lost
    assert state.dice_counts == tuple(5 - dice for dice in lost)


def test_rule_4_5_never_more_than_the_loser_has() -> None:
    state = position("common:loss=difference 22222/33/44444 C 1x2,9x3").apply("dudo")
    assert state.outcome is not None
    assert state.outcome.lost == (0, 2, 0)
    assert state.dice_counts == (5, 0, 5)


def test_rule_4_5_calza_and_passes_always_cost_one() -> None:
    rules = "official:loss=difference"
    wrong = position(f"{rules} 22222/33333/44444 B 9x6").apply("calza").outcome
    assert wrong is not None
    assert wrong.lost == (0, 1, 0)
    caught = position(f"{rules} 22222/12344/44444 C 9x6,pass").apply("doubt").outcome
    assert caught is not None
    assert caught.lost == (0, 1, 0)


@pytest.mark.parametrize(
    ("option", "bid", "lost"),
    [
        ("challenger_loses", "3x3", (0, 0, 1, 0)),
        ("all_others_lose", "3x3", (1, 0, 1, 1)),
        ("all_others_lose", "2x3", (0, 0, 1, 0)),
        ("all_others_lose", "4x3", (0, 1, 0, 0)),
    ],
)
def test_rule_4_6_an_exact_bid_doubted(option: str, bid: str, lost: tuple[int, ...]) -> None:
    rules = f"common:exact_bid_doubted={option}"
    assert doubted(f"{rules} 222/333/444/555 C 1x2,{bid}").lost == lost


def test_rule_4_6_those_who_are_out_lose_nothing() -> None:
    rules = "common:exact_bid_doubted=all_others_lose"
    state = position(f"{rules} 22/33/-/55 D 1x2,2x3").apply("dudo")
    assert state.dice_counts == (1, 2, 0, 1)


def test_rule_4_6_by_one_die_even_if_the_loss_is_the_difference() -> None:
    rules = "common:exact_bid_doubted=all_others_lose,loss=difference"
    assert doubted(f"{rules} 222/333/444/555 C 1x2,3x3").lost == (1, 0, 1, 1)


@pytest.mark.parametrize(("starter", "opener"), [("loser", 2), ("winner", 1)])
def test_rule_4_6_the_challenger_counts_as_the_loser(starter: str, opener: int) -> None:
    rules = f"common:exact_bid_doubted=all_others_lose,dudo_starter={starter}"
    outcome = doubted(f"{rules} 222/333/444/555 C 1x2,3x3")
    assert (outcome.reason, outcome.opener) == ("dudo too soon", opener)


def test_rule_4_6_everybody_else_may_be_out_at_once() -> None:
    rules = "common:exact_bid_doubted=all_others_lose"
    state = position(f"{rules} 2/33/4 C 1x2,2x3").apply("dudo")
    assert (state.over, state.winner, state.dice_counts) == (True, 1, (0, 2, 0))
    chain = position(f"{rules} 2/33/4/55 C 1x2,2x3").apply("dudo")
    assert (chain.opener, chain.dice_counts) == (3, (0, 2, 0, 1))
