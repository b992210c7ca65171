"""The King UP thesis, chapter 4: POMCP in a public game tree.

Gao Peng, "Partially Observable Monte Carlo Planning in Public Game Tree for complex imperfect
information game King UP", MSc by Research thesis, Lancaster University, 2022.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledAgent
from perudo.agents.registry import agent_named
from perudo.games import game_named
from perudo.games.chance import Stream, below, combine, key_of, stream_of
from perudo.games.game import State
from perudo.games.king_up import APPENDIX_STATES, KING_UP, PRESETS, appendix_state
from perudo.games.king_up.layout import MOVING, OFF_BOARD
from perudo.games.king_up.play import is_full
from perudo.lab.charts import Chart, Lines
from perudo.lab.experiments.experiment import MORE, Conditions, Experiment, Findings, Row
from perudo.lab.experiments.measures import mean, rate
from perudo.lab.papers import king_up_tournament
from perudo.lab.papers.king_up_tournament import NAMES, PAPER, RM, UCB
from perudo.lab.timing import NOTE, policy_seconds
from perudo.search.online.pomcp import TRACES, trace

ITERATIONS = 20_000
SETTLED = 0.02
"""The largest movement, in the last fifth of the iterations, of values that count as settled."""

Points = npt.NDArray[np.float64]


# --- values as a search goes on -----------------------------------------------------------------
def traced(agent: str, state: State, seed: int, iterations: int = ITERATIONS) -> Points:
    """Return the values during a search by the player to move: TRACES points by players."""
    chosen = agent_named(f"{agent},iterations={iterations}")
    assert isinstance(chosen, CompiledAgent)
    seat = state.actor
    assert seat is not None
    return trace(state.observe(seat), chosen.parameters, stream_of(seed))


def movement(points: Points) -> float:
    """Return the largest movement of a value in the last fifth."""
    last = points[4 * TRACES // 5 :]
    return float((last.max(axis=0) - last.min(axis=0)).max())


def random_state(stream: Stream) -> State:
    """Return a state with random target cards, vote cards, pieces and player, who can move."""
    record = KING_UP.start(PRESETS["thesis"], 3).deal(int(stream[0])).record
    below(stream, 2)
    pieces, highest = int(record.setting.pieces_num), int(record.setting.board_height) - 1
    while record.filled.sum() == 0:
        for piece in range(pieces):
            level = below(stream, highest + 2) - 1
            if level != OFF_BOARD and not is_full(record, level):
                record.levels[piece] = level
                record.filled[level] += 1
                record.placed += 1
    for seat in range(3):
        record.vote_cards[seat] = below(stream, int(record.setting.rejection_limit) + 1)
    record.stage = MOVING
    record.turn = below(stream, 3)
    for number in (int(record.turn), *record.vote_cards.tolist(), *record.levels.tolist()):
        record.public_key = np.uint64(combine(np.uint64(record.public_key), number + 1))
    return State(record)


def _settling(conditions: Conditions, agent: str) -> Row:
    """Return a row for the share of random states with settled values."""
    states = conditions.number(100, 1000)
    stream = np.array([key_of(conditions.seed)], np.uint64)
    settled = 0
    for number in range(states):
        state = random_state(stream)
        settled += movement(traced(agent, state, conditions.seed + number)) < SETTLED
        conditions.progress("values from random states", number + 1, states)
    return Row(
        f"{states:,} random states: values settle",
        rate(settled, states),
        reported=100,
        unit="%",
    )


def _panel(figure: str, points: Points) -> Lines:
    x = np.arange(1, TRACES + 1) * (ITERATIONS // TRACES)
    series = {f"player {seat + 1}": points[:, seat].tolist() for seat in range(points.shape[1])}
    ends = (-0.05, 1.05) if points.shape[1] == 2 else (0.1, 0.35)
    return Lines(f"Figure {figure}", "iterations", "value", x.tolist(), series, y_range=ends)


def convergence(agent: str, figures: Sequence[str]) -> Callable[[Conditions], Findings]:
    """Return an experiment with four states of the appendix and many random ones."""

    def run(conditions: Conditions) -> Findings:
        rows, panels, ends = [], [], []
        for figure in figures:
            points = traced(agent, appendix_state(figure), conditions.seed)
            panels.append(_panel(figure, points))
            ends.append(f"{figure}: " + ", ".join(f"{value:.3f}" for value in points[-1]))
            rows.append(
                Row(
                    f"figure {figure}: largest movement of a value in the last fifth",
                    movement(points),
                    says=f"converges (below {SETTLED})",
                    claim=(0, SETTLED),
                    digits=4,
                )
            )
        rows.append(_settling(conditions, agent))
        notes = [f"Values of players 1 to 3 in the end: {'; '.join(ends)}."]
        return Findings(rows, Chart(panels, 2), notes=notes)

    return run


STEPS = ("4.5", "4.6", "4.7", "4.8")


def four_steps(conditions: Conditions) -> Findings:
    """Reproduce figures 4.5 to 4.8: player 2 on the way to the bonus."""
    runs = conditions.number(10, 400)
    player = 1
    curves: dict[str, list[Points]] = {figure: [] for figure in STEPS}
    for number in range(runs):
        for figure, some in curves.items():
            state = appendix_state(figure, turn=player)
            some.append(traced(UCB, state, conditions.seed + number))
        conditions.progress("searches of four states", number + 1, runs)
    roughness = {
        figure: np.array([_roughness(points[:, player]) for points in some])
        for figure, some in curves.items()
    }
    rows = [
        Row(
            f"player 2's curve is rougher in {earlier} than in {later}",
            mean(roughness[earlier] - roughness[later], 1e6),
            says="more precise later",
            claim=MORE,
            unit="millionths",
        )
        for earlier, later in (*itertools.pairwise(STEPS), (STEPS[0], STEPS[-1]))
    ]
    last = mean(np.array([float(points[-1, player]) for points in curves["4.8"]]))
    rows.append(
        Row(
            "figure 4.8: player 2's value",
            last,
            reported=0.3,
            reported_range=(0.29, 0.31),
            digits=3,
        )
    )
    panels = [_panel(figure, curves[figure][0]) for figure in STEPS]
    note = (
        f"{runs} searches a state. Roughness is the mean size of a curve's second differences "
        "after the first tenth, between points that are 100 iterations apart: noise, not drift. A "
        "value is the mean over all simulations, those that explore included, so in 4.8 it still "
        "rises towards 0.3."
    )
    return Findings(rows, Chart(panels, 2), notes=[note])


def _roughness(curve: Points) -> float:
    """Return a curve's roughness, which does not depend on its slope."""
    return float(np.abs(np.diff(curve[TRACES // 10 :], 2)).mean())


# --- time ---------------------------------------------------------------------------------------
SCALES = (250, 500, 1000, 2000, 4000)


def time_by_iterations(conditions: Conditions) -> Findings:
    """Reproduce figure 4.13: time by iterations."""
    seconds = policy_seconds(
        [f"{agent},iterations={number}" for agent in (UCB, RM) for number in SCALES],
        [appendix_state(figure).observe(0) for figure in APPENDIX_STATES],
        conditions.number(20, 100),
        conditions.seed,
        conditions.progress,
    )
    taken = seconds.reshape(2, len(SCALES), -1)
    rows = [
        Row(
            f"{NAMES[letter]}: time of 4,000 iterations, relative to 250",
            mean(taken[which, -1] / taken[which, 0]),
            says="grows",
            claim=(1, math.inf),
            unit="times",
        )
        for which, letter in enumerate("UR")
    ]
    rows += [
        Row(
            f"{iterations:,} iterations: time of RM, relative to UCB",
            mean(taken[1, place] / taken[0, place]),
            says="RM takes longer",
            claim=(1, math.inf),
            unit="times",
            digits=2,
        )
        for place, iterations in enumerate(SCALES)
    ]
    found = [[mean(cell, 1000.0) for cell in row] for row in taken]
    chart = Lines(
        "Figure 4.13: time",
        "iterations",
        "ms a decision",
        SCALES,
        {NAMES[one]: [m.value for m in found[which]] for which, one in enumerate("UR")},
        {NAMES[one]: [(m.low, m.high) for m in found[which]] for which, one in enumerate("UR")},
    )
    return Findings(rows, Chart([chart]), notes=[NOTE], reproducible=False)


# --- rock, paper, scissors ----------------------------------------------------------------------
SEARCHES = 30


def rock_paper_scissors(conditions: Conditions) -> Findings:
    """Reproduce figure 4.14: self-play of rock, paper, scissors."""
    game = game_named("rock_paper_scissors")
    state = game.start(game.setting(game.presets[0]), 2)
    searches = conditions.number(1_000, 2_000)
    rows, panels = [], []
    for name, agent in (("RM", RM), ("UCB", UCB)):
        curves = [traced(agent, state, conditions.seed + number) for number in range(SEARCHES)]
        strangest = max(curves, key=lambda points: abs(float(points[-1, 0]) - 0.5))
        panels.append(_panel(f"4.14 ({name})", strangest))
        rows += [
            Row(
                f"{name}: player {seat + 1}'s value",
                mean(np.array([float(points[-1, seat]) for points in curves])),
                reported=0.5,
                reported_range=(0.48, 0.52),
                digits=3,
            )
            for seat in (0, 1)
        ]
    chosen = agent_named(f"{RM},iterations={ITERATIONS}")
    thrown = []
    for number in range(searches):
        decision = chosen.decide(
            state.observe(0), chosen.new_memory(), stream_of(conditions.seed + number)
        )
        thrown.append(str(decision.action))
        conditions.progress("throws", number + 1, searches)
    rows += [
        Row(
            f"RM: {action} in {searches:,} searches (reported: the equilibrium's third)",
            rate(thrown.count(action), searches),
            reported=100 / 3,
            reported_range=(100 / 3 - 5, 100 / 3 + 5),
            unit="%",
        )
        for action in ("rock", "paper", "scissors")
    ]
    notes = [
        f"The figure shows, of {SEARCHES} searches each, the one that ends farthest from 0.5.",
        "Of equally good moves UCB draws one; where it took the first, both players could go round "
        "in step for ever, and one always won.",
    ]
    return Findings(rows, Chart(panels, 2), notes=notes)


# --- the list -----------------------------------------------------------------------------------
EXPERIMENTS = [
    Experiment(
        "4.1-4.4",
        "values of POMCP-PGT with UCB settle",
        PAPER,
        "From 1,000 random states the values of all three players converge quickly; four are "
        "shown.",
        "the appendix' four states with player 1 to move (it does not say who is), and random "
        "states; 20,000 iterations",
        convergence(UCB, ("4.1", "4.2", "4.3", "4.4")),
        "Where rare payoffs decide, 20,000 iterations are too few for some states by our measure; "
        "the thesis gives none.",
        ("4.1", "4.2", "4.3", "4.4"),
    ),
    Experiment(
        "4.5-4.8",
        "four steps of one game",
        PAPER,
        "The nearer the end, the more precise is player 2's value; in 4.8 it is 0.3, the bonus.",
        "the appendix' four states with player 2 to move; 20,000 iterations",
        four_steps,
        "The printed states differ by one move each, so they are not four successive turns of one "
        "player; 4.6 and 4.7 are too much alike to tell their curves apart.",
        STEPS,
    ),
    Experiment(
        "4.9-4.12",
        "values of POMCP-PGT with regret matching settle",
        PAPER,
        "They all converge after a while; four are shown.",
        "as 4.1-4.4, with regret matching",
        convergence(RM, ("4.9", "4.10", "4.11", "4.12")),
        "Where rare payoffs decide, 20,000 iterations are too few for some states by our measure; "
        "the thesis gives none.",
        ("4.9", "4.10", "4.11", "4.12"),
    ),
    *king_up_tournament.EXPERIMENTS,
    Experiment(
        "4.13",
        "time against iterations",
        PAPER,
        "Both take longer with more iterations, regret matching always longer than UCB.",
        "the appendix' twelve states, both searching in turn; processor time of a decision",
        time_by_iterations,
        "Compiled, choosing a move is a small part of a simulation, so the two differ little.",
    ),
    Experiment(
        "4.14",
        "rock, paper, scissors",
        PAPER,
        "After 20,000 rounds of self-play the value of both players is 0.5.",
        f"{SEARCHES} searches of 20,000 iterations each; and what regret matching throws after one",
        rock_paper_scissors,
        "Some searches have not converged after 20,000 iterations, and the shares of throws vary "
        "by some points.",
    ),
]
