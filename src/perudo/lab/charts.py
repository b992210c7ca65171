"""Charts as plain values; ``plots`` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Numbers = Sequence[float | None]
Intervals = Sequence[tuple[float, float] | None]


@dataclass(frozen=True)
class Bars:
    """Grouped bars with intervals; None leaves a gap."""

    title: str
    unit: str
    groups: Sequence[str]
    series: Mapping[str, Numbers]
    intervals: Mapping[str, Intervals] = field(default_factory=dict)


@dataclass(frozen=True)
class Stacks:
    """Stacked bars, one part on top of another."""

    title: str
    unit: str
    bars: Sequence[str]
    parts: Mapping[str, Numbers]


@dataclass(frozen=True)
class Heat:
    """A heat map; a cell's text may say more than its value."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Numbers]
    texts: Sequence[Sequence[str]]
    row_label: str = ""
    column_label: str = ""
    scale: tuple[float, float] | None = None
    """The values of the lightest and the darkest colour; set it to make panels comparable."""


@dataclass(frozen=True)
class Lines:
    """Curves over one axis, with bands for known intervals."""

    title: str
    x_label: str
    unit: str
    x: Sequence[float]
    series: Mapping[str, Numbers]
    intervals: Mapping[str, Intervals] = field(default_factory=dict)
    logarithmic: bool = False
    levels: Mapping[str, float] = field(default_factory=dict)
    """Named values drawn as dashed lines for comparison."""
    y_range: tuple[float, float] | None = None
    """The limits of the vertical axis; set it to make panels comparable."""
    logarithmic_y: bool = False
    x_ticks: Sequence[float] = ()
    """The labelled places of the axis, instead of the default ones."""


Panel = Bars | Stacks | Heat | Lines


@dataclass(frozen=True)
class Chart:
    """A figure: panels in rows of ``columns``."""

    panels: Sequence[Panel]
    columns: int = 1
