"""A contest: agents, a game and a number of games to play; and its results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, NotRequired, TypedDict, cast

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import Agent, Player
from perudo.games.errors import AgentError, PerudoError, RulesError
from perudo.games.game import SEATS, Game, State

MODES = ("games", "rounds")
SEATINGS = ("shuffled", "fixed")
SERIES = 1000
"""The default number of games after which memories are cleared."""
Z95 = 1.959963984540054
"""Half the width of a 95 % interval, in standard errors."""


@dataclass(frozen=True)
class Contest:
    """Agents, a game, the number of games and the way they are played.

    In mode ``rounds`` every game is one round from the starting dice with a random opener, and a
    win is a round in which another player lost a die.
    """

    game: Game
    setting: Any
    agents: Sequence[Agent]
    games: int
    seed: int = 1
    mode: str = "games"
    seating: str = "shuffled"
    dice: Sequence[int] | None = None
    """Dice of each seat, if they are not all equal."""
    series: int = SERIES

    def __post_init__(self) -> None:
        if self.mode not in MODES or self.seating not in SEATINGS:
            raise PerudoError(
                f"mode is {' or '.join(MODES)} and seating {' or '.join(SEATINGS)}, "
                f"not {self.mode} and {self.seating}"
            )
        if self.games < 1 or self.series < 1:
            raise PerudoError("play at least one game")
        self.start()  # raises if the game has no such table
        for agent in self.agents:
            reason = agent.cannot_play(self.game, self.setting, len(self.agents))
            if reason is not None:
                raise PerudoError(reason)

    @property
    def remembering(self) -> bool:
        """True if some agent remembers earlier games."""
        return any(agent.memory_width for agent in self.agents)

    @property
    def reproducible(self) -> bool:
        """True if the same seed gives the same games on any machine."""
        return not any(agent.uses_clock for agent in self.agents)

    @property
    def played_setting(self) -> Any:
        """The setting used at the table: in single rounds chance chooses the opener."""
        if self.mode == "rounds" and hasattr(self.setting, "start_mode"):
            return replace(self.setting, start_mode="random")
        return self.setting

    @property
    def start_options(self) -> dict[str, list[int]]:
        """The optional arguments of ``Game.start``."""
        return {} if self.dice is None else {"dice": list(self.dice)}

    @contextmanager
    def players(self) -> Iterator[list[Player]]:
        """Prepare the agents for the contest; close them afterwards."""
        start = self.start()
        with ExitStack() as opened:
            for agent in self.agents:
                opened.callback(agent.close)
            yield [opened.enter_context(agent.prepare(start)) for agent in self.agents]

    def start(self) -> State:
        """Return the state before the first deal of a game."""
        if self.dice is not None and self.game.name != "perudo":
            raise RulesError(f"{self.game.name} has no dice")
        return self.game.start(self.played_setting, len(self.agents), **self.start_options)


class SeatFigures(TypedDict):
    """One agent's games in one seat."""

    games: int
    wins: float
    win_rate: float | None
    rounds_lost: NotRequired[int]


class PerudoFigures(TypedDict, total=False):
    """The counters of Perudo and rates computed from them; other games have none."""

    rounds: int
    rounds_lost: int
    dice_lost: int
    dice_gained: int
    lost_by_high_bid: int
    lost_by_early_dudo: int
    lost_by_wrong_calza: int
    lost_by_caught_pass: int
    lost_by_doubting_a_good_pass: int
    lost_with_the_others: int
    dudos: int
    dudos_right: int
    calzas: int
    calzas_right: int
    doubts: int
    doubts_right: int
    call_accuracy: float | None
    calza_accuracy: float | None
    mean_dice_left_when_won: float | None


class AgentFigures(PerudoFigures):
    """Every figure of one agent."""

    agent: str
    wins: float
    win_rate: float | None
    ci95: list[float] | None
    mean_score: float | None
    decisions: int
    rollouts: int
    mean_ms_per_decision: float
    max_ms_per_decision: float
    by_seat: list[SeatFigures]


class ContestFigures(TypedDict):
    """The results of a contest as JSON."""

    game: str
    rules: str
    mode: str
    seating: str
    dice: list[int] | None
    seed: int
    games: int
    rounds: int
    interrupted: bool
    failure: str | None
    reproducible: bool
    seconds: float
    games_per_second: float | None
    agents: list[AgentFigures]


