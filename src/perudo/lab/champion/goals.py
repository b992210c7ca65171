"""Goals of the champion: a claim, the figures that it is about, and how far they bear it out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from perudo.lab.experiments.experiment import AGREES, DIFFERS, Claim, Row
from perudo.lab.experiments.measures import Measure, difference

YES, BARELY, HARDLY, NO = "yes", "yes (unclear)", "no (unclear)", "no"
RULE = (
    "*yes* and *no*: the whole 95 % interval says so; *(unclear)*: the figure itself does, but a "
    "part of the interval lies on the other side of the goal."
)
ABSENT = "-"
Named = Iterable[tuple[str, Measure | None]]


def at_least(goal: float) -> Claim:
    """The claim that a value is as large as the goal."""
    return goal, math.inf


def at_most(goal: float) -> Claim:
    """The claim that a value is as small as the goal."""
    return -math.inf, goal


def reached(row: Row) -> str:
    """Say whether a row bears out its claim."""
    if row.verdict in (AGREES, DIFFERS):
        return YES if row.verdict == AGREES else NO
    assert row.claim is not None
    assert row.value is not None
    return BARELY if row.claim[0] <= row.value <= row.claim[1] else HARDLY


def reached_by(value: Measure, claim: Claim) -> str:
    """Say whether a value bears out a claim."""
    return reached(Row("", value, claim=claim))


@dataclass(frozen=True)
class Goal:
    """A claim about all figures of a kind."""

    text: str
    show: Callable[[Measure], str]
    rows: list[Row]
    """Those that were measured, the one furthest behind first."""
    wanted: int
    """The number of figures that there should be."""
    lenient: bool = False
    """True if only a value that is clearly on the wrong side misses the goal."""

    @property
    def reached(self) -> str:
        """The verdict of the worst figure; nothing is reached while one is missing."""
        if len(self.rows) < self.wanted:
            return f"{len(self.rows)} of {self.wanted} measured"
        return self._reached(self.worst)

    @property
    def worst(self) -> Row:
        """The figure that is furthest from the goal, or nearest to missing it."""
        order = (NO, HARDLY, BARELY, YES)
        return min(self.rows, key=lambda row: order.index(self._reached(row)))

    @property
    def findings(self) -> list[Row]:
        """Its rows as those of an experiment."""
        return [
            replace(row, label=f"{self.text}: {row.label}" if row.label else self.text)
            for row in self.rows
        ]

    def _reached(self, row: Row) -> str:
        if self.lenient:
            return NO if row.verdict == DIFFERS else YES
        return reached(row)

    def cells(self) -> tuple[str, str, str, str]:
        """The goal, its worst figure, the figure's label, and whether the goal is reached."""
        if not self.rows:
            return self.text, ABSENT, ABSENT, "not measured"
        worst = self.worst
        assert isinstance(worst.measured, Measure)
        label = worst.label if self.wanted == 1 else f"{worst.label} (worst of {len(self.rows)})"
        return self.text, self.show(worst.measured), label, self.reached


def goal(
    text: str, show: Callable[[Measure], str], claim: Claim, named: Named, lenient: bool = False
) -> Goal:
    """A goal from labelled values, of which those that are None were not measured."""
    listed = list(named)
    rows = [
        Row(label, value, says="the goal", claim=claim, digits=4)
        for label, value in listed
        if value is not None
    ]
    rows.sort(key=lambda row: row.value or 0.0, reverse=claim[0] == -math.inf)
    return Goal(text, show, rows, max(1, len(listed)), lenient)


def less(one: Measure | None, other: Measure | None) -> Measure | None:
    """The difference of two values, if both were measured."""
    return None if one is None or other is None else difference(one, other)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are of numbers."""
    lines = ["| " + " | ".join(heads) + " |", "|-" + "|-:" * (len(heads) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def shown(value: Measure | None, show: Callable[[Measure], str]) -> str:
    """A value in words, or a dash."""
    return ABSENT if value is None else show(value)


# --- words for numbers --------------------------------------------------------------------------
def percent(value: Measure) -> str:
    """A share: ``57.3 % (54.1 to 60.4)``."""
    return f"{100 * value.value:.1f} % ({100 * value.low:.1f} to {100 * value.high:.1f})"


def points(value: Measure) -> str:
    """A difference of shares, in percentage points."""
    return f"{100 * value.value:+.1f} ({100 * value.low:+.1f} to {100 * value.high:+.1f})"


def dice(value: Measure) -> str:
    """A part of a die, with its interval."""
    return f"{value.value:.3f} ({value.low:.3f} to {value.high:.3f})"
