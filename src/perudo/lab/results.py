"""Running experiments, keeping what came of them, and writing docs/results.md from that."""

from __future__ import annotations

import json
import math
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perudo.games.errors import PerudoError
from perudo.lab import plots
from perudo.lab.experiments import EXPERIMENTS
from perudo.lab.experiments.experiment import (
    DIFFERS,
    NEW,
    NOT_COMPARED,
    RULE,
    Conditions,
    Experiment,
    Findings,
)
from perudo.lab.match import cores

Kept = dict[str, Any]
"""What is kept of an experiment: plain data, a file each."""


def perform(experiment: Experiment, conditions: Conditions, command: str) -> tuple[Kept, Findings]:
    """Run one experiment and note how."""
    began, started = datetime.now(UTC), time.perf_counter()
    findings = experiment.run(conditions)
    kept = {
        "id": experiment.id,
        "title": experiment.title,
        "paper": experiment.paper,
        "reports": experiment.reports,
        "setup": experiment.setup,
        "verdict": findings.verdict,
        "rows": [row.data() for row in findings.rows],
        "added": [row.data() for row in findings.added],
        "notes": findings.notes,
        "reason": experiment.reason if any(row.verdict == DIFFERS for row in findings.rows) else "",
        "figure": False,
        "command": command,
        "quick": conditions.quick,
        "seed": conditions.seed,
        "reproducible": findings.reproducible,
        "commit": commit(),
        "began": began.strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(time.perf_counter() - started, 1),
        "cores": conditions.workers or cores(),
    }
    return kept, findings


def commit() -> str:
    """The commit of the source, if it is in a repository; and whether it was changed since."""
    here = Path(__file__).parent

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", *words], cwd=here, capture_output=True, text=True, timeout=20, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    name = git("rev-parse", "--short=10", "HEAD")
    if name is None:
        return "unknown"
    return name + (" with changes" if git("status", "--porcelain", "--", ".") else "")


class Keeper:
    """Writes each result as it comes, and the page in the end.

    In ``place``: results.md, figures/ID.png (and .svg, if asked), data/ID.json.
    """

    def __init__(self, place: Path, svg: bool) -> None:
        plots.require()  # now, not after an hour
        self.place, self._svg = place, svg
        self._data, self._figures = place / "data", place / "figures"
        try:
            for directory in (self._data, self._figures):
                directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PerudoError(f"cannot write to {place}: {error.strerror}") from None

    def keep(self, kept: Kept, findings: Findings) -> None:
        """Write an experiment's data and figure."""
        if findings.chart is not None:
            plots.save(findings.chart, self._figures / kept["id"], self._svg)
            kept["figure"] = True
        path = self._data / f"{kept['id']}.json"
        path.write_text(json.dumps(plain(kept), ensure_ascii=False, indent=1) + "\n", "utf-8")

    def write_page(self) -> Path:
        """Write results.md from all that is kept, in the order of the papers."""
        pages = []
        for experiment in EXPERIMENTS:
            path = self._data / f"{experiment.id}.json"
            if path.is_file():
                pages.append(json.loads(path.read_text("utf-8")))
        page = self.place / "results.md"
        page.write_text(page_text(pages), "utf-8")
        return page


