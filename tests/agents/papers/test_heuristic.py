"""Livingstone's robots with fixed rules of thumb, by positions worked out by hand.

With ones wild, a hand of 1 3 4 4 6 holds one 2, two 3s, three 4s, one 5 and two 6s. Against five
unseen dice a third, rounded up, is two: heuristic-max takes it that there are five 4s.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import perudo
from perudo.agents import Decision
from perudo.agents.agent import CompiledAgent
from perudo.agents.papers.adaptive import HeuristicAdaptive
from perudo.agents.papers.heuristic import HeuristicMax, HmaxCounter, HmaxRandom
from perudo.agents.papers.macleod import Macleod
from perudo.games.chance import below, key_of, stream_of
from perudo.games.errors import RulesError
from perudo.games.game import CHANCE, OVER
from perudo.games.perudo import PERUDO, PRESETS, PerudoState, Rules
from strategies import random_dice, random_rules


def decide(agent: CompiledAgent, position: str) -> Decision:
    """Return the agent's action in a position."""
    return agent.decide(perudo.position(position), agent.new_memory(), stream_of(1))


def chances(agent: CompiledAgent, position: str) -> dict[str, float]:
    """The chances that it states; the move itself must be among them."""
    decision = decide(agent, position)
    assert decision.thoughts is not None
    stated = decision.thoughts.probabilities
    assert stated is not None
    assert stated[str(decision.action)] > 0
    return {action: chance for action, chance in stated.items() if chance > 0}


def sure(agent: CompiledAgent, position: str) -> str:
    """The one thing that it does."""
    ((action, chance),) = chances(agent, position).items()
    assert chance == pytest.approx(1)
    return action


# --- heuristic-max ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "position, action",
    [
        ("perudish2 13446/????? A -", "5x4"),  # three 4s and two
        ("perudish2 22455/????? A -", "4x5"),  # two 2s, two 5s: the higher
        ("perudish2 11111/????? A -", "7x6"),  # five of everything: sixes
        ("perudish2 ?????/13446 B 4x6", "5x4"),  # lower: up to the estimate at once
        ("perudish2 ?????/13446 B 1x2", "5x4"),
        ("perudish2 ?????/13446 B 5x3", "5x4"),
        ("perudish2 ?????/13446 B 5x5", "dudo"),  # higher
        ("perudish2 ?????/13446 B 6x2", "dudo"),
    ],
)
def test_max_raises_to_its_estimate_and_calls_above_it(position: str, action: str) -> None:
    assert sure(HeuristicMax(), position) == action


def test_max_tosses_a_coin_where_the_bid_is_its_own() -> None:
    equal = "perudish2 ?????/13446 B 5x4"
    assert chances(HeuristicMax(), equal) == {"dudo": 0.5, "6x4": 0.5}
    assert chances(HeuristicMax(call_equal=0.2), equal) == {"dudo": 0.2, "6x4": 0.8}


def test_max_cannot_raise_above_all_dice() -> None:
    """Two dice, mine a 4: I hold one and add a third of one, rounded up: two, which is all."""
    assert sure(HeuristicMax(), "perudish_n ?/4 B 2x4") == "dudo"


def test_max_counts_on_a_third_of_all_other_dice() -> None:
    """Fifteen unseen dice: five more. The paper's two for each of three opponents is six."""
    opening = "perudish_n 13446/?????/?????/????? A -"
    assert sure(HeuristicMax(), opening) == "8x4"
    assert sure(HeuristicMax(extra="two_per_opponent"), opening) == "9x4"


def test_max_plays_the_fixed_face_of_a_palafico_round() -> None:
    """Nothing is wild: two natural 2s, and a sixth of six unseen dice is one: 3x2."""
    assert sure(HeuristicMax(), "official ?/22456/????? B 1x2 palafico=A been=A") == "3x2"
    assert sure(HeuristicMax(), "official ?/22456/????? B 4x2 palafico=A been=A") == "dudo"


