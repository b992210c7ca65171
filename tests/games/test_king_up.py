"""King UP: its rules clause by clause, what is hidden, and play compared with a plain model."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from perudo.games.chance import below, combine, key_of, stream_of
from perudo.games.errors import (
    IllegalActionError,
    InvalidActionError,
    PerudoError,
    RulesError,
    UnknownNameError,
)
from perudo.games.game import (
    EVERYTHING,
    MATCH,
    SPECTATOR,
    Record,
    action,
    action_count,
    actor,
    apply,
    copy,
    deal,
    finish_round_randomly,
    game_named,
    payoff,
    refusal,
    round_over,
)
from perudo.games.kernel import INTERPRETED, kernel
from perudo.games.king_up import (
    ACTION_CODES,
    APPENDIX_STATES,
    FINISHED,
    FIRST_MOVE,
    FIRST_PLACE,
    KING_UP,
    MAX_PIECES,
    MOVING,
    NO,
    OFF_BOARD,
    PIECES,
    PLACING,
    PRESETS,
    REASONS,
    VOTING,
    YES,
    KingUpSetting,
    appendix_state,
)
from perudo.games.perft import perft
from perudo.games.state import State

GAMES = 10 if INTERPRETED else 1000
"""Random games of each kind; interpreted kernels are a hundred times slower."""
LARGE = "thesis:pieces_num=12,target_num=6,board_height=10,deck=all,set_round=2,rejection_limit=2"


def start(text: str = "thesis", players: int = 3) -> State:
    """A match before its first deal."""
    return KING_UP.start(KING_UP.setting(text), players)


def play(state: State, *actions: str) -> State:
    """The state after some actions."""
    for text in actions:
        state = state.apply(text)
    return state


def position(
    levels: str, targets: str = "ABCD BCDE CDEF", text: str = "thesis", **changes: Any
) -> State:
    """Stage 2 with pieces on these levels, these target cards, and other fields as given."""
    cards = targets.split()
    record = start(text, len(cards)).record
    KING_UP.replay_deal(record, {"targets": cards})
    for place in levels.split():
        record.levels[PIECES.index(place[0])] = int(place[1:])
        record.filled[int(place[1:])] += 1
    record.placed = len(levels.split())
    record.stage = MOVING
    for name, value in changes.items():
        if isinstance(value, tuple):
            record[name][: len(value)] = value
        else:
            record[name] = value
    return State(record)


def levels_of(state: State) -> dict[str, int]:
    """The pieces on the board."""
    pieces = enumerate(state.record.levels[: state.record.setting.pieces_num])
    return {PIECES[piece]: int(level) for piece, level in pieces if level != OFF_BOARD}


def random_state(seed: int, text: str = "thesis", players: int = 3) -> State:
    """A state somewhere in a round."""
    chance = random.Random(seed)
    state = start(text, players).deal(seed)
    for _ in range(chance.randrange(30)):
        following = state.apply(chance.choice(state.legal_actions.codes))
        if following.round_over:
            break
        state = following
    return state


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


# --- the record ---------------------------------------------------------------------------------
def test_the_game_is_registered() -> None:
    """By name, with honest properties."""
    assert game_named("king_up") is KING_UP
    assert KING_UP.properties.hidden_moves
    assert KING_UP.properties.chance
    assert not KING_UP.properties.zero_sum


def test_numbers_in_the_record_are_signed_but_for_hashes() -> None:
    """In a kernel an unsigned and a signed number make a float."""

    def leaves(dtype: np.dtype[Any]) -> list[np.dtype[Any]]:
        if dtype.fields is None:
            return [dtype.base]
        return [leaf for part, *_ in dtype.fields.values() for leaf in leaves(part)]

    assert {leaf.kind for leaf in leaves(KING_UP.dtype) if leaf.itemsize < 8} == {"i"}


def test_unused_places_stay_zero() -> None:
    """Equal states are equal in bytes, so nothing may be left behind."""
    state = start("thesis_match").deal(1)
    chance = random.Random(1)
    while not state.over:
        record = state.record
        assert not record.levels[7:].any()
        assert not record.filled[6:].any()
        for name in ("vote_cards", "revealed", "scores", "totals", "cards", "votes"):
            assert not record[name][3:].any()
        if state.awaits_deal:
            state = state.deal(1)
        else:
            state = state.apply(chance.choice(state.legal_actions.codes))


# --- chance -------------------------------------------------------------------------------------
def all_deals(state: State) -> list[tuple[str, ...]]:
    """The target cards of every outcome of chance."""
    deals = []
    for index in range(int(KING_UP.operations.chance_count(state.record))):
        record = state.record
        KING_UP.operations.chance_outcome(record, index)
        deals.append(tuple(KING_UP.format_deal(record)["targets"]))
    return deals


def test_windows_deck() -> None:
    """Seven cards, the windows of four in the cycle A to G, dealt without replacement."""
    cards = {"".join(sorted((PIECES[:7] * 2)[first : first + 4])) for first in range(7)}
    deals = all_deals(start())
    assert len(deals) == 7 * 6 * 5
    assert set(deals) == set(permutations(cards, 3))


def test_deck_of_all_sets() -> None:
    """All sets of two out of five."""
    cards = {"".join(pair) for pair in combinations("ABCDE", 2)}
    deals = all_deals(start("thesis:deck=all,pieces_num=5,target_num=2"))
    assert len(deals) == 10 * 9 * 8
    assert set(deals) == set(permutations(cards, 3))


def test_ordered_deals_fit_a_number() -> None:
    """The largest deck and the most players do not overflow."""
    state = start("thesis:pieces_num=12,target_num=6,deck=all", 6)
    count = 924 * 923 * 922 * 921 * 920 * 919
    assert int(KING_UP.operations.chance_count(state.record)) == count
    record = state.record
    KING_UP.operations.chance_outcome(record, count - 1)
    assert record.cards.tolist() == [924, 923, 922, 921, 920, 919]


def test_a_deal_belongs_to_its_key_and_round() -> None:
    """The same key deals the same cards, and other cards in other rounds."""
    state = start("thesis_match")
    assert state.deal(5) == state.deal(5)
    record = state.record
    record.round_number = 1
    deals = [KING_UP.format_deal(state.deal(key).record)["targets"] for key in range(20)]
    later = [KING_UP.format_deal(State(record).deal(key).record)["targets"] for key in range(20)]
    assert deals != later


def test_keys_deal_evenly() -> None:
    """Every seat gets every card about equally often, and no two the same."""
    deals = 700 if INTERPRETED else 7000
    counts: Counter[tuple[int, int]] = Counter()
    record = start().record
    for index in range(deals):
        dealt = record.copy()
        KING_UP.operations.deal(dealt, key_of(3, index))
        assert len(set(dealt.cards[:3].tolist())) == 3
        counts.update(enumerate(dealt.cards[:3].tolist()))
    expected = deals / 7
    assert set(counts) == {(seat, card) for seat in range(3) for card in range(1, 8)}
    assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())


@pytest.mark.parametrize("text", ["thesis", "real", "tiny", LARGE])
def test_a_deal_is_written_and_replayed(text: str) -> None:
    """Through JSON and back, to the same bytes."""
    state = start(text)
    for key in range(20):
        dealt = state.deal(key)
        written = json.loads(json.dumps(KING_UP.format_deal(dealt.record)))
        record = state.record
        KING_UP.replay_deal(record, written)
        assert State(record) == dealt


def test_an_observed_deal_shows_and_replays_only_the_own_card() -> None:
    """The others' cards are null, and need not be known to follow the round."""
    dealt = start().deal(4)
    targets = KING_UP.format_deal(dealt.record)["targets"]
    seen = KING_UP.format_deal(dealt.observe(1).record)
    assert seen == {"round": 1, "targets": [None, targets[1], None]}
    assert KING_UP.deal_text(seen) == f"1. -/{targets[1]}/-"
    record = start().observe(1).record
    KING_UP.replay_deal(record, seen)
    assert State(record) == dealt.observe(1)
    assert KING_UP.format_deal(dealt.observe(SPECTATOR).record)["targets"] == [None] * 3


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({}, "list of 3 cards"),
        ({"targets": "ABCD"}, "list of 3 cards"),
        ({"targets": ["ABCD", "BCDE"]}, "list of 3 cards"),
        ({"targets": ["ABCD", "BCDE", "ACEG"]}, "'ACEG' is not a target card here"),
        ({"targets": ["ABCD", "BCDE", None]}, "None is not a target card here"),
        ({"targets": ["ABCD", "BCDE", "ABCD"]}, "two seats the same card"),
    ],
)
def test_malformed_deals(written: dict[str, Any], message: str) -> None:
    """What cannot be dealt is refused and changes nothing."""
    record = start().record
    with pytest.raises(PerudoError, match=message):
        KING_UP.replay_deal(record, written)
    assert State(record) == start()


