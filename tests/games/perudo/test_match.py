"""Part 1 of docs/rules.md: the match, and what it is worth (10.1)."""

from __future__ import annotations

import numpy as np
import pytest

from perudo.games.errors import RulesError
from perudo.games.operations import SPECTATOR
from perudo.games.perudo import PERUDO, Rules, position
from perudo.games.perudo.rolling import die

START_ROLL = 0
KEYS = range(60)


def face(key: int, number: int, seat: int, index: int) -> int:
    """One die of a match: of which round, whose, and its number in the cup."""
    return int(die(np.uint64(key), number, seat, index))


def start_rolls(key: int, seats: range) -> list[int]:
    """The dice of the first attempt at the start roll."""
    return [face(key, START_ROLL, seat, 0) for seat in seats]


def opener(rules: str, players: int, key: int) -> int:
    """Return the opener of the first round."""
    first = PERUDO.start(Rules.parse(rules), players).deal(key).opener
    assert first is not None
    return first


@pytest.mark.parametrize("most", range(2, 11))
def test_rule_1_1_two_to_max_players(most: int) -> None:
    rules = Rules.parse(f"common:max_players={most}")
    assert PERUDO.start(rules, 2).players == 2
    assert PERUDO.start(rules, most).players == most
    for players in (0, 1, most + 1):
        with pytest.raises(RulesError, match=f"^{players} players cannot play"):
            PERUDO.start(rules, players)


@pytest.mark.parametrize("most", [1, 11])
def test_rule_1_1_the_engine_takes_up_to_ten(most: int) -> None:
    with pytest.raises(RulesError, match="choose 2 to 10"):
        Rules(max_players=most)


@pytest.mark.parametrize("dice", range(1, 9))
def test_rule_1_2_each_has_dice_in_a_cup(dice: int) -> None:
    state = PERUDO.start(Rules(dice=dice), 3).deal(1)
    assert state.dice_counts == (dice, dice, dice)
    assert all(len(state.hand(seat) or "") == dice for seat in range(3))


def test_rule_1_2_sees_only_their_own() -> None:
    seen = position("official 12345/23456/22222 A -").observe(1)
    assert [seen.hand(seat) for seat in range(3)] == [None, "23456", None]
    assert not any(position("official 12345/23456 A -").observe(SPECTATOR).record.hands)


@pytest.mark.parametrize("dice", [0, 9])
def test_rule_1_2_one_to_eight_dice(dice: int) -> None:
    with pytest.raises(RulesError, match="choose 1 to 8"):
        Rules(dice=dice)


def test_rule_1_3_turns_pass_to_the_left_over_those_who_are_out() -> None:
    state = position("common 22/-/33/-/44 A -")
    turns = [state.turn]
    for bid in ("1x2", "1x3", "1x4"):
        state = state.apply(bid)
        turns.append(state.turn)
    assert turns == [0, 2, 4, 0]


def test_rule_1_4_a_dudo_ends_the_round_and_the_next_begins_with_fresh_rolls() -> None:
    state = position("common 22222/33333 B 9x6").apply("dudo")
    assert (state.round_over, state.awaits_deal, state.actor) == (True, True, None)
    assert state.dice_counts == (4, 5)
    rolled = state.deal(5)
    assert (rolled.round, rolled.round_over) == (2, False)
    assert (rolled.bid, rolled.bidder, rolled.history) == (None, None, ())
    hands = {state.deal(key).hand(1) for key in range(20)}
    assert len(hands) > 10
    assert {len(hand or "") for hand in hands} == {5}


def test_rule_1_4_who_has_no_dice_is_out() -> None:
    state = position("common 22/3/44 C 5x6").apply("dudo").deal(3)
    assert state.dice_counts == (2, 0, 2)
    assert state.hand(1) == ""
    assert state.opener == 2


def test_rule_1_4_the_last_player_with_dice_wins() -> None:
    state = position("common 22/-/4 A 3x6").apply("dudo")
    assert (state.over, state.winner, state.dice_counts) == (True, 0, (2, 0, 0))
    assert state.outcome is not None
    assert (state.outcome.winner, state.outcome.opener) == (0, None)


@pytest.mark.parametrize(("bid", "winner"), [("2x3", 0), ("3x3", 1)])
def test_rule_1_4_single_round_takes_no_dice_and_ends_the_match(bid: str, winner: int) -> None:
    state = position(f"perudish2 34/35 B {bid}").apply("dudo")
    assert (state.over, state.winner) == (True, winner)
    assert state.dice_counts == (2, 2)
    assert state.outcome is not None
    assert state.outcome.losers == (1 - winner,)


def test_rule_1_4_not_single_round_goes_on() -> None:
    state = position("perudish2:single_round=no 34/35 B 2x3").apply("dudo")
    assert (state.over, state.winner, state.dice_counts) == (False, None, (2, 1))