@dataclass
class Results:
    """The results of games ``first`` to ``last`` of a contest, by agent and by seat."""

    contest: Contest
    first: int
    seats: npt.NDArray[np.int8]
    """The seat of each agent in each game; -1 in a game that was not played."""
    wins: npt.NDArray[np.float64]
    """The score of each agent in each game: 1 for the winner, a share of it for joint winners."""
    scores: npt.NDArray[np.float64]
    """The payoff of each agent in each game."""
    rounds: npt.NDArray[np.int64]
    counters: npt.NDArray[np.int64]
    """Counts by agent, seat and ``Game.counters``."""
    effort: npt.NDArray[np.int64]
    """The decisions and rollouts of each agent."""
    seconds: npt.NDArray[np.float64]
    """The seconds of all decisions, and of the slowest one, of each agent."""
    interrupted: bool = False
    failure: AgentError | None = None
    """The error of an agent that ended the contest early."""

    @staticmethod
    def empty(contest: Contest, first: int, last: int) -> Results:
        """Return empty results for a range of games."""
        games, agents = last - first, len(contest.agents)
        return Results(
            contest,
            first,
            seats=np.full((games, agents), -1, np.int8),
            wins=np.zeros((games, agents)),
            scores=np.zeros((games, agents)),
            rounds=np.zeros(games, np.int64),
            counters=np.zeros((agents, len(SEATS), len(contest.game.counters)), np.int64),
            effort=np.zeros((agents, 2), np.int64),
            seconds=np.zeros((agents, 2)),
        )

    @property
    def games(self) -> int:
        """The number of games played."""
        return int((self.seats[:, 0] >= 0).sum())

    def up_to(self, end: int) -> Results:
        """Return the results of the games before number ``end``."""
        rows = slice(0, end - self.first)
        return replace(
            self,
            seats=self.seats[rows],
            wins=self.wins[rows],
            scores=self.scores[rows],
            rounds=self.rounds[rows],
        )

    def add(self, part: Results) -> None:
        """Add the results of more games."""
        start = part.first - self.first
        rows = slice(start, start + len(part.seats))
        self.seats[rows] = part.seats
        self.wins[rows] = part.wins
        self.scores[rows] = part.scores
        self.rounds[rows] = part.rounds
        self.failure = self.failure or part.failure
        self.counters += part.counters
        self.effort += part.effort
        self.seconds[:, 0] += part.seconds[:, 0]
        np.maximum(self.seconds[:, 1], part.seconds[:, 1], out=self.seconds[:, 1])

    def agent(self, index: int) -> AgentFigures:
        """Return every figure of one agent."""
        played = self.seats[:, index] >= 0
        wins, games = float(self.wins[played, index].sum()), int(played.sum())
        totals = self.counters[index].sum(axis=0)
        decisions, rollouts = (int(number) for number in self.effort[index])
        seats = range(len(self.contest.agents))
        return {
            "agent": self.contest.agents[index].spec,
            "wins": round(wins, 6),
            "win_rate": _ratio(wins, games),
            "ci95": interval(wins, games),
            "mean_score": _ratio(float(self.scores[played, index].sum()), games),
            **self._perudo_figures(totals, wins),
            "decisions": decisions,
            "rollouts": rollouts,
            "mean_ms_per_decision": round(
                1000 * float(self.seconds[index, 0]) / max(decisions, 1), 6
            ),
            "max_ms_per_decision": round(1000 * float(self.seconds[index, 1]), 3),
            "by_seat": [self._seat_figures(index, seat) for seat in seats],
        }

    def _perudo_figures(self, totals: npt.NDArray[np.int64], wins: float) -> PerudoFigures:
        if not self.contest.game.counters:
            return {}
        count = dict(zip(self.contest.game.counters, map(int, totals), strict=True))
        dice_left = count.pop("dice_left_when_won")
        won = self.contest.mode == "games"
        return {
            **cast(PerudoFigures, count),
            "call_accuracy": _ratio(count["dudos_right"], count["dudos"]),
            "calza_accuracy": _ratio(count["calzas_right"], count["calzas"]),
            "mean_dice_left_when_won": _ratio(dice_left, wins) if won else None,
        }

    def _seat_figures(self, index: int, seat: int) -> SeatFigures:
        there = self.seats[:, index] == seat
        wins, games = float(self.wins[there, index].sum()), int(there.sum())
        figures: SeatFigures = {
            "games": games,
            "wins": round(wins, 6),
            "win_rate": _ratio(wins, games),
        }
        if self.contest.game.counters:
            names = self.contest.game.counters
            figures["rounds_lost"] = int(self.counters[index, seat, names.index("rounds_lost")])
        return figures

    def data(self, seconds: float) -> ContestFigures:
        """Return all figures as one JSON object; ``seconds`` is how long the games took."""
        contest = self.contest
        return {
            "game": contest.game.name,
            "rules": contest.game.describe_setting(contest.setting),
            "mode": contest.mode,
            "seating": contest.seating,
            "dice": None if contest.dice is None else list(contest.dice),
            "seed": contest.seed,
            "games": self.games,
            "rounds": int(self.rounds.sum()),
            "interrupted": self.interrupted,
            "failure": None if self.failure is None else str(self.failure),
            "reproducible": contest.reproducible,
            "seconds": round(seconds, 3),
            "games_per_second": round(self.games / seconds, 1) if seconds else None,
            "agents": [self.agent(index) for index in range(len(contest.agents))],
        }


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 6) if whole else None


def interval(wins: float, games: int) -> list[float] | None:
    """Return the Wilson 95 % interval of a rate; unlike p +- 1.96 s it stays within 0 and 1.

    >>> interval(5, 10)
    [0.236593, 0.763407]
    """
    if games == 0:
        return None
    rate, square = wins / games, Z95**2
    middle = (rate + square / (2 * games)) / (1 + square / games)
    reach = Z95 * math.sqrt(rate * (1 - rate) / games + square / (4 * games**2))
    reach /= 1 + square / games
    return [round(max(0.0, middle - reach), 6), round(min(1.0, middle + reach), 6)]
