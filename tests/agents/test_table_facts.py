"""The tables of chances, against counting every roll; and how agents are named."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from perudo.agents import AGENTS, agent_named, split_agents
from perudo.agents.table_facts import at_least, exactly
from perudo.games.errors import PerudoError
from perudo.games.perudo import odds


@pytest.mark.parametrize("dice", range(1, 7))
@pytest.mark.parametrize("ways", [1, 2])
def test_chances_agree_with_every_roll(dice: int, ways: int) -> None:
    """All 6**n rolls, counting faces up to ``ways``: a face alone, or with a wild one."""
    rolls = np.array(list(product(range(1, 7), repeat=dice)))
    hits = (rolls <= ways).sum(axis=1)
    for wanted in range(-1, dice + 2):
        share = np.mean(hits >= wanted)
        assert at_least(dice, wanted, ways) == pytest.approx(share, abs=1e-12)
        assert odds.at_least(dice, wanted, ways) == pytest.approx(share, abs=1e-12)
        assert exactly(dice, wanted, ways) == pytest.approx(np.mean(hits == wanted), abs=1e-12)


@pytest.mark.parametrize("dice", [7, 25, 80])
@pytest.mark.parametrize("ways", [1, 2])
def test_chances_agree_with_whole_numbers(dice: int, ways: int) -> None:
    """Beyond counting: binomial coefficients as whole numbers."""
    for wanted in range(dice + 1):
        exact = odds.at_least(dice, wanted, ways)
        assert at_least(dice, wanted, ways) == pytest.approx(exact, abs=1e-13)


def test_names_round_trip() -> None:
    for name in AGENTS:
        assert agent_named(name).spec == name
    assert agent_named("dumb:bluff=0.1,prob=0.4").spec == "dumb:prob=0.4,bluff=0.1"
    assert agent_named("dumb:prob=0.25").spec == "dumb"
    assert split_agents("random,dumb:prob=0.4,bluff=0.1,random") == [
        "random",
        "dumb:prob=0.4,bluff=0.1",
        "random",
    ]


@pytest.mark.parametrize(
    "text, message",
    [
        ("nobody", "unknown agent 'nobody'"),
        ("dumb:", "dumb has no parameter ''"),
        ("dumb:prob", "give prob=value exactly once"),
        ("dumb:prob=.1,prob=.2", "give prob=value exactly once"),
        ("dumb:prob=nan", "should be a number"),
        ("dumb:generated=2.5", "should be a whole number"),
        ("dumb:one_die_rule=maybe", "should be yes or no"),
        ("mcts-random:scoring=best", "choose lose or gain or ten"),
        ("mcts-random:c=-1", "out of range; choose 0 to 100"),
    ],
)
def test_wrong_names_are_refused(text: str, message: str) -> None:
    with pytest.raises(PerudoError, match=message):
        agent_named(text)
