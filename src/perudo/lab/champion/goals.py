"""Goals of the champion: claims, the figures they are about, and whether these support them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from perudo.lab.experiments.experiment import AGREES, DIFFERS, Claim, Row
from perudo.lab.experiments.measures import Measure, difference

YES, PROBABLY_YES, PROBABLY_NO, NO = "yes", "yes (unclear)", "no (unclear)", "no"
RULE = (
    "*yes* and *no*: the whole 95 % interval says so; *(unclear)*: the figure itself does, but a "
    "part of the interval lies on the other side of the goal."
)
ABSENT = "-"
Named = Iterable[tuple[str, Measure | None]]


def at_least(goal: float) -> Claim:
    """Return the claim that a value is at least the goal."""
    return goal, math.inf


def at_most(goal: float) -> Claim:
    """Return the claim that a value is at most the goal."""
    return -math.inf, goal


def reached(row: Row) -> str:
    """Return one of four words for how clearly a row meets its claim."""
    if row.verdict in (AGREES, DIFFERS):
        return YES if row.verdict == AGREES else NO
    assert row.claim is not None
    assert row.value is not None
    return PROBABLY_YES if row.claim[0] <= row.value <= row.claim[1] else PROBABLY_NO


def reached_by(value: Measure, claim: Claim) -> str:
    """Return one of four words for how clearly a value meets a claim."""
    return reached(Row("", value, claim=claim))


@dataclass(frozen=True)
class Goal:
    """A claim about all figures of a kind."""

    text: str
    show: Callable[[Measure], str]
    rows: list[Row]
    """The measured values, the worst first."""
    wanted: int
    """The number of figures that the goal is about."""
    lenient: bool = False
    """True if only a value clearly on the wrong side misses the goal."""

    @property
    def reached(self) -> str:
        """The verdict of the worst figure, or the number of measured figures if any is missing."""
        if len(self.rows) < self.wanted:
            return f"{len(self.rows)} of {self.wanted} measured"
        return self._reached(self.worst)

    @property
    def worst(self) -> Row:
        """The figure furthest from the goal, or nearest to missing it."""
        order = (NO, PROBABLY_NO, PROBABLY_YES, YES)
        return min(self.rows, key=lambda row: order.index(self._reached(row)))

    @property
    def findings(self) -> list[Row]:
        """The rows with the goal's text in their labels, for an experiment."""
        return [
            replace(row, label=f"{self.text}: {row.label}" if row.label else self.text)
            for row in self.rows
        ]

    def _reached(self, row: Row) -> str:
        if self.lenient:
            return NO if row.verdict == DIFFERS else YES
        return reached(row)

    def cells(self) -> tuple[str, str, str, str]:
        """Return the goal, its worst figure, the figure's label, and the verdict."""
        if not self.rows:
            return self.text, ABSENT, ABSENT, "not measured"
        worst = self.worst
        assert isinstance(worst.measured, Measure)
        label = worst.label if self.wanted == 1 else f"{worst.label} (worst of {len(self.rows)})"
        return self.text, self.show(worst.measured), label, self.reached


def goal(
    text: str, show: Callable[[Measure], str], claim: Claim, named: Named, lenient: bool = False
) -> Goal:
    """Return a goal for labelled values; a value that was not measured is None."""
    listed = list(named)
    rows = [
        Row(label, value, says="the goal", claim=claim, digits=4)
        for label, value in listed
        if value is not None
    ]
    rows.sort(key=lambda row: row.value or 0.0, reverse=claim[0] == -math.inf)
    return Goal(text, show, rows, max(1, len(listed)), lenient)


def less(one: Measure | None, other: Measure | None) -> Measure | None:
    """Return the difference of two values, if both were measured."""
    return None if one is None or other is None else difference(one, other)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first hold numbers."""
    lines = ["| " + " | ".join(heads) + " |", "|-" + "|-:" * (len(heads) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def shown(value: Measure | None, show: Callable[[Measure], str]) -> str:
    """Format a value, or return a dash if there is none."""
    return ABSENT if value is None else show(value)


# --- words for numbers --------------------------------------------------------------------------
def percent(value: Measure) -> str:
    """Format a share: ``57.3 % (54.1 to 60.4)``."""
    return f"{100 * value.value:.1f} % ({100 * value.low:.1f} to {100 * value.high:.1f})"


def points(value: Measure) -> str:
    """Format a difference of shares, in percentage points."""
    return f"{100 * value.value:+.1f} ({100 * value.low:+.1f} to {100 * value.high:+.1f})"


def dice(value: Measure) -> str:
    """Format winnings in dice, with their interval."""
    return f"{value.value:.3f} ({value.low:.3f} to {value.high:.3f})"