def test_no_deal_within_a_round() -> None:
    """Cards are dealt only between rounds."""
    state = start().deal(1)
    with pytest.raises(PerudoError, match="no target cards"):
        KING_UP.replay_deal(state.record, KING_UP.format_deal(state.record))


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


# --- what is hidden -----------------------------------------------------------------------------
def test_votes_are_hidden_until_all_have_voted() -> None:
    """Others see who has voted, but not what; the voter sees its own vote."""
    voting = position("A4 B0").apply("move A")
    yes, no = voting.apply("yes"), voting.apply("no")
    assert yes.observe(1) == no.observe(1)
    assert yes.observe(SPECTATOR) == no.observe(SPECTATOR)
    assert yes.observe(0) != no.observe(0)
    assert yes.observe(1).record.voted == 1
    assert no.observe(1).record.vote_cards[0] == 1
    assert "A: targets not known, vote cards 1, total 0, has voted" in str(no.observe(1))
    both = [play(state, "yes", "yes") for state in (yes, no)]
    assert both[0].observe(1) != both[1].observe(1)
    assert both[1].observe(1).record.revealed[:3].tolist() == [NO, YES, YES]


def test_hidden_votes_do_not_change_what_others_know() -> None:
    """Nor the information key of the seat that votes next; their own vote changes it."""
    key = KING_UP.operations.information_key
    voting = position("A4 B0").apply("move A")
    yes, no = voting.apply("yes").record, voting.apply("no").record
    assert [key(yes, seat) == key(no, seat) for seat in (SPECTATOR, 0, 1, 2)] == [
        True,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("text", ["thesis", "real", LARGE])
def test_observations_do_not_depend_on_what_is_hidden(text: str) -> None:
    """Dealing the hidden part again changes no observation and no key of that seat."""
    operations = KING_UP.operations
    changed = 0
    stream = stream_of(8)
    for seed in range(4 if INTERPRETED else 40):
        state = random_state(seed, text)
        for seat in (SPECTATOR, 0, 1, 2):
            record = state.record
            operations.redeal(record, seat, stream)
            other = State(record)
            assert other.observe(seat) == state.observe(seat)
            assert operations.information_key(record, seat) == operations.information_key(
                state.record, seat
            )
            assert operations.information_key(
                state.observe(seat).record, seat
            ) == operations.information_key(state.record, seat)
            assert len(set(record.cards[:3].tolist())) == 3
            changed += other != state
    assert changed > 0


def test_keys_tell_histories_apart() -> None:
    """The order of moves, votes that were revealed, the totals and the starter are all known."""

    def key(state: State) -> int:
        return int(KING_UP.operations.information_key(state.record, 0))

    dealt = start().deal(1)
    placed = [
        play(dealt, "place A 0", "place B 1"),
        play(dealt, "place B 1", "place A 0"),
        play(dealt, "place A 1", "place B 0"),
    ]
    assert len({key(state) for state in placed}) == 3
    ended = [
        play(position("A4 B0", vote_cards=(2, 2, 2)).apply("move A"), *votes.split())
        for votes in ("no yes yes", "yes no yes", "no no yes")
    ]
    equal = [state.record for state in ended]
    for record in equal:
        record.vote_cards[:] = 0
    assert len({key(State(record)) for record in equal}) == 3
    later = []
    for totals, turn in (((1, 2, 3), 0), ((1, 2, 4), 0), ((1, 2, 3), 1)):
        record = start("thesis_match").record
        record.totals[:3], record.turn, record.round_number = totals, turn, 1
        later.append(State(record).deal(1))
    assert len({key(state) for state in later}) == 3


def test_a_new_round_forgets_the_last() -> None:
    """Board, votes and scores are cleared; only totals and the starter stay."""
    state = play(position("A4 B0", text="thesis_match").apply("move A"), "yes", "yes", "yes")
    record = state.deal(1).record
    assert record.totals[:3].tolist() == [10, 15, 15]
    assert record.turn == 0
    for name in ("revealed", "scores", "filled", "votes", "placed", "voted"):
        assert not np.any(record[name])


def test_redeal_is_even_over_what_a_seat_cannot_know() -> None:
    """Seat B keeps its card and vote; A may have voted no, C's vote can only have been yes."""
    deals = 2400 if INTERPRETED else 6000
    voting = position("A4 B0", "ABCD BCDE CDEF ABFG", vote_cards=(1, 1, 0, 1)).apply("move A")
    state = play(voting, "yes", "no", "yes").record
    stream = stream_of(5)
    cards: Counter[tuple[int, ...]] = Counter()
    votes: Counter[tuple[int, ...]] = Counter()
    for _ in range(deals):
        record = state.copy()
        KING_UP.operations.redeal(record, 1, stream)
        assert record.cards[1] == state.cards[1]
        cards[tuple(record.cards[:4].tolist())] += 1
        votes[tuple(record.votes[:4].tolist())] += 1
    assert set(votes) == {(YES, NO, YES, 0), (NO, NO, YES, 0)}
    assert len(cards) == 6 * 5 * 4
    for counts in (cards, votes):
        expected = deals / len(counts)
        assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())


