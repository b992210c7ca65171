"""The champion's experiments, and the tables that compare their figures with the goals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from perudo.games.errors import UnknownNameError
from perudo.lab import plots
from perudo.lab.champion import bounds, many, rounds, speed, thinking_time, two
from perudo.lab.champion.figures import FigureFile, Provenance, Task
from perudo.lab.champion.goals import RULE, Goal, table
from perudo.lab.experiments.experiment import Conditions, Experiment, Findings
from perudo.lab.ladder.page import PAGE, split_page

BEGIN, END = "<!-- champion -->", "<!-- end of champion -->"
FIGURE = Path("docs", "figures", thinking_time.PLOT)
COMMAND = "python benchmarks/champion.py --write"
Goals = Callable[[FigureFile], list[Goal]]

PARTS: dict[str, tuple[str, Callable[[FigureFile], list[Task]], Goals]] = {
    "speed": ("time of decisions", lambda _: speed.tasks(), speed.goals),
    "rounds": ("rounds against a threshold caller", lambda _: rounds.tasks(), rounds.goals),
    "bound": ("exploitability with two players", lambda _: bounds.tasks(), bounds.goals),
    "two": ("matches of two", lambda _: two.tasks(), two.goals),
    "four": ("games of four", lambda _: many.four_tasks(), many.four_goals),
    "six": ("games of six", lambda _: many.six_tasks(), many.six_goals),
    "copies": ("three copies and a fourth", lambda _: many.copies_tasks(), many.copies_goals),
    "time": ("strength against time", thinking_time.tasks, thinking_time.goals),
}
"""The title, figures and goals of each part, in the order they run: the fastest first."""
SHOWN = ("bound", "rounds", "two", "four", "six", "copies", "time", "speed")
"""The order of the goals on the page."""


def select(parts: Sequence[str], figures: FigureFile) -> list[Experiment]:
    """Return the experiments of some parts, or all of them if none is named."""
    for part in parts:
        if part not in PARTS:
            raise UnknownNameError(f"there is no part {part!r}; there are: {', '.join(PARTS)}")
    return [_experiment(part, figures) for part in PARTS if part in parts or not parts]


def _experiment(part: str, figures: FigureFile) -> Experiment:
    title, tasks, goals = PARTS[part]

    def run(conditions: Conditions) -> Findings:
        figures.measure_missing(tasks(figures), conditions)
        return Findings([row for goal in goals(figures) for row in goal.findings])

    return Experiment(part, title, "Champion", "its goals", "as docs/agents.md says", run)


def goals_of(figures: FigureFile) -> list[Goal]:
    """Return all goals, in the order of the page."""
    return [goal for part in SHOWN for goal in PARTS[part][2](figures)]


# --- the page -----------------------------------------------------------------------------------
def require(project: Path) -> None:
    """Raise an error unless the page has a place for the tables."""
    split_page((project / PAGE).read_text("utf-8"), BEGIN, END)


def write(project: Path, figures: FigureFile) -> list[Path]:
    """Write the tables, and the plot if its points were measured; return the files."""
    page = project / PAGE
    before, after = split_page(page.read_text("utf-8"), BEGIN, END)
    page.write_text(before + markdown(figures) + after, "utf-8")
    chart = thinking_time.strength_chart(figures)
    if chart is None:
        return [page]
    (project / FIGURE).parent.mkdir(parents=True, exist_ok=True)
    return [page, *plots.save(chart, project / FIGURE)]


def markdown(figures: FigureFile) -> str:
    """Return the goals and the tables of each part, in Markdown."""
    parts = [
        _about(figures),
        table(("goal", "measured", "of", "reached"), [goal.cells() for goal in goals_of(figures)]),
        two.tables(figures),
        rounds.tables(figures),
        bounds.tables(figures),
        many.tables(figures),
        many.copies_table(figures),
        thinking_time.tables(figures),
        speed.tables(figures),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _about(figures: FigureFile) -> str:
    found = [one for name in figures.names() if (one := figures.find(Provenance, name))]
    commits = sorted({one.commit for one in found})
    seconds = sum(one.seconds for one in found)
    return (
        f"Written by `{COMMAND}`, which stores every figure with its command, seed, games, "
        "seconds and commit in `benchmarks/champion.json`. Every line-up is played in all "
        "rotations of its seats with the same dice, and memories are cleared before every game "
        "(`--series 1`). "
        f"Intervals are 95 %. {RULE} {len(found)} figures, {seconds / 60:.0f} minutes, commit "
        f"{', '.join(commits) or 'unknown'}."
    )
