"""Ladder arithmetic: how strong players are, from who won against whom.

Three measures. Elo, for two players, game by game. Plackett-Luce by openskill, for tables of any
size, game by game, with a measure of doubt. And a fit to all games at once by choix, which does not
depend on the order of play: the one to compare agents by. Elo and the fit are on the same scale:
400 points more are ten to one.
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
"""The rating of a player of whom nothing is known; the mean of a fit."""
POINTS = 400.0 / math.log(10.0)
"""Points for each unit of the logarithm of odds."""
STEP = 16.0
"""How far one game can move an Elo rating."""
PSEUDO_WINS = 0.5
"""Each pair is taken to have won as much of each other before the first game, so that one who never
won has a rating too."""

Real = npt.NDArray[np.float64]


# --- Elo, for two -------------------------------------------------------------------------------
def expected_score(difference: float) -> float:
    """What a player with so many points more scores on average, between 0 and 1.

    >>> expected_score(0), round(expected_score(400), 3)
    (0.5, 0.909)
    """
    return 1.0 / (1.0 + math.exp(-difference / POINTS))


def elo_difference(score: float) -> float:
    """The points that go with an average score; the reverse of ``expected_score``.

    >>> round(elo_difference(0.75), 1)
    190.8
    """
    if score <= 0.0 or score >= 1.0:
        return math.copysign(math.inf, score - 0.5)
    return POINTS * math.log(score / (1.0 - score))


def elo_after(own: float, other: float, score: float, step: float = STEP) -> tuple[float, float]:
    """Both ratings after a game in which the first scored 1, 0, or 0.5 for a draw.

    >>> elo_after(1500.0, 1500.0, 1.0)
    (1508.0, 1492.0)
    """
    gained = step * (score - expected_score(own - other))
    return own + gained, other - gained


# --- Plackett-Luce, for a table -----------------------------------------------------------------
@dataclass(frozen=True)
class Skill:
    """What is believed of a player's strength: a mean and a standard deviation."""

    mu: float = 25.0
    sigma: float = 25.0 / 3.0

    @property
    def ordinal(self) -> float:
        """A strength that the player has almost surely: what ladders are sorted by."""
        return self.mu - 3.0 * self.sigma


@functools.cache
def _model() -> Any:
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        raise PerudoError("ratings need openskill: pip install 'perudo[lab]'") from None
    return PlackettLuce()


def skills_after(skills: Sequence[Skill], places: Sequence[int]) -> list[Skill]:
    """Everybody's skill after a game in which they came in at these places; equal ones share.

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
    """Ratings, with mean ``START``, that explain best how often each won where the other lost.

    ``wins[a, b]`` counts the games that ``a`` won with ``b`` at the table. By Luce's choice axiom
    the odds that ``a`` wins a game rather than ``b`` are those of their strengths, whoever else is
    there: so pairs, fitted as Bradley and Terry do, tell the strengths at tables of any size.
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
    """The rating of one who won so many games at tables with all of these, by the same axiom.

    >>> round(rating_among([1500.0, 1500.0, 1500.0], 250, 1000))
    1500
    """
    odds = (wins + PSEUDO_WINS) / (games - wins + PSEUDO_WINS * len(others))
    strengths = sum(math.exp((other - START) / POINTS) for other in others)
    return START + POINTS * math.log(odds * strengths)


def bootstrap(wins_by_block: Real, samples: int, seed: int) -> Real:
    """The fit to blocks drawn with replacement: a row of ratings for each sample.

    Blocks must not depend on each other; games within one may. Of one who never won in any block,
    samples cannot tell how weak it is, so its interval is too narrow.
    """
    blocks, players = wins_by_block.shape[:2]
    flat = wins_by_block.reshape(blocks, players * players)
    chances = np.full(blocks, 1.0 / blocks)
    drawn = np.random.default_rng(seed).multinomial(blocks, chances, size=samples)
    totals = drawn @ flat
    return np.array([fit(total.reshape(players, players)) for total in totals])


def interval95(sampled: Real) -> Real:
    """The 2.5 and 97.5 percentiles of each column of a bootstrap."""
    return np.percentile(sampled, [2.5, 97.5], axis=0).T
