"""The four strategies of Boros and Kallós, in positions worked out by hand.

Five unseen dice are expected to show 5/3 of a face, ones counted, and 5/6 ones.
"""

from __future__ import annotations

import pytest

from mixed_tables import RULE_SETS, play_at_mixed_tables
from perudo.agents.agent import Agent, Decision, Thoughts
from perudo.agents.papers.boros import BorosBasic, BorosBluff, BorosExtended, BorosForeseeing
from perudo.agents.random_agent import RandomAgent
from perudo.games.chance import stream_of
from perudo.games.errors import PerudoError
from perudo.games.perudo import position

AGENTS = (BorosBasic(), BorosExtended(), BorosForeseeing(), BorosBluff())


def decide(agent: Agent, line: str, seed: int = 1) -> tuple[str, Thoughts]:
    decision = agent.decide(position(line), agent.new_memory(), stream_of(seed))
    assert isinstance(decision, Decision)
    assert decision.thoughts is not None
    return str(decision.action), decision.thoughts


# --- basic ----------------------------------------------------------------------------------------
def test_basic_opens_with_what_it_expects() -> None:
    """Twos, fours and sixes: 1 + 2 ones + 5/3 = 4.67, threes and fives 3.67; of equals the highest
    face, so 4x6, with .67 to spare."""
    action, thoughts = decide(BorosBasic(), "common_aces 11246/????? A -")
    assert action == "4x6"
    assert thoughts.phase == "supported"
    assert thoughts.probabilities == {"4x6": 1.0}
    assert thoughts.values["4x6"] == pytest.approx(2 / 3)


def test_basic_raises_to_the_largest_that_it_expects() -> None:
    """After 2x3 it need not go beyond 3x2, but 4x6 is expected."""
    assert decide(BorosBasic(), "common_aces 11246/????? A 2x3")[0] == "4x6"


def test_basic_exceeds_the_expectation_by_the_bound_at_most() -> None:
    """Five sixes exceed 4.67 by a third: within .5, not within .3."""
    line = "common_aces 11246/????? A 4x6"
    action, thoughts = decide(BorosBasic(), line)
    assert (action, thoughts.phase) == ("5x6", "within bound")
    assert thoughts.values["5x6"] == pytest.approx(-1 / 3)
    assert decide(BorosBasic(bound=0.3), line)[0] != "5x6"


def test_beyond_the_bound_it_turns_to_aces() -> None:
    """Two own ones and 5/6: two are expected, and two follow 4x6 legally."""
    action, thoughts = decide(BorosBasic(bound=0.3), "common_aces 11246/????? A 4x6")
    assert (action, thoughts.phase) == ("2x1", "aces")
    assert thoughts.values["2x1"] == pytest.approx(5 / 6)


def test_it_calls_where_aces_are_not_expected_or_not_allowed() -> None:
    """One of each: 2.67 of any face, where five are needed; .83 ones, where two are."""
    action, thoughts = decide(BorosBasic(), "common_aces 23456/????? A 4x6")
    assert (action, thoughts.phase) == ("dudo", "call")
    assert decide(BorosBasic(bound=0.3), "common 11246/????? A 4x6")[0] == "dudo"


def test_ones_are_a_face_like_others_where_they_are_not_wild() -> None:
    """A palafico round on ones: two own and two dice at 1/6 make 2.33, so 2x1; 3x1 exceeds that by
    .67."""
    line = "official ?/114/? B {} palafico=A been=AC"
    action, thoughts = decide(BorosBasic(), line.format("1x1"))
    assert action == "2x1"
    assert thoughts.values["2x1"] == pytest.approx(1 / 3)
    line = "official ?/?/114 C {} palafico=A been=AB"
    assert decide(BorosBasic(), line.format("1x1,2x1"))[0] == "dudo"


# --- extended and foreseeing ----------------------------------------------------------------------
def test_extended_believes_the_first_bid() -> None:
    """Threes: 2 + 5/3 = 3.67, with one more for B's bid 4.67, so that 4x3 is expected."""
    line = "common_aces 33456/????? A 3x3"
    assert decide(BorosBasic(), line)[1].phase == "within bound"
    action, thoughts = decide(BorosExtended(), line)
    assert (action, thoughts.phase) == ("4x3", "supported")
    assert thoughts.values["4x3"] == pytest.approx(2 / 3)


def test_trust_is_a_number_of_dice() -> None:
    """2 + 5/3 + 2.5 = 6.17; no trust is the basic strategy."""
    line = "common_aces 33456/????? A 3x3"
    assert decide(BorosExtended(trust=2.5), line)[0] == "6x3"
    assert decide(BorosExtended(trust=0), line) == decide(BorosBasic(), line)


