"""``perudo solve`` in the terminal: exploitability falling, then the result."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from perudo.games.errors import PerudoError
from perudo.games.game import Game
from perudo.games.state import State
from perudo.lab.solve.lower_bound import Effort
from perudo.lab.solve.sampling import Learning, finish, learn, make_learner
from perudo.lab.solve.solving import Progress, make_solver, save, solve, start_of, summary
from perudo.search.cfr.public_tree_cfr import VARIANTS

PRECISIONS: dict[int, type[np.floating[Any]]] = {32: np.float32, 64: np.float64}


def run_solve(
    game: Game,
    setting: Any,
    dice: list[int] | None,
    target: float,
    variant: str,
    precision: int,
    seconds: float | None,
    path: Path | None,
    as_json: bool,
) -> int:
    """Solve a round and print what came of it; returns the exit code."""
    if variant not in VARIANTS or precision not in PRECISIONS:
        raise PerudoError(
            f"--variant is one of {', '.join(VARIANTS)} and --precision 32 or 64, "
            f"not {variant} and {precision}"
        )
    solver = make_solver(start_of(game, setting, dice), variant, PRECISIONS[precision])
    console = Console(stderr=True)
    live = console.is_terminal

    def tell(progress: Progress) -> None:
        if live:
            print(
                f"\r{progress.iterations:,} iterations, exploitability "
                f"{progress.exploitability:.6f}, value {progress.value:+.5f}, "
                f"{progress.seconds:.1f} s ",
                end="",
                file=sys.stderr,
                flush=True,
            )

    progress = solve(solver, target, seconds, tell)
    if live:
        print(file=sys.stderr)
    found = summary(solver, progress, target)
    if path is not None:
        save(solver, found, path)
    if as_json:
        print(json.dumps(found))
    else:
        show(found)
    return 0 if found["reached"] else 1


def run_learn(
    start: State,
    memory: int | None,
    sampled: bool,
    iterations: int,
    seconds: float | None,
    bound_rounds: int,
    path: Path | None,
    as_json: bool,
) -> int:
    """Learn a round that is too large to be solved, and print what came of it."""
    solver = make_learner(start, memory, sampled, seed=1)
    live = Console(stderr=True).is_terminal

    def tell(learning: Learning) -> None:
        if live:
            print(
                f"\r{learning.iterations:,} iterations, value {learning.value:+.4f}, "
                f"{learning.seconds:.1f} s ",
                end="",
                file=sys.stderr,
                flush=True,
            )

    learning = learn(solver, iterations, seconds, tell)
    if live:
        print("\nplaying against it, for a lower bound of its exploitability", file=sys.stderr)
    bound = Effort(rounds=bound_rounds) if bound_rounds else None
    found, page = finish(solver, start, learning, bound)
    if path is not None:
        page.save(path)
    if as_json:
        print(json.dumps(found))
    else:
        show(found)
    return 0


def show(found: dict[str, Any]) -> None:
    """Print the result."""
    for name, value in found.items():
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        if isinstance(value, float):
            shown = f"{value:.6g}"
        if value is not None:
            print(f"{name.replace('_', ' '):24} {shown}")
