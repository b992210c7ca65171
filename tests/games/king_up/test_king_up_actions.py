"""King UP: how actions are written, read, listed and refused; states as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from king_up_positions import GAMES, LARGE, levels_of, play, position, start
from perudo.games.chance import below, combine, key_of, stream_of
from perudo.games.errors import (
    IllegalActionError,
    InvalidActionError,
    PerudoError,
    UnknownNameError,
)
from perudo.games.game import State
from perudo.games.kernel import kernel
from perudo.games.king_up import APPENDIX_STATES, KING_UP, KingUpSetting, appendix_state
from perudo.games.king_up.layout import ACTION_CODES, FIRST_MOVE, FIRST_PLACE, NO, REASONS, YES
from perudo.games.king_up.settings import MAX_PIECES
from perudo.games.operations import (
    EVERYTHING,
    Record,
    action,
    action_count,
    actor,
    apply,
    copy,
    deal,
    refusal,
    round_over,
)


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