def plain(value: Any) -> Any:
    """Without numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


# --- words for one row --------------------------------------------------------------------------
def number_text(value: float | None, digits: int) -> str:
    """A number as it is shown."""
    return "-" if value is None else f"{value:,.{digits}f}"


def reported_text(row: Kept, with_range: bool = False) -> str:
    """What the paper says, and where its sample size and its words put that."""
    if row["reported"] is None:
        return str(row["says"]) or "-"
    shown = number_text(row["reported"], row["digits"])
    if with_range and row["reported_range"] is not None:
        ends = " to ".join(number_text(end, row["digits"]) for end in row["reported_range"])
        return f"{shown} ({ends})"
    return shown


def measured_text(row: Kept) -> str:
    """What was measured, with its unit."""
    return f"{number_text(row['measured'], row['digits'])} {row['unit']}".strip()


def interval_text(row: Kept) -> str:
    """The 95 % interval."""
    if row["ci95"] is None:
        return "-"
    return " to ".join(number_text(end, row["digits"]) for end in row["ci95"])


def verdict_text(row: Kept) -> str:
    """The verdict, with by how much or why."""
    if row["verdict"] == NOT_COMPARED:
        return f"{NOT_COMPARED}: {row['why']}" if row["why"] else NOT_COMPARED
    if row["verdict"] == DIFFERS and row["reported"] is not None:
        return f"differs by {row['measured'] - row['reported']:+,.{row['digits']}f}"
    return str(row["verdict"])


# --- the page -----------------------------------------------------------------------------------
def page_text(pages: Sequence[Kept]) -> str:
    """The page in Markdown."""
    lines = [
        "# Results",
        "",
        "Every experiment of the papers that this project is built on, run again, and some that "
        "they wished for. This page is written by the commands named in it; do not edit it.",
        "",
        RULE + " Nothing was tuned to agree, except where a set-up says so.",
        "",
        *_provenance(pages),
        "",
        "| ID | experiment | verdict |",
        "|-|-|-|",
        *(
            f"| [{one['id']}](#{_anchor(one)}) | {one['title']} | {one['verdict']} |"
            for one in pages
        ),
    ]
    paper = None
    for one in pages:
        if one["paper"] != paper:
            paper = one["paper"]
            lines += ["", f"## {paper}"]
        lines += ["", *_section(one)]
    return "\n".join(lines) + "\n"


def _provenance(pages: Sequence[Kept]) -> list[str]:
    """Command, seed, commit and time of each run that the results come from."""
    runs: dict[tuple[Any, ...], list[Kept]] = {}
    for one in pages:
        runs.setdefault((one["command"], one["seed"], one["commit"], one["cores"]), []).append(one)
    lines = []
    for (command, seed, source, used), parts in runs.items():
        seconds = sum(part["seconds"] for part in parts)
        which = f" ({', '.join(part['id'] for part in parts)})" if len(runs) > 1 else ""
        lines.append(
            f"- `{command}`{which}: seed {seed}, commit {source}, begun {parts[0]['began']}, "
            f"{seconds / 60:.1f} minutes on {used} cores, Python {platform.python_version()}"
        )
    return lines


def _anchor(one: Kept) -> str:
    """What a heading's link is called."""
    heading = f"{one['id']} {one['title']}".lower()
    kept = "".join(sign for sign in heading if sign.isalnum() or sign in " -_")
    return kept.replace(" ", "-")


def _section(one: Kept) -> list[str]:
    lines = [
        f"### {one['id']} {one['title']}",
        "",
        f"Reported: {one['reports']}",
        "",
        f"Here: {one['setup']}.",
        "",
        *_table(one["rows"], compared=any(row["verdict"] != NEW for row in one["rows"])),
    ]
    if one["verdict"] != NEW:
        lines += ["", f"**Verdict: {one['verdict']}.**"]
    if one["reason"]:
        lines[-1] += f" Likely reason: {one['reason']}"
    if one["notes"]:
        lines += ["", *(f"- {note}" for note in one["notes"])]
    if one["added"]:
        lines += ["", "Added:", "", *_table(one["added"], compared=False)]
    if one["figure"]:
        lines += ["", f"![{one['title']}](figures/{one['id']}.png)"]
    return lines


def _table(rows: Sequence[Kept], compared: bool) -> list[str]:
    if not compared:
        return [
            "| | measured | 95 % |",
            "|-|-:|-:|",
            *(
                f"| {row['label']} | {row['why'] or measured_text(row)} | {interval_text(row)} |"
                for row in rows
            ),
        ]
    return [
        "| | reported | measured | 95 % | verdict |",
        "|-|-:|-:|-:|-|",
        *(
            f"| {row['label']} | {reported_text(row, True)} | {measured_text(row)} | "
            f"{interval_text(row)} | {verdict_text(row)} |"
            for row in rows
        ),
    ]


def run_all(
    experiments: Sequence[Experiment],
    conditions: Conditions,
    command: str,
    keeper: Keeper | None,
    tell: Callable[[Kept], None],
) -> list[Kept]:
    """Run some experiments; each is told of, and kept, as soon as it is done."""
    done = []
    for experiment in experiments:
        kept, findings = perform(experiment, conditions, command)
        if keeper is not None:
            keeper.keep(kept, findings)
        tell(kept)
        done.append(kept)
    return done
