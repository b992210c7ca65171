"""Rock-paper-scissors: who beats whom, and that the first throw is not seen."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product

import numpy as np
import pytest

from perudo.games.chance import key_of, stream_of
from perudo.games.errors import (
    IllegalActionError,
    InvalidActionError,
    PerudoError,
    RulesError,
    UnknownNameError,
)
from perudo.games.game import State, game_named
from perudo.games.kernel import INTERPRETED
from perudo.games.operations import EVERYTHING, MATCH, ROUND, SPECTATOR
from perudo.games.perft import perft
from perudo.games.playout import random_games
from perudo.games.rock_paper_scissors import ROCK_PAPER_SCISSORS, THROWS

GAME = ROCK_PAPER_SCISSORS
BEATS = {("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")}


def start() -> State:
    """Return the state before the first throw."""
    return GAME.start(GAME.setting("standard"), 2)


def test_it_begins_without_chance() -> None:
    """Seat A throws first; nothing is dealt."""
    state = start()
    assert game_named("rock_paper_scissors") is GAME
    assert state.actor == 0
    assert state.viewer == EVERYTHING
    assert not state.awaits_deal
    assert not state.round_over
    assert str(state.legal_actions) == "rock, paper, scissors"
    assert GAME.operations.chance_count(state.record) == 0
    record = state.record
    GAME.operations.chance_outcome(record, 0)
    assert State(record) == state
    assert not GAME.properties.chance
    assert GAME.properties.hidden_moves


@pytest.mark.parametrize(("first", "second"), list(product(THROWS, THROWS)))
def test_payoffs(first: str, second: str) -> None:
    """Win 1, tie 0.5, loss 0, for the round as for the match; they add up to 1, not to 0."""
    state = start().apply(first).apply(second)
    expected = (0.5, 0.5)
    if (first, second) in BEATS:
        expected = (1.0, 0.0)
    elif (second, first) in BEATS:
        expected = (0.0, 1.0)
    assert state.over
    assert state.round_over
    assert state.payoffs(ROUND) == state.payoffs(MATCH) == expected
    assert not GAME.properties.zero_sum


def test_the_first_throw_is_hidden_until_both_have_thrown() -> None:
    """Seat B knows that A has thrown, and nothing else; then both are seen by all."""
    after = [start().apply(throw) for throw in THROWS]
    key = GAME.operations.information_key
    for seat in (1, SPECTATOR):
        assert len({state.observe(seat) for state in after}) == 1
        assert len({int(key(state.record, seat)) for state in after}) == 1
    assert len({state.observe(0) for state in after}) == 3
    assert len({int(key(state.record, 0)) for state in after}) == 3
    assert str(after[0].observe(1)) == "Rock-paper-scissors\nA: has thrown\nB: to throw"
    assert str(after[0].observe(0)) == "Rock-paper-scissors\nA: rock\nB: to throw"
    ended = [state.apply("paper") for state in after]
    assert len({state.observe(SPECTATOR) for state in ended}) == 3
    assert len({int(key(state.record, 1)) for state in ended}) == 3


def test_the_tree() -> None:
    """One information set for each seat; nine ends."""
    count = perft(start())
    assert (count.decision_nodes, count.terminal_nodes, count.information_sets) == (4, 9, 2)


def test_redeal_samples_a_pending_throw_of_the_other() -> None:
    """Evenly for seat B; seat A knows its own, and in the end there is nothing to sample."""
    state = start().apply("rock")
    draws = 300 if INTERPRETED else 3000
    stream = stream_of(1)
    counts: Counter[int] = Counter()
    for _ in range(draws):
        record = state.record
        GAME.operations.redeal(record, 1, stream)
        assert record.throws[1] == 0
        counts[int(record.throws[0])] += 1
    assert set(counts) == {1, 2, 3}
    assert all(abs(count - draws / 3) < 5 * (draws / 3) ** 0.5 for count in counts.values())
    for known, seat in ((state, 0), (start(), 1), (state.apply("paper"), 1)):
        for _ in range(10):
            record = known.record
            GAME.operations.redeal(record, seat, stream)
            assert State(record) == known


def test_random_play() -> None:
    """Two throws a game."""
    states = np.zeros(2, GAME.dtype).view(np.recarray)
    states[0] = start().record
    for horizon in (ROUND, MATCH):
        assert random_games(states, horizon, 100, key_of(1), stream_of(1)) == 200


def test_actions_are_written_and_read() -> None:
    """In any case; other text and numbers are refused."""
    for code, throw in enumerate(THROWS, 1):
        assert GAME.format_action(code) == throw
        assert GAME.parse_action(f" {throw.upper()} ") == code
    with pytest.raises(InvalidActionError, match="there are rock, paper, scissors"):
        GAME.parse_action("lizard")


def test_refusals() -> None:
    """Just the three throws are legal, until both have thrown."""
    state = start()
    accepted = [code for code in range(-2, 9) if GAME.operations.refusal(state.record, code) == 0]
    assert accepted == state.legal_actions.codes
    with pytest.raises(IllegalActionError, match="legal: rock, paper, scissors") as caught:
        state.apply(4)
    assert caught.value.code == "not_allowed"
    ended = state.apply("rock").apply("rock")
    assert len(ended.legal_actions) == 0
    with pytest.raises(IllegalActionError, match="rock is not allowed here"):
        ended.apply("rock")


def test_settings() -> None:
    """One preset, no options, two players."""
    setting = GAME.setting("standard")
    assert GAME.describe_setting(setting) == "standard"
    assert GAME.setting_from_options(GAME.setting_options(setting)) == setting
    with pytest.raises(UnknownNameError, match="there are: standard"):
        GAME.setting("long")
    with pytest.raises(UnknownNameError, match="there are: none"):
        GAME.setting("standard:rounds=3")
    with pytest.raises(RulesError, match="it takes 2"):
        GAME.start(setting, 3)


def test_results_are_plain_data() -> None:
    """Both throws and the winner; there are no deals."""
    result = GAME.format_result(start().apply("rock").apply("paper").record)
    assert result == json.loads(json.dumps(result)) == {"throws": ["rock", "paper"], "winner": 1}
    assert GAME.result_text(result) == "rock against paper: B wins"
    tie = GAME.format_result(start().apply("rock").apply("rock").record)
    assert tie["winner"] is None
    assert GAME.result_text(tie) == "rock against rock: nobody wins"
    assert GAME.format_deal(start().record) == {}
    with pytest.raises(PerudoError, match="is not a deal"):
        GAME.replay_deal(start().record, {})