def test_targets_are_public_once_the_round_is_scored() -> None:
    """Until the next deal; then nothing is left to be dealt again."""
    state = position("A4 B0", text="thesis_match").apply("move A")
    state = play(state, "yes", "yes", "yes")
    for seat in (SPECTATOR, 0, 1, 2):
        seen = state.observe(seat)
        assert KING_UP.format_deal(seen.record)["targets"] == ["ABCD", "BCDE", "CDEF"]
        record = state.record
        KING_UP.operations.redeal(record, seat, stream_of(1))
        assert State(record) == state
    assert KING_UP.format_deal(state.deal(1).observe(0).record)["targets"][1:] == [None, None]


# --- actions ------------------------------------------------------------------------------------
def test_actions_are_written_and_read() -> None:
    """Every code has its own text, in any case and spacing."""
    codes = [YES, NO, *range(FIRST_MOVE, ACTION_CODES)]
    texts = [KING_UP.format_action(code) for code in codes]
    assert len(set(texts)) == len(codes)
    assert [KING_UP.parse_action(text) for text in texts] == codes
    assert [KING_UP.parse_action(f" {text.upper()} ") for text in texts] == codes
    assert KING_UP.parse_action("place  b   3") == FIRST_PLACE + 16 + 3
    assert KING_UP.parse_action("Move C") == FIRST_MOVE + 2
    assert FIRST_MOVE + MAX_PIECES == FIRST_PLACE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "maybe",
        "place",
        "place A",
        "place M 1",
        "place A 16",
        "place A -1",
        "move",
        "move AB",
        "3x5",
    ],
)
def test_unreadable_actions(text: str) -> None:
    """The error says how actions are written."""
    with pytest.raises(InvalidActionError, match="'place A 3'"):
        KING_UP.parse_action(text)


