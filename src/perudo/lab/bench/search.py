"""``perudo bench``: solving and searching, compared with OpenSpiel in the same run.

Solving is CFR+ on liar's dice with one die each. Both sides make the same iterations, so the
number that reaches a target is found once, with our evaluation after each; OpenSpiel's own
evaluation of its strategy after the same number is reported too. Times are of iterations alone.
Everything runs on one core and is measured in processor time, which depends less on other load.
"""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, TypedDict

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from perudo.agents.registry import agent_named
from perudo.games.chance import stream_of
from perudo.games.perudo import PERUDO, Rules, position
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.trees.public_tree import build

TARGETS = (0.005, 0.0005)
PEER_SECONDS = 100.0
"""Seconds of OpenSpiel's iterations; the time of further ones is extrapolated."""
PEER_CHUNK = 10
"""OpenSpiel's iterations between two of our runs."""
PEER_GAME = "liars_dice(players=2,numdice=1)"
VARIANTS, PEER = ("cfr+", "dcfr"), "open_spiel"
EVALUATIONS = 100
SEARCHERS = {
    "pomcp_pgt_ucb": "pomcp-pgt-ucb:iterations=10000,rollout=random",
    "pomcp_pgt_ucb_prior_0": "pomcp-pgt-ucb:iterations=10000,rollout=random,prior=0",
    "pomcp_pgt_rm": "pomcp-pgt-rm:iterations=10000,rollout=random",
}
SEARCHED = {"opening": "openspiel 23456/????? A -", "answer": "openspiel 23456/????? A 3x4"}
PEER_BIDS: dict[str, list[int]] = {"opening": [], "answer": [2 * 6 + 3]}
"""The bids of ``SEARCHED`` in OpenSpiel's numbers."""
PEER_SIMULATIONS = 500


def _peer() -> Any:
    """Return OpenSpiel, or None if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    return pyspiel


# --- solving ------------------------------------------------------------------------------------
class SideData(TypedDict, total=False):
    """The cost of reaching an exploitability, as JSON; the optional figures are OpenSpiel's."""

    iterations: int
    iterations_made: int
    seconds: float
    exploitability: float


class SolvingData(TypedDict):
    """Measurements of solving, as JSON."""

    unit: str
    targets: list[dict[str, float | SideData]]
    """The target exploitability, then each solver's cost and the ratio of times."""
    set_up_seconds: dict[str, float]
    evaluation_ms: dict[str, float]
    memory_mb: dict[str, dict[str, float]]


@dataclass
class PeerTimes:
    """Measurements of OpenSpiel."""

    set_up: float
    evaluations: list[float] = field(default_factory=list)
    seconds: dict[float, float] = field(default_factory=dict)
    """Seconds to reach each target."""
    targets: dict[float, SideData] = field(default_factory=dict)


def _iterations_needed(solver: Solver) -> dict[float, int]:
    needed = {}
    for target in TARGETS:
        while solver.exploitability() > target:
            solver.iterate()
        needed[target] = solver.iterations
    return needed


