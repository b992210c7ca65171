"""Measured values with their 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.lab.contest import Z95, Results, interval

Values = npt.NDArray[Any]


class Measure(NamedTuple):
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Measure:
        """Return the measure times a factor, to change its unit."""
        return Measure(self.value * factor, self.low * factor, self.high * factor)


def rate(hits: float, trials: float, per: float = 100.0) -> Measure | None:
    """Return a rate times ``per`` with its Wilson interval; None without trials.

    >>> [round(number, 2) for number in rate(5, 10)]
    [50.0, 23.66, 76.34]
    """
    ends = interval(hits, int(trials))
    if ends is None:
        return None
    return Measure(per * hits / trials, per * ends[0], per * ends[1])


def student(freedom: int) -> float:
    """Return Student's 97.5 % quantile, by Cornish and Fisher's series.

    >>> round(student(9), 2), round(student(1000), 2)
    (2.26, 1.96)
    """
    z = Z95
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def mean(values: Values, per: float = 1.0) -> Measure:
    """Return the mean of independent values with Student's interval, unbounded for one value."""
    reach = math.inf
    if len(values) > 1:
        error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
        reach = student(len(values) - 1) * error
    middle = float(np.mean(values))
    return Measure(per * middle, per * (middle - reach), per * (middle + reach))


def difference(one: Measure, other: Measure) -> Measure:
    """Return the difference of two independent values (Newcombe's interval for two rates)."""
    gap = one.value - other.value
    down = math.hypot(one.value - one.low, other.high - other.value)
    up = math.hypot(one.high - one.value, other.value - other.low)
    return Measure(gap, gap - down, gap + up)


def interval_of(measure: Measure | None) -> tuple[float, float] | None:
    """Return the interval only, for charts."""
    return None if measure is None else (measure.low, measure.high)


def win_rate(results: Results, index: int, per: float = 100.0) -> Measure:
    """Return an agent's win rate."""
    found = rate(float(results.wins[:, index].sum()), results.games, per)
    assert found is not None
    return found


def lead(results: Results, index: int, other: int, per: float = 100.0) -> Measure:
    """Return the win rate of one agent less the rate of another at the same table."""
    return mean(results.wins[:, index] - results.wins[:, other], per)


def count(results: Results, index: int, name: str) -> int:
    """Return one of the game's counters for an agent, summed over all seats."""
    place = results.contest.game.counters.index(name)
    return int(results.counters[index, :, place].sum())


def losses(results: Results, index: int, per: float) -> Measure:
    """Return the rounds that an agent lost per ``per`` rounds; for contests of single rounds."""
    found = rate(count(results, index, "rounds_lost"), int(results.rounds.sum()), per)
    assert found is not None
    return found


def call_accuracy(results: Results, index: int) -> Measure | None:
    """Return the share of an agent's dudos that were right, in percent."""
    return rate(count(results, index, "dudos_right"), count(results, index, "dudos"))


def exactly(value: float) -> Measure:
    """Return a known number, both ends of whose interval are the number itself."""
    return Measure(value, value, value)


def mean_of(measures: Sequence[Measure]) -> Measure:
    """Return the mean of independent measures."""
    count = len(measures)
    value = sum(one.value for one in measures) / count
    down = math.hypot(*(one.value - one.low for one in measures)) / count
    up = math.hypot(*(one.high - one.value for one in measures)) / count
    return Measure(value, value - down, value + up)


def mean_of_samples(samples: Sequence[Values]) -> Measure:
    """Return the mean of the means of samples, with a normal interval."""
    value = sum(float(one.mean()) for one in samples) / len(samples)
    variance = sum(float(one.var(ddof=1)) / len(one) for one in samples)
    reach = Z95 * math.sqrt(variance) / len(samples)
    return Measure(value, value - reach, value + reach)
