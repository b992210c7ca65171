"""What an experiment is: what a paper reports, how it is run again, and how the two compare."""

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
"""The interval is too wide to tell: more games would."""
NOT_COMPARED = "cannot be compared"
NEW = "not reported"
"""There is nothing to compare it with."""

RULE = (
    "A number *agrees* if the reported value lies in our 95 % interval (Wilson for rates), or our "
    "value in the interval that the paper's own sample size allows its value (widened where the "
    "paper only says “around”). A statement *agrees* if our whole 95 % interval lies where the "
    "statement puts it, *differs* if none of it does, and else is *undecided*: more games would "
    "tell. Of many rows about one in twenty differs by chance alone."
)
"""How verdicts are reached; printed with them."""

Claim = tuple[float, float]
MORE: Claim = (0.0, math.inf)
LESS: Claim = (-math.inf, 0.0)


class RowData(TypedDict):
    """A row as JSON has it."""

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
    """One value: what was reported, what was measured, and whether these agree."""

    label: str
    measured: Measure | float | None
    reported: float | None = None
    reported_range: tuple[float, float] | None = None
    """Where the paper's sample size, and how roughly it speaks, put its value."""
    says: str = ""
    """The paper's words, where it gives no number; shown in place of one."""
    claim: Claim | None = None
    """Where the paper's words put the measured value."""
    unit: str = ""
    digits: int = 1
    why: str = ""
    """Why it cannot be compared."""

    @property
    def value(self) -> float | None:
        """What was measured."""
        return self.measured.value if isinstance(self.measured, Measure) else self.measured

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval, if it has one."""
        found = self.measured
        if not isinstance(found, Measure) or not math.isfinite(found.high - found.low):
            return None
        return found.low, found.high

    @property
    def verdict(self) -> str:
        """In one word, or three."""
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
        """As plain data."""
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
    """What came of an experiment."""

    rows: list[Row]
    chart: Chart | None = None
    added: list[Row] = field(default_factory=list)
    """What agents did that are not of the paper."""
    notes: list[str] = field(default_factory=list)
    reproducible: bool = True

    @property
    def verdict(self) -> str:
        """All rows in one phrase."""
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
    """An agent to be seated in the experiments; it is made anew for each contest."""

    name: str
    make: Callable[[], Agent]


class ContestOptions(TypedDict, total=False):
    """Options of a ``Contest``; without a seed it has that of the conditions."""

    seed: int
    mode: str
    seating: str
    dice: Sequence[int] | None
    series: int


def _silent(doing: str, done: int, total: int) -> None:
    """Report to nobody."""


@dataclass
class Conditions:
    """How much is played, from which seed, and who else sits down."""

    quick: bool = False
    seed: int = 1
    workers: int | None = None
    added: Sequence[Added] = ()
    records: Path | None = None
    """A directory with records of games with people."""
    share: float = 1.0
    """Play only this share of the games; for trying things out."""
    progress: Callable[[str, int, int], None] = _silent
    _played: dict[Any, Results] = field(default_factory=dict, repr=False)

    def number(self, quick: int, full: int) -> int:
        """The number of games, rounds or states to play, by the conditions."""
        return max(2, round(self.share * self.pick(quick, full)))

    def pick(self, quick: int, full: int) -> int:
        """One of two sizes that do not depend on the share of the games."""
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
        """Play a contest between agents of the package; the same one is played only once."""
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
        """Let every added agent play in place of one of the paper's, and measure how it does."""
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
    """A table, a figure or a question."""

    id: str
    title: str
    paper: str
    reports: str
    """What the paper says, in a sentence or two."""
    setup: str
    """How it is run here."""
    run: Callable[[Conditions], Findings]
    reason: str = ""
    """Why our numbers probably differ, where they do."""
    also: tuple[str, ...] = ()
    """Other names: the numbers of single figures."""
