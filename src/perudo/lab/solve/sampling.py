"""``perudo solve`` for rounds too large to solve exactly, by learning from random deals.

``--memory K`` learns by FSICFR for two players who remember the last K moves; ``--variant mccfr``
learns by external sampling for any number of players. The exploitability of the result can only be
bounded from below, by playing against it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Required

from perudo.agents.agent import CompiledAgent
from perudo.agents.heads_up import match_state_number
from perudo.agents.papers.cfr import play_by_the_book
from perudo.games.game import State
from perudo.games.policy import Parameters
from perudo.lab.solve.lower_bound import Effort, lower_bound
from perudo.lab.solve.solving import Round, rules_and_dice
from perudo.search.cfr.external_sampling import SamplingSolver, learnt_parameters, play_learnt
from perudo.search.cfr.fsicfr import MemorySolver
from perudo.search.files.book import Book
from perudo.search.files.page import ALL_MOVES, Page, about_round
from perudo.search.files.sealed import About
from perudo.search.trees import memory_graph

STEPS = 40
"""The number of progress reports."""


@dataclass(frozen=True)
class Learning:
    """The progress of a learner."""

    iterations: int
    value: float
    """The mean value of the last deals to the first player, or to the learning player."""
    seconds: float


@dataclass(frozen=True, eq=False)
class Learnt(CompiledAgent):
    """An agent that plays the policy learnt by external sampling in one round."""

    name = "learnt"
    policy = play_learnt
    any_game = True

    book: Book
    """The learnt strategies; the parameters point into their memory."""
    numbers: Parameters

    @property
    def spec(self) -> str:
        """The name, without parameters."""
        return self.name

    @property
    def parameters(self) -> Parameters:
        """The memory of the players, and the address of the book."""
        return self.numbers


@dataclass(frozen=True, eq=False)
class LearntByHand(Learnt):
    """An agent that plays the policy learnt by FSICFR, which is by memory key and hand."""

    policy = play_by_the_book


def learn(
    solver: MemorySolver | SamplingSolver,
    iterations: int,
    limit: float | None = None,
    report: Callable[[Learning], None] = lambda learning: None,
) -> Learning:
    """Iterate this many times, or until ``limit`` seconds have passed."""
    started = time.perf_counter()
    step = max(1, iterations // STEPS)
    while True:
        value = solver.iterate(min(step, iterations - solver.iterations))
        seconds = time.perf_counter() - started
        learning = Learning(solver.iterations, value, seconds)
        report(learning)
        if solver.iterations >= iterations or (limit is not None and seconds > limit):
            return learning


def make_learner(
    start: State, memory: int | None, sampled: bool, seed: int
) -> MemorySolver | SamplingSolver:
    """Return an external-sampling solver, or FSICFR with this many moves of memory."""
    if sampled:
        return SamplingSolver(start, ALL_MOVES if memory is None else memory, seed)
    return MemorySolver(memory_graph.build(start, memory or 0), seed)


class Summary(Round, total=False):
    """The result of learning a round."""

    variant: Required[str]
    memory: Required[int | None]
    """Moves that the players remember; None for all."""
    iterations: Required[int]
    seconds: Required[float]
    memory_mb: Required[float]
    value: float
    information_sets: int
    exploitability_at_least: float
    ci95: list[float]
    bound_rounds: int


def finish(
    solver: MemorySolver | SamplingSolver,
    start: State,
    learning: Learning,
    bound: Effort | None,
) -> tuple[Summary, Page]:
    """Return the result, with a lower bound if wanted, and the strategies."""
    rules, dice = rules_and_dice(start)
    found: Summary = {
        "game": start.game.name,
        "rules": rules,
        "dice": dice,
        "variant": solver.variant,
        "memory": _memory(solver),
        "iterations": solver.iterations,
        "seconds": round(learning.seconds, 3),
        "memory_mb": round(solver.bytes / 1e6, 1),
    }
    about: About = {**about_round(start), "variant": solver.variant}
    about["iterations"] = solver.iterations
    agent: Learnt
    if isinstance(solver, MemorySolver):
        found["value"] = about["value"] = solver.value()
        found["information_sets"] = solver.graph.information_sets
        about["memory"] = solver.graph.memory
        page = solver.page(about)
        book = Book.of([(int(match_state_number(start.record)), page)])
        agent = LearntByHand(book, book.parameters)
    else:
        found["information_sets"] = solver.information_sets
        about["memory"] = solver.memory
        page = solver.page(about)
        agent = Learnt(*learnt_parameters(page))
    if bound is not None:
        shown = lower_bound(agent, start, "local", bound)
        found["exploitability_at_least"] = shown["lower_bound"]
        found["ci95"] = shown["ci95"]
        found["bound_rounds"] = shown["rounds"]
    return found, page


def _memory(solver: MemorySolver | SamplingSolver) -> int | None:
    """Return the number of moves that the players remember; None for all."""
    memory = solver.graph.memory if isinstance(solver, MemorySolver) else solver.memory
    return memory if memory < ALL_MOVES else None
