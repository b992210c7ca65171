"""Run experiments, and write their results: data, figures, and docs/results.md."""

from __future__ import annotations

import functools
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
from perudo.lab.experiments.experiment import DIFFERS, UNDECIDED, Conditions, Experiment, Findings
from perudo.lab.experiments.page import ResultData, updated
from perudo.lab.play import cores


def perform(
    experiment: Experiment, conditions: Conditions, command: str
) -> tuple[ResultData, Findings]:
    """Run one experiment; return its result, with how it was run, and its findings."""
    source, began, started = commit(), datetime.now(UTC), time.perf_counter()
    findings = experiment.run(conditions)
    doubtful = any(row.verdict in (DIFFERS, UNDECIDED) for row in findings.rows)
    kept: ResultData = {
        "id": experiment.id,
        "title": experiment.title,
        "paper": experiment.paper,
        "reports": experiment.reports,
        "setup": experiment.setup,
        "verdict": findings.verdict,
        "rows": [row.data() for row in findings.rows],
        "added": [row.data() for row in findings.added],
        "notes": findings.notes,
        "reason": experiment.reason if doubtful else "",
        "figure": False,
        "command": command,
        "quick": conditions.quick,
        "seed": conditions.seed,
        "reproducible": findings.reproducible,
        "commit": source,
        "began": began.strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(time.perf_counter() - started, 1),
        "cores": conditions.workers or cores(),
        "python": platform.python_version(),
    }
    return kept, findings


@functools.cache
def commit() -> str:
    """Return the commit of the source, if it is in a repository, and a note of uncommitted changes.

    The result of the first call is kept: that is the source in use, whatever is committed later.
    """
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


class ResultWriter:
    """A writer of results, one experiment at a time.

    It writes results.md, figures/ID.png and .svg, and data/ID.json in ``place``. The page keeps the
    sections of experiments that are not run again.
    """

    def __init__(self, place: Path, order: Sequence[Experiment]) -> None:
        plots.require()  # now, not after an hour
        self._order = order
        self._data, self._figures = place / "data", place / "figures"
        self.page = place / "results.md"
        try:
            for directory in (self._data, self._figures):
                directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PerudoError(f"cannot write to {place}: {error.strerror}") from None

    def write(self, kept: ResultData, findings: Findings) -> None:
        """Write an experiment's data and figure, and its section of the page."""
        if findings.chart is not None:
            plots.save(findings.chart, self._figures / kept["id"])
            kept["figure"] = True
        path = self._data / f"{kept['id']}.json"
        path.write_text(json.dumps(plain(kept), ensure_ascii=False, indent=1) + "\n", "utf-8")
        before = self.page.read_text("utf-8") if self.page.is_file() else ""
        self.page.write_text(updated(before, plain(kept), self._order), "utf-8")


def plain(value: Any) -> Any:
    """Replace infinite numbers and NaN, which JSON does not have, by None."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def run_all(
    experiments: Sequence[Experiment],
    conditions: Conditions,
    command: str,
    writer: ResultWriter | None,
    report: Callable[[ResultData], None],
) -> list[ResultData]:
    """Run experiments; report and write each result as soon as it is ready."""
    done = []
    for experiment in experiments:
        kept, findings = perform(experiment, conditions, command)
        if writer is not None:
            writer.write(kept, findings)
        report(kept)
        done.append(kept)
    return done
