"""Hypothesis strategies: rules, and positions that play can reach under them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from perudo.games.chance import below, key_of, stream_of
from perudo.games.errors import RulesError
from perudo.games.operations import CHANCE, OVER
from perudo.games.perudo import OPTIONS, PERUDO, PRESETS, PerudoState, Rules
from perudo.games.perudo.rules import option_values

Choose = Callable[[Sequence[Any]], Any]

MOST_CHANGES = 12


def choose_rules(choose: Choose) -> Rules:
    """A preset with some options changed, one after the other, as far as they can be combined."""
    rules = PRESETS[choose(tuple(PRESETS))].rules
    for _ in range(choose(range(MOST_CHANGES + 1))):
        name = choose(tuple(OPTIONS))
        value: Any = Rules.parse_option(name, choose(option_values(name)))
        try:
            rules = replace(rules, **{name: value})
        except RulesError:
            continue
    return rules


def choose_dice(choose: Choose, rules: Rules) -> list[int]:
    """Players, and the dice of each."""
    players = choose(range(2, rules.max_players + 1))
    if choose((True, False)):
        return [rules.dice] * players
    return [choose(range(1, rules.dice + 1)) for _ in range(players)]


def random_rules(generator: random.Random) -> Rules:
    """Rules from an ordinary random generator, where there should be many of them quickly."""
    return choose_rules(generator.choice)


def random_dice(generator: random.Random, rules: Rules) -> list[int]:
    """Dice from an ordinary random generator."""
    return choose_dice(generator.choice, rules)


def wander(state: PerudoState, steps: int, seed: int) -> PerudoState:
    """The state after some random actions and the rolls between them, or at the match's end."""
    operations, record = PERUDO.operations, state.record
    stream, key = stream_of(seed), key_of(seed, 1)
    for _ in range(steps):
        if operations.actor(record) == OVER:
            break
        if operations.actor(record) == CHANCE:
            operations.deal(record, key)
        else:
            index = int(below(stream, int(operations.action_count(record))))
            operations.apply(record, int(operations.action(record, index)))
    return PerudoState(record)


@st.composite
def rules_values(draw: st.DrawFn) -> Rules:
    """Any rules that can be played."""
    return choose_rules(lambda values: draw(st.sampled_from(values)))


@st.composite
def positions(draw: st.DrawFn, *, most_steps: int = 60) -> PerudoState:
    """Any full state that random play reaches: to be rolled, in a round, or over."""
    rules = draw(rules_values())
    dice = choose_dice(lambda values: draw(st.sampled_from(values)), rules)
    start = PERUDO.start(rules, len(dice), dice)
    return wander(start, draw(st.integers(0, most_steps)), draw(st.integers(0, 2**32)))


def decisions() -> st.SearchStrategy[PerudoState]:
    """States in which a player is to act."""
    return positions().filter(lambda state: state.actor is not None)
