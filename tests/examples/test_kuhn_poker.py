"""The example game: Kuhn poker is complete, and its known value comes out."""

from __future__ import annotations

from typing import cast

import kuhn_poker
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
from perudo.games.game import MATCH, ROUND, SPECTATOR, Payload, State, game_named
from perudo.games.perft import perft
from perudo.games.playout import random_games
from perudo.testing import check_game

GAME = kuhn_poker.KUHN_POKER


def start() -> State:
    """Return the state before the deal."""
    state: State = GAME.start(GAME.setting("standard"), 2)
    return state


def dealt(first: int, second: int) -> State:
    """Return the state with these cards dealt."""
    record = start().record
    GAME.replay_deal(record, cast(Payload, {"cards": [first, second]}))
    return State(record)


DEALS = [(first, second) for first in (1, 2, 3) for second in (1, 2, 3) if first != second]


def test_the_example_registers_itself() -> None:
    """And says what it is."""
    assert game_named("kuhn_poker") is GAME
    assert GAME.properties.zero_sum
    assert not GAME.properties.hidden_moves


def test_the_tree() -> None:
    """Six deals, four decisions and five ends in each, twelve information sets."""
    count = perft(start())
    assert count.chance_outcomes == 6
    assert (count.decision_nodes, count.terminal_nodes) == (24, 30)
    assert count.information_sets == 12


@pytest.mark.parametrize(
    ("actions", "chips"),
    [
        ("pass pass", 1.0),
        ("pass bet pass", -1.0),
        ("pass bet bet", 2.0),
        ("bet pass", 1.0),
        ("bet bet", 2.0),
    ],
)
@pytest.mark.parametrize("cards", DEALS)
def test_payoffs(actions: str, chips: float, cards: tuple[int, int]) -> None:
    """One chip or two to the higher card; giving up costs the ante whatever the cards."""
    state = dealt(*cards)
    for text in actions.split():
        assert str(state.legal_actions) == "pass, bet"
        state = state.apply(text)
    gave_up = actions in ("pass bet pass", "bet pass")
    won = chips if gave_up or cards[0] > cards[1] else -chips
    assert state.over
    assert state.payoffs(ROUND) == state.payoffs(MATCH) == (won, -won)


def value(state: State, bets: dict[tuple[int, str], float], history: str = "") -> float:
    """Return the value of a state for seat A if bets are made with these probabilities."""
    if state.over:
        return state.payoffs()[0]
    assert state.actor is not None
    probability = bets[int(state.record.cards[state.actor]), history]
    passing, betting = (
        value(state.apply(text), bets, history + text[0]) for text in ("pass", "bet")
    )
    return probability * betting + (1 - probability) * passing


@pytest.mark.parametrize("alpha", [0.0, 0.1, 1 / 3])
def test_known_value(alpha: float) -> None:
    """Kuhn (1950): good play is worth -1/18 to the first player, for each alpha up to 1/3."""
    bets = {
        (1, ""): alpha,
        (2, ""): 0.0,
        (3, ""): 3 * alpha,
        (1, "pb"): 0.0,
        (2, "pb"): alpha + 1 / 3,
        (3, "pb"): 1.0,
        (1, "p"): 1 / 3,
        (2, "p"): 0.0,
        (3, "p"): 1.0,
        (1, "b"): 0.0,
        (2, "b"): 1 / 3,
        (3, "b"): 1.0,
    }
    worth = [value(dealt(*cards), bets) for cards in DEALS]
    assert sum(worth) / len(worth) == pytest.approx(-1 / 18)


def test_deals() -> None:
    """All six are enumerated, keys deal them all, and they are written and replayed."""
    outcomes = set()
    for index in range(6):
        record = start().record
        GAME.operations.chance_outcome(record, index)
        outcomes.add(tuple(record.cards.tolist()))
    assert outcomes == set(DEALS)
    keyed = [start().deal(key) for key in range(100)]
    assert {tuple(state.record.cards.tolist()) for state in keyed} == set(DEALS)
    assert start().deal(7) == start().deal(7)
    for state in keyed:
        record = start().record
        GAME.replay_deal(record, GAME.format_deal(state.record))
        assert State(record) == state
    for wrong in ({}, {"cards": [1, 1]}, {"cards": [1, 4]}, {"cards": [1, None]}):
        with pytest.raises(PerudoError, match="is not a deal"):
            GAME.replay_deal(start().record, cast(Payload, wrong))


def test_a_card_is_seen_by_its_holder_only() -> None:
    for actions in ("", "bet", "bet pass", "pass bet pass"):
        states = [dealt(2, 1), dealt(2, 3)]
        for text in actions.split():
            states = [state.apply(text) for state in states]
        assert states[0].observe(0) == states[1].observe(0)
        assert states[0].observe(1) != states[1].observe(1)
        assert states[0].observe(SPECTATOR) == states[1].observe(SPECTATOR)
    assert str(dealt(2, 1).apply("bet").observe(0)) == "Kuhn poker: A 2, B ?\nbet"


def test_redeal_keeps_what_a_seat_knows() -> None:
    """Both other cards come up."""
    stream = stream_of(1)
    for seat in (0, 1):
        state = dealt(2, 1).apply("pass")
        found = set()
        for _ in range(50):
            record = state.record
            GAME.operations.redeal(record, seat, stream)
            found.add(tuple(record.cards.tolist()))
            assert State(record).observe(seat) == state.observe(seat)
        own = (2, 1)[seat]
        assert found == {cards for cards in DEALS if cards[seat] == own}


def test_it_keeps_the_contract() -> None:
    assert check_game(GAME, matches=20).decisions >= 40


def test_actions_and_errors() -> None:
    """Two words; anything else is refused with a reason."""
    state = dealt(1, 2)
    for text in ("pass", "bet"):
        assert GAME.format_action(GAME.parse_action(text.upper())) == text
    with pytest.raises(InvalidActionError, match="there are pass, bet"):
        state.apply("fold")
    for wrong in (0, 3):
        with pytest.raises(IllegalActionError, match="legal: pass, bet") as caught:
            state.apply(wrong)
        assert caught.value.code == "not_allowed"
    with pytest.raises(IllegalActionError, match="not allowed"):
        start().apply("bet")
    with pytest.raises(UnknownNameError):
        GAME.setting("leduc")
    with pytest.raises(RulesError):
        GAME.start(GAME.setting("standard"), 3)
    assert GAME.setting_from_options(GAME.setting_options(GAME.setting("standard")))


def test_random_play() -> None:
    """Two or three actions a round."""
    states = np.zeros(2, GAME.dtype).view(np.recarray)
    states[0] = start().record
    actions = random_games(states, ROUND, 200, key_of(1), stream_of(1))
    assert 400 < actions < 600


def test_running_the_example_prints_its_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    """Three rounds, each with its result."""
    kuhn_poker.main()
    printed = capsys.readouterr().out
    assert printed.count("Kuhn poker:") == 3
    assert printed.count("chips won") == 3
    assert "A may pass, bet and chooses" in printed
