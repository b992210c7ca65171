"""The results of a tournament or a test, as JSON."""

from __future__ import annotations

from typing import NotRequired, TypedDict, final


class Heading(TypedDict):
    """A summary of the games played."""

    game: str
    rules: str
    players: int
    seed: int
    series: int
    games: int
    blocks: int
    rounds: int


class Rate(TypedDict):
    """Games won, with the interval of the rate."""

    games: int
    wins: float
    win_rate: float | None
    ci95: list[float] | None


class Skill(TypedDict):
    """A Plackett-Luce rating."""

    mu: float
    sigma: float
    ordinal: float


class AgentSummary(Rate):
    """An agent's games and ratings."""

    agent: str
    rating: float
    rating_ci95: list[float]
    openskill: Skill
    elo: NotRequired[float]
    """The Elo rating, at tables of two only."""
    by_seat: list[Rate]


class PairRate(Rate):
    """The win rate of the first of two agents, in games with both that one of them won."""

    agents: list[str]


class Summary(Heading):
    """All figures of a tournament, its agents in the order of their ratings."""

    agents: list[AgentSummary]
    pairs: list[PairRate]


class Tested(Rate):
    """The games of one of the two agents of a test."""

    agent: str


class Outcome(TypedDict):
    """The number of blocks in which the first agent had a given score."""

    score: float
    blocks: int


class Evidence(TypedDict):
    """The state of a sequential test."""

    verdict: str
    elo0: float
    elo1: float
    alpha: float
    beta: float
    blocks: int
    score: float | None
    elo: float | None
    for_better: float
    for_better_limit: float
    for_not_better: float
    for_not_better_limit: float


class EvidenceWithOutcomes(Evidence):
    """The state of a sequential test, and the blocks that led to it."""

    outcomes: list[Outcome]


class TestSummary(Heading):
    """All figures of a test of two agents."""

    agents: list[Tested]
    sprt: EvidenceWithOutcomes


class RunData(TypedDict):
    """The run that produced a summary."""

    reproducible: bool
    interrupted: bool
    directory: str
    games_played_now: int
    seconds: float


@final
class TournamentData(Summary, RunData):
    """The summary of a tournament with its run."""


@final
class TestData(TestSummary, RunData):
    """The summary of a test with its run."""
