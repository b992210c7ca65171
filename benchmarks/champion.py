"""Measure the champion against its goals, and write the figures into docs/agents.md.

    python benchmarks/champion.py [PART ...] [--workers N] [--write]

The parts are speed, rounds, bound, two, four, six, copies and time; all of them by default. Each
figure is kept in benchmarks/champion.json as soon as it is measured, with the command that comes
nearest, seed, games, interval, seconds and commit. A figure that is kept is measured again only
with ``--again``. ``--write`` writes tables of all figures and their goals, and the plot of strength
against time, into docs. ``--quick`` plays hardly anything, to check that all parts run, and keeps
nothing.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

from perudo.agents.papers.cfr import allow_solving
from perudo.cli.contestants import show_solving
from perudo.games.errors import PerudoError
from perudo.lab import plots
from perudo.lab.champion import experiments
from perudo.lab.champion.figures import FigureFile
from perudo.lab.experiments.experiment import Conditions
from perudo.lab.experiments.page import ResultData, interval_text, measured_text
from perudo.lab.experiments.results import run_all
from perudo.lab.play import cores

PROJECT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_suffix(".json")


def show(result: ResultData) -> None:
    """Print the figures of a part and their verdicts."""
    for row in result["rows"]:
        value = f"{measured_text(row)} ({interval_text(row)})"
        print(f"{row['label']}: {value}: {row['verdict']}")
    print(f"{result['title']}: {result['verdict']}", flush=True)


def main() -> int:
    """Measure what is missing, and write the page if asked; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(experiments.PARTS))
    parser.add_argument(
        "--quick", action="store_true", help="take seconds for each part; keep nothing"
    )
    parser.add_argument(
        "--scale", type=float, default=1.0, help="play this many times as many games"
    )
    parser.add_argument("--workers", type=int, default=cores(), help="cores to use")
    parser.add_argument("--again", action="store_true", help="measure again what is kept")
    parser.add_argument("--write", action="store_true", help="write the tables in docs/agents.md")
    parser.add_argument(
        "--only-write", action="store_true", help="write the tables without measuring"
    )
    chosen = parser.parse_args()
    writing = chosen.write or chosen.only_write
    if chosen.quick and writing:
        parser.error("--quick measures too little to be written")
    allow_solving(show_solving)
    try:
        figures = FigureFile(
            None if chosen.quick else RESULTS,
            chosen.again,
            lambda name, seconds: print(f"{name}: {seconds:.1f} s", flush=True),
        )
        if writing:
            experiments.require(PROJECT)  # now, not after an hour
            plots.require()
        if not chosen.only_write:
            conditions = Conditions(quick=chosen.quick, share=chosen.scale, workers=chosen.workers)
            started = time.monotonic()
            parts = experiments.select(chosen.parts, figures)
            run_all(parts, conditions, shlex.join(sys.argv), None, show)
            print(f"{figures.measured} figures in {time.monotonic() - started:.0f} s")
        if writing:
            for path in experiments.write(PROJECT, figures):
                print(f"wrote {path.relative_to(PROJECT)}")
    except KeyboardInterrupt:
        print("interrupted; the figures measured so far are kept", file=sys.stderr)
        return 130
    except PerudoError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
