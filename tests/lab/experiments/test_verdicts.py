"""Verdicts: agreement of measured and reported values, and how values are measured."""

from __future__ import annotations

import math

import numpy as np
import pytest

from perudo.games.errors import UnknownNameError
from perudo.lab.experiments.experiment import (
    AGREES,
    DIFFERS,
    MORE,
    NEW,
    NOT_COMPARED,
    UNDECIDED,
    Findings,
    Row,
)
from perudo.lab.experiments.measures import Measure, difference, mean, rate, student
from perudo.lab.papers import EXPERIMENTS, select
from perudo.lab.papers.king_up_tournament import TABLE_4_2, TABLE_4_3
from perudo.lab.papers.maynooth import SIX_REPORTED, TABLES

CLOSE = Measure(50.0, 48.0, 52.0)


@pytest.mark.parametrize(
    "row, verdict",
    [
        (Row("in our interval", CLOSE, reported=51.9), AGREES),
        (Row("outside of it", CLOSE, reported=52.1), DIFFERS),
        (Row("in the paper's", CLOSE, reported=60.0, reported_range=(49.0, 71.0)), AGREES),
        (Row("in neither", CLOSE, reported=60.0, reported_range=(51.0, 69.0)), DIFFERS),
        (Row("without an interval", 2.1, reported=2.0, reported_range=(1.7, 2.3)), AGREES),
        (Row("without an interval", 2.4, reported=2.0, reported_range=(1.7, 2.3)), DIFFERS),
        (Row("all of it above", Measure(3.0, 1.0, 5.0), claim=MORE), AGREES),
        (Row("all of it below", Measure(-3.0, -5.0, -1.0), claim=MORE), DIFFERS),
        (Row("on both sides", Measure(1.0, -1.0, 3.0), claim=MORE), UNDECIDED),
        (Row("one value only", Measure(1.0, -math.inf, math.inf), claim=MORE), UNDECIDED),
        (Row("nobody said", CLOSE), NEW),
        (Row("nothing measured", None, reported=5.0), NOT_COMPARED),
        (Row("with a reason", CLOSE, reported=50.0, why="needs people"), NOT_COMPARED),
    ],
)
def test_a_row_is_judged(row: Row, verdict: str) -> None:
    assert row.verdict == verdict
    assert row.data()["verdict"] == verdict


def test_rows_are_summed_up() -> None:
    agrees, differs = Row("", CLOSE, reported=50.0), Row("", CLOSE, reported=0.0)
    unclear, new = Row("", Measure(1.0, -1.0, 3.0), claim=MORE), Row("", CLOSE)
    absent = Row("", None)
    assert Findings([agrees, agrees, new]).verdict == AGREES
    assert Findings([agrees, differs, unclear, new]).verdict == (
        "differs in 1, undecided in 1, agrees in 1 of 3"
    )
    assert Findings([new]).verdict == NEW
    assert Findings([absent]).verdict == NOT_COMPARED


def test_measures_by_hand() -> None:
    """Of four values 1, 2, 3, 6 the deviation is sqrt(14/3), the error half of it."""
    found = mean(np.array([1.0, 2.0, 3.0, 6.0]), 10.0)
    reach = 10 * student(3) * math.sqrt(14 / 3) / 2
    assert found == pytest.approx((30.0, 30.0 - reach, 30.0 + reach))
    assert student(3) == pytest.approx(3.18, abs=0.03)
    assert math.isinf(mean(np.array([1.0])).high)
    assert rate(0, 0) is None
    gap = difference(Measure(50.0, 47.0, 54.0), Measure(40.0, 36.0, 43.0))
    assert gap == pytest.approx((10.0, 10 - math.hypot(3, 3), 10 + math.hypot(4, 4)))


def test_the_papers_tables_were_copied_well() -> None:
    """Every game has one winner; the report's table 5.4 adds up to 490 of 500 itself."""
    for table in (TABLE_4_2, TABLE_4_3):
        for line_up, (won, _) in table.items():
            assert sum(won) == pytest.approx(1.0, abs=0.0011), line_up
    for _, _, reported in TABLES.values():
        assert sum(won for _, won in reported) == 100
    assert sum(won for _, won in SIX_REPORTED) == 490


PAPERS = {
    *("1a", "1a-r", "1c", "1d", "2a", "2b", "2c", "RO-rand", "RO-obs", "RO-2x", "RO-obs-opp"),
    *("3-rounds", "3-games", "5.1", "5.2", "5.3", "5.4", "5.5", "S3-1", "S3-3", "S3-4", "S3-h"),
    *("4.1-4.4", "4.5-4.8", "4.9-4.12", "4.2", "4.3", "4.13", "4.14"),
}


def test_every_experiment_of_the_papers_is_there_once() -> None:
    names = [one.id for one in EXPERIMENTS]
    assert len(set(names)) == len(names)
    assert set(names) >= PAPERS
    assert [one.id for one in select(["all"])] == names


def test_experiments_are_named_by_id_pattern_or_figure() -> None:
    assert [one.id for one in select(["S3-1", "1a"])] == ["1a", "S3-1"]
    assert [one.id for one in select(["RO-*"])] == ["RO-rand", "RO-obs", "RO-2x", "RO-obs-opp"]
    assert [one.id for one in select(["4.10"])] == ["4.9-4.12"]
    assert {one.id for one in select(["4.2"])} == {"4.1-4.4", "4.2"}  # a figure and a table
    with pytest.raises(UnknownNameError, match="no experiment '9z'; there are: 1a, "):
        select(["1a", "9z"])
