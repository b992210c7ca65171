"""Everything that the champion has to show, measured and written into docs/agents.md.

    python benchmarks/champion.py [PART ...] [--workers N] [--write]

Parts: speed, rounds, bound, two, four, six, copies, time; without any, all of them. Each figure is
kept in benchmarks/champion.json as soon as it is there, with the command that comes nearest, seed,
games, interval, seconds and commit. What is there is not measured again without ``--again``.
``--write`` puts tables of all that is kept, each figure beside its goal, and the plot of strength
against time into docs. ``--quick`` plays hardly anything, to see that all runs, and keeps nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from perudo.agents.papers.cfr import allow_solving
from perudo.games.errors import PerudoError
from perudo.lab import plots
from perudo.lab.play import cores
from perudo.lab.proof import page
from perudo.lab.proof.figures import QUICK, Figure, Kept, Sizes, run
from perudo.lab.proof.plan import PARTS, tasks_of
from perudo.terminal.entrants import tell_solved

PROJECT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_suffix(".json")


def tell(name: str, figure: Figure) -> None:
    """A line for each figure."""
    print(f"{name}: {page.in_short(figure)}, {figure['seconds']:.1f} s", flush=True)


def main() -> int:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="seconds for each part; keep nothing")
    parser.add_argument("--scale", type=float, default=1.0, help="times as many games as usual")
    parser.add_argument("--workers", type=int, default=cores(), help="cores to use")
    parser.add_argument("--again", action="store_true", help="also what was measured before")
    parser.add_argument("--write", action="store_true", help="the tables in docs/agents.md")
    parser.add_argument("--only-write", action="store_true", help="measure nothing before")
    chosen = parser.parse_args()
    writing = chosen.write or chosen.only_write
    if chosen.quick and writing:
        parser.error("what was measured quickly is not written")
    allow_solving(tell_solved)
    kept = Kept(None if chosen.quick else RESULTS)
    started = time.monotonic()
    try:
        if writing:
            page.require(PROJECT)  # now, not after an hour
            plots.require()
        if not chosen.only_write:
            sizes = QUICK if chosen.quick else Sizes().times(chosen.scale)
            tasks = tasks_of(chosen.parts)
            measured = run(tasks, kept, sizes, chosen.workers, chosen.again, tell)
            print(
                f"{measured} figures in {time.monotonic() - started:.0f} s; "
                f"{len(tasks) - measured} were there"
            )
        if writing:
            for path in page.write(PROJECT, kept.figures):
                print(f"wrote {path.relative_to(PROJECT)}")
    except KeyboardInterrupt:
        print("interrupted: what was measured is kept", file=sys.stderr)
        return 130
    except PerudoError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