@pytest.mark.parametrize("code", [-1, 0, 3, ACTION_CODES, 10**6])
def test_numbers_that_are_no_action(code: int) -> None:
    """They are refused everywhere, not crashed on."""
    with pytest.raises(InvalidActionError):
        KING_UP.format_action(code)
    for state in (start(), start().deal(1), appendix_state("4.8")):
        with pytest.raises(IllegalActionError, match="not the number of an action") as caught:
            state.apply(code)
        assert caught.value.code == "unknown_action"


REFUSED: dict[str, tuple[Callable[[], State], str | int, str]] = {
    "cards_not_dealt": (start, "place A 0", "not been dealt"),
    "match_over": (
        lambda: play(position("A4").apply("move A"), "yes", "yes", "yes"),
        "move A",
        "the match is over",
    ),
    "unknown_action": (lambda: start().deal(1), 3, "3: that is not the number of an action"),
    "unknown_piece": (lambda: start().deal(1), "place H 0", "place H 0: the pieces are A to G"),
    "only_placing": (lambda: start().deal(1), "move A", "being placed"),
    "only_moving": (lambda: position("A4"), "yes", "being moved"),
    "only_voting": (lambda: position("A4").apply("move A"), "move A", "'yes' or 'no'"),
    "level_too_high": (lambda: start().deal(1), "place A 4", "levels 0 to 3"),
    "level_full": (lambda: position("A3 B4 C4 D4"), "move A", "others above level 0 hold 3"),
    "already_on_board": (
        lambda: play(start().deal(1), "place A 0"),
        "place A 1",
        "on the board already",
    ),
    "not_on_board": (lambda: position("A4"), "move B", "not on the board"),
    "no_vote_card": (
        lambda: position("A4", vote_cards=(0, 1, 1)).apply("move A"),
        "no",
        "only be yes",
    ),
}


