"""The value of each match state between two players, from its solved round.

Since rounds lose dice, a round leads to match states that already have values. Where a claim can
win a die back, match states lead to each other, and sweeps over all rounds repeat until the values
settle. Small rounds are solved exactly, larger ones for players with a short memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from perudo.games.game import MATCH, State
from perudo.search.cfr.fsicfr import MemorySolver
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.files.page import ALL_MOVES, Page, about_round
from perudo.search.files.sealed import About
from perudo.search.trees import memory_graph, public_tree
from perudo.search.trees.outcomes import Real

Mirror = Callable[[State], tuple[State, bool]]
"""A function that puts a match state's seats into canonical order, and returns whether it exchanged
them."""


@dataclass(frozen=True)
class Effort:
    """Limits and targets of the solvers."""

    memory: int = 2
    """The shortest memory, in moves, of players in larger rounds."""
    positions: int = 10_000
    """Players remember more moves while that makes at most this many public positions."""
    iterations: int = 200_000
    """The number of deals to learn a larger round from."""
    exact_positions: int = 40_000
    """Rounds with at most this many public positions are solved exactly."""
    target: float = 1e-4
    """The exploitability at which an exact solver stops."""
    settled: float = 1e-3
    """Sweeps stop when no value of a match state changes by more than this."""
    most_sweeps: int = 8
    """The largest number of sweeps; values learnt from random deals never quite settle."""
    for_match: bool = True
    """True to maximise the match's payoff, false for the round's payoff in dice."""
    seed: int = 0


@dataclass(frozen=True)
class Valued:
    """A match state, its value to the first seat (-1 to 1), and the strategies of its round."""

    start: State
    value: float
    error: float
    """The exploitability within this round, a bound on the value's error, if the round is solved
    exactly. Else NaN: strategies are evaluated exactly, but may not be optimal."""
    page: Page


LONGEST_MEMORY = 6
"""The longest memory, in moves, that ``build_round`` tries."""
Round = public_tree.PublicTree | memory_graph.MemoryGraph


def build_round(start: State, effort: Effort) -> Round:
    """Build the round's full public tree if it is small enough, else its memory graph."""
    try:
        return public_tree.build(start, largest=effort.exact_positions)
    except public_tree.TooLargeError:
        longest = memory_graph.longest_memory(
            start, effort.memory, LONGEST_MEMORY, effort.positions
        )
        return memory_graph.build(start, longest)


def solve_round(start: State, round: Round, values: Real | None, effort: Effort) -> Valued:
    """Solve a round for the given values of the next match states, or (None) for the dice."""
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
    """Solver of a match: solves its rounds in order, the fewest dice first."""

    def __init__(self, starts: list[State], effort: Effort, mirror: Mirror) -> None:
        self.effort, self._mirror = effort, mirror
        self.valued: dict[bytes, Valued] = {}
        self.change = 0.0
        """The largest change of a value in the last sweep."""
        self._rounds: dict[bytes, tuple[State, Round]] = {}
        waiting = [mirror(start)[0] for start in starts]
        while waiting:
            match_state = waiting.pop()
            if _name(match_state) not in self._rounds:
                round = build_round(match_state, effort)
                self._rounds[_name(match_state)] = match_state, round
                after = (state for state in round.outcomes.states if not state.over)
                waiting += [mirror(state)[0] for state in after]

    @property
    def match_states(self) -> list[State]:
        """All match states that can occur, the fewest dice first."""
        found = (match_state for match_state, _ in self._rounds.values())
        return sorted(found, key=lambda state: (int(state.record.counts.sum()), _name(state)))

    def value_of(self, state: State) -> float:
        """Return the value of a match state to its first seat; 0 if it has none yet."""
        if state.over:
            return float(state.payoffs(MATCH)[0])
        match_state, exchanged = self._mirror(state)
        known = self.valued.get(_name(match_state))
        value = known.value if known else 0.0
        return -value if exchanged else value

    def solve(self, report: Callable[[Valued], None] = lambda valued: None) -> None:
        """Solve every round, in repeated sweeps while values still change."""
        for _ in range(self.effort.most_sweeps):
            circular = self._sweep(report)
            if not self.effort.for_match or (not circular and self.change <= self.effort.settled):
                return

    def _sweep(self, report: Callable[[Valued], None]) -> bool:
        """Solve every round once; return true if it needed the value of an unsolved match state."""
        self.change, circular = 0.0, False
        for match_state in self.match_states:
            before = self.valued.get(_name(match_state))
            _, round = self._rounds[_name(match_state)]
            after = round.outcomes.states
            circular |= any(
                not state.over and _name(self._mirror(state)[0]) not in self.valued
                for state in after
            )
            values = np.array([self.value_of(state) for state in after])
            found = solve_round(
                match_state, round, values if self.effort.for_match else None, self.effort
            )
            self.valued[_name(match_state)] = found
            if before is not None:
                self.change = max(self.change, abs(found.value - before.value))
            report(found)
        return circular


def _name(state: State) -> bytes:
    return bytes(state.record.tobytes())
