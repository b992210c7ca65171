"""Is one agent better than another? A sequential test that stops as soon as it knows.

Wald's sequential probability ratio test asks at each step whether what was seen is so much likelier
if the difference is ``elo1`` than if it is ``elo0`` that one of them can be given up. Its unit here
is a block, of which we know nothing but that its score is between 0 and 1: its games have the same
dice and depend on each other. So the ratio is that of a bet. Before each block a share of what one
has is put on the score being above that of ``elo0``, about as much as would be best if ``elo1``
were true and scores varied as they did so far. If ``elo0`` is true, or less, such bets are fair at
best, and the chance ever to have 1/alpha times the stake is at most alpha (Ville's inequality),
whatever the scores' distribution and however often one looks. The same with the sides exchanged
gives beta. On scores of 0 and 1 the best such bet makes it Wald's ratio itself. (Waudby-Smith and
Ramdas, 2024, treat such bets.)
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
"""The first bets are made as if so many blocks, won and lost by turns, had been seen."""
LARGEST_LOSS = 0.9
"""The share of what one has that a bet may lose."""


@dataclass(frozen=True)
class Hypotheses:
    """What is tested, and how often the test may be wrong."""

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.025
    """The chance to say better though the difference is elo0 or less."""
    beta: float = 0.025
    """The chance to say not better though the difference is elo1 or more."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise PerudoError(f"--elo0 {self.elo0:g} should be less than --elo1 {self.elo1:g}")
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise PerudoError("--elo0 and --elo1 should be between -1000 and 1000")
        for name, chance in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < chance < 0.5:
                raise PerudoError(f"--{name} {chance:g} should be between 0 and 0.5")


class SequentialTest:
    """Takes the first agent's scores, block by block; ``verdict`` stays once it is there."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self._low = expected_score(hypotheses.elo0)
        self._high = expected_score(hypotheses.elo1)
        self.verdict = UNDECIDED
        self.blocks = 0
        self.for_better = self.for_not_better = 0.0
        """Logarithms of what the two bettors have; they began with 0."""
        self._sum, self._squares = PRIOR_BLOCKS * 0.5, PRIOR_BLOCKS * 0.5

    def add(self, score: float) -> str:
        """Take the score of one more block; returns the verdict so far."""
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
        """Everything as plain data."""
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
    """A test of two agents that is shown blocks in any order, and takes them in their own."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self._test = SequentialTest(hypotheses)
        self._scores: dict[int, float] = {}

    def see(self, games: Games) -> None:
        """Take whole blocks."""
        self._scores.update(block_scores(games))
        while self._test.blocks in self._scores and not self.decided:
            self._test.add(self._scores[self._test.blocks])

    @property
    def decided(self) -> bool:
        """Whether more blocks would change nothing."""
        return self._test.verdict != UNDECIDED

    def summary(self, tournament: Tournament, games: Games) -> TestSummary:
        """Every figure as plain data, from the blocks that led to the verdict."""
        counted = games.up_to(self._test.blocks)
        agents: list[Tested] = []
        for index, name in enumerate(tournament.agents):
            wins = float((counted.shares * (counted.sitting == index)).sum())
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


def block_scores(games: Games, entrant: int = 0) -> dict[int, float]:
    """The share of the wins in each block that were an entrant's, whatever seats it had."""
    numbers, places = np.unique(games.block, return_inverse=True)
    won = (games.shares * (games.sitting == entrant)).sum(axis=1)
    scores = np.bincount(places, won) / np.maximum(np.bincount(places), 1)
    return dict(zip(numbers.tolist(), scores.tolist(), strict=True))