@pytest.mark.parametrize("code", list(REASONS))
def test_every_refusal_has_its_code_and_reason(code: str) -> None:
    """Stable codes for programs, one line for people."""
    make, refused, message = REFUSED[code]
    with pytest.raises(IllegalActionError, match=message) as caught:
        make().apply(refused)
    assert caught.value.code == code
    assert "\n" not in str(caught.value)


def test_votes_are_refused_while_placing_and_placing_while_moving() -> None:
    """Each stage has its own actions."""
    for state, text, code in (
        (start().deal(1), "yes", "only_placing"),
        (position("A4"), "place B 0", "only_moving"),
        (position("A4").apply("move A"), "place B 0", "only_voting"),
    ):
        with pytest.raises(IllegalActionError) as caught:
            state.apply(text)
        assert caught.value.code == code


@kernel
def disagreements(
    states: Record, games: int, horizon: int, seed: np.uint64, stream: Any
) -> tuple[int, int]:
    """Decisions of random games, and those where n-th actions and ``refusal`` differ."""
    decisions, wrong = 0, 0
    for game in range(games):
        copy(states[1], states[0])
        state = states[1]
        while actor(state) != -2:
            if actor(state) == -1:
                deal(state, combine(seed, game))
            count = action_count(state)
            accepted, last, listed = 0, -1, 0
            for code in range(-2, ACTION_CODES + 2):
                accepted += 1 if refusal(state, code) == 0 else 0
            for index in range(count):
                code = action(state, index)
                listed += 1 if code > last and refusal(state, code) == 0 else 0
                last = code
            decisions += 1
            wrong += 0 if accepted == count == listed and count > 0 else 1
            apply(state, action(state, below(stream, count)))
            if horizon == 0 and round_over(state):
                break
    return decisions, wrong