def test_max_answers_bids_on_ones_by_what_the_rules_call_higher() -> None:
    """After two ones another face needs five, after three it needs seven."""
    assert sure(HeuristicMax(), "official ?????/13446 B 2x2,3x2,2x1") == "5x4"
    assert sure(HeuristicMax(), "official ?????/13446 B 2x2,3x2,3x1") == "dudo"


def test_max_takes_the_way_that_restricted_raises_leave() -> None:
    """One of two: from 2x3 the face may rise at two, or the 3s be raised; 5x4 is out of reach."""
    assert sure(HeuristicMax(), "asmodee ?????/13446 B 2x3") == "2x4"
    # From 2x6 only more 6s: two held and two, so 4x6.
    assert sure(HeuristicMax(), "asmodee ?????/13446 B 2x6") == "4x6"
    assert chances(HeuristicMax(), "asmodee ?????/13446 B 4x6") == {"dudo": 0.5, "5x6": 0.5}


def test_max_bids_ones_where_sixes_are_wild() -> None:
    """Sixes count for all: 1 1 3 5 6 has three 1s, and two more."""
    assert sure(HeuristicMax(), "openspiel:dice=5 11356/????? A -") == "5x1"


def test_max_declines_calza_out_of_turn_and_doubts_a_pass_too_high() -> None:
    assert sure(HeuristicMax(), "official ?????/?????/13446 B+C 3x4") == "decline"
    assert sure(HeuristicMax(), "official ?????/?????/13446 C 9x6,pass") == "doubt"


# --- hmax-counter -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "step, position, action",
    [
        (0, "perudish2 66666/????? A -", "1x2"),
        (1, "perudish2 ?????/22346 B 4x5", "dudo"),  # no 5
        (1, "perudish2 ?????/22346 B 4x3", "dudo"),  # one 3
        (2, "perudish2 ?????/12556 B 4x5", "5x5"),  # three 5s
        (2, "perudish2 ?????/12556 B 10x5", "dudo"),  # but no eleven dice
        (3, "perudish2 ?????/33666 B 3x3", "3x6"),  # two 3s, three 6s
        (4, "perudish2 ?????/33355 B 3x5", "4x3"),  # two 5s, three 3s
        (4, "perudish2 ?????/33355 B 10x5", "dudo"),
        (5, "perudish2 ?????/22346 B 3x2", "3x3"),  # two 2s, and nothing better
        (6, "perudish2 ?????/22366 B 3x6", "4x6"),  # two 6s, and nothing better
        (6, "perudish2 ?????/22366 B 10x6", "dudo"),
    ],
)
def test_counter_follows_table_2(step: int, position: str, action: str) -> None:
    assert sure(HmaxCounter(), position) == action


def test_counter_scales_the_two_dice_that_decide() -> None:
    """One die each: heuristic-max would have added one, so my one 4 is just enough (step 5)."""
    last = "perudish_n ?/4 B 1x4"
    assert sure(HmaxCounter(), last) == "1x5"
    assert sure(HmaxCounter(enough="two"), last) == "dudo"
    # Three players, five dice each: a third of ten is four, of which the third player is expected
    # to hold 5/3; what remains, 2.33, is two again.
    three = "perudish_n ?????/33666/????? B 5x3"
    assert sure(HmaxCounter(), three) == "5x6"
    assert sure(HmaxCounter(), three) == sure(HmaxCounter(enough="two"), three)


def test_counter_keeps_a_fixed_face() -> None:
    """Palafico on 2s, nothing wild: of 11 dice that A does not see a sixth is two, less 5/6 that C
    may hold, so one decides. Two 2s: raise. One: no other face, so raise too. None: dudo."""
    assert sure(HmaxCounter(), "official ?/22456/????? B 1x2 palafico=A been=A") == "2x2"
    assert sure(HmaxCounter(), "official ?/23456/????? B 1x2 palafico=A been=A") == "2x2"
    assert sure(HmaxCounter(), "official ?/33456/????? B 1x2 palafico=A been=A") == "dudo"


