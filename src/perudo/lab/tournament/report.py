"""A tournament's report: one self-contained HTML page of tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from perudo import ratings
from perudo.lab.tournament.sprt import BETTER, NOT_BETTER
from perudo.lab.tournament.summaries import (
    AgentSummary,
    PairRate,
    Rate,
    TestData,
    TournamentData,
)

STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --faint: #ddd; --mark: #0072b2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #181818; --faint: #444; --mark: #56b4e9; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid var(--faint);
         font-variant-numeric: tabular-nums; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
td:first-child { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.axis { stroke: var(--faint); }
.mark { stroke: var(--mark); fill: var(--mark); stroke-width: 2; }
.cell { color: #000; }
"""
LEFT, WIDTH, ROW, TOP = 250, 850, 26, 28
"""The layout of a plot in pixels: left edge, width, height of a row, and room above."""
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
MOST_TICKS = 9


def page(data: TournamentData | TestData) -> str:
    """Return the page for the figures that ``--json`` prints."""
    if "sprt" in data:
        title, body = " against ".join(_names(data)), _test_parts(data)
    else:
        title, body = f"Tournament of {len(data['agents'])} agents", _rating_parts(data)
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>",
            f"<h1>{escape(title)}</h1>",
            f"<p>{escape(_heading(data))}</p>",
            *body,
            "</body>\n</html>\n",
        ]
    )


def verdict_text(data: TestData) -> str:
    """Return the verdict of a test in a sentence."""
    test, (one, other) = data["sprt"], _names(data)
    played = f"after {test['blocks']:,} blocks ({data['games']:,} games)"
    if test["verdict"] == BETTER:
        return (
            f"{one} is better than {other} (by more than {test['elo0']:g} Elo), {played}; the "
            f"chance of such a verdict would be at most {100 * test['alpha']:g} % otherwise"
        )
    if test["verdict"] == NOT_BETTER:
        return (
            f"{one} is not better than {other} by {test['elo1']:g} Elo, {played}; the chance of "
            f"such a verdict would be at most {100 * test['beta']:g} % otherwise"
        )
    return (
        f"undecided {played}: more games are needed to tell whether {one} is better than {other} "
        f"by {test['elo0']:g} or by {test['elo1']:g} Elo"
    )


def _heading(data: TournamentData | TestData) -> str:
    repeatable = "" if data["reproducible"] else " Not repeatable: an agent plays by the clock."
    return (
        f"{data['games']:,} games of {data['game']}, rules {data['rules']}, at tables of "
        f"{data['players']}; seed {data['seed']}; {data['blocks']:,} blocks with the same dice in "
        f"all rotations of the seats.{repeatable}"
    )


def _names(data: TournamentData | TestData) -> list[str]:
    return [agent["agent"] for agent in data["agents"]]


# --- a tournament -------------------------------------------------------------------------------
def _rating_parts(data: TournamentData) -> list[str]:
    agents = data["agents"]
    names = _names(data)
    rated = [
        (agent["rating_ci95"][0], agent["rating"], agent["rating_ci95"][1]) for agent in agents
    ]
    played = [agent["agent"] for agent in agents if agent["games"]]
    rates = [bounds for agent in agents if (bounds := _interval(agent)) is not None]
    return [
        "<h2>Ratings</h2>",
        "<p>Ratings are fitted to all games at once, so the order of play does not matter. 400 "
        f"points are odds of ten to one; the mean is {ratings.START:g}. The 95\u00a0% intervals "
        "are bootstrapped over blocks; they cannot show how weak an agent is that never won.</p>",
        intervals_plot("Ratings with their intervals", names, rated),
        _rating_table(agents),
        "<h2>Games won</h2>",
        "<p>Win rates with 95\u00a0% Wilson intervals. An equal share is "
        f"{100 / data['players']:.1f} %.</p>",
        intervals_plot("Games won, in %", played, rates, 100 / data["players"]),
        _seat_table(agents, data["players"]),
        "<h2>Head to head</h2>",
        "<p>Games won by the agent on the left, in percent of the games with both at the table "
        "that one of them won. Columns are numbered like rows.</p>",
        _pair_table(names, data["pairs"]),
    ]


def _rating_table(agents: list[AgentSummary]) -> str:
    two = "elo" in agents[0]
    rows = []
    for agent in agents:
        ends, skill = agent["rating_ci95"], agent["openskill"]
        rows.append(
            [
                agent["agent"],
                f"{agent['rating']:.0f}",
                f"{ends[0]:.0f} to {ends[1]:.0f}",
                *([f"{agent['elo']:.0f}"] if two else []),
                f"{skill['mu']:.2f} ± {skill['sigma']:.2f}",
            ]
        )
    elo = ["Elo, game by game"] if two else []
    return _table(["agent", "rating", "95 %", *elo, "openskill"], rows)


def _seat_table(agents: list[AgentSummary], players: int) -> str:
    rows = []
    for agent in agents:
        rows.append(
            [
                agent["agent"],
                f"{agent['games']:,}",
                f"{agent['wins']:,.10g}",
                _percent(agent),
                *(_percent(seat, with_interval=False) for seat in agent["by_seat"]),
            ]
        )
    seats = [f"in seat {seat + 1}" for seat in range(players)]
    return _table(["agent", "games", "won", "rate (95 %)", *seats], rows)


