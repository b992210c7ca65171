"""``perudo solve``, ``perudo exploitability`` and ``perudo perft``: one round's tree."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from annotated_types import Ge
from rich.console import Console

from perudo.cli.contestants import contestant
from perudo.cli.options_of import options_of
from perudo.cli.shared import Count, GameSettings, JsonSettings
from perudo.games.errors import PerudoError
from perudo.games.game import State
from perudo.lab.solve import sampling, solving
from perudo.lab.solve.counting import count_tree, dice_by_seat
from perudo.lab.solve.exploitability import Exploitability, measure
from perudo.lab.solve.lower_bound import Effort
from perudo.lab.solve.sampling import Learning, finish, learn, make_learner
from perudo.lab.solve.solving import Progress, make_solver, save, start_of, summary
from perudo.lab.solve.solving import solve as solve_round
from perudo.search.cfr.public_tree_cfr import VARIANTS

PRECISIONS: dict[int, type[np.floating[Any]]] = {32: np.float32, 64: np.float64}


SAMPLED = "mccfr"
"""Variant that learns from sampled deals, for any number of players."""


@dataclass(frozen=True, kw_only=True)
class RoundSettings(JsonSettings, GameSettings):
    """The round to solve, or to evaluate an agent in."""

    dice: str = "1,1"
    """Dice of each player: 2,1."""

    def start(self) -> State:
        """Return the state before the deal."""
        game, rules = self.chosen()
        counts = dice_by_seat(self.dice, 2) if game.name == "perudo" else None
        return start_of(game, rules, counts)


@dataclass(frozen=True, kw_only=True)
class SolveSettings(RoundSettings):
    """Settings of a solution."""

    target: Annotated[float, Ge(1e-12)] = 1e-3
    """Stop at this exploitability."""
    variant: str = "dcfr"
    """Algorithm: cfr, cfr+ or dcfr; mccfr for any number of players."""
    memory: Annotated[int | None, Ge(1)] = None
    """Remember only the last K moves, for large rounds."""
    iterations: Count = 100_000
    """Deals to learn from, with --memory or mccfr."""
    bound_rounds: Annotated[int, Ge(0)] = 500
    """Rounds that estimate a lower bound of exploitability, with --memory or mccfr; 0: none."""
    precision: int = 64
    """Precision of numbers in bits: 32 or 64."""
    seconds: Annotated[float | None, Ge(0.1)] = None
    """Time limit in seconds."""
    save: Path | None = None
    """Save the strategy to this file."""


@options_of(SolveSettings)
def solve(settings: SolveSettings) -> int:
    """Solve one round, or learn to play it.

    A round between two players is solved to a given exploitability; the first player opens. Larger
    rounds are learnt approximately, with --memory K or, for more players, --variant mccfr.
    """
    if settings.memory is not None or settings.variant == SAMPLED:
        return run_learn(settings)
    return run_solve(settings)


def run_solve(settings: SolveSettings) -> int:
    """Solve a round and print the result; return the exit code."""
    variant, precision, path = settings.variant, settings.precision, settings.save
    if variant not in VARIANTS or precision not in PRECISIONS:
        raise PerudoError(
            f"--variant is one of {', '.join(VARIANTS)} and --precision 32 or 64, "
            f"not {variant} and {precision}"
        )
    solver = make_solver(settings.start(), variant, PRECISIONS[precision])
    console = Console(stderr=True)
    live = console.is_terminal

    def show_progress(progress: Progress) -> None:
        if live:
            print(
                f"\r{progress.iterations:,} iterations, exploitability "
                f"{progress.exploitability:.6f}, value {progress.value:+.5f}, "
                f"{progress.seconds:.1f} s ",
                end="",
                file=sys.stderr,
                flush=True,
            )

    progress = solve_round(solver, settings.target, settings.seconds, show_progress)
    if live:
        print(file=sys.stderr)
    found = summary(solver, progress, settings.target)
    if path is not None:
        save(solver, found, path)
    if settings.json:
        print(json.dumps(found))
    else:
        show(found)
    return 0 if found["reached"] else 1


def run_learn(settings: SolveSettings) -> int:
    """Learn a round that is too large to solve, and print the result; return the exit code."""
    start = settings.start()
    sampled = settings.variant == SAMPLED
    solver = make_learner(start, settings.memory, sampled, seed=1)
    live = Console(stderr=True).is_terminal

    def show_progress(learning: Learning) -> None:
        if live:
            print(
                f"\r{learning.iterations:,} iterations, value {learning.value:+.4f}, "
                f"{learning.seconds:.1f} s ",
                end="",
                file=sys.stderr,
                flush=True,
            )

    learning = learn(solver, settings.iterations, settings.seconds, show_progress)
    if live:
        print("\nplaying against it, for a lower bound of its exploitability", file=sys.stderr)
    bound = Effort(rounds=settings.bound_rounds) if settings.bound_rounds else None
    found, page = finish(solver, start, learning, bound)
    if settings.save is not None:
        page.save(settings.save)
    if settings.json:
        print(json.dumps(found))
    else:
        show(found)
    return 0


def show(found: solving.Summary | sampling.Summary | Exploitability) -> None:
    """Print a result, one figure per line."""
    for name, value in found.items():
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
        if isinstance(value, float):
            shown = f"{value:.6g}"
        if value is not None:
            print(f"{name.replace('_', ' '):24} {shown}")


@dataclass(frozen=True, kw_only=True)
class ExploitabilitySettings(RoundSettings):
    """Settings of a measurement of exploitability."""

    agent: Annotated[str, typer.Argument()]
    """Agent to measure, named as in perudo match."""
    method: str = "auto"
    """exact, local or trained; auto uses exact if possible."""
    rounds: Annotated[int, Ge(2)] = 2_000
    """Rounds in each seat that estimate a lower bound."""
    seed: int = 1
    """Random seed of a lower bound."""


@options_of(ExploitabilitySettings)
def exploitability(settings: ExploitabilitySettings) -> None:
    """Measure how much a best response wins from an agent.

    The figure is for one round, averaged over the seats. It is exact in small rounds between two
    players if the agent states its policy; otherwise it is a lower bound, from a response found by
    search or by training.
    """
    with closing(contestant(settings.agent)) as agent:
        effort = Effort(rounds=settings.rounds, seed=settings.seed)
        found = measure(agent, settings.start(), settings.method, effort)
    if settings.json:
        print(json.dumps(found))
    else:
        show(found)


@dataclass(frozen=True, kw_only=True)
class PerftSettings(JsonSettings, GameSettings):
    """Settings of a count."""

    players: int | None = None
    """Number of players."""
    dice: str | None = None
    """Dice per player, or by seat: 2 or 2,1."""


@options_of(PerftSettings)
def perft(settings: PerftSettings) -> None:
    """Count the game tree of one round, to check the rules."""
    counted = count_tree(*settings.chosen(), settings.players, settings.dice)
    if settings.json:
        print(json.dumps(counted))
    else:
        for key, value in counted.items():
            shown = f"{value:,}" if isinstance(value, int) else value
            print(f"{key.replace('_', ' '):18} {shown}")