# --- hmax-random --------------------------------------------------------------------------------
def test_random_opens_anywhere_up_to_its_estimate() -> None:
    """The estimate is 5x4: quantities 1 to 5, types 2 to 4, each pair 1/15."""
    stated = chances(HmaxRandom(), "perudish2 13446/????? A -")
    assert set(stated) == {f"{n}x{t}" for n in range(1, 6) for t in (2, 3, 4)}
    assert all(chance == pytest.approx(1 / 15) for chance in stated.values())


def test_random_raises_by_quantity_then_type() -> None:
    """Over 4x3: four dice leave only 4s, five leave 3s and 4s; first the quantity is drawn."""
    stated = chances(HmaxRandom(), "perudish2 ?????/13446 B 4x3")
    assert stated == pytest.approx({"4x4": 1 / 2, "5x3": 1 / 4, "5x4": 1 / 4})


@pytest.mark.parametrize(
    "bid, expected",
    [
        ("4x5", {"5x4": 1.0}),  # no type from 5 to 4, but the estimate is higher
        ("5x5", {"dudo": 1.0}),  # and here it is not
        ("6x2", {"dudo": 1.0}),  # more dice than it believes in
        ("5x4", {"dudo": 0.5, "6x4": 0.5}),
        ("5x3", {"5x4": 1.0}),
    ],
)
def test_random_at_the_edges(bid: str, expected: dict[str, float]) -> None:
    assert chances(HmaxRandom(), f"perudish2 ?????/13446 B {bid}") == pytest.approx(expected)


def test_random_plays_as_often_as_it_says() -> None:
    agent, position = HmaxRandom(), perudo.position("perudish2 ?????/13446 B 4x3")
    memory, stream = agent.new_memory(), stream_of(3)
    moves = [str(agent.decide(position, memory, stream).action) for _ in range(2000)]
    assert moves.count("4x4") / 2000 == pytest.approx(0.5, abs=0.05)
    assert moves.count("5x3") / 2000 == pytest.approx(0.25, abs=0.05)


# --- all of them, everywhere --------------------------------------------------------------------
def play_out(agent: CompiledAgent, rules: Rules, dice: list[int], seed: int) -> int:
    """A match against random players, learning; every move must be legal. Returns its decisions."""
    operations = PERUDO.operations
    record = PERUDO.start(rules, len(dice), dice).record
    key, stream, memory = key_of(seed), stream_of(seed, 1), agent.new_memory()
    own, decisions = seed % len(dice), 0
    while operations.actor(record) != OVER and decisions < 40:
        if operations.actor(record) == CHANCE:
            operations.deal(record, key)
            continue
        if operations.actor(record) == own:
            view = PerudoState(record).observe(own)
            chosen: Any = agent.decide(view, memory, stream).action
            refused = operations.refusal(record, chosen.code)
            assert refused == 0, f"{agent.spec}: {chosen} in {view.notation}"
            operations.apply(record, chosen.code)
            decisions += 1
        else:  # the lowest of four random actions, lest every round be over at once
            count = int(operations.action_count(record))
            index = min(int(below(stream, count)) for _ in range(4))
            operations.apply(record, int(operations.action(record, index)))
        if operations.round_over(record):
            agent.learn(PerudoState(record).observe(own), memory)
            assert np.isfinite(memory).all()
    return decisions


ALL = [HeuristicMax(), HmaxCounter(), HmaxRandom(), HeuristicAdaptive(), Macleod()]


@pytest.mark.parametrize("agent", ALL, ids=lambda agent: agent.name)
def test_every_move_is_legal_under_all_presets(agent: CompiledAgent) -> None:
    decisions = 0
    for number, preset in enumerate(PRESETS):
        rules = Rules.preset(preset)
        for players in (2, 3, 6, 10):
            try:
                decisions += play_out(agent, rules, [rules.dice] * players, number + players)
            except RulesError:
                assert players > rules.max_players
    assert decisions > 400


@pytest.mark.parametrize("agent", ALL, ids=lambda agent: agent.name)
def test_every_move_is_legal_under_any_rules(agent: CompiledAgent) -> None:
    generator = random.Random(5)
    decisions = 0
    for number in range(40):
        rules = random_rules(generator)
        decisions += play_out(agent, rules, random_dice(generator, rules), number)
    assert decisions > 200