@pytest.mark.parametrize(
    ("text", "players"),
    [("thesis_match", 3), ("real", 6), ("tiny", 3), (LARGE, 6), ("thesis:board_width=1", 5)],
)
def test_listed_actions_are_the_legal_ones(text: str, players: int) -> None:
    """In random games the n-th actions, in order, are just those that are not refused."""
    states = np.zeros(2, KING_UP.dtype).view(np.recarray)
    states[0] = start(text, players).record
    decisions, wrong = disagreements(states, GAMES, 1, key_of(2), stream_of(2))
    assert decisions > 5 * GAMES
    assert wrong == 0


# --- a plain model to compare with --------------------------------------------------------------
@dataclass
class Model:
    """The rules written down once more, plainly, for one round of any number of players."""

    setting: KingUpSetting
    players: int
    turn: int = 0
    levels: dict[str, int] = field(default_factory=dict)
    unplaced: list[str] = field(default_factory=list)
    cards: list[int] = field(default_factory=list)
    to_place: int = 0
    votes: list[str] | None = None
    seen: tuple[str, ...] = ()
    """What everybody has seen so far."""
    done: bool = False

    def __post_init__(self) -> None:
        self.unplaced = list(PIECES[: self.setting.pieces_num])
        self.cards = [self.setting.rejection_limit] * self.players
        self.to_place = min(self.players * self.setting.set_round, self.setting.pieces_num)

    def copy(self) -> Model:
        """An independent copy."""
        other = Model(self.setting, self.players, self.turn, dict(self.levels))
        other.unplaced, other.cards = list(self.unplaced), list(self.cards)
        other.to_place, other.done, other.seen = self.to_place, self.done, self.seen
        other.votes = None if self.votes is None else list(self.votes)
        return other

    def room(self, level: int) -> bool:
        """Whether a level can take another piece."""
        here = list(self.levels.values()).count(level)
        if level == self.setting.board_height:
            return here == 0
        return level == 0 or here < self.setting.board_width

    def legal(self) -> set[str]:
        """The actions as text."""
        if self.votes is not None:
            return {"yes", "no"} if self.cards[len(self.votes)] else {"yes"}
        if self.to_place:
            levels = [level for level in range(self.setting.board_height - 1) if self.room(level)]
            return {f"place {piece} {level}" for piece in self.unplaced for level in levels}
        return {f"move {piece}" for piece, level in self.levels.items() if self.room(level + 1)}

    def play(self, text: str) -> None:
        """What an action does."""
        word, *rest = text.split()
        if self.votes is not None:
            self.votes.append(word)
            if len(self.votes) == self.players:
                self.count()
            return
        self.seen += (text,)
        if word == "place":
            self.unplaced.remove(rest[0])
            self.levels[rest[0]] = int(rest[1])
            self.to_place -= 1
        else:
            self.levels[rest[0]] += 1
            if self.levels[rest[0]] == self.setting.board_height:
                self.votes = []
                return
        self.turn = (self.turn + 1) % self.players

    def count(self) -> None:
        """The end of a vote."""
        votes, self.votes = self.votes or [], None
        self.seen += tuple(votes)
        if "no" not in votes:
            self.done = True
            return
        self.cards = [left - (vote == "no") for left, vote in zip(self.cards, votes, strict=True)]
        top = self.setting.board_height
        self.levels = {piece: level for piece, level in self.levels.items() if level != top}
        self.turn = (self.turn + 1) % self.players
        self.done = not self.legal()

    def score(self, targets: str) -> int:
        """What the board is worth with these targets."""
        setting = self.setting
        worth = [
            setting.top_score if level == setting.board_height else level
            for piece, level in self.levels.items()
            if piece in targets
        ]
        nothing = not sum(worth) if setting.bonus_if == "zero_credit" else not worth
        return setting.bonus if nothing else sum(worth)

    def tree(self, views: set[tuple[Any, ...]]) -> tuple[int, int]:
        """Decision and terminal nodes from here; adds what all can see at the former."""
        if self.done:
            return 0, 1
        views.add((*self.seen, len(self.votes or [])))
        decisions, terminals = 1, 0
        for text in self.legal():
            child = self.copy()
            child.play(text)
            more = child.tree(views)
            decisions, terminals = decisions + more[0], terminals + more[1]
        return decisions, terminals


