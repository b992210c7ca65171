"""The champion's figures in docs/agents.md, each beside its goal, and the plot of its strength."""

from __future__ import annotations

from pathlib import Path

from perudo.lab import plots
from perudo.lab.charts import Chart, Lines
from perudo.lab.ladder.page import PAGE, split_page
from perudo.lab.proof import tables
from perudo.lab.proof.figures import RULE, Figure, Figures, bound_of, share_of
from perudo.lab.proof.goals import dice, goals, percent
from perudo.lab.proof.matches import STRONGEST, TIMES_MS
from perudo.lab.proof.settling import NAME

BEGIN, END = "<!-- champion -->", "<!-- end of champion -->"
FIGURE = Path("docs", "figures", tables.PLOT)
COMMAND = "python benchmarks/champion.py --write"


def require(project: Path) -> None:
    """Raise unless there is a place for the tables, before an hour is spent."""
    split_page((project / PAGE).read_text("utf-8"), BEGIN, END)


def write(project: Path, figures: Figures) -> list[Path]:
    """Write the tables, and the plot if its points are there; returns what was written."""
    page = project / PAGE
    before, after = split_page(page.read_text("utf-8"), BEGIN, END)
    page.write_text(before + markdown(figures) + after, "utf-8")
    chart = strength_chart(figures)
    if chart is None:
        return [page]
    (project / FIGURE).parent.mkdir(parents=True, exist_ok=True)
    return [page, *plots.save(chart, project / FIGURE)]


def in_short(figure: Figure) -> str:
    """A figure in a few words."""
    if "share" in figure:
        spent = f"{figure['mean_ms']:.3g} ms a decision"
        return f"{percent(share_of(figure))} of {figure['games']}, {spent}"
    if "won" in figure:
        return f"{dice(bound_of(figure))} of a die in {figure['rounds']} rounds"
    if "max_ms" in figure:
        return f"at most {figure['max_ms']:.3g} ms in {figure['decisions']} decisions"
    if "points" in figure:
        rows = [f"{one['rollouts']}: {100 * one['lost']:.3f} %" for one in figure["points"]]
        return f"lost by rollouts {', '.join(rows)}"
    found = figure["exploitability"]
    return f"exploitability {found:.3g}" if found is not None else str(figure["why"])


# --- the tables ---------------------------------------------------------------------------------
def markdown(figures: Figures) -> str:
    """All of it."""
    parts = [
        _about(figures),
        _summary(figures),
        tables.matches(figures),
        tables.rounds(figures),
        tables.bounds(figures),
        tables.many(figures),
        tables.copies(figures),
        tables.times(figures),
        tables.speed(figures),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _about(figures: Figures) -> str:
    commits = sorted({figure["commit"] for figure in figures.values()})
    seconds = sum(figure["seconds"] for figure in figures.values())
    return (
        f"Written by `{COMMAND}`, which keeps every figure with its command, seed, games, seconds "
        "and commit in `benchmarks/champion.json`. Every line-up is played in all rotations of its "
        "seats with the same dice, and memories begin anew with every game (`--series 1`). "
        f"Intervals are 95 %. {RULE} {len(figures)} figures, {seconds / 60:.0f} minutes, commit "
        f"{', '.join(commits) or 'unknown'}."
    )


def _summary(figures: Figures) -> str:
    rows = []
    for goal in goals(figures):
        if not goal.found:
            rows.append((goal.text, tables.ABSENT, tables.ABSENT, "not measured"))
            continue
        worst = goal.worst
        label = worst.label if goal.wanted == 1 else f"{worst.label} (worst of {len(goal.found)})"
        rows.append((goal.text, goal.show(worst.value), label, goal.reached))
    return tables.table(("goal", "measured", "of", "reached"), rows)


def strength_chart(figures: Figures) -> Chart | None:
    """The share of games won by how long a decision takes; None while there are no two points."""
    there = tables.time_points(figures)
    if len(there) < 2:
        return None
    fastest, slowest = there[0]["mean_ms"], there[-1]["mean_ms"]
    name = f"champion against three {STRONGEST}"
    panels = [
        Lines(
            title="Strength against time: 4 players, common",
            x_label="milliseconds a decision, on average",
            unit="games won, %",
            x=[figure["mean_ms"] for figure in there],
            series={name: [100 * figure["share"] for figure in there]},
            intervals={
                name: [(100 * figure["ci95"][0], 100 * figure["ci95"][1]) for figure in there]
            },
            logarithmic=True,
            levels={"its share": 25.0},
            x_ticks=[tick for tick in TIMES_MS if fastest <= 1.5 * tick <= 2 * slowest],
        )
    ]
    if NAME in figures:
        panels.append(_settling_lines(figures[NAME]))
    return Chart(panels)


def _settling_lines(figure: Figure) -> Lines:
    """What is lost by not thinking longer."""
    points, name = figure["points"], "champion"
    return Lines(
        title=f"What {figure['judging_rollouts']:,} rollouts would have done better",
        x_label="milliseconds a decision, on average",
        unit="chance to win the match lost a decision, %",
        x=[one["mean_ms"] for one in points],
        series={name: [100 * one["lost"] for one in points]},
        intervals={name: [(100 * one["ci95"][0], 100 * one["ci95"][1]) for one in points]},
        logarithmic=True,
        levels={"nothing": 0.0},
        x_ticks=TIMES_MS[1:-1],
    )
