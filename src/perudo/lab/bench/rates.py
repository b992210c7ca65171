"""``perudo bench``: speed on one core, compared with OpenSpiel in the same run.

Machines are noisy, so contenders take turns in short slices and each row is the median of its
slices: the figures compared are measured at the same time.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import NotRequired, TypedDict

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from perudo.agents.registry import AGENTS, agent_named
from perudo.games.chance import key_of, stream_of
from perudo.games.errors import UnknownNameError
from perudo.games.game import ROUND
from perudo.games.perudo import PERUDO, Rules, position
from perudo.games.playout import random_games
from perudo.lab.arena import run as run_arena
from perudo.lab.bench.environments import environment_rates, environment_ratios
from perudo.lab.bench.search import (
    SolvingData,
    search_rates,
    search_ratios,
    show_solving,
    solving,
)
from perudo.lab.contest import Contest
from perudo.lab.timing import decision_times

SLICES = 10
MATCH_AGENTS = ("observer", "probabilistic", "heuristic-max", "hmax-random")
MATCH_RULES = ("common", "official:calza_who=turn_only", "official")
ROLLOUT_AGENTS = ("mcts-random", "mcts-observer")
ROLLOUT_POSITION = "common 23456/?????/?????/?????/?????/????? A 5x4"


class RatesData(TypedDict):
    """The rates of a section, as JSON."""

    unit: str
    rates: dict[str, int]
    best: NotRequired[dict[str, int]]
    ratios: NotRequired[dict[str, float]]
    """Speed as a multiple of the others'; only in sections that compare."""


@dataclass(frozen=True)
class Measurements:
    """The measurements of one run of the benchmark."""

    rates: dict[str, RatesData]
    solving: SolvingData | None
    note: str

    def data(self) -> dict[str, int | str | RatesData | SolvingData]:
        """Return plain data, for JSON."""
        result: dict[str, int | str | RatesData | SolvingData] = {"cores": 1, "slices": SLICES}
        result |= self.rates
        if self.solving is not None:
            result[SOLVING] = self.solving
        if self.note:
            result["note"] = self.note
        return result


Contender = Callable[[], int]
"""A function that plays some rounds and returns their number."""

ROWS = {
    "common_2x5": ("common", 2),
    "common_4x5": ("common", 4),
    "official_turn_calza_2x5": ("official:calza_who=turn_only", 2),
    "official_turn_calza_4x5": ("official:calza_who=turn_only", 4),
    "openspiel_rules_2x5": ("openspiel", 2),
}


def _ours(rules: str, players: int, rounds: int) -> Contender:
    states = np.zeros(2, PERUDO.dtype)
    states[0] = PERUDO.start(Rules.parse(rules), players).record
    states[0].opener = 0  # the roll for the opener happens once a match, not in every round
    stream = stream_of(1)

    def play() -> int:
        random_games(states, ROUND, rounds, key_of(1), stream)
        return rounds

    return play


def _open_spiel() -> dict[str, Contender]:
    """Return contenders for OpenSpiel's liars_dice with 2 x 5 dice; empty if not installed."""
    try:
        import pyspiel
    except ImportError:
        return {}
    game = pyspiel.load_game("liars_dice(players=2,numdice=5)")
    chance = random.Random(1)

    def from_python() -> int:
        for _ in range(500):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    faces, _ = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(chance.choice(faces))
                else:
                    state.apply_action(chance.choice(state.legal_actions()))
        return 500

    dealt = game.new_initial_state()
    while dealt.is_chance_node():
        dealt.apply_action(chance.choice([face for face, _ in dealt.chance_outcomes()]))
    rollouts = 20_000
    # A search of one simulation only evaluates its root, by random rollouts in C++.
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, 1, False)

    def in_cpp() -> int:
        bot.mcts_search(dealt)
        return rollouts

    return {"open_spiel_python_2x5": from_python, "open_spiel_cpp_rollouts_2x5": in_cpp}


def _match_rates(seconds: float) -> dict[str, list[float]]:
    """Return full matches per second between four agents of the papers."""
    rates: dict[str, list[float]] = {}
    for rules in MATCH_RULES:
        agents = [agent_named(name) for name in MATCH_AGENTS]
        contest = Contest(PERUDO, Rules.parse(rules), agents, 10_000_000)
        run_arena(replace(contest, games=1))  # load the kernels before the clock runs
        for _ in range(SLICES):
            started = time.perf_counter()
            played = run_arena(contest, stop_after=seconds / SLICES).games
            rates.setdefault(rules, []).append(played / (time.perf_counter() - started))
    return rates