def test_extended_believes_everybody_but_itself() -> None:
    """B and C opened on threes: 2 + 10/3 + 2 = 7.33. Its own bid says nothing to it: 5.33 + 1."""
    action, thoughts = decide(BorosExtended(), "common_aces 33456/?????/????? A 2x3,3x3")
    assert action == "7x3"
    assert thoughts.values["7x3"] == pytest.approx(1 / 3)
    action, thoughts = decide(BorosExtended(), "common_aces 33456/?????/????? A 1x3,2x3,2x4")
    assert action == "6x3"
    assert thoughts.values["6x3"] == pytest.approx(1 / 3)


def test_foreseeing_believes_later_bids_half_as_much() -> None:
    """B bid 2x3, then 3x5. Fives: 2 + 5/3 + 1/2 = 4.17, so 4x5 is expected; to the extended
    strategy, which heard only the threes, it is not (3.67)."""
    line = "common_aces 34556/????? A 2x3,2x5,3x5"
    action, thoughts = decide(BorosForeseeing(), line)
    assert (action, thoughts.phase) == ("4x5", "supported")
    assert thoughts.values["4x5"] == pytest.approx(1 / 6)
    assert decide(BorosExtended(), line)[1].phase == "within bound"
    assert decide(BorosForeseeing(fade=0), line) == decide(BorosExtended(), line)


def test_evidence_is_limited_by_the_dice() -> None:
    """A single die shows a three with 1/3; a bid on threes can add 2/3 at most. 1 + 1/3 + 2/3 = 2:
    exactly expected."""
    for trust in (1.0, 5.0):
        action, thoughts = decide(BorosExtended(trust=trust), "common_aces 345/? A 1x3")
        assert action == "2x3"
        assert thoughts.values["2x3"] == pytest.approx(0.0)


# --- bluff ----------------------------------------------------------------------------------------
def test_bluff_mixes_three_bids() -> None:
    """The best opening is 4x6 as above, the lowest 1x2. Threes and fives are held least, and of ten
    dice 3 are expected of any face: 3x5."""
    _, thoughts = decide(BorosBluff(), "common_aces 11246/????? A -")
    assert thoughts.probabilities == pytest.approx({"4x6": 0.6, "1x2": 0.25, "3x5": 0.15})
    picked = {decide(BorosBluff(), "common_aces 11246/????? A -", s)[0] for s in range(40)}
    assert picked == {"4x6", "1x2", "3x5"}


def test_only_the_ratio_of_the_shares_counts() -> None:
    agent = BorosBluff(best=0, minimum=0.2, bluff=0.6)
    _, thoughts = decide(agent, "common_aces 11246/????? A -")
    assert thoughts.probabilities == pytest.approx({"4x6": 0.0, "1x2": 0.25, "3x5": 0.75})
    with pytest.raises(PerudoError, match="one of best, minimum and bluff"):
        BorosBluff(best=0, minimum=0, bluff=0)


def test_what_nobody_would_believe_is_not_bid() -> None:
    """Five of ten are there with chance .213: after 4x6 neither 5x2 nor 5x5 is tried, unless
    ``credible`` is lower. The best bid is 5x6: 3 + 5/3 + 1 for B's bid."""
    line = "common_aces 11246/????? A 4x6"
    action, thoughts = decide(BorosBluff(), line)
    assert (action, thoughts.phase) == ("5x6", "supported")
    assert thoughts.probabilities == {"5x6": 1.0}
    _, thoughts = decide(BorosBluff(credible=0.2), line)
    assert thoughts.probabilities == pytest.approx({"5x6": 0.6, "5x2": 0.25, "5x5": 0.15})


def test_a_call_is_mixed_too() -> None:
    """One of each: 2.67 of any face, where four are needed, so the best is a call. Four of ten are
    there with chance .44; the lowest bid is 4x2, and of faces held alike 4x6 is the highest."""
    _, thoughts = decide(BorosBluff(credible=0.4, trust=0), "common 23456/????? A 3x6")
    assert thoughts.phase == "call"
    assert thoughts.probabilities == pytest.approx({"dudo": 0.6, "4x2": 0.25, "4x6": 0.15})


# --- all ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rules", RULE_SETS)
def test_every_move_is_legal(rules: str) -> None:
    agents = (*AGENTS, BorosBluff(bound=2, minimum=0.5, bluff=0.5, credible=0.1), RandomAgent())
    play_at_mixed_tables(agents, rules)