def _interval(figures: Rate) -> tuple[float, float, float] | None:
    """Return the win rate and the ends of its interval in percent; None without games."""
    rate, ends = figures["win_rate"], figures["ci95"]
    return None if rate is None or ends is None else (100 * ends[0], 100 * rate, 100 * ends[1])


def _percent(figures: Rate, with_interval: bool = True) -> str:
    bounds = _interval(figures)
    if bounds is None:
        return "-"
    low, rate, high = bounds
    return f"{rate:.1f} %" + (f" ({low:.1f} to {high:.1f})" if with_interval else "")


def _pair_table(names: list[str], pairs: list[PairRate]) -> str:
    rates: dict[tuple[str, str], float | None] = {}
    for pair in pairs:
        one, other = pair["agents"]
        rate = pair["win_rate"]
        rates[one, other], rates[other, one] = rate, None if rate is None else 1 - rate
    heads = "".join(f"<th>{place}</th>" for place in range(1, len(names) + 1))
    lines = [f"<table><tr><th></th>{heads}</tr>"]
    for place, name in enumerate(names, 1):
        cells = "".join(_pair_cell(rates.get((name, other))) for other in names)
        lines.append(f"<tr><td>{place} {escape(name)}</td>{cells}</tr>")
    return "\n".join([*lines, "</table>"])


def _pair_cell(rate: float | None) -> str:
    if rate is None:
        return "<td></td>"
    # Orange through white to blue, which colour-blind people can distinguish.
    strength = 0.8 * min(abs(2 * rate - 1), 1.0)  # keeps black text legible
    hue = "0, 114, 178" if rate > 0.5 else "230, 159, 0"
    shade = f"background: linear-gradient(rgba({hue}, {strength:.2f}) 0 0), #fff"
    return f'<td class="cell" style="{shade}">{100 * rate:.1f}</td>'


# --- a test -------------------------------------------------------------------------------------
def _test_parts(data: TestData) -> list[str]:
    test = data["sprt"]
    rates = [bounds for agent in data["agents"] if (bounds := _interval(agent)) is not None]
    outcomes = [[f"{one['score']:g}", f"{one['blocks']:,}"] for one in test["outcomes"]]
    return [
        f"<p><strong>{escape(verdict_text(data))}.</strong></p>",
        "<h2>Evidence</h2>",
        "<p>Logarithms of the capital of two bettors, one on each side, after all blocks; the test "
        "ends when one of them reaches the limit.</p>",
        _table(
            ["", "evidence", "limit"],
            [
                ["better", f"{test['for_better']:.2f}", f"{test['for_better_limit']:.2f}"],
                [
                    "not better",
                    f"{test['for_not_better']:.2f}",
                    f"{test['for_not_better_limit']:.2f}",
                ],
            ],
        ),
        "<h2>Games won</h2>",
        intervals_plot("Games won, in %", _names(data), rates, 50),
        _table(
            ["agent", "games", "won", "rate (95 %)"],
            [
                [one["agent"], f"{one['games']:,}", f"{one['wins']:,.10g}", _percent(one)]
                for one in data["agents"]
            ],
        ),
        "<h2>Blocks</h2>",
        f"<p>Number of blocks by the share of games that {escape(_names(data)[0])} won.</p>",
        _table(["score", "blocks"], outcomes),
    ]


# --- parts of a page ----------------------------------------------------------------------------
def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([f"<table><tr>{head}</tr>", *lines, "</table>"])


def intervals_plot(
    title: str,
    names: Sequence[str],
    intervals: Sequence[tuple[float, float, float]],
    level: float | None = None,
) -> str:
    """Plot a row for each name: its interval as a line, its value as a dot; mark ``level``."""
    low, high = min(one[0] for one in intervals), max(one[2] for one in intervals)
    if level is not None:
        low, high = min(low, level), max(high, level)
    step = next((step for step in STEPS if (high - low) / step < MOST_TICKS), STEPS[-1])
    low, high = step * (low // step), step * (high // step + 1)
    bottom = TOP + ROW * len(names)

    def across(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - 20) * (value - low) / (high - low), 1)

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {bottom + 30}" width="{WIDTH}" role="img">',
        f"<title>{escape(title)}</title>",
    ]
    tick = low
    while tick <= high:
        x = across(tick)
        parts.append(f'<line class="axis" x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{bottom}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>')
        tick += step
    if level is not None:
        x = across(level)
        parts.append(
            f'<line class="mark" style="stroke-width: 1; stroke-dasharray: 4 4" '
            f'x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{bottom}"/>'
        )
    for row, (name, (start, middle, end)) in enumerate(zip(names, intervals, strict=True)):
        y = TOP + ROW * row + 8
        label = name if len(name) <= 30 else name[:29] + "…"
        parts.append(f'<text x="{LEFT - 12}" y="{y + 5}" text-anchor="end">{escape(label)}</text>')
        parts.append(
            f'<line class="mark" x1="{across(start)}" y1="{y}" x2="{across(end)}" y2="{y}"/>'
            f'<circle class="mark" cx="{across(middle)}" cy="{y}" r="4">'
            f"<title>{escape(name)}: {middle:.1f} ({start:.1f} to {end:.1f})</title></circle>"
        )
    return "\n".join([*parts, "</svg>"])