def _rollout_rates(seconds: float) -> dict[str, list[float]]:
    """Return rollouts per second of the searching agents, with 25 unknown dice."""
    observation = position(ROLLOUT_POSITION)
    rates: dict[str, list[float]] = {}
    for name in ROLLOUT_AGENTS:
        agent = agent_named(f"{name}:rollouts=10000")
        memory, stream = agent.new_memory(), stream_of(1)
        agent.decide(observation, memory, stream)
        for _ in range(SLICES):
            rollouts, started = 0, time.perf_counter()
            while time.perf_counter() - started < seconds / SLICES:
                rollouts += agent.decide(observation, memory, stream).thoughts.rollouts
            rates.setdefault(name, []).append(rollouts / (time.perf_counter() - started))
    return rates


def _round_rates(seconds: float) -> dict[str, list[float]]:
    """Return random rounds per second, ours and OpenSpiel's taking turns."""
    contenders: dict[str, Contender] = {
        name: _ours(rules, players, 1) for name, (rules, players) in ROWS.items()
    }
    for play in contenders.values():
        play()  # load the kernels before the clock runs
    slice_rounds = int(1_000_000 * seconds / SLICES)
    contenders = {
        name: _ours(rules, players, 2 * slice_rounds) for name, (rules, players) in ROWS.items()
    }
    contenders.update(_open_spiel())
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(SLICES):
        for name, play in contenders.items():
            rounds, started = 0, time.perf_counter()
            while time.perf_counter() - started < seconds / SLICES:
                rounds += play()
            rates[name].append(rounds / (time.perf_counter() - started))
    return rates


def _summary(unit: str, rates: dict[str, list[float]]) -> RatesData:
    return {
        "unit": unit,
        "rates": {name: round(median(values)) for name, values in rates.items()},
        "best": {name: round(max(values)) for name, values in rates.items()},
    }


def _ratios(rates: dict[str, int]) -> dict[str, float]:
    return {
        f"{ours} / {peer}": round(rates[ours] / rates[peer], 1)
        for peer in ("open_spiel_python_2x5", "open_spiel_cpp_rollouts_2x5")
        for ours in ("openspiel_rules_2x5", "common_2x5")
        if peer in rates
    }


def _rounds(seconds: float) -> RatesData:
    rows = _summary("random rounds per second", _round_rates(seconds))
    return {**rows, "ratios": _ratios(rows["rates"])}


def _environments(seconds: float) -> RatesData:
    rows = _summary("environment steps per second, random play", environment_rates(seconds, SLICES))
    return {**rows, "ratios": environment_ratios(rows["rates"])}


def _searching(seconds: float) -> RatesData:
    unit = "simulations per second, 2 x 5 dice, 10,000 a decision, random rollouts"
    rows = _summary(unit, search_rates(seconds, SLICES))
    return {**rows, "ratios": search_ratios(rows["rates"])}


def _decisions(seconds: float) -> RatesData:
    times = decision_times(list(AGENTS), seconds=seconds / SLICES)
    return {
        "unit": "decisions per second, four of a kind, official",
        "rates": {name: round(1000 / milliseconds) for name, milliseconds in times.items()},
    }


RATES: dict[str, Callable[[float], RatesData]] = {
    "rounds": _rounds,
    "environments": _environments,
    "matches": lambda seconds: _summary(
        f"full matches per second of {', '.join(MATCH_AGENTS)}", _match_rates(seconds)
    ),
    "rollouts": lambda seconds: _summary(
        "rollouts per second, 25 unknown dice", _rollout_rates(seconds)
    ),
    "decisions": _decisions,
    "searching": _searching,
}
SOLVING = "solving"
"""The last section; it takes as long as OpenSpiel needs, about 90 s."""
SECTIONS = (*RATES, SOLVING)


def run(seconds: float, sections: Sequence[str] = SECTIONS) -> Measurements:
    """Measure the rows of these sections for about this many seconds each, on one core."""
    unknown = [name for name in sections if name not in SECTIONS]
    if unknown:
        raise UnknownNameError(f"unknown section {unknown[0]!r}; there are: {', '.join(SECTIONS)}")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rates = {name: measure(seconds) for name, measure in RATES.items() if name in sections}
    solved = solving() if SOLVING in sections else None
    alone = any(not rows["ratios"] for rows in rates.values() if "ratios" in rows)
    missing = "OpenSpiel or PettingZoo is missing: pip install 'perudo[peers]'"
    return Measurements(rates, solved, missing if alone else "")


def show(result: Measurements) -> None:
    """Print the measurements."""
    console = Console()
    for rows in result.rates.values():
        grid = Grid(title=rows["unit"], title_justify="left", box=None, padding=(0, 2, 0, 0))
        grid.add_column("what")
        grid.add_column("median" if "best" in rows else "mean", justify="right")
        if "best" in rows:
            grid.add_column("best slice", justify="right")
        for name, rate in rows["rates"].items():
            best = [f"{rows['best'][name]:,}"] if "best" in rows else []
            grid.add_row(name, f"{rate:,}", *best)
        console.print(grid)
        for name, ratio in rows.get("ratios", {}).items():
            console.print(f"{name}: {ratio:g} times", highlight=False)
        console.print()
    if result.solving is not None:
        show_solving(result.solving, console)
    if result.note:
        console.print(result.note)
