"""Figures that are kept as they are measured, and when one of them reaches its goal."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from perudo.games.errors import PerudoError
from perudo.lab.contest import Z95
from perudo.lab.experiments.results import commit, plain

Figure = dict[str, Any]
"""What is kept of a measurement: plain data."""
Figures = Mapping[str, Figure]

YES, BARELY, HARDLY, NO = "yes", "yes (unclear)", "no (unclear)", "no"
RULE = (
    "*yes* and *no*: the whole 95 % interval says so; *(unclear)*: the figure itself does, but a "
    "part of the interval lies on the other side of the goal."
)


# --- is the goal reached? -----------------------------------------------------------------------
@dataclass(frozen=True)
class Value:
    """A number with its 95 % interval; both ends are the number itself where it is exact."""

    value: float
    low: float
    high: float

    def minus(self, other: Value) -> Value:
        """The difference of two that were measured apart from each other."""
        down = math.hypot(self.value - self.low, other.high - other.value)
        up = math.hypot(self.high - self.value, other.value - other.low)
        value = self.value - other.value
        return Value(value, value - down, value + up)


def mean_of(values: Sequence[Value]) -> Value:
    """The mean of some that were measured apart from each other."""
    count = len(values)
    value = sum(one.value for one in values) / count
    down = math.hypot(*(one.value - one.low for one in values)) / count
    up = math.hypot(*(one.high - one.value for one in values)) / count
    return Value(value, value - down, value + up)


def exactly(value: float) -> Value:
    """A number that is known."""
    return Value(value, value, value)


def share_of(figure: Figure) -> Value:
    """The share of games that was won."""
    low, high = figure["ci95"]
    return Value(figure["share"], low, high)


def bound_of(figure: Figure) -> Value:
    """What was won on average, in dice."""
    low, high = figure["ci95"]
    return Value(figure["won"], low, high)


def mean_value(numbers: Iterable[Any]) -> Value:
    """The mean of some arrays' means, with a normal interval."""
    arrays = list(numbers)
    value = sum(float(one.mean()) for one in arrays) / len(arrays)
    variance = sum(float(one.var(ddof=1)) / len(one) for one in arrays)
    reach = Z95 * math.sqrt(variance) / len(arrays)
    return Value(value, value - reach, value + reach)


def at_least(goal: float, found: Value) -> str:
    """Whether something is as large as it should be."""
    if found.value >= goal:
        return YES if found.low >= goal else BARELY
    return NO if found.high < goal else HARDLY


def at_most(goal: float, found: Value) -> str:
    """Whether something is as small as it should be."""
    return at_least(-goal, Value(-found.value, -found.high, -found.low))


def not_below(goal: float, found: Value) -> str:
    """Whether a figure is not less beyond its interval."""
    return YES if found.high >= goal else NO


# --- what is measured ---------------------------------------------------------------------------
@dataclass(frozen=True)
class Sizes:
    """How much is played for each kind of figure."""

    matches: int = 1_400
    """Between two, ``common``."""
    close_matches: int = 100_000
    """Against those who play nearly as well."""
    official_matches: int = 400
    rounds: int = 100_000
    """At five dice each against the threshold caller."""
    pair_rounds: int = 40_000
    tuning_rounds: int = 4_000
    bound_rounds: int = 20_000
    """Of the local answer, in both seats together."""
    misled_rounds: int = 4_000
    known_rounds: int = 200
    """That the champion has seen of the answerer before anything counts."""
    iterations: int = 2_000
    """Of each decision of the local answer."""
    exact_positions: int = 300_000
    """Public positions of a round whose exploitability is found exactly, at most."""
    four: int = 1_400
    four_mixed: int = 800
    six: int = 600
    copies: int = 400
    time_seconds: float = 240.0
    """Of thinking by the champion, for each point of strength against time."""
    time_games: int = 400
    """And games of each, at most."""
    settling_decisions: int = 400
    """That are made again with different budgets ..."""
    judging_rollouts: int = 1_000_000
    """... and judged by thinking so long."""
    timed_decisions: int = 200
    deep_decisions: int = 40
    """Of each number of players and dice."""

    def times(self, factor: float) -> Sizes:
        """More or fewer games of everything."""
        same = ("known_rounds", "iterations", "exact_positions", "judging_rollouts")
        return Sizes(
            **{
                field.name: max(2, type(getattr(self, field.name))(getattr(self, field.name) * by))
                for field in fields(self)
                for by in [1 if field.name in same else factor]
            }
        )


QUICK = Sizes(
    matches=4,
    close_matches=4,
    official_matches=2,
    rounds=400,
    pair_rounds=40,
    tuning_rounds=40,
    bound_rounds=40,
    misled_rounds=20,
    known_rounds=10,
    iterations=50,
    exact_positions=1_100,
    four=4,
    four_mixed=4,
    six=6,
    copies=4,
    time_seconds=1.0,
    time_games=4,
    settling_decisions=3,
    judging_rollouts=400,
    timed_decisions=4,
    deep_decisions=2,
)
"""Everything in seconds, to see that it runs."""


@dataclass(frozen=True)
class Work:
    """What a measurement is told: how much, on how many cores, and what was found before it."""

    sizes: Sizes
    workers: int
    found: Figures


@dataclass(frozen=True)
class Task:
    """One figure to be measured."""

    name: str
    """Part and figure: ``two/common/observer``."""
    measure: Callable[[Work], Figure]


# --- keeping them -------------------------------------------------------------------------------
class Kept:
    """The file of figures: each is written as soon as it is there."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.figures: dict[str, Figure] = {}
        if path is not None and path.is_file():
            try:
                self.figures = json.loads(path.read_text("utf-8"))
            except ValueError as error:
                raise PerudoError(f"{path} cannot be read: {error}") from None

    def keep(self, name: str, figure: Figure) -> None:
        """Note a figure; the file is whole at any time."""
        self.figures[name] = plain(figure)
        if self._path is not None:
            lines = [
                f"{json.dumps(key)}: {json.dumps(self.figures[key], ensure_ascii=False)}"
                for key in sorted(self.figures)
            ]
            whole = self._path.with_suffix(".new")
            whole.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
            whole.replace(self._path)


def run(
    tasks: Iterable[Task],
    kept: Kept,
    sizes: Sizes,
    workers: int,
    again: bool = False,
    tell: Callable[[str, Figure], None] = lambda name, figure: None,
) -> int:
    """Measure what is missing, or everything ``again``; returns how many were measured."""
    measured = 0
    for task in tasks:
        if task.name in kept.figures and not again:
            continue
        started = time.perf_counter()
        figure = task.measure(Work(sizes, workers, kept.figures))
        figure |= {
            "seconds": round(time.perf_counter() - started, 1),
            "cores": workers,
            "commit": commit(),
        }
        kept.keep(task.name, figure)
        tell(task.name, figure)
        measured += 1
    return measured
