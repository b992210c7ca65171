"""``perudo solve`` for rounds too large to solve exactly: learnt from random deals.

With ``--memory K`` by FSICFR between two who remember the last K moves, with ``--variant mccfr`` by
external sampling between any number of players. How exploitable the result is can only be bounded
from below, by playing against it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from perudo.agents.agent import CompiledAgent
from perudo.agents.heads_up import standing_number
from perudo.agents.papers.cfr import play_by_the_book
from perudo.games.policy import Parameters
from perudo.games.state import State
from perudo.lab.solve.lower_bound import Effort, lower_bound
from perudo.search.cfr.external_sampling import SamplingSolver, learnt_parameters, play_learnt
from perudo.search.cfr.fsicfr import MemorySolver
from perudo.search.files.book import Book
from perudo.search.files.page import ALL_MOVES, Page, page_of_memory
from perudo.search.trees import memory_graph

STEPS = 40
"""How often the learner is looked at."""


@dataclass(frozen=True)
class Learning:
    """How far a learner has come."""

    iterations: int
    value: float
    """What the last deals were worth to the first player, or to whoever was learning."""
    seconds: float


@dataclass(frozen=True)
class Learnt(CompiledAgent):
    """Plays what was learnt of one round."""

    name = "learnt"

    def with_page(self, page: Page, start: State) -> Learnt:
        """Ready to play."""
        self.__dict__["_kept"], self.__dict__["_parameters"] = self._open(page, start)
        return self

    def _open(self, page: Page, start: State) -> tuple[Book, Parameters]:
        return learnt_parameters(page)

    policy = play_learnt
    any_game = True

    @property
    def parameters(self) -> Parameters:
        """Where the page lies."""
        found: Parameters = self.__dict__["_parameters"]
        return found


@dataclass(frozen=True)
class LearntByHand(Learnt):
    """The same where strategies are kept by memory key and hand."""

    policy = play_by_the_book

    def _open(self, page: Page, start: State) -> tuple[Book, Parameters]:
        book = Book.of([(int(standing_number(start.record)), page)])
        return book, book.parameters


def learn(
    solver: MemorySolver | SamplingSolver,
    iterations: int,
    limit: float | None = None,
    report: Callable[[Learning], None] = lambda learning: None,
) -> Learning:
    """Iterate so often, or for so many seconds."""
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
    """FSICFR for two who remember so many moves, or external sampling."""
    if sampled:
        return SamplingSolver(start, ALL_MOVES if memory is None else memory, seed)
    return MemorySolver(memory_graph.build(start, memory or 0), seed)


def finish(
    solver: MemorySolver | SamplingSolver,
    start: State,
    learning: Learning,
    bound: Effort | None,
) -> tuple[dict[str, Any], Page]:
    """What came of it, as plain data, with a lower bound if wanted; and the strategies."""
    rules = getattr(start, "rules", None)
    seats = start.players
    found: dict[str, Any] = {
        "game": start.game.name,
        "rules": str(rules) if rules is not None else start.game.presets[0],
        "dice": [int(n) for n in start.record.counts[:seats]] if rules is not None else None,
        "variant": solver.variant,
        "memory": _memory(solver),
        "iterations": solver.iterations,
        "seconds": round(learning.seconds, 3),
        "memory_mb": round(solver.bytes / 1e6, 1),
    }
    agent: Learnt
    if isinstance(solver, MemorySolver):
        found["value"] = solver.value()
        found["information_sets"] = solver.graph.information_sets
        page = page_of_memory(solver, dict(found))
        agent = LearntByHand().with_page(page, start)
    else:
        found["information_sets"] = solver.information_sets
        page = solver.page()
        page.about.update(found, memory=solver.memory)
        agent = Learnt().with_page(page, start)
    if bound is not None:
        shown = lower_bound(agent, start, "local", bound)
        found["exploitability_at_least"] = shown["lower_bound"]
        found["ci95"] = shown["ci95"]
        found["bound_rounds"] = shown["rounds"]
    return found, page


def _memory(solver: MemorySolver | SamplingSolver) -> int | None:
    """How many moves are remembered; None for all."""
    memory = solver.graph.memory if isinstance(solver, MemorySolver) else solver.memory
    return memory if memory < ALL_MOVES else None
