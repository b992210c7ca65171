"""Macleod's player: chances worked out by hand.

Of five unseen dice with ones wild, at least 1, 2, 3, 4 match a face in 211, 131, 51, 11 of 243
cases. A hand of 1 3 4 4 6 holds one 2, two 3s, three 4s, one 5 and two 6s.
"""

from __future__ import annotations

import pytest

import perudo
from perudo.agents.agent import Thoughts
from perudo.agents.papers.macleod import DISHONEST, HONEST, Macleod
from perudo.games.chance import stream_of
from perudo.games.policy import Memory

A, B, C = range(3)
ONE, TWO, THREE = 211 / 243, 131 / 243, 51 / 243
AVERAGE = Macleod(belief="average")


def decide(
    agent: Macleod, position: str, memory: Memory | None = None, seed: int = 1
) -> tuple[str, Thoughts]:
    memory = agent.new_memory() if memory is None else memory
    decision = agent.decide(perudo.position(position), memory, stream_of(seed))
    assert decision.thoughts is not None
    return str(decision.action), decision.thoughts


def test_it_opens_where_the_limits_allow() -> None:
    """On each type two more than held survive with 131/243, within .35 and .75; one more is too
    safe. All five are as safe, so as likely."""
    _, thoughts = decide(Macleod(), "perudish2 13446/????? A -")
    expected = {"3x2": 0.2, "4x3": 0.2, "5x4": 0.2, "3x5": 0.2, "4x6": 0.2}
    assert thoughts.probabilities == pytest.approx(expected)
    assert thoughts.values == pytest.approx(dict.fromkeys(expected, TWO))
    assert thoughts.chance is None


def test_the_upper_limit_makes_it_bolder() -> None:
    """Without it the safest bids are those it can see: a die of any type, by the wild one."""
    _, thoughts = decide(Macleod(p_max=1.0), "perudish2 13446/????? A -")
    assert thoughts.probabilities == pytest.approx({f"1x{face}": 0.2 for face in range(2, 7)})
    # At most a fifth: three more than held, with 51/243, are too safe; four more are not.
    _, thoughts = decide(Macleod(p_min=0.0, p_max=0.2), "perudish2 13446/????? A -")
    assert thoughts.values["7x4"] == pytest.approx(11 / 243)


def test_it_takes_the_safest_where_all_bids_are_too_safe_or_too_risky() -> None:
    """One unseen die: 1x4 is sure, 2x4 has a third, below .35. Other types have a third at once."""
    action, thoughts = decide(Macleod(), "perudish_n 4/? A -")
    assert action == "1x4"
    assert thoughts.values == {"1x4": 1.0}


def test_it_calls_where_every_bid_is_too_risky() -> None:
    """Over 5x5: 6x4 needs three of five, 51/243; 6x3, 6x6 four; and so on."""
    action, thoughts = decide(AVERAGE, "perudish2 ?????/13446 B 5x5")
    assert action == "dudo"
    assert thoughts.probabilities == {"dudo": 1.0}
    # A bolder one bids 6x4.
    assert decide(Macleod(belief="average", p_min=0.2), "perudish2 ?????/13446 B 5x5")[0] == "6x4"


def test_a_believed_bid_shifts_the_table_of_its_face() -> None:
    """A's 4x6 leaves two 6s missing. Believed by .6 of half a die: .3 of the way from two to one.
    Of the raises 5x4 (two missing) stays; 5x6 lies between three and two missing."""
    _, thoughts = decide(AVERAGE, "perudish2 ?????/13446 B 4x6")
    assert thoughts.chance == pytest.approx(0.3 * ONE + 0.7 * TWO)
    assert thoughts.values == pytest.approx({"5x4": TWO})  # 5x6 at .309 is below .35
    assert thoughts.probabilities == {"5x4": 1.0}
    sure = Macleod(belief="average", p_truth=1.0)
    _, thoughts = decide(sure, "perudish2 ?????/13446 B 4x6")
    assert thoughts.values == pytest.approx({"5x4": TWO, "5x6": (TWO + THREE) / 2})


def test_a_coin_believes_wholly_or_not_at_all() -> None:
    """So the chance of 4x6 is that of two missing, or half-way to one missing, in .6 of cases."""
    whole, none = (ONE + TWO) / 2, TWO
    seen = [decide(Macleod(), "perudish2 ?????/13446 B 4x6", seed=seed)[1] for seed in range(400)]
    assert all(thoughts.probabilities is None for thoughts in seen)
    believed = [thoughts.chance == pytest.approx(whole) for thoughts in seen]
    assert all(
        thoughts.chance == pytest.approx(none)
        for thoughts, whole_hearted in zip(seen, believed, strict=True)
        if not whole_hearted
    )
    assert sum(believed) / 400 == pytest.approx(0.6, abs=0.08)


def test_own_bids_convince_nobody() -> None:
    """Only A's two bids on 3s count: 2 * .6 * .5 dice, so 4x3 is .6 of the way from two to one."""
    _, thoughts = decide(AVERAGE, "perudish2 ?????/13446 B 2x3,3x3,4x3")
    assert thoughts.chance == pytest.approx(0.6 * ONE + 0.4 * TWO)


def test_what_cannot_be_is_not_believed() -> None:
    """One unseen die, none of mine: 2x6 needs two of one."""
    sure = Macleod(belief="average", p_truth=1.0, weight=8.0)
    action, thoughts = decide(sure, "perudish_n ?/4 B 2x6")
    assert thoughts.chance == 0.0
    assert action == "dudo"


# --- learning -----------------------------------------------------------------------------------
def learned(agent: Macleod, position: str) -> Memory:
    memory = agent.new_memory()
    agent.learn(perudo.position(position).apply("dudo").observe(B), memory)
    return memory


def test_honest_is_who_holds_more_than_an_average_hand() -> None:
    """Five dice hold 5/3 of a face on average: A's three 4s and two 6s are more, its one 2 less."""
    memory = learned(Macleod(), "perudish2 13446/22355 B 1x2,2x2,3x4,3x5,4x6")
    assert memory[A, HONEST] == 2
    assert memory[A, DISHONEST] == 1
    assert not memory[B:].any()
    assert not learned(Macleod(learns=False), "perudish2 13446/22355 B 4x4").any()


def test_a_known_liar_is_believed_less() -> None:
    """Six tenths, worth ten bids, and ten lies: 6 of 20. Then 4x6 is .15 of the way to one."""
    memory = AVERAGE.new_memory()
    memory[A, DISHONEST] = 10
    _, thoughts = decide(AVERAGE, "perudish2 ?????/13446 B 4x6", memory)
    assert thoughts.chance == pytest.approx(0.15 * ONE + 0.85 * TWO)


def test_one_truth_for_all_or_one_for_each() -> None:
    """C lied ten times, A never bid. A is believed as usual, unless all are thought alike."""
    memory = AVERAGE.new_memory()
    memory[C, DISHONEST] = 10
    alike = Macleod(belief="average", per_opponent_truth=False)
    three = "perudish_n ?????/13446/????? B 7x6"
    each, together = decide(AVERAGE, three, memory)[1], decide(alike, three, memory)[1]
    assert each.chance == pytest.approx(decide(AVERAGE, three)[1].chance)
    assert together.chance is not None
    assert each.chance is not None
    assert together.chance < each.chance
