"""The Maynooth report's dumb players: scores, random bets, decisions."""

from __future__ import annotations

import math
from collections import Counter
from math import comb

import numpy as np
import numpy.typing as npt
import pytest

from mixed_tables import RULE_SETS, play_at_mixed_tables
from perudo.agents.agent import Agent, Decision
from perudo.agents.papers.bet_generator import (
    FACE_WEIGHT,
    HIGHEST,
    MAX_DRAWS,
    SHEET_ROWS,
    Sheet,
    allow_legal_bids,
    bluff_chance,
    generate_bets,
    read_table,
)
from perudo.agents.papers.dumb import Dumb, LessDumb, SlightlyLessDumb
from perudo.agents.random_agent import RandomAgent
from perudo.games.chance import stream_of
from perudo.games.errors import PerudoError
from perudo.games.perudo import position
from perudo.games.perudo.layout import face_of, quantity_of

SIGMAS = 5.0
AGENTS = (Dumb(), SlightlyLessDumb(), LessDumb())


def decide(agent: Agent, line: str, seed: int = 1) -> Decision:
    decision = agent.decide(position(line), agent.new_memory(), stream_of(seed))
    assert isinstance(decision, Decision)
    return decision


def values(agent: Agent, line: str, seed: int = 1) -> dict[str, float]:
    thoughts = decide(agent, line, seed).thoughts
    assert thoughts is not None
    assert thoughts.probabilities is None  # what is drawn is chance
    return thoughts.values


def tail(dice: int, hits: int, chance: float = 1 / 3) -> float:
    """Equations 4.2 and 4.4, by the formula."""
    return sum(
        comb(dice, k) * chance**k * (1 - chance) ** (dice - k)
        for k in range(max(hits, 0), dice + 1)
    )


# --- scores ---------------------------------------------------------------------------------------
def test_dumb_scores_by_all_dice() -> None:
    """Ten dice, own ones not looked at: 3 of any face has P(A) = 1 - (2^10 + 10 2^9 + 45 2^8)/3^10
    = 1 - 17664/59049 = .7009, 4 has .4407; so 3x5 or 3x6 is best after 3x4."""
    found = values(Dumb(), "common 11246/????? A 3x4")
    assert found["3x5"] == pytest.approx(1 - 17664 / 59049)
    assert found["4x2"] == pytest.approx(0.4407, abs=5e-5)
    assert found["dudo"] == 0.25  # a call is worth the threshold
    actions = {str(decide(Dumb(bluff=0), "common 11246/????? A 3x4", s).action) for s in range(12)}
    assert actions == {"3x5", "3x6"}


def test_slightly_less_dumb_counts_own_dice() -> None:
    """Own 1, 1 and 6 make 3x6 sure; 3x5 needs one of five: 1 - (2/3)^5 = 211/243; 4x4 as well;
    5x4 needs two: 131/243."""
    agent = SlightlyLessDumb(bluff=0)
    found = values(agent, "common 11246/????? A 3x4")
    assert found["3x6"] == 1.0
    assert found["3x5"] == pytest.approx(211 / 243)
    assert found["4x4"] == pytest.approx(211 / 243)
    assert found["5x4"] == pytest.approx(131 / 243)
    assert str(decide(agent, "common 11246/????? A 3x4").action) == "3x6"
    thoughts = decide(agent, "common 22346/????? A 3x5").thoughts
    assert thoughts is not None
    assert thoughts.chance == pytest.approx(tail(5, 3))  # 3x5 with no own: three of five


def test_less_dumb_adds_a_hundredth_of_the_highest_bet() -> None:
    """5x5 needs two of five: 131/243 = .539, and 3x5 was bet: .569. 5x6 needs all five: 1/243, and
    4x6 was bet: .044. 5x2 needs four: 11/243, none was bet. So 5x5, as .569 > .4."""
    line = "common 55523/????? A 1x5,3x5,4x6"
    found = values(LessDumb(), line)
    assert found["5x5"] == pytest.approx(131 / 243 + 0.03)
    assert found["5x6"] == pytest.approx(1 / 243 + 0.04)
    assert found["5x2"] == pytest.approx(11 / 243)
    assert str(decide(LessDumb(bluff=0), line).action) == "5x5"
    thoughts = decide(LessDumb(), line).thoughts
    assert thoughts is not None
    assert thoughts.chance == pytest.approx(tail(5, 4))  # the standing bid, without history


def test_history_can_count_bets_instead() -> None:
    """Two bets on fives, one on sixes: .539 + .02 and 1/243 + .01."""
    found = values(LessDumb(history="count"), "common 55523/????? A 1x5,3x5,4x6")
    assert found["5x5"] == pytest.approx(131 / 243 + 0.02)
    assert found["5x6"] == pytest.approx(1 / 243 + 0.01)


