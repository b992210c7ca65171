"""Figures as plain values; ``plots`` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Numbers = Sequence[float | None]
Intervals = Sequence[tuple[float, float] | None]


@dataclass(frozen=True)
class Bars:
    """Groups of bars side by side, with intervals; None leaves a gap."""

    title: str
    unit: str
    groups: Sequence[str]
    series: Mapping[str, Numbers]
    intervals: Mapping[str, Intervals] = field(default_factory=dict)


@dataclass(frozen=True)
class Stacks:
    """Bars made of parts."""

    title: str
    unit: str
    bars: Sequence[str]
    parts: Mapping[str, Numbers]


@dataclass(frozen=True)
class Heat:
    """A coloured table; the text of a cell may say more than its value."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Numbers]
    texts: Sequence[Sequence[str]]
    row_label: str = ""
    column_label: str = ""
    scale: tuple[float, float] | None = None
    """What the lightest and the darkest colour mean, where panels are to be compared."""


@dataclass(frozen=True)
class Lines:
    """Curves over one axis, with bands where intervals are known."""

    title: str
    x_label: str
    unit: str
    x: Sequence[float]
    series: Mapping[str, Numbers]
    intervals: Mapping[str, Intervals] = field(default_factory=dict)
    logarithmic: bool = False
    levels: Mapping[str, float] = field(default_factory=dict)
    """Values to compare with, as dashed lines."""
    y_range: tuple[float, float] | None = None
    """The same for panels that are to be compared."""
    logarithmic_y: bool = False
    x_ticks: Sequence[float] = ()
    """Where the axis is labelled, if not where it usually is."""


Panel = Bars | Stacks | Heat | Lines


@dataclass(frozen=True)
class Chart:
    """One figure: panels in rows of ``columns``."""

    panels: Sequence[Panel]
    columns: int = 1
