"""What a match between two players is worth from each standing, from its solved rounds.

A round leads to standings that have been valued before it, since dice are lost; where a claim can
win a die back, standings lead to each other, and values are worked out in sweeps until they settle.
Small rounds are solved exactly, larger ones for players with a short memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from perudo.games.game import MATCH
from perudo.games.state import State
from perudo.search.cfr.fsicfr import MemorySolver
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.files.page import ALL_MOVES, Page, about_round
from perudo.search.files.sealed import About
from perudo.search.trees import memory_graph, public_tree
from perudo.search.trees.outcomes import Real

Mirror = Callable[[State], tuple[State, bool]]
"""A standing with its seats in the order in which strategies are kept, and whether they were
exchanged for that."""


@dataclass(frozen=True)
class Effort:
    """How well rounds are solved."""

    memory: int = 2
    """Moves that players of larger rounds remember at least; more ..."""
    positions: int = 10_000
    """... where that makes no more public positions than this."""
    iterations: int = 200_000
    """Deals that they learn from."""
    exact_positions: int = 40_000
    """Rounds of at most so many public positions are solved exactly."""
    target: float = 1e-4
    """To this exploitability."""
    settled: float = 1e-3
    """Values that go round in circles are done when none changes by more ..."""
    most_sweeps: int = 8
    """... or after so many sweeps: rounds learnt from random deals never quite settle."""
    for_match: bool = True
    """Play rounds for the match, or only for the dice."""
    seed: int = 0


@dataclass(frozen=True)
class Valued:
    """A standing, what it is worth to the first seat (-1 to 1), and how to play the round."""

    start: State
    value: float
    error: float
    """How far from the value of perfect play it can be, where the round is solved exactly, as far
    as this round goes; else NaN: the strategies are evaluated exactly, but may not be the best."""
    page: Page


LONGEST_MEMORY = 6
"""Remembering more moves than this is remembering all."""
Round = public_tree.PublicTree | memory_graph.MemoryGraph


def build_round(start: State, effort: Effort) -> Round:
    """The round's whole tree if it is small enough, else its graph."""
    try:
        return public_tree.build(start, largest=effort.exact_positions)
    except public_tree.TooLargeError:
        longest = memory_graph.longest_memory(
            start, effort.memory, LONGEST_MEMORY, effort.positions
        )
        return memory_graph.build(start, longest)


def solve_round(start: State, round: Round, values: Real | None, effort: Effort) -> Valued:
    """Solve a round, for the standings' values or (None) for the dice."""
    valued = round if values is None else round.for_match(values)
    about: About = {**about_round(start), "horizon": "round" if values is None else "match"}
    if isinstance(valued, public_tree.PublicTree):
        exact = Solver(valued, "dcfr")
        while exact.iterations == 0 or exact.exploitability() > effort.target:
            exact.iterate(100)
        value, error = exact.value(), exact.exploitability()
        about = {**about, "memory": ALL_MOVES, "value": value, "error": error}
        return Valued(start, value, error, exact.page(about))
    solver = MemorySolver(valued, effort.seed)
    solver.iterate(effort.iterations)
    value = solver.value()
    about = {**about, "memory": valued.memory, "value": value, "iterations": effort.iterations}
    return Valued(start, value, float("nan"), solver.page(about))


class MatchSolver:
    """Solves the rounds of a match from the last ones up."""

    def __init__(self, starts: list[State], effort: Effort, mirror: Mirror) -> None:
        self.effort, self._mirror = effort, mirror
        self.valued: dict[bytes, Valued] = {}
        self.change = 0.0
        """By how much a value changed in the last sweep: what may be left of circles."""
        self._rounds: dict[bytes, tuple[State, Round]] = {}
        waiting = [mirror(start)[0] for start in starts]
        while waiting:
            standing = waiting.pop()
            if _name(standing) not in self._rounds:
                round = build_round(standing, effort)
                self._rounds[_name(standing)] = standing, round
                after = (state for state in round.outcomes.states if not state.over)
                waiting += [mirror(state)[0] for state in after]

    @property
    def standings(self) -> list[State]:
        """All standings that can come, the fewest dice first."""
        found = (standing for standing, _ in self._rounds.values())
        return sorted(found, key=lambda state: (int(state.record.counts.sum()), _name(state)))

    def value_of(self, state: State) -> float:
        """What a state between rounds is worth to its first seat; 0 if nothing is known yet."""
        if state.over:
            return float(state.payoffs(MATCH)[0])
        standing, exchanged = self._mirror(state)
        known = self.valued.get(_name(standing))
        value = known.value if known else 0.0
        return -value if exchanged else value

    def solve(self, report: Callable[[Valued], None] = lambda valued: None) -> None:
        """Solve every round; again and again while values still change."""
        for _ in range(self.effort.most_sweeps):
            circular = self._sweep(report)
            if not self.effort.for_match or (not circular and self.change <= self.effort.settled):
                return

    def _sweep(self, report: Callable[[Valued], None]) -> bool:
        """Solve every round once; says whether some standing was needed before it had a value."""
        self.change, circular = 0.0, False
        for standing in self.standings:
            before = self.valued.get(_name(standing))
            _, round = self._rounds[_name(standing)]
            after = round.outcomes.states
            circular |= any(
                not state.over and _name(self._mirror(state)[0]) not in self.valued
                for state in after
            )
            values = np.array([self.value_of(state) for state in after])
            found = solve_round(
                standing, round, values if self.effort.for_match else None, self.effort
            )
            self.valued[_name(standing)] = found
            if before is not None:
                self.change = max(self.change, abs(found.value - before.value))
            report(found)
        return circular


def _name(state: State) -> bytes:
    return bytes(state.record.tobytes())