def test_history_can_turn_a_call_into_a_bet() -> None:
    """One die of each face: after 3x6 four of anything need three of five, 51/243 = .210. With
    prob .22 that is a call, unless what was bet counts: 4x5 and 4x6 are then worth .240."""
    line = "common 23456/????? A 3x5,3x6"
    assert values(SlightlyLessDumb(), line)["4x2"] == pytest.approx(51 / 243)
    assert str(decide(SlightlyLessDumb(prob=0.22, bluff=0), line).action) == "dudo"
    assert values(LessDumb(), line)["4x5"] == pytest.approx(51 / 243 + 0.03)
    assert str(decide(LessDumb(prob=0.22, bluff=0), line).action) in {"4x5", "4x6"}


def test_ones_count_alone_where_they_are_not_wild() -> None:
    """A palafico round on ones; B holds two, so 2x1 is sure, 3x1 needs one of two dice:
    1 - (5/6)^2 = 11/36, 4x1 both: 1/36. Other faces are closed."""
    line = "official ?/114/? B 1x1 palafico=A been=AC"
    found = values(SlightlyLessDumb(), line)
    assert set(found) <= {"2x1", "3x1", "4x1", "5x1", "dudo"}
    assert found["2x1"] == 1.0
    assert found["3x1"] == pytest.approx(11 / 36)
    assert found["4x1"] == pytest.approx(1 / 36)
    assert str(decide(SlightlyLessDumb(bluff=0), line).action) == "2x1"
    assert values(Dumb(), line)["2x1"] == pytest.approx(tail(5, 2, 1 / 6))


def test_a_standing_bid_on_ones_is_judged_with_one_sixth() -> None:
    """3x1 with two own ones needs one of ten: 1 - (5/6)^10. Back to other faces from 7."""
    decision = decide(SlightlyLessDumb(), "official 11246/?????/????? A 5x3,3x1")
    assert decision.thoughts is not None
    assert decision.thoughts.chance == pytest.approx(1 - (5 / 6) ** 10)
    bets = [name for name in decision.thoughts.values if name != "dudo"]
    assert bets
    assert all(int(name.split("x")[0]) >= 7 and name[-1] != "1" for name in bets)


def test_the_wild_face_is_not_bet() -> None:
    """With sixes wild, 3x5 with an own 5 and 6 needs one of five at 1/3."""
    found = values(SlightlyLessDumb(), "openspiel:dice=5 12356/????? A 2x5")
    assert found["3x5"] == pytest.approx(211 / 243)
    assert not any(name.endswith("6") for name in found)


# --- decisions ------------------------------------------------------------------------------------
def test_a_bet_must_exceed_prob() -> None:
    line = "common 55523/????? A 4x6"
    best = max(worth for name, worth in values(SlightlyLessDumb(), line).items() if name != "dudo")
    assert str(decide(SlightlyLessDumb(prob=best, bluff=0), line).action) == "dudo"
    assert str(decide(SlightlyLessDumb(prob=best - 1e-9, bluff=0), line).action) == "5x5"


def test_no_higher_bet_means_call() -> None:
    decision = decide(SlightlyLessDumb(prob=0), "common 66/?? A 4x6")
    assert str(decision.action) == "dudo"
    assert decision.thoughts is not None
    assert set(decision.thoughts.values) == {"dudo"}


def test_opening_is_any_of_two_to_four() -> None:
    """Five faces, three amounts: 1/15 each."""
    for agent in AGENTS:
        thoughts = decide(agent, "common 11246/????? A -").thoughts
        assert thoughts is not None
        expected = {f"{n}x{face}": 1 / 15 for n in (2, 3, 4) for face in range(2, 7)}
        assert thoughts.probabilities == pytest.approx(expected)
    thoughts = decide(SlightlyLessDumb(opening_low=1, opening_high=3), "common 11/?? A -").thoughts
    assert thoughts is not None
    assert thoughts.values["3x4"] == pytest.approx(5 / 9)  # one of two more


def test_opening_is_no_higher_than_the_dice_in_play() -> None:
    thoughts = decide(Dumb(), "common 24/? A -").thoughts
    assert thoughts is not None
    assert thoughts.probabilities is not None
    assert {name[0] for name in thoughts.probabilities} == {"2", "3"}


def test_one_die_is_bet_as_it_is_and_calls() -> None:
    """The report's rule; a one, which is wild, is told as any other face."""
    for agent in AGENTS:
        assert str(decide(agent, "common 4/????? A -").action) == "1x4"
        opening = decide(agent, "common 1/????? A -").thoughts
        assert opening is not None
        assert opening.probabilities == pytest.approx({f"1x{face}": 0.2 for face in range(2, 7)})
        answer = decide(agent, "common 4/????? A 1x4")
        assert str(answer.action) == "dudo"
        assert answer.thoughts is not None
        assert answer.thoughts.probabilities == {"dudo": 1.0}