@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("thesis", 3),
        ("thesis:bonus_if=no_piece,board_width=1,rejection_limit=3", 4),
        ("real:rounds=1", 6),
        ("tiny", 3),
        (LARGE, 5),
    ],
)
def test_play_agrees_with_the_plain_model(text: str, players: int) -> None:
    """Actor, actions, board, vote cards and scores, step by step through random rounds."""
    chance = random.Random(7)
    for key in range(3 if INTERPRETED else 30):
        state = start(text, players).deal(key)
        targets = KING_UP.format_deal(state.record)["targets"]
        model = Model(KING_UP.setting(text), players)
        while not model.done:
            assert set(state.legal_actions) == model.legal()
            assert state.actor == (model.turn if model.votes is None else len(model.votes))
            assert levels_of(state) == model.levels
            assert state.record.vote_cards[:players].tolist() == model.cards
            chosen = chance.choice(sorted(model.legal()))
            state = state.apply(chosen)
            model.play(chosen)
        assert state.round_over
        assert KING_UP.format_result(state.record)["scores"] == [
            model.score(card) for card in targets
        ]


def test_the_whole_tree_of_the_tiny_game() -> None:
    """Counted by the kernels for all six deals, and by the plain model for one."""
    text = "tiny:rejection_limit=0" if INTERPRETED else "tiny"
    decisions, terminals, knowledge = (2040, 540, 1020) if INTERPRETED else (187044, 49140, 76890)
    count = perft(start(text))
    assert count.chance_outcomes == 6
    assert (count.decision_nodes, count.terminal_nodes) == (decisions, terminals)
    assert count.information_sets == knowledge
    views: set[tuple[Any, ...]] = set()
    assert Model(KING_UP.setting(text), 3).tree(views) == (decisions // 6, terminals // 6)
    assert knowledge == 3 * len(views)  # with each of three cards


@kernel
def random_rounds(states: Record, games: int, totals: Any, seed: np.uint64, stream: Any) -> None:
    """Add up match payoffs and scores of random single rounds, by seat."""
    for game in range(games):
        copy(states[1], states[0])
        deal(states[1], combine(seed, game))
        finish_round_randomly(states[1], stream)
        for seat in range(3):
            totals[0, seat] += payoff(states[1], 1, seat)
            totals[1, seat] += payoff(states[1], 0, seat)


@pytest.mark.skipif(INTERPRETED, reason="needs a hundred thousand games")
def test_random_play_wins_as_often_as_an_earlier_program_found() -> None:
    """With ties to the lowest seat .376, .334 and .290; the thesis' UCB found .366, .334, .300."""
    games = 100_000
    states = np.zeros(2, KING_UP.dtype).view(np.recarray)
    totals = np.zeros((2, 3))
    states[0] = start().record
    random_rounds(states, games, totals, key_of(9), stream_of(9))
    assert totals[0] / games == pytest.approx([0.376, 0.334, 0.290], abs=0.006)
    assert totals[0].sum() == games
    states[0] = start("thesis:tie=shared").record
    totals[:] = 0
    random_rounds(states, games, totals, key_of(9), stream_of(9))
    assert totals[0] / games == pytest.approx([1 / 3] * 3, abs=0.006)
    assert totals[1] * 50 / games == pytest.approx([10.9] * 3, abs=0.1)


# --- text and the appendix ----------------------------------------------------------------------
def test_the_board_is_described_from_top_to_bottom() -> None:
    """The full state shows all targets."""
    assert str(appendix_state("4.8", turn=1)) == (
        "King UP, round 1 of 1: moving, B to act\n"
        "level 5 (top)  -\n"
        "level 4        B\n"
        "level 3        A\n"
        "level 2        -\n"
        "level 1        -\n"
        "level 0        D\n"
        "off the board  C E F G\n"
        "A: targets ABCG, vote cards 0, total 0\n"
        "B: targets DEFG, vote cards 0, total 0\n"
        "C: targets ABCD, vote cards 0, total 0"
    )


def test_an_observation_describes_only_what_is_seen() -> None:
    """Own targets and vote; then revealed votes and the scores."""
    state = appendix_state("4.10").apply("move A").apply("no")
    seen = str(state.observe(0))
    assert "A: targets DEFG, vote cards 1, total 0, votes no" in seen
    assert "B: targets not known, vote cards 1, total 0" in seen
    assert "voting, B to act" in seen
    rejected = play(state, "yes", "yes")
    assert "A: targets not known, vote cards 0, total 0, last voted no" in str(rejected.observe(1))
    ended = play(rejected.apply("move B"), "yes", "yes", "yes")
    assert "match over" in str(ended)
    assert "C: targets ABFG, vote cards 1, total 14, this round 14" in str(ended.observe(1))
    assert "cards to be dealt" in str(start())


@pytest.mark.parametrize("figure", list(APPENDIX_STATES))
def test_appendix_states_load_and_can_be_played(figure: str) -> None:
    """All twelve, from any seat, to the end of the round."""
    assert len(APPENDIX_STATES) == 12
    targets, vote_cards, levels = APPENDIX_STATES[figure]
    for turn in range(3):
        state = appendix_state(figure, turn)
        assert state.viewer == EVERYTHING
        assert state.actor == turn
        assert KING_UP.format_deal(state.record)["targets"] == targets.split()
        assert state.record.vote_cards[:3].tolist() == list(vote_cards)
        assert levels_of(state) == {place[0]: int(place[1]) for place in levels.split()}
        while not state.round_over:
            state = state.apply(state.legal_actions[-1])


def test_appendix_states_differ_in_what_is_known() -> None:
    """They have no history, so their keys come from the board, the votes and the turn."""
    states = [appendix_state(figure, turn) for figure in APPENDIX_STATES for turn in range(3)]
    keys = {int(state.record.public_key) for state in states}
    # 4.2 and 4.3 show the same board but other vote cards: all are different.
    assert len(keys) == len(states)


def test_unknown_appendix_states() -> None:
    """A wrong figure or seat is an error that names the right ones."""
    with pytest.raises(UnknownNameError, match=r"4\.1, 4\.2"):
        appendix_state("4.13")
    with pytest.raises(PerudoError, match="choose 0, 1 or 2"):
        appendix_state("4.8", turn=3)


def test_results_are_plain_data() -> None:
    """They survive JSON, and are told in a few words."""
    state = play(appendix_state("4.8", turn=1), "move B", "yes", "yes", "yes")
    result = KING_UP.format_result(state.record)
    assert json.loads(json.dumps(result)) == result
    assert KING_UP.result_text(result) == "scores 13/15/13"


def test_every_option_can_be_set_from_text() -> None:
    """No field of the setting is left out of the record."""
    names = {option.name for option in fields(KingUpSetting)}
    assert names == set(start().record.setting.dtype.names)
    odd = "thesis:target_num=3,pieces_num=8,bonus=9,top_score=12,set_round=1,board_height=6,"
    odd += "board_width=2,rejection_limit=2,deck=all,bonus_if=no_piece,tie=shared,rounds=2"
    assert start(odd).record.setting.tolist() == (3, 8, 9, 12, 1, 6, 2, 2, 1, 1, 0, 2)
