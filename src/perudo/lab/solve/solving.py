"""``perudo solve``: solve a small round to a given exploitability."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from perudo.games.errors import PerudoError
from perudo.games.game import Game, State
from perudo.games.perudo.game import PerudoGame
from perudo.search.cfr.history_cfr import HistorySolver
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.files.page import ALL_MOVES, about_round
from perudo.search.files.sealed import About
from perudo.search.trees.history_tree import HistoryTree
from perudo.search.trees.public_tree import TooLargeError, build
from perudo.search.trees.tree_size import TreeSize, tree_size

MEMORY_SHARE = 0.6
"""The share of available memory that the solver's arrays may take."""
FIRST_CHECK, CHECK_EVERY = 10, 1.2
"""Exploitability is checked after ten iterations, then at intervals that grow by a fifth."""


@dataclass(frozen=True)
class Progress:
    """The progress of a solver."""

    iterations: int
    exploitability: float
    value: float
    seconds: float


class Round(TypedDict):
    """The round of a result."""

    game: str
    rules: str
    dice: list[int] | None
    """The dice of each seat; None in games without dice."""


class Summary(Round):
    """A solved round."""

    variant: str
    target: float
    reached: bool
    value: float
    exploitability: float
    iterations: int
    seconds: float
    information_sets: int
    memory_mb: float


def start_of(game: Game, setting: Any, dice: list[int] | None, players: int | None = None) -> State:
    """Return the start of a round, with the first seat opening."""
    seats = players or (len(dice) if dice else 2)
    if isinstance(game, PerudoGame):
        return game.start(setting, seats, dice, opener=0)
    if dice is not None:
        raise PerudoError(f"{game.name} has no dice")
    return game.start(setting, seats)


def rules_and_dice(start: State) -> tuple[str, list[int] | None]:
    """Return the rules and the dice of the round that begins here."""
    rules = getattr(start, "rules", None)
    if rules is None:
        return start.game.presets[0], None
    return str(rules), [int(count) for count in start.record.counts[: start.players]]


def available_memory() -> int:
    """Return the bytes of memory available to programs."""
    with open("/proc/meminfo", encoding="ascii") as lines:
        sizes = {name: int(rest.split()[0]) for name, rest in (line.split(":") for line in lines)}
    return sizes["MemAvailable"] * 1024


def make_solver(
    start: State, variant: str, precision: type[np.floating[Any]]
) -> Solver | HistorySolver:
    """Return a solver for a round; raise TooLargeError if it would not fit into memory."""
    if start.game.properties.hidden_moves:
        return HistorySolver(HistoryTree(start), variant)
    size, room = tree_size(start), int(available_memory() * MEMORY_SHARE)
    if not size.complete or size.bytes(precision) > room:
        raise TooLargeError(too_large(size, precision, room))
    return Solver(build(start, largest=size.positions), variant, precision)


def too_large(size: TreeSize, precision: type[np.floating[Any]], room: int) -> str:
    """Return a message with the memory a round would need, and an alternative."""
    needed = size.bytes(precision)
    instead = "--memory K remembers only the last K bids and takes far less"
    if size.complete and size.bytes(np.float32) <= room:
        instead = f"--precision 32 would take {_amount(size.bytes(np.float32) / 2**30)} GiB"
    return (
        f"{'about' if size.complete else 'more than'} {_amount(size.positions)} public positions "
        f"and {_amount(size.information_sets)} information sets would take "
        f"{_amount(needed / 2**30)} GiB, but only {_amount(room / 2**30)} are available; {instead}"
    )


def _amount(number: float) -> str:
    """Format a number to about two digits: 9.2, 36, 1,150 or 2.1e+09."""
    if number < 10:
        return f"{number:.1f}"
    return f"{number:,.0f}" if number < 1e6 else f"{number:.1e}"


def solve(
    solver: Solver | HistorySolver,
    target: float,
    limit: float | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Iterate until the exploitability is at most the target, or ``limit`` seconds have passed."""
    started = time.perf_counter()
    checked = 0
    while True:
        solver.iterate(max(FIRST_CHECK, int(checked * CHECK_EVERY)) - checked)
        checked = solver.iterations
        found = solver.exploitability()
        seconds = time.perf_counter() - started
        progress = Progress(checked, found, solver.value(), seconds)
        report(progress)
        if found <= target or (limit is not None and seconds > limit):
            return progress


def summary(solver: Solver | HistorySolver, progress: Progress, target: float) -> Summary:
    """Return the result as plain data."""
    start = solver.tree.start
    rules, dice = rules_and_dice(start)
    return {
        "game": start.game.name,
        "rules": rules,
        "dice": dice,
        "variant": solver.variant,
        "target": target,
        "reached": progress.exploitability <= target,
        "value": progress.value,
        "exploitability": progress.exploitability,
        "iterations": progress.iterations,
        "seconds": round(progress.seconds, 3),
        "information_sets": solver.tree.information_sets,
        "memory_mb": round(solver.bytes / 1e6, 1),
    }


def save(solver: Solver | HistorySolver, found: Summary, path: Path) -> None:
    """Write the average strategy to a file: a page (``search/files/page.py``)."""
    start = solver.tree.start
    if not isinstance(solver, Solver) or not start.game.operations.hand_count(start.record, 0):
        raise PerudoError(f"strategies of {start.game.name} cannot be saved yet")
    about: About = {
        **about_round(start),
        "memory": ALL_MOVES,
        "variant": found["variant"],
        "value": found["value"],
        "exploitability": found["exploitability"],
        "iterations": found["iterations"],
    }
    solver.page(about).save(path)
