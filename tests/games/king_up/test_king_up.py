"""King UP: settings and rules, clause by clause."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from king_up_positions import GAMES, levels_of, play, position, start
from perudo.games.errors import (
    IllegalActionError,
    PerudoError,
    RulesError,
    UnknownNameError,
)
from perudo.games.game import State
from perudo.games.king_up import KING_UP, PRESETS, KingUpSetting, appendix_state
from perudo.games.king_up.layout import FINISHED, MOVING, NO, PLACING, VOTING, YES
from perudo.games.operations import MATCH


# --- settings -----------------------------------------------------------------------------------
def test_clause_1_parameters_of_the_experiments() -> None:
    """Table 4.1 of the thesis, and single rounds in its tournament."""
    thesis = PRESETS["thesis"]
    assert (thesis.target_num, thesis.pieces_num, thesis.bonus, thesis.top_score) == (4, 7, 15, 10)
    assert (thesis.set_round, thesis.board_height, thesis.board_width) == (2, 5, 3)
    assert (thesis.rejection_limit, thesis.rounds, thesis.tie) == (1, 1, "lowest_seat")
    assert (thesis.deck, thesis.bonus_if) == ("windows", "zero_credit")


def test_clause_1_parameters_of_the_real_game() -> None:
    """Seven levels, six targets, 15 or 20 for the top, three rounds."""
    real = PRESETS["real"]
    assert (real.board_height, real.target_num, real.top_score, real.rounds) == (7, 6, 20, 3)
    assert real.board_width == 3
    assert PRESETS["real_15"].top_score == 15
    assert PRESETS["thesis_match"].rounds == KingUpSetting().rounds == 3


@pytest.mark.parametrize(
    "text",
    [*PRESETS, "thesis:top_score=15", "real:deck=all,tie=lowest_seat,rounds=2", "tiny:bonus=0"],
)
def test_settings_are_read_back(text: str) -> None:
    """Text, setting and plain options lead to one another."""
    setting = KING_UP.setting(text)
    assert KING_UP.setting(KING_UP.describe_setting(setting)) == setting
    assert KING_UP.describe_setting(setting) == text
    assert KING_UP.setting_from_options(KING_UP.setting_options(setting)) == setting


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("chess", UnknownNameError, "there are: thesis, thesis_match, real"),
        ("", UnknownNameError, "unknown setting ''"),
        ("thesis:colour=red", UnknownNameError, "unknown option 'colour'; there are: target_num"),
        ("thesis:bonus=many", RulesError, "choose 0 to 100"),
        ("thesis:bonus", RulesError, "choose 0 to 100"),
        ("thesis:board_height=1", RulesError, "choose 2 to 10"),
        ("thesis:deck=some", RulesError, "choose windows or all"),
        ("thesis:tie=none", RulesError, "choose shared or lowest_seat"),
        ("thesis:target_num=7", RulesError, "choose fewer targets or more pieces"),
    ],
)
def test_wrong_settings_say_what_would_be_right(
    text: str, error: type[PerudoError], message: str
) -> None:
    """Unknown names and impossible values are told apart."""
    with pytest.raises(error, match=message):
        KING_UP.setting(text)


def test_a_setting_checks_itself() -> None:
    """Values of the wrong type are refused too; a yes is not a number."""
    with pytest.raises(RulesError):
        KingUpSetting(bonus=True)
    with pytest.raises(RulesError):
        KingUpSetting(rounds=0)
    with pytest.raises(AttributeError):
        KingUpSetting().rounds = 2  # type: ignore[misc]  # that is the test


@pytest.mark.parametrize(
    ("text", "players", "message"),
    [
        ("thesis", 2, "choose 3 to 6"),
        ("thesis", 7, "choose 3 to 6"),
        ("tiny", 4, "3 target cards are not enough for 4"),
    ],
)
def test_wrong_numbers_of_players(text: str, players: int, message: str) -> None:
    """Three to six players, and a card for each."""
    with pytest.raises(RulesError, match=message):
        start(text, players)


# --- stage 1 ------------------------------------------------------------------------------------
def test_clause_3_placing_in_turn_set_round_times_each() -> None:
    """Two pieces each, then stage 2; the rest stays off the board and the rotation continues."""
    state = start().deal(1)
    assert len(state.legal_actions) == 7 * 4
    seats = []
    for text in ("place A 0", "place B 3", "place C 3", "place D 3", "place E 2", "place F 0"):
        assert state.record.stage == PLACING
        seats.append(state.actor)
        state = state.apply(text)
    assert seats == [0, 1, 2, 0, 1, 2]
    assert state.record.stage == MOVING
    assert state.actor == 0
    assert levels_of(state) == {"A": 0, "B": 3, "C": 3, "D": 3, "E": 2, "F": 0}


def test_clause_3_highest_level_for_placing() -> None:
    """No higher than two below the top."""
    state = start().deal(1)
    assert "place A 3" in state.legal_actions
    assert "place A 4" not in state.legal_actions


def test_clause_3_levels_are_limited_but_not_the_lowest() -> None:
    """Level 3 is full with three pieces; level 0 takes all."""
    full = play(start().deal(1), "place A 3", "place B 3", "place C 3")
    assert "place D 3" not in full.legal_actions
    assert len(full.legal_actions) == 4 * 3
    low = play(start().deal(1), *(f"place {piece} 0" for piece in "ABCDE"))
    assert "place F 0" in low.legal_actions


def test_placing_ends_when_the_pieces_run_out() -> None:
    """Six players would place twelve pieces, but there are seven; then the second seat moves."""
    state = play(start("thesis", 6).deal(1), *(f"place {piece} 0" for piece in "ABCDEFG"))
    assert state.record.stage == MOVING
    assert state.actor == 1


# --- stage 2 ------------------------------------------------------------------------------------
def test_clause_4_moving_one_piece_one_level_up() -> None:
    """In turn, any piece on the board, whoever placed it."""
    state = position("A0 B3 C2", turn=2)
    assert str(state.legal_actions) == "move A, move B, move C"
    state = state.apply("move C")
    assert levels_of(state) == {"A": 0, "B": 3, "C": 3}
    assert state.actor == 0
    assert state.record.filled.tolist()[:6] == [1, 0, 0, 2, 0, 0]


def test_a_full_level_cannot_be_entered() -> None:
    """Three pieces on level 4 leave no room."""
    state = position("A4 B4 C4 D3 E2")
    assert str(state.legal_actions) == "move A, move B, move C, move E"


def test_more_pieces_than_a_level_holds_only_close_it() -> None:
    """State 4.9 has four on level 3: the one below cannot move, the others can."""
    assert str(appendix_state("4.9").legal_actions) == "move C, move D, move E, move G"


def test_clause_4_a_piece_on_top_is_voted_on() -> None:
    """Reaching the top starts stage 3, with seat A whoever moved."""
    state = position("A4 B0", turn=1).apply("move A")
    assert state.record.stage == VOTING
    assert state.actor == 0
    assert levels_of(state) == {"A": 5, "B": 0}


# --- stage 3 ------------------------------------------------------------------------------------
def test_clause_5_any_no_discards_the_piece() -> None:
    """The vote card is spent, the piece leaves the board, and the seat after the mover goes on."""
    voting = position("A4 B0 C4", turn=1).apply("move A")
    state = play(voting, "yes", "no", "yes")
    assert state.record.stage == MOVING
    assert state.actor == 2
    assert levels_of(state) == {"B": 0, "C": 4}
    assert state.record.filled.tolist()[:6] == [1, 0, 0, 0, 1, 0]
    assert state.record.vote_cards[:3].tolist() == [1, 0, 1]
    assert state.record.revealed[:3].tolist() == [YES, NO, YES]
    assert state.record.votes.tolist() == [0] * 6


def test_clause_5_several_may_reject_at_once() -> None:
    """Everybody who says no pays for it."""
    state = play(position("A4 B0").apply("move A"), "no", "no", "no")
    assert state.record.vote_cards[:3].tolist() == [0, 0, 0]


def test_clause_5_without_a_vote_card_only_yes() -> None:
    """Seats that have spent their cards have one choice."""
    voting = position("A4 B0", vote_cards=(1, 0, 1)).apply("move A")
    assert str(voting.legal_actions) == "yes, no"
    assert str(voting.apply("no").legal_actions) == "yes"
    with pytest.raises(IllegalActionError, match="only be yes") as caught:
        play(voting, "no", "no")
    assert caught.value.code == "no_vote_card"


def test_clause_5_all_yes_scores_the_round() -> None:
    """A single round then ends the match."""
    state = play(position("A4 B0").apply("move A"), "yes", "yes", "yes")
    assert state.round_over
    assert state.over
    assert state.record.stage == FINISHED


def test_clause_5_no_move_left_scores_the_round() -> None:
    """When rejections have emptied the board, everybody has zero credit and gets the bonus."""
    state = play(position("A4").apply("move A"), "yes", "no", "yes")
    assert state.round_over
    assert levels_of(state) == {}
    assert KING_UP.format_result(state.record)["scores"] == [15, 15, 15]
    assert state.round_payoffs() == pytest.approx((0.3, 0.3, 0.3))


# --- scores -------------------------------------------------------------------------------------
def scored(state: State) -> list[int]:
    """The scores if the last piece is accepted."""
    voters = ["yes"] * state.players
    return list(KING_UP.format_result(play(state, *voters).record)["scores"])


def test_clause_6_level_by_level() -> None:
    """On the board a target is worth its level, on top the top score, off the board nothing."""
    state = position("A4 B2 C3 E1 F0", "ABCD BCDE AEFG").apply("move A")
    assert scored(state) == [10 + 2 + 3, 2 + 3 + 1, 10 + 1 + 0]


def test_clause_6_highest_score_of_the_experiments() -> None:
    """(5 - 1) * (4 - 1) + 10 = 22."""
    assert scored(position("A4 B4 C4 D4").apply("move A"))[0] == 22


def test_clause_6_highest_score_of_the_real_game() -> None:
    """(7 - 1) * (6 - 1) + 20 = 50, which needs five pieces on level 6."""
    wide = position(
        "A6 B6 C6 D6 E6 F6", "ABCDEF BCDEFG ACDEFG", "real:board_width=5,rounds=1"
    ).apply("move A")
    state = play(wide, "yes", "yes", "yes")
    assert state.round_payoffs()[0] == 1.0


def test_bonus_for_zero_credit_though_a_target_is_on_the_board() -> None:
    """State 4.8: player 2 ends the round at once, keeps D on level 0 and gets 15/50 = 0.30."""
    state = appendix_state("4.8", turn=1)
    assert str(state.legal_actions) == "move A, move B, move D"
    state = state.apply("move B")
    assert str(state.legal_actions) == "yes"
    state = play(state, "yes", "yes", "yes")
    assert KING_UP.format_result(state.record) == {
        "scores": [13, 15, 13],
        "totals": [13, 15, 13],
        "targets": ["ABCG", "DEFG", "ABCD"],
    }
    assert state.round_payoffs() == pytest.approx((0.26, 0.30, 0.26))
    assert state.payoffs(MATCH) == (0.0, 1.0, 0.0)


def test_bonus_only_if_no_piece_is_on_the_board() -> None:
    """The other reading of the rule: a target on level 0 forfeits the bonus."""
    text = "thesis:bonus_if=no_piece"
    assert scored(position("A4 G0", "ABCD DEFG CDEF", text).apply("move A")) == [10, 0, 15]
    assert scored(position("A4 G0", "ABCD DEFG CDEF").apply("move A")) == [10, 15, 15]


# --- the match ----------------------------------------------------------------------------------
def test_clause_7_three_rounds_and_the_loser_begins() -> None:
    """Totals add up, the lowest score begins the next round, of equals the lowest seat."""
    losers = Counter[int]()
    for seed in range(GAMES // 10 + 5):
        chance = random.Random(seed)
        state, totals, starter = start("thesis_match"), np.zeros(3, int), 0
        for number in (1, 2, 3):
            assert not state.over
            assert state.awaits_deal
            state = state.deal(seed)
            assert state.record.round_number == number
            assert state.actor == starter
            assert state.record.vote_cards[:3].tolist() == [1, 1, 1]
            assert not levels_of(state)
            while not state.round_over:
                state = state.apply(chance.choice(state.legal_actions.codes))
            scores = KING_UP.format_result(state.record)["scores"]
            assert state.round_payoffs() == pytest.approx([score / 50 for score in scores])
            totals += scores
            assert KING_UP.format_result(state.record)["totals"] == totals.tolist()
            starter = scores.index(min(scores))
            losers[starter] += 1
        assert state.over
        assert state.payoffs().index(1.0) == totals.argmax()
        assert sum(state.payoffs()) == 1.0
    assert set(losers) == {0, 1, 2}


@pytest.mark.parametrize(
    ("tie", "totals", "payoffs"),
    [
        ("shared", (20, 20, 19), (0.5, 0.5, 0.0)),
        ("lowest_seat", (20, 20, 19), (1.0, 0.0, 0.0)),
        ("shared", (9, 9, 9), (1 / 3, 1 / 3, 1 / 3)),
        ("lowest_seat", (9, 12, 12), (0.0, 1.0, 0.0)),
        ("shared", (9, 10, 12), (0.0, 0.0, 1.0)),
    ],
)
def test_ties_of_a_match(tie: str, totals: tuple[int, ...], payoffs: tuple[float, ...]) -> None:
    """Shared, or to the lowest seat."""
    state = position("A4", text=f"thesis:tie={tie}", totals=totals, stage=FINISHED)
    assert state.payoffs(MATCH) == pytest.approx(payoffs)