def _timed(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def solving() -> SolvingData:
    """Measure the time to reach each exploitability, the time of an evaluation, and memory."""
    start = PERUDO.start(Rules.parse("openspiel"), 2, [1, 1], opener=0)
    build(start)  # load the kernels before the clock runs
    set_up = _timed(lambda: build(start))
    tree = build(start)
    needed = {variant: _iterations_needed(Solver(tree, variant)) for variant in VARIANTS}
    times: dict[tuple[str, float], list[float]] = {}

    def solve_again() -> None:
        for variant, counts in needed.items():
            for target, iterations in counts.items():
                solver = Solver(tree, variant)
                seconds = _timed(lambda solver=solver, n=iterations: solver.iterate(n))  # type: ignore[misc]
                times.setdefault((variant, target), []).append(seconds)

    peer = _solve_with_open_spiel(needed["cfr+"], solve_again)
    solver = Solver(tree)
    solver.iterate(100)
    evaluations = [_timed(solver.exploitability) for _ in range(EVALUATIONS)]
    result: SolvingData = {
        "unit": "seconds of solving liar's dice with one die each",
        "targets": [],
        "set_up_seconds": {"ours": round(set_up, 3)},
        "evaluation_ms": {"ours": round(1000 * median(evaluations), 3)},
        "memory_mb": {"ours": _memory_in_a_process("ours")},
    }
    for target in TARGETS:
        row: dict[str, float | SideData] = {"exploitability": target}
        spent = {variant: round(median(times[variant, target]), 5) for variant in VARIANTS}
        for variant in VARIANTS:
            row[variant] = {"iterations": needed[variant][target], "seconds": spent[variant]}
        if peer is not None:
            row[PEER] = peer.targets[target]
            for variant in VARIANTS:
                row[f"ratio_{variant}"] = round(peer.seconds[target] / spent[variant])
        result["targets"].append(row)
    if peer is not None:
        result["set_up_seconds"][PEER] = round(peer.set_up, 3)
        result["evaluation_ms"][PEER] = round(1000 * median(peer.evaluations))
        result["memory_mb"][PEER] = _memory_in_a_process(PEER)
    return result


def show_solving(result: SolvingData, console: Console) -> None:
    """Print the measurements of ``solving``."""
    grid = Grid(title=result["unit"], title_justify="left", box=None, padding=(0, 2, 0, 0))
    grid.add_column("exploitability")
    for column in ("who", "iterations", "seconds", "times as fast"):
        grid.add_column(column, justify="right")
    for row in result["targets"]:
        for who in (*VARIANTS, PEER):
            side = row.get(who)
            if isinstance(side, dict):
                cells = (side["iterations"], side["seconds"], row.get(f"ratio_{who}") or "")
                grid.add_row(f"{row['exploitability']:g}", who, *map(str, cells))
    console.print(grid)
    console.print(f"set up seconds: {result['set_up_seconds']}", highlight=False)
    console.print(f"evaluation ms: {result['evaluation_ms']}", highlight=False)
    console.print(f"memory mb: {result['memory_mb']}", highlight=False)


def _solve_with_open_spiel(
    needed: dict[float, int], between: Callable[[], None]
) -> PeerTimes | None:
    """Time OpenSpiel's iterations up to each target, with other work in between."""
    between()
    pyspiel = _peer()
    if pyspiel is None:
        for _ in range(PEER_CHUNK):
            between()
        return None
    game = pyspiel.load_game(PEER_GAME)
    started = time.process_time()
    solver = pyspiel.CFRPlusSolver(game)
    found = PeerTimes(time.process_time() - started)
    done, seconds = 0, 0.0
    for target, iterations in needed.items():
        while done < iterations and seconds < PEER_SECONDS:
            chunk = min(PEER_CHUNK, iterations - done)
            started = time.process_time()
            for _ in range(chunk):
                solver.evaluate_and_update_policy()
            seconds += time.process_time() - started
            done += chunk
            between()
        started = time.process_time()
        exploitability = pyspiel.exploitability(game, solver.average_policy())
        found.evaluations.append(time.process_time() - started)
        found.seconds[target] = round(seconds * iterations / done, 2)
        found.targets[target] = {
            "iterations": iterations,
            "iterations_made": done,
            "seconds": found.seconds[target],
            "exploitability": exploitability,
        }
    return found


def _memory_in_a_process(who: str) -> dict[str, float]:
    """Return the growth of a separate process by solving, and its peak size, in MB."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_memory_of, who).result()


def _memory_of(who: str) -> dict[str, float]:
    if who == "ours":
        # Solve another round first, so that compiling is not counted.
        Solver(build(PERUDO.start(Rules.parse("asmodee"), 2, [1, 1], opener=0))).iterate(2)
        before = _status("VmRSS")
        ours = Solver(build(PERUDO.start(Rules.parse("openspiel"), 2, [1, 1], opener=0)))
        ours.iterate(5)
        ours.exploitability()
    else:
        pyspiel = _peer()
        game = pyspiel.load_game(PEER_GAME)
        before = _status("VmRSS")
        solver = pyspiel.CFRPlusSolver(game)
        for _ in range(5):
            solver.evaluate_and_update_policy()
        pyspiel.exploitability(game, solver.average_policy())
    peak = _status("VmHWM")
    return {"growth": round(peak - before, 1), "whole": round(peak, 1)}


def _status(name: str) -> float:
    """Return a memory figure of this process, in MB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith(f"{name}:"))


# --- searching ----------------------------------------------------------------------------------
def search_rates(seconds: float, slices: int) -> dict[str, list[float]]:
    """Return simulations per second, ours and OpenSpiel's taking turns."""
    contenders: dict[str, Callable[[], int]] = {}
    for place, text in SEARCHED.items():
        for name, agent in SEARCHERS.items():
            contenders[f"{name}_{place}"] = _searcher(agent, text)
        peer = _open_spiel_searcher(PEER_BIDS[place])
        if peer is not None:
            contenders[f"open_spiel_python_is_mcts_{place}"] = peer
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for search in contenders.values():
        search()  # load the kernels before the clock runs
    for _ in range(slices):
        for name, search in contenders.items():
            simulations, started = 0, time.process_time()
            while time.process_time() - started < seconds / slices:
                simulations += search()
            rates[name].append(simulations / (time.process_time() - started))
    return rates


def search_ratios(rates: dict[str, int]) -> dict[str, float]:
    """Return the speed of our searches as a multiple of OpenSpiel's."""
    return {
        f"{name}_{place} / open_spiel_python_is_mcts_{place}": round(
            rates[f"{name}_{place}"] / rates[f"open_spiel_python_is_mcts_{place}"], 1
        )
        for place in SEARCHED
        for name in SEARCHERS
        if f"open_spiel_python_is_mcts_{place}" in rates
    }


def _searcher(name: str, text: str) -> Callable[[], int]:
    agent, observation = agent_named(name), position(text).observe(0)
    memory, stream = agent.new_memory(), stream_of(1)

    def search() -> int:
        return int(agent.decide(observation, memory, stream).thoughts.rollouts)

    return search


def _open_spiel_searcher(bids: list[int]) -> Callable[[], int] | None:
    """Return OpenSpiel's information-set MCTS in Python, with the hand 23456.

    OpenSpiel's game cannot resample hidden dice, so the resampler rolls the other player's dice and
    replays the bids.
    """
    if _peer() is None:
        return None
    import pyspiel
    from open_spiel.python.algorithms import ismcts, mcts

    game = pyspiel.load_game("liars_dice(players=2,numdice=5)")
    dice, faces, roll = 5, 6, random.Random(1)

    def dealt(own: list[int]) -> Any:
        state = game.new_initial_state()
        others = [roll.randrange(faces) for _ in range(dice)]
        for face in [*own, *others] if len(bids) % 2 == 0 else [*others, *own]:
            state.apply_action(face)
        for bid in bids:
            state.apply_action(bid)
        return state

    hand = [1, 2, 3, 4, 5]
    chance = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, chance)
    bot = ismcts.ISMCTSBot(game, evaluator, 2**0.5, PEER_SIMULATIONS, random_state=chance)
    bot.set_resampler(lambda state, player: dealt(hand))
    root = dealt(hand)

    def search() -> int:
        bot.run_search(root)
        return PEER_SIMULATIONS

    return search
