"""Experiments: a paper's claims, the code that reruns them, and verdicts on how they compare."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict, Unpack

from perudo.agents.agent import Agent
from perudo.agents.registry import agent_named
from perudo.games import game_named
from perudo.games.errors import PerudoError
from perudo.lab.charts import Chart
from perudo.lab.contest import Contest, Results
from perudo.lab.experiments.measures import Measure
from perudo.lab.play import play

AGREES, DIFFERS = "agrees", "differs"
UNDECIDED = "undecided"
"""The interval is too wide for a verdict; more games would narrow it."""
NOT_COMPARED = "cannot be compared"
NEW = "not reported"
"""The paper has no value to compare with."""

RULE = (
    "A number *agrees* if the reported value lies in our 95 % interval (Wilson for rates), or our "
    "value in the interval that the paper's own sample size allows its value (widened where the "
    "paper only says “around”). A statement *agrees* if our whole 95 % interval lies where the "
    "statement puts it, *differs* if none of it does, and else is *undecided*: more games would "
    "tell. Of many rows about one in twenty differs by chance alone."
)
"""The rule for verdicts, printed with the results."""

Claim = tuple[float, float]
MORE: Claim = (0.0, math.inf)
LESS: Claim = (-math.inf, 0.0)


class RowData(TypedDict):
    """A row, as JSON."""

    label: str
    reported: float | None
    reported_range: list[float] | None
    says: str
    measured: float | None
    ci95: list[float] | None
    unit: str
    digits: int
    verdict: str
    why: str


@dataclass(frozen=True)
class Row:
    """One value, as reported and as measured, with a verdict."""

    label: str
    measured: Measure | float | None
    reported: float | None = None
    reported_range: tuple[float, float] | None = None
    """The range of the paper's value, given its sample size and its wording."""
    says: str = ""
    """The paper's words, shown if it gives no number."""
    claim: Claim | None = None
    """The range that the paper's words imply for the measured value."""
    unit: str = ""
    digits: int = 1
    why: str = ""
    """The reason why the values cannot be compared."""

    @property
    def value(self) -> float | None:
        """The measured value."""
        return self.measured.value if isinstance(self.measured, Measure) else self.measured

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the measured value, or None."""
        found = self.measured
        if not isinstance(found, Measure) or not math.isfinite(found.high - found.low):
            return None
        return found.low, found.high

    @property
    def verdict(self) -> str:
        """The verdict on this row."""
        if self.why or self.value is None:
            return NOT_COMPARED
        if isinstance(self.measured, Measure) and self.interval is None:
            return UNDECIDED
        low, high = self.interval or (self.value, self.value)
        if self.reported is not None:
            near = self.reported_range or (self.reported, self.reported)
            inside = low <= self.reported <= high or near[0] <= self.value <= near[1]
            return AGREES if inside else DIFFERS
        if self.claim is not None:
            if self.claim[0] <= low and high <= self.claim[1]:
                return AGREES
            return DIFFERS if high < self.claim[0] or low > self.claim[1] else UNDECIDED
        return NEW

    def data(self) -> RowData:
        """Return the row as plain data."""
        interval = self.interval
        return {
            "label": self.label,
            "reported": self.reported,
            "reported_range": None if self.reported_range is None else list(self.reported_range),
            "says": self.says,
            "measured": self.value,
            "ci95": None if interval is None else list(interval),
            "unit": self.unit,
            "digits": self.digits,
            "verdict": self.verdict,
            "why": self.why,
        }


@dataclass
class Findings:
    """The results of an experiment."""

    rows: list[Row]
    chart: Chart | None = None
    added: list[Row] = field(default_factory=list)
    """Results of agents that are not in the paper."""
    notes: list[str] = field(default_factory=list)
    reproducible: bool = True

    @property
    def verdict(self) -> str:
        """The verdict on all rows in one phrase."""
        found = [row.verdict for row in self.rows]
        compared = [verdict for verdict in found if verdict in (AGREES, DIFFERS, UNDECIDED)]
        if not compared:
            return NEW if NEW in found else NOT_COMPARED
        if len(compared) == compared.count(AGREES):
            return AGREES
        parts = [
            f"{verdict} in {compared.count(verdict)}"
            for verdict in (DIFFERS, UNDECIDED, AGREES)
            if verdict in compared
        ]
        return f"{', '.join(parts)} of {len(compared)}"


@dataclass(frozen=True)
class Added:
    """An agent to seat in the experiments; ``make`` returns a new one for each contest."""

    name: str
    make: Callable[[], Agent]


class ContestOptions(TypedDict, total=False):
    """Options of a ``Contest``; the default seed is the one of the conditions."""

    seed: int
    mode: str
    seating: str
    dice: Sequence[int] | None
    series: int


def _silent(doing: str, done: int, total: int) -> None:
    """Ignore a progress report."""


@dataclass
class Conditions:
    """The conditions of a run: its size, its seed and additional agents."""

    quick: bool = False
    seed: int = 1
    workers: int | None = None
    added: Sequence[Added] = ()
    records: Path | None = None
    """A directory with records of games with people."""
    share: float = 1.0
    """The share of the games to play; less than 1 for trials."""
    progress: Callable[[str, int, int], None] = _silent
    _played: dict[Any, Results] = field(default_factory=dict, repr=False)

    def number(self, quick: int, full: int) -> int:
        """Return the number of games, rounds or states to play."""
        return max(2, round(self.share * self.pick(quick, full)))

    def pick(self, quick: int, full: int) -> int:
        """Return one of two sizes, which do not depend on the share of the games."""
        return quick if self.quick else full

    def play(
        self,
        rules: str,
        agents: Sequence[str],
        games: int,
        *,
        game: str = "perudo",
        **options: Unpack[ContestOptions],
    ) -> Results:
        """Play a contest between agents of the package, or return its cached results."""
        key = (rules, tuple(agents), games, game, tuple(sorted(options.items())))
        if key not in self._played:
            players = [agent_named(name) for name in agents]
            self._played[key] = self.play_agents(rules, players, games, game=game, **options)
        return self._played[key]

    def play_agents(
        self,
        rules: str,
        agents: Sequence[Agent],
        games: int,
        *,
        game: str = "perudo",
        **options: Unpack[ContestOptions],
    ) -> Results:
        """Play a contest; raise if it is interrupted or an agent fails."""
        kind = game_named(game)
        chosen: ContestOptions = {"seed": self.seed, **options}
        contest = Contest(kind, kind.setting(rules), agents, games, **chosen)
        doing = ", ".join(dict.fromkeys(agent.spec for agent in agents))
        results = play(
            contest, self.workers, lambda found: self.progress(doing, found.games, games)
        )
        if results.interrupted:
            raise KeyboardInterrupt
        if results.failure is not None:
            raise results.failure
        return results

    def seat_added(
        self,
        measure: Callable[[Results, int], Measure | None],
        rules: str,
        agents: Sequence[str],
        place: int,
        unit: str,
        *,
        game: str = "perudo",
        **options: Unpack[ContestOptions],
    ) -> list[Row]:
        """Let every added agent replace one of the paper's agents, and measure its results."""
        rows = []
        games = self.number(100, 1000)
        for newcomer in self.added:
            label = f"{newcomer.name} in place of {agents[place]}"
            line_up = [agent_named(name) for name in agents]
            line_up[place] = newcomer.make()
            try:
                results = self.play_agents(rules, line_up, games, game=game, **options)
            except PerudoError as error:
                rows.append(Row(label, None, why=str(error).partition(", in position")[0]))
            else:
                rows.append(Row(f"{label}, {games:,} games", measure(results, place), unit=unit))
            finally:
                line_up[place].close()
        return rows


@dataclass(frozen=True)
class Experiment:
    """An experiment: a table, a figure or a question of a paper."""

    id: str
    title: str
    paper: str
    reports: str
    """The paper's claim, in a sentence or two."""
    setup: str
    """The set-up of our run."""
    run: Callable[[Conditions], Findings]
    reason: str = ""
    """The probable reason for any differences."""
    also: tuple[str, ...] = ()
    """Other ids, such as the numbers of single figures."""