def test_rule_1_4_single_round_is_lost_by_a_doubted_pass_too() -> None:
    rules = "perudish2:enable_pass=yes"
    caught = position(f"{rules} 22222/12344 A 2x2,pass").apply("doubt")
    assert (caught.winner, caught.dice_counts) == (0, (5, 5))
    covered = position(f"{rules} 22222/12346 A 2x2,pass").apply("doubt")
    assert (covered.winner, covered.dice_counts) == (1, (5, 5))


def test_rule_1_5_roll_lets_the_highest_open() -> None:
    untied = 0
    for key in KEYS:
        rolls = start_rolls(key, range(4))
        if rolls.count(max(rolls)) == 1:
            untied += 1
            assert opener("official:start_mode=roll", 4, key) == rolls.index(max(rolls))
    assert untied > 20


def test_rule_1_5_random_may_be_any_seat() -> None:
    openers = [opener("official:start_mode=random", 4, key) for key in KEYS]
    assert set(openers) == {0, 1, 2, 3}
    assert openers != [opener("official:start_mode=roll", 4, key) for key in KEYS]


def test_rule_1_5_fixed_is_seat_a() -> None:
    assert {opener("official:start_mode=fixed", 4, key) for key in KEYS} == {0}


@pytest.mark.parametrize("mode", ["roll", "random", "fixed"])
def test_rule_1_5_who_has_no_dice_does_not_open(mode: str) -> None:
    start = PERUDO.start(Rules(start_mode=mode), 4, [0, 5, 0, 5])
    openers = {start.deal(key).opener for key in KEYS}
    assert openers == ({1} if mode == "fixed" else {1, 3})


def test_rule_1_5_concerns_the_first_round_only() -> None:
    lost = position("official:start_mode=fixed 22/3333/44 C 8x6").apply("dudo")
    assert lost.opener == 1
    assert lost.deal(1).turn == 1


def tie_for_the_highest(key: int) -> bool:
    rolls = start_rolls(key, range(4))
    return rolls.count(max(rolls)) > 1


def reroll(key: int, *, only_tied: bool) -> int:
    """Roll until one die is highest, as 1.6 says."""
    rolling, attempt = list(range(4)), 0
    while True:
        rolls = {seat: face(key, START_ROLL, seat, attempt) for seat in rolling}
        best = [seat for seat in rolling if rolls[seat] == max(rolls.values())]
        if len(best) == 1:
            return best[0]
        rolling = best if only_tied else rolling
        attempt += 1


def test_rule_1_6_a_tied_start_roll_is_rolled_again() -> None:
    ties = [key for key in range(150) if tie_for_the_highest(key)]
    tied = [opener("official:start_roll_tie=reroll_tied", 4, key) for key in ties]
    everybody = [opener("official:start_roll_tie=reroll_all", 4, key) for key in ties]
    assert tied == [reroll(key, only_tied=True) for key in ties]
    assert everybody == [reroll(key, only_tied=False) for key in ties]
    assert tied != everybody


def test_rule_1_7_a_die_does_not_depend_on_who_else_plays() -> None:
    many = PERUDO.start(Rules(dice=5), 4).deal(77)
    few = PERUDO.start(Rules(dice=3, calza=False), 2, [2, 3]).deal(77)
    assert many.round == few.round == 1
    for state in (many, few):
        for seat, count in enumerate(state.dice_counts):
            faces = sorted(face(77, 1, seat, index) for index in range(count))
            assert state.hand(seat) == "".join(map(str, faces))


def test_rule_1_7_another_key_round_seat_or_number_is_another_die() -> None:
    base = [face(5, 3, 2, index) for index in range(24)]
    assert base == [face(5, 3, 2, index) for index in range(24)]
    assert base != [face(6, 3, 2, index) for index in range(24)]
    assert base != [face(5, 4, 2, index) for index in range(24)]
    assert base != [face(5, 3, 1, index) for index in range(24)]
    assert len({tuple(base[start : start + 8]) for start in (0, 8, 16)}) == 3


def test_rule_10_1_a_die_costs_its_loser_one_and_is_shared_by_the_others() -> None:
    state = position("common 22/3/-/44 D 5x6").apply("dudo")
    assert state.round_payoffs() == (0.5, -1.0, 0.0, 0.5)


def test_rule_10_1_several_losers_share_each_others_dice() -> None:
    state = position("official:exact_bid_doubted=all_others_lose 33/44/55 B 2x3").apply("dudo")
    assert state.dice_counts == (2, 1, 1)
    assert state.round_payoffs() == (1.0, -0.5, -0.5)


def test_rule_10_1_dice_lost_by_the_difference_all_count() -> None:
    state = position("common:loss=difference 22222/33/44 B 3x6").apply("dudo")
    assert state.round_payoffs() == (-3.0, 1.5, 1.5)


def test_rule_10_1_a_right_calza_is_worth_nothing() -> None:
    state = position("official 22/333/44 B 2x2").apply("calza")
    assert state.dice_counts == (2, 4, 2)
    assert state.round_payoffs() == (0.0, 0.0, 0.0)


def test_rule_10_1_a_match_is_worth_one_to_the_winner() -> None:
    state = position("common 22/-/4 A 3x6").apply("dudo")
    assert state.payoffs() == (1.0, -0.5, -0.5)
