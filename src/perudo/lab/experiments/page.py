"""docs/results.md: a section for each experiment, with its results and the command of its run.

The page is its own store: rerunning an experiment replaces its section and keeps the others. So it
can be updated bit by bit, in any copy of the repository.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict

from perudo.lab.experiments.experiment import (
    DIFFERS,
    NEW,
    NOT_COMPARED,
    RULE,
    Experiment,
    RowData,
)


class ResultData(TypedDict):
    """The result of an experiment, as JSON."""

    id: str
    title: str
    paper: str
    reports: str
    setup: str
    verdict: str
    rows: list[RowData]
    added: list[RowData]
    notes: list[str]
    reason: str
    figure: bool
    """True if a chart was drawn."""
    command: str
    quick: bool
    seed: int
    reproducible: bool
    commit: str
    began: str
    seconds: float
    cores: int
    python: str


_SECTION = re.compile(r"^### (\S+) .*?(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_VERDICT = re.compile(r"^\*\*Verdict: (.*?)\.\*\*", re.MULTILINE)
QUICKLY = "Run with fewer games"


# --- words for one row --------------------------------------------------------------------------
def number_text(value: float | None, digits: int) -> str:
    """Format a number."""
    return "-" if value is None else f"{value:,.{digits}f}"


def reported_text(row: RowData, with_range: bool = False) -> str:
    """Return the paper's value or words; ``with_range`` adds the range of the value."""
    if row["reported"] is None:
        return row["says"] or "-"
    shown = number_text(row["reported"], row["digits"])
    if with_range and row["reported_range"] is not None:
        ends = " to ".join(number_text(end, row["digits"]) for end in row["reported_range"])
        return f"{shown} ({ends})"
    return shown


def measured_text(row: RowData) -> str:
    """Return the measured value with its unit."""
    unit = "" if row["measured"] is None else row["unit"]
    return f"{number_text(row['measured'], row['digits'])} {unit}".strip()


def interval_text(row: RowData) -> str:
    """Return the 95 % interval as text."""
    if row["ci95"] is None:
        return "-"
    return " to ".join(number_text(end, row["digits"]) for end in row["ci95"])


def verdict_text(row: RowData) -> str:
    """Return the verdict, with the difference or the reason."""
    if row["verdict"] == NOT_COMPARED:
        return f"{NOT_COMPARED}: {row['why']}" if row["why"] else NOT_COMPARED
    if row["verdict"] == DIFFERS and row["reported"] is not None and row["measured"] is not None:
        return f"differs by {row['measured'] - row['reported']:+,.{row['digits']}f}"
    return row["verdict"]


# --- the page -----------------------------------------------------------------------------------
def updated(page: str, kept: ResultData, order: Sequence[Experiment]) -> str:
    """Return the page with a new section for one experiment, and its sections in this order."""
    sections = {found[1]: found[0].strip() for found in _SECTION.finditer(page)}
    sections[kept["id"]] = section(kept)
    lines = [
        "# Results",
        "",
        "Every experiment of the papers that this project is built on, run again, and some that "
        "they wished for. `perudo reproduce` writes this page; do not edit it. Each section ends "
        "with the command, seed, commit and time of its run.",
        "",
        RULE + " Nothing was tuned to agree, except where a set-up says so.",
        "",
        "| ID | experiment | verdict |",
        "|-|-|-|",
    ]
    there = [one for one in order if one.id in sections]
    for one in there:
        text = sections[one.id]
        found = _VERDICT.search(text)
        verdict = (found[1] if found else NEW) + (" (fewer games)" if QUICKLY in text else "")
        heading = text.partition("\n")[0].removeprefix("### ")
        title = heading.removeprefix(f"{one.id} ")
        lines.append(f"| [{one.id}](#{_anchor(heading)}) | {title} | {verdict} |")
    paper = None
    for one in there:
        if one.paper != paper:
            paper = one.paper
            lines += ["", f"## {paper}"]
        lines += ["", sections[one.id]]
    return "\n".join(lines) + "\n"


def _anchor(heading: str) -> str:
    """Return the anchor of a heading."""
    kept = "".join(sign for sign in heading.lower() if sign.isalnum() or sign in " -_")
    return kept.replace(" ", "-")


def section(one: ResultData) -> str:
    """Return the section of an experiment, in Markdown."""
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
    return "\n".join([*lines, "", _provenance(one)])


def _provenance(one: ResultData) -> str:
    """Return the line with the command, seed, commit and time of a run."""
    return (
        f"{QUICKLY if one['quick'] else 'Run'}: `{one['command']}`, seed {one['seed']}, commit "
        f"{one['commit']}, begun {one['began']}, {one['seconds']:,.0f} s on {one['cores']} "
        f"{'core' if one['cores'] == 1 else 'cores'}, Python {one['python']}."
    )


def _table(rows: Sequence[RowData], compared: bool) -> list[str]:
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
