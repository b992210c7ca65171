"""A sequential test of whether one agent is better than another, which stops as soon as it knows.

Wald's sequential probability ratio test asks at each step whether the scores so far are much more
likely if the difference is ``elo1`` than if it is ``elo0``, or the reverse. The unit here is a
block, whose games share their dice and so depend on each other; all we know is that its score is
between 0 and 1. So the test bets instead. Before each block it stakes a share of its capital on the
score being above the one that ``elo0`` predicts; the share is about the best one if ``elo1`` is
true and scores vary as they did so far. If the true difference is ``elo0`` or less, the bets are
fair at best, and the probability that the capital ever reaches 1/alpha times its start is at most
alpha (Ville's inequality), whatever the distribution of scores and however often one looks. The
same bets with the sides exchanged give beta. On scores of 0 and 1 the best bet gives Wald's ratio
itself. See Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting",
2024.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from perudo.games.errors import PerudoError
from perudo.lab.tournament.ranking import rate_figures
from perudo.lab.tournament.store import Games
from perudo.lab.tournament.summaries import Evidence, Tested, TestSummary
from perudo.lab.tournament.tournament import Tournament
from perudo.ratings import elo_difference, expected_score

BETTER, NOT_BETTER, UNDECIDED = "better", "not better", "undecided"
PRIOR_BLOCKS = 10
"""The first bets assume this many earlier blocks, half of them won and half lost."""
LARGEST_LOSS = 0.9
"""The largest share of the capital that a bet may lose."""


@dataclass(frozen=True)
class Hypotheses:
    """The hypotheses of a test, and its error probabilities."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.025
    """Probability of the verdict "better" if the difference is elo0 or less."""
    beta: float = 0.025
    """Probability of the verdict "not better" if the difference is elo1 or more."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise PerudoError(f"--elo0 {self.elo0:g} should be less than --elo1 {self.elo1:g}")
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise PerudoError("--elo0 and --elo1 should be between -1000 and 1000")
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise PerudoError(f"--{name} {chance:g} should be between 0 and 0.5")


class SequentialTest:
    """A test that takes the first agent's scores block by block; its verdict is final."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self._low = expected_score(hypotheses.elo0)
        self._high = expected_score(hypotheses.elo1)
        self.verdict = UNDECIDED
        self.blocks = 0
        self.for_better = self.for_not_better = 0.0
        """Logarithms of the capital of the bets on either side, which starts at 1."""
        self._sum, self._squares = PRIOR_BLOCKS * 0.5, PRIOR_BLOCKS * 0.5

    def add(self, score: float) -> str:
        """Add the score of one more block; return the verdict so far."""
        if self.verdict != UNDECIDED:
            return self.verdict
        gap, seen = self._high - self._low, self.blocks + PRIOR_BLOCKS
        mean = self._sum / seen
        variance = max(self._squares / seen - mean * mean, 0.0)
        stake = gap / (variance + gap * gap)
        for_better = min(stake, LARGEST_LOSS / self._low)
        against = min(stake, LARGEST_LOSS / (1.0 - self._high))
        self.for_better += math.log1p(for_better * (score - self._low))
        self.for_not_better += math.log1p(against * (self._high - score))
        self.blocks += 1
        self._sum += score
        self._squares += score * score
        if self.for_better >= -math.log(self.hypotheses.alpha):
            self.verdict = BETTER
        elif self.for_not_better >= -math.log(self.hypotheses.beta):
            self.verdict = NOT_BETTER
        return self.verdict

    def data(self) -> Evidence:
        """Return the state of the test as plain data."""
        asked = self.hypotheses
        played = self.blocks > 0
        mean = (self._sum - PRIOR_BLOCKS * 0.5) / self.blocks if played else None
        difference = elo_difference(mean) if mean is not None else math.nan
        return {
            "verdict": self.verdict,
            "elo0": asked.elo0,
            "elo1": asked.elo1,
            "alpha": asked.alpha,
            "beta": asked.beta,
            "blocks": self.blocks,
            "score": None if mean is None else round(mean, 6),
            "elo": round(difference, 1) if math.isfinite(difference) else None,
            "for_better": round(self.for_better, 4),
            "for_better_limit": round(-math.log(asked.alpha), 4),
            "for_not_better": round(self.for_not_better, 4),
            "for_not_better_limit": round(-math.log(asked.beta), 4),
        }


class Duel:
    """A test of two agents that accepts blocks in any order and evaluates them by number."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self._test = SequentialTest(hypotheses)
        self._scores: dict[int, float] = {}

    def see(self, games: Games) -> None:
        """Add whole blocks."""
        self._scores.update(block_scores(games))
        while self._test.blocks in self._scores and not self.decided:
            self._test.add(self._scores[self._test.blocks])

    @property
    def decided(self) -> bool:
        """True once the test has a verdict."""
        return self._test.verdict != UNDECIDED

    def summary(self, tournament: Tournament, games: Games) -> TestSummary:
        """Return every figure as plain data, from the blocks that led to the verdict."""
        counted = games.up_to(self._test.blocks)
        agents: list[Tested] = []
        for index, name in enumerate(tournament.agents):
            wins = float((counted.shares * (counted.lineup == index)).sum())
            agents.append({"agent": name, **rate_figures(wins, len(counted))})
        outcomes = Counter(round(score, 6) for score in block_scores(counted).values())
        return {
            **tournament.heading(counted),
            "agents": agents,
            "sprt": {
                **self._test.data(),
                "outcomes": [
                    {"score": score, "blocks": outcomes[score]} for score in sorted(outcomes)
                ],
            },
        }


def block_scores(games: Games, agent: int = 0) -> dict[int, float]:
    """Return an agent's share of the wins in each block, in whatever seats it had."""
    numbers, places = np.unique(games.block, return_inverse=True)
    won = (games.shares * (games.lineup == agent)).sum(axis=1)
    scores = np.bincount(places, won) / np.maximum(np.bincount(places), 1)
    return dict(zip(numbers.tolist(), scores.tolist(), strict=True))
