"""Ratings: estimates of players' strength from the results of games.

There are three. Elo is for two players and updated after each game. Plackett-Luce (openskill) is
for tables of any size, updated after each game, and has a standard deviation. The fit to all games
at once (choix) does not depend on the order of play, so it is best for comparing agents. Elo and
the fit share a scale: 400 points more mean odds of ten to one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.errors import PerudoError

START = 1500.0
"""The rating of a new player, and the mean rating of a fit."""
POINTS = 400.0 / math.log(10.0)
"""Rating points for each unit of log-odds."""
STEP = 16.0
"""The largest change of an Elo rating by one game (the K-factor)."""
PSEUDO_WINS = 0.5
"""Wins of each player over each other that are added before a fit, so that a player who never won
has a rating too."""

Real = npt.NDArray[np.float64]


# --- Elo, for two -------------------------------------------------------------------------------
def expected_score(difference: float) -> float:
    """Return the expected score, between 0 and 1, of a player rated ``difference`` points higher.

    >>> expected_score(0), round(expected_score(400), 3)
    (0.5, 0.909)
    """
    return 1.0 / (1.0 + math.exp(-difference / POINTS))


def elo_difference(score: float) -> float:
    """Return the difference in rating that predicts a mean score; inverts ``expected_score``.

    >>> round(elo_difference(0.75), 1)
    190.8
    """
    if score <= 0.0 or score >= 1.0:
        return math.copysign(math.inf, score - 0.5)
    return POINTS * math.log(score / (1.0 - score))


def elo_after(own: float, other: float, score: float, step: float = STEP) -> tuple[float, float]:
    """Return both ratings after a game in which the first player scored 1, 0, or 0.5 for a draw.

    >>> elo_after(1500.0, 1500.0, 1.0)
    (1508.0, 1492.0)
    """
    gained = step * (score - expected_score(own - other))
    return own + gained, other - gained


# --- Plackett-Luce, for a table -----------------------------------------------------------------
@dataclass(frozen=True)
class Skill:
    """An estimate of a player's strength: a mean and a standard deviation."""

    mu: float = 25.0
    sigma: float = 25.0 / 3.0

    @property
    def ordinal(self) -> float:
        """The conservative rating that ladders are sorted by: mean minus three deviations."""
        return self.mu - 3.0 * self.sigma


@functools.cache
def _model() -> Any:
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        raise PerudoError("ratings need openskill: pip install 'perudo[lab]'") from None
    return PlackettLuce()


def skills_after(skills: Sequence[Skill], places: Sequence[int]) -> list[Skill]:
    """Return the players' skills after a game with these final places; ties have equal places.

    >>> winner, second, third = skills_after([Skill(), Skill(), Skill()], [1, 2, 2])
    >>> winner.mu > second.mu == third.mu
    True
    """
    model = _model()
    teams = [[model.rating(mu=skill.mu, sigma=skill.sigma)] for skill in skills]
    rated = model.rate(teams, ranks=list(places))
    return [Skill(team[0].mu, team[0].sigma) for team in rated]


# --- the fit to all games -----------------------------------------------------------------------
def fit(wins: Real) -> Real:
    """Return the maximum-likelihood ratings, with mean ``START``, for a matrix of pairwise wins.

    ``wins[a, b]`` counts the games that ``a`` won with ``b`` at the table. By Luce's choice axiom
    the odds that ``a`` rather than ``b`` wins are the ratio of their strengths, whoever else plays.
    A Bradley-Terry model of pairs therefore fits the strengths at tables of any size.
    """
    try:
        import choix
    except ImportError:
        raise PerudoError("ratings need choix: pip install 'perudo[lab]'") from None
    counts = np.asarray(wins, np.float64) + PSEUDO_WINS
    np.fill_diagonal(counts, 0.0)
    strengths = choix.ilsr_pairwise_dense(counts, max_iter=1000)
    ratings: Real = START + POINTS * (strengths - strengths.mean())
    return ratings


def rating_among(others: Sequence[float], wins: float, games: float) -> float:
    """Return the rating of a player with ``wins`` in ``games`` against all the others at once.

    By Luce's choice axiom, as in ``fit``.

    >>> round(rating_among([1500.0, 1500.0, 1500.0], 250, 1000))
    1500
    """
    odds = (wins + PSEUDO_WINS) / (games - wins + PSEUDO_WINS * len(others))
    strengths = sum(math.exp((other - START) / POINTS) for other in others)
    return START + POINTS * math.log(odds * strengths)


def bootstrap(wins_by_block: Real, samples: int, seed: int) -> Real:
    """Return fits to blocks of games drawn with replacement: a row of ratings for each sample.

    Blocks must be independent of each other; games within a block need not be. The interval of a
    player who never won in any block is too narrow, since no sample shows how weak it is.
    """
    blocks, players = wins_by_block.shape[:2]
    flat = wins_by_block.reshape(blocks, players * players)
    chances = np.full(blocks, 1.0 / blocks)
    drawn = np.random.default_rng(seed).multinomial(blocks, chances, size=samples)
    totals = drawn @ flat
    return np.array([fit(total.reshape(players, players)) for total in totals])


def interval95(sampled: Real) -> Real:
    """Return the 2.5 and 97.5 percentiles of each column of a bootstrap."""
    return np.percentile(sampled, [2.5, 97.5], axis=0).T