def test_one_die_may_be_played_like_more() -> None:
    """1x4 stands and is held: 2x4 needs one of five, 211/243, and is the best bet but 1x5 and 1x6,
    as likely."""
    agent = SlightlyLessDumb(bluff=0, one_die_rule=False)
    assert str(decide(agent, "common 4/????? A 1x4").action) in {"2x4", "1x5", "1x6"}
    thoughts = decide(agent, "common 4/????? A -").thoughts
    assert thoughts is not None
    assert thoughts.probabilities is not None
    assert len(thoughts.probabilities) == 15


def test_bluff_is_exact_or_as_the_code_rounded_it() -> None:
    """randint(1, int(1/.4)) is 1 with chance 1/2."""
    for bluff, rounded in ((0.4, 0.5), (0.25, 0.25), (0.1, 0.1), (0.0, 0.0), (1.0, 1.0)):
        assert bluff_chance(Dumb(bluff=bluff).parameters) == bluff
        assert bluff_chance(Dumb(bluff=bluff, legacy_bluff=True).parameters) == rounded


def test_bluffs_are_as_frequent_as_said() -> None:
    """Of 0.4 bluffs, one in n generated bets is the best one all the same."""
    agent, others, expected, spread = SlightlyLessDumb(bluff=0.4), 0, 0.0, 0.0
    seen, memory, stream = position("common 11246/????? A 3x4"), agent.new_memory(), stream_of(1)
    for _ in range(1000):
        decision = agent.decide(seen, memory, stream)
        assert decision.thoughts is not None
        chance = 0.4 * (1 - 1 / (len(decision.thoughts.values) - 1))
        expected += chance
        spread += chance * (1 - chance)
        others += str(decision.action) != "3x6"
    assert abs(others - expected) < SIGMAS * math.sqrt(spread)


# --- the generator --------------------------------------------------------------------------------
def generator(line: str) -> tuple[Sheet, npt.NDArray[np.int64]]:
    record = position(line).record
    sheet = np.zeros((SHEET_ROWS, 7), np.int64)
    read_table(record, True, HIGHEST, sheet)
    allow_legal_bids(record, sheet)
    return sheet, np.zeros(MAX_DRAWS, np.int64)


def test_bets_are_drawn_by_the_skew_normal_and_by_what_was_bet() -> None:
    """The first bet drawn after 2x6,4x3 is (n, f) with weight 2 phi(y) Phi(5y) (20 + D[f])."""
    weights = {}
    for amount in range(4, 11):
        y = (amount - 0.5) / 4
        density = math.exp(-y * y / 2) * (1 + math.erf(5 * y / math.sqrt(2)))
        for face in range(2, 7):
            if amount > 4 or face > 3:
                weights[amount * 8 + face] = density * (0.2 + {6: 0.02, 3: 0.04}.get(face, 0.0))
    sheet, bets = generator("common 11246/????? A 2x6,4x3")
    stream, draws, found = stream_of(3), 30_000, Counter[int]()
    for _ in range(draws):
        assert generate_bets(sheet, 1, stream, bets) == 1
        found[int(bets[0])] += 1
    assert set(found) <= set(weights)
    for bid, weight in weights.items():
        share = weight / sum(weights.values())
        assert abs(found[bid] - draws * share) < SIGMAS * math.sqrt(draws * share) + 1


def test_bets_are_distinct_and_as_many_as_wanted() -> None:
    sheet, bets = generator("common 11246/?????/????? A 3x4")
    for seed in range(200):
        for wanted in (1, 10, 50):
            count = generate_bets(sheet, wanted, stream_of(seed), bets)
            assert count <= wanted
            assert wanted == 50 or count == wanted
            drawn = [int(bid) for bid in bets[:count]]
            assert len(set(drawn)) == count
            assert all(3 * 8 + 4 < bid <= 15 * 8 + 6 for bid in drawn)
    assert FACE_WEIGHT / 100 == 1 / 5


def test_all_bets_are_found_where_there_are_few() -> None:
    sheet, bets = generator("common 11/? A 2x5")
    count = generate_bets(sheet, 50, stream_of(1), bets)
    drawn = {(int(quantity_of(bid)), int(face_of(bid))) for bid in bets[:count]}
    assert drawn == {(2, 6), (3, 2), (3, 3), (3, 4), (3, 5), (3, 6)}


# --- the family -----------------------------------------------------------------------------------
def test_defaults_are_the_reports() -> None:
    assert [(agent.prob, agent.bluff, agent.history_weight) for agent in AGENTS] == [
        (0.25, 0.25, 0.0),
        (0.25, 0.1, 0.0),
        (0.4, 0.1, 0.01),
    ]
    assert all(agent.generated == 50 for agent in AGENTS)


def test_an_opening_range_must_be_one() -> None:
    with pytest.raises(PerudoError, match="opening_low is above opening_high"):
        Dumb(opening_low=5)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_every_move_is_legal(rules: str) -> None:
    agents = (*AGENTS, SlightlyLessDumb(one_die_rule=False, prob=0.05), RandomAgent())
    play_at_mixed_tables(agents, rules)
