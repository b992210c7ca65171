"""Draw charts with matplotlib, which only this module loads."""

from __future__ import annotations

import importlib.util
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perudo.games.errors import PerudoError
from perudo.lab.charts import Bars, Chart, Heat, Lines, Numbers, Panel, Stacks

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7f7f7f")
"""Colours that colour-blind people can distinguish."""
REPORTED = "#c8c8c8"
"""The grey of reported figures."""
DOTS_PER_INCH = 100
PALETTE = 64
"""Colours in a PNG, including the shades of edges."""
WIDTH, HEIGHT = 6.4, 3.4
SMALL_WIDTH, SMALL_HEIGHT = 3.9, 2.6
"""The size of a panel in inches, alone or beside others."""


def require() -> None:
    """Raise an error unless figures can be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise PerudoError("figures need matplotlib; install the extra: pip install 'perudo[lab]'")


def draw(chart: Chart) -> Figure:
    """Draw a chart as a matplotlib figure."""
    require()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = chart.columns
    rows = -(-len(chart.panels) // columns)
    width, height = (WIDTH, HEIGHT) if columns == 1 else (SMALL_WIDTH, SMALL_HEIGHT)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    handles: dict[str, Artist] = {}
    for place, panel in enumerate(chart.panels):
        axes = figure.add_subplot(rows, columns, place + 1)
        draw_panel(axes, panel)
        drawn, names = axes.get_legend_handles_labels()
        handles |= dict(zip(names, drawn, strict=True))
    if len(handles) > 1:
        figure.legend(
            handles.values(),
            handles.keys(),
            loc="outside lower center",
            ncols=min(len(handles), 3 if columns == 1 else 5),
            fontsize=8,
            frameon=False,
        )
    return figure


def save(chart: Chart, path: Path) -> tuple[Path, Path]:
    """Write a chart as PNG and SVG and return both paths; equal charts give equal bytes."""
    import matplotlib
    from PIL import Image

    figure = draw(chart)
    png, svg = (path.with_name(path.name + ending) for ending in (".png", ".svg"))
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH)
    # The figures have few colours: a palette makes the files a third as large.
    Image.open(drawn).convert("RGB").quantize(PALETTE).save(png, optimize=True)
    with matplotlib.rc_context({"svg.hashsalt": path.name}):
        figure.savefig(svg, metadata={"Date": None})
    return png, svg


def draw_panel(axes: Axes, panel: Panel) -> None:
    """Draw one panel; the figure has one legend for all panels."""
    axes.set_title(panel.title, fontsize=10)
    axes.tick_params(labelsize=8)
    if isinstance(panel, Heat):
        _heat(axes, panel)
        return
    axes.set_ylabel(panel.unit, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    if isinstance(panel, Bars):
        _bars(axes, panel)
    elif isinstance(panel, Stacks):
        _stacks(axes, panel)
    else:
        _lines(axes, panel)


def _known(values: Numbers) -> tuple[list[int], list[float]]:
    """Return the places and values that are not None."""
    pairs = [(place, value) for place, value in enumerate(values) if value is not None]
    return [place for place, _ in pairs], [value for _, value in pairs]


def _reach(panel: Bars | Lines, name: str, values: Numbers) -> list[tuple[float, float]] | None:
    """Return the distances from each known value down and up to the ends of its interval."""
    ends = panel.intervals.get(name)
    if ends is None:
        return None
    reach = []
    for value, interval in zip(values, ends, strict=True):
        if value is not None:
            low, high = interval or (value, value)
            reach.append((max(0.0, value - low), max(0.0, high - value)))
    return reach


def _colour(name: str, place: int) -> str:
    return REPORTED if name == "reported" else COLOURS[place % len(COLOURS)]


def _bars(axes: Axes, panel: Bars) -> None:
    width = 0.8 / len(panel.series)
    coloured = [name for name in panel.series if name != "reported"]
    for place, (name, values) in enumerate(panel.series.items()):
        places, heights = _known(values)
        reach = _reach(panel, name, values)
        at = [group - 0.4 + width * (place + 0.5) for group in places]
        colour = _colour(name, coloured.index(name) if name in coloured else 0)
        errors: Any = None if reach is None else list(zip(*reach, strict=True))
        axes.bar(at, heights, width, label=name, color=colour)
        if errors:
            axes.errorbar(at, heights, errors, fmt="none", ecolor="black", capsize=2, lw=1)
    axes.set_xticks(range(len(panel.groups)), panel.groups)
    spare = max(0.5, 1.5 - len(panel.groups) / 2)
    axes.set_xlim(-spare, len(panel.groups) - 1 + spare)
    axes.axhline(0, color="black", lw=0.8)


def _stacks(axes: Axes, panel: Stacks) -> None:
    bottoms = [0.0] * len(panel.bars)
    for place, (name, values) in enumerate(panel.parts.items()):
        heights = [value or 0.0 for value in values]
        axes.bar(panel.bars, heights, 0.5, bottoms, label=name, color=COLOURS[place])
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights, strict=True)]


def _lines(axes: Axes, panel: Lines) -> None:
    marked = len(panel.x) <= 20
    for place, (name, values) in enumerate(panel.series.items()):
        places, heights = _known(values)
        at = [panel.x[one] for one in places]
        colour = _colour(name, place)
        axes.plot(at, heights, label=name, color=colour, lw=1.4, marker="o" if marked else "", ms=4)
        reach = _reach(panel, name, values)
        if reach is not None:
            low = [height - down for height, (down, _) in zip(heights, reach, strict=True)]
            high = [height + up for height, (_, up) in zip(heights, reach, strict=True)]
            axes.fill_between(at, low, high, color=colour, alpha=0.2, lw=0)
    for name, level in panel.levels.items():
        axes.axhline(level, ls="--", lw=1, color="#555555", label=name)
    if panel.logarithmic:
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=5)
    if panel.x_ticks:
        axes.set_xticks(panel.x_ticks, [f"{tick:g}" for tick in panel.x_ticks])
        axes.minorticks_off()
    if panel.logarithmic_y:
        axes.set_yscale("log")
    if panel.y_range is not None:
        axes.set_ylim(panel.y_range)
    axes.set_xlabel(panel.x_label, fontsize=9)


def _heat(axes: Axes, panel: Heat) -> None:
    values = [[float("nan") if cell is None else cell for cell in row] for row in panel.values]
    known = [cell for row in panel.values for cell in row if cell is not None]
    low, high = panel.scale or (min(known, default=0.0), max(known, default=1.0))
    axes.imshow(values, cmap="YlGnBu", aspect="auto", vmin=low, vmax=high)
    axes.set_xticks(range(len(panel.columns)), panel.columns)
    axes.set_yticks(range(len(panel.rows)), panel.rows)
    axes.set_xlabel(panel.column_label, fontsize=9)
    axes.set_ylabel(panel.row_label, fontsize=9)
    middle = low + 0.55 * (high - low)
    for row, texts in enumerate(panel.texts):
        for column, text in enumerate(texts):
            cell = panel.values[row][column]
            dark = cell is not None and cell > middle
            colour = "white" if dark else "black"
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color=colour)
