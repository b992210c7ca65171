"""Ladder arithmetic against simulated players whose strengths are known."""

from __future__ import annotations

import choix
import numpy as np
import numpy.typing as npt
import pytest

from perudo import ratings
from perudo.ratings import POINTS, START, Skill

STRENGTHS = np.array([0.0, 0.5, 1.0, -1.0, 0.2])
"""Logarithms of odds."""
Real = npt.NDArray[np.float64]


def simulated(
    blocks: int, seated: int, seed: int
) -> tuple[Real, list[tuple[int, tuple[int, ...]]]]:
    """Wins by block, and the same games as choices, where Luce's axiom holds."""
    rng = np.random.default_rng(seed)
    wins, choices = np.zeros((blocks, STRENGTHS.size, STRENGTHS.size)), []
    for block in range(blocks):
        table = rng.choice(STRENGTHS.size, seated, replace=False)
        odds = np.exp(STRENGTHS[table])
        winner = int(rng.choice(table, p=odds / odds.sum()))
        others = tuple(int(other) for other in table if other != winner)
        wins[block, winner, list(others)] += 1
        choices.append((winner, others))
    return wins, choices


def truth() -> Real:
    centred: Real = START + POINTS * (STRENGTHS - STRENGTHS.mean())
    return centred


def test_elo_moves_both_alike_and_less_when_it_was_expected() -> None:
    own, other = ratings.elo_after(1700.0, 1500.0, 1.0)
    assert own + other == 3200.0
    surprised, _ = ratings.elo_after(1500.0, 1700.0, 1.0)
    assert 0 < own - 1700.0 < surprised - 1500.0 < ratings.STEP
    assert ratings.elo_after(1600.0, 1600.0, 0.5) == (1600.0, 1600.0)


@pytest.mark.parametrize("points", [-300.0, 0.0, 20.0, 191.0])
def test_scores_and_points_are_each_others_reverse(points: float) -> None:
    assert ratings.elo_difference(ratings.expected_score(points)) == pytest.approx(points)


def test_nobody_has_a_finite_lead_who_never_lost() -> None:
    assert ratings.elo_difference(1.0) == float("inf")
    assert ratings.elo_difference(0.0) == float("-inf")


def test_elo_finds_the_difference_of_two_players() -> None:
    rng, own, other = np.random.default_rng(1), START, START
    seen = []
    for _ in range(6000):
        score = float(rng.random() < 0.75)
        own, other = ratings.elo_after(own, other, score, step=8.0)
        seen.append(own - other)
    assert np.mean(seen[1000:]) == pytest.approx(ratings.elo_difference(0.75), abs=15)


def test_skill_rises_with_places() -> None:
    first, second, third, fourth = ratings.skills_after([Skill()] * 4, [1, 2, 3, 3])
    assert first.mu > second.mu > third.mu == fourth.mu
    assert all(skill.sigma < Skill().sigma for skill in (first, second, third))
    assert Skill().ordinal == 0.0


@pytest.mark.parametrize("seated", [2, 4])
def test_the_fit_finds_strengths_at_tables_of_any_size(seated: int) -> None:
    wins, choices = simulated(6000, seated, seed=2)
    found = ratings.fit(wins.sum(axis=0))
    assert found.mean() == pytest.approx(START)
    assert found == pytest.approx(truth(), abs=20)
    # The likelihood of whole tables, maximised by choix, says nearly the same.
    whole = choix.ilsr_top1(STRENGTHS.size, choices)
    assert found == pytest.approx(START + POINTS * (whole - whole.mean()), abs=5)


def test_who_never_won_has_a_rating_too() -> None:
    found = ratings.fit(np.array([[0.0, 50.0], [0.0, 0.0]]))
    assert np.isfinite(found).all()
    assert found[0] > found[1]


def test_bootstrap_intervals_cover_the_truth_as_often_as_they_say() -> None:
    covered = 0
    for seed in range(12):
        wins, _ = simulated(300, 4, seed)
        ends = ratings.interval95(ratings.bootstrap(wins, 50, seed))
        covered += int(((ends[:, 0] <= truth()) & (truth() <= ends[:, 1])).sum())
    assert 0.85 < covered / (12 * STRENGTHS.size) <= 1.0


def test_the_same_seed_draws_the_same_blocks() -> None:
    wins, _ = simulated(50, 3, seed=3)
    assert np.array_equal(ratings.bootstrap(wins, 20, 1), ratings.bootstrap(wins, 20, 1))
