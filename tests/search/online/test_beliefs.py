"""Beliefs informed by bids: Bayes' rule by hand, hands one by one and particles."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

import kuhn_poker
import numpy as np
import pytest

import perudo
from perudo.agents import agent_named
from perudo.games.chance import Stream, draw, stream_of
from perudo.games.game import SPECTATOR, Record, State
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import count_in_hand
from perudo.games.policy import (
    Memory,
    Parameters,
    begin,
    choose,
    consider,
    model_of,
)
from perudo.search.online.beliefs import PARTICLES, SURPRISE, Belief, believe, deal_believed

NO_PARAMETERS, NO_MEMORY = np.zeros(1), np.zeros((10, 1))


def belief(
    observation: State, seat: int, policy: Any, parameters: Parameters = NO_PARAMETERS
) -> Belief:
    record = observation.record
    model = model_of(policy, record.dtype, parameters, NO_MEMORY)
    return believe(record, seat, model, stream_of(1))


def shares_of(cumulated: Any) -> Any:
    return np.diff(cumulated, prepend=0.0)


def replayed_chance(agent: Any, hand: str, setting: str) -> float:
    """Return the probability, from the agent, that B bids 2x5 over 1x3 with these dice."""
    state = perudo.position(f"{setting} 22/{hand}/46 A -").apply("1x3")
    stated = agent.decide(state.observe(1), agent.new_memory(), stream_of(1)).thoughts
    count = len(state.legal_actions.codes)
    chance: float = stated.probabilities.get("2x5", 0.0)
    return (1 - SURPRISE) * chance + SURPRISE / count


@pytest.mark.parametrize("name", ["observer", "probabilistic", "heuristic-max"])
def test_hands_are_weighed_by_bayes_rule(name: str) -> None:
    """Against a replay in Python, hand by hand."""
    agent: Any = agent_named(name)
    state = perudo.position("common 22/15/46 A -").apply("1x3").apply("2x5")
    shares, _ = belief(state.observe(2), 2, type(agent).policy, agent.parameters)
    expected = []
    for dice in combinations_with_replacement("123456", 2):
        orders = factorial(2) / prod(factorial(dice.count(die)) for die in set(dice))
        expected.append(orders * replayed_chance(agent, "".join(dice), "common"))
    assert shares_of(shares[1]) == pytest.approx(np.array(expected) / sum(expected))


def test_who_has_not_spoken_holds_anything() -> None:
    """C has said nothing: its hands are as likely as they are rolled. Nobody's own are weighed."""
    agent: Any = agent_named("observer")
    state = perudo.position("common 22/15/46 A -").apply("1x3")
    shares, _ = belief(state.observe(1), 1, type(agent).policy, agent.parameters)
    assert sorted(set(np.round(shares_of(shares[2]) * 36, 9))) == [1.0, 2.0]
    assert not shares[1].any()
    everybody, _ = belief(state.observe(SPECTATOR), SPECTATOR, type(agent).policy, agent.parameters)
    assert everybody[:, -1] == pytest.approx([1.0, 1.0, 1.0])


def test_deals_follow_the_belief() -> None:
    """What is dealt from a belief is as likely as it says; the own dice stay."""
    agent: Any = agent_named("observer")
    start = perudo.position("common 55/15 A -")
    said = agent.decide(start.observe(0), agent.new_memory(), stream_of(1)).action
    state = start.apply(said)
    believed = belief(state.observe(1), 1, type(agent).policy, agent.parameters)
    record, stream, fives = state.observe(1).record, stream_of(2), 0
    for _ in range(4000):
        deal_believed(record, 1, believed, stream)
        fives += int(count_in_hand(record.hands[0], 5)) == 2
    assert record.hands[1] == state.record.hands[1]
    hands = list(combinations_with_replacement("123456", 2))
    share = shares_of(believed.shares[0])[hands.index(("5", "5"))]
    assert share > 1.5 / 36
    assert fives / 4000 == pytest.approx(share, abs=5 * np.sqrt(share / 4000))


@kernel
def bet_high_or_bluff(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """A model for Kuhn poker: bets the king, never the queen, the jack every third time."""
    card = int(observation.cards[observation.viewer])
    bets = 1.0 if card == 3 else (0.0 if card == 2 else 1.0 / 3.0)
    begin(thoughts)
    consider(thoughts, kuhn_poker.BET, bets, np.nan)
    consider(thoughts, kuhn_poker.PASS, 1.0 - bets, np.nan)
    return choose(thoughts, stream)


def test_particles_in_kuhn_poker() -> None:
    """Cards depend on each other, so whole deals are weighed: king or jack, three to one."""
    game = kuhn_poker.KUHN_POKER
    start = game.start(game.setting("standard"), 2)
    record = start.record
    game.operations.chance_outcome(record, 0)  # A has the jack, B the queen
    state = State(record).apply("bet")
    shares, particles = belief(state.observe(1), 1, bet_high_or_bluff)
    assert shares.shape == (1, PARTICLES)
    stream = stream_of(3)
    cards = np.asarray(particles)["cards"]
    dealt = [int(cards[draw(shares[0], stream), 0]) for _ in range(4000)]
    bluff = (1 - SURPRISE) / 3 + SURPRISE / 2
    king = (1 - SURPRISE) + SURPRISE / 2
    assert np.mean(np.array(dealt) == 3) == pytest.approx(king / (king + bluff), abs=0.06)
    assert set(dealt) == {1, 3}
    assert np.all(cards[:PARTICLES, 1] == 2)


def test_games_that_cannot_go_back_have_no_belief() -> None:
    """Then deals are only consistent with what is known."""
    game = perudo.games.game_named("rock_paper_scissors")
    state = game.start(game.setting("standard"), 2)
    shares, _ = belief(state.observe(0), 0, bet_anything)
    assert shares.shape == (0, 0)


@kernel
def bet_anything(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Return a constant: a policy that ``belief`` does not call here."""
    return 1
