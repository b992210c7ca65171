"""Single rounds against a caller by chances, tuned against the champion at every pair of dice."""

from __future__ import annotations

import itertools
from functools import partial

from perudo.lab.proof.figures import Figure, Task, Work
from perudo.lab.proof.matches import CHAMPION, SEED, duplicate
from perudo.lab.proof.threshold import ThresholdCaller

CALLS = (0.1, 0.2, 0.3, 0.4, 0.5)
OPENINGS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1)
TUNING_SEED = 11
"""Another one than that of the figures, lest the best be the luckiest."""
MOST_DICE = 5
PAIRS = [(more, less) for more in range(1, MOST_DICE + 1) for less in range(1, more + 1)]
FULL = "rounds/5v5"
FILE = "src/perudo/lab/proof/threshold.py"
"""The caller as it is named on the command line."""


def rounds() -> list[Task]:
    """Five dice each at length, then every pair of dice; each side of a pair has both players."""
    tasks = [Task(FULL, partial(_against_tuned, (MOST_DICE, MOST_DICE), "rounds"))]
    return tasks + [
        Task(pair_name(*dice), partial(_against_tuned, dice, "pair_rounds")) for dice in PAIRS
    ]


def pair_name(more: int, less: int) -> str:
    """What the figure of a pair is called."""
    return f"rounds/pair/{more}v{less}"


def _against_tuned(dice: tuple[int, int], size: str, work: Work) -> Figure:
    """Find the caller who loses least, then play it with other dice."""
    tried = {}
    for call, opening in itertools.product(CALLS, OPENINGS):
        caller = ThresholdCaller(call, opening)
        tried[caller] = _play(caller, dice, work.sizes.tuning_rounds, work, TUNING_SEED)["share"]
    best = min(tried, key=lambda caller: tried[caller])
    figure = _play(best, dice, getattr(work.sizes, size), work, SEED)
    figure["command"] = figure["command"].replace(
        best.spec, f"{FILE}:{type(best).__name__}{best.spec.removeprefix(best.name)}"
    )
    return figure | {"call": best.call, "opening": best.opening, "callers_tried": len(tried)}


def _play(
    caller: ThresholdCaller, dice: tuple[int, int], games: int, work: Work, seed: int
) -> Figure:
    return duplicate([CHAMPION, caller], "common", games, work, "rounds", dice, seed)
