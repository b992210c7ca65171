"""``perudo bench``: speed on one core, beside OpenSpiel in the same run.

These machines are noisy, so contenders take turns in short slices, and each row is the median of
its slices: what is compared was measured at the same time.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from perudo.games.chance import key_of, stream_of
from perudo.games.game import ROUND
from perudo.games.perudo import PERUDO, Rules
from perudo.games.playout import random_games

SLICES = 10

Contender = Callable[[], int]
"""Plays a slice's worth of rounds and returns how many."""

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
    states[0].opener = 0  # who opens is rolled for once a match, not in every round
    stream = stream_of(1)

    def play() -> int:
        random_games(states, ROUND, rounds, key_of(1), stream)
        return rounds

    return play


def _open_spiel() -> dict[str, Contender]:
    """OpenSpiel's liars_dice with 2 x 5 dice, or nothing if it is not installed."""
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
    # A search of one simulation only evaluates its root, by so many random rollouts in C++.
    evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, 1, False)

    def in_cpp() -> int:
        bot.mcts_search(dealt)
        return rollouts

    return {"open_spiel_python_2x5": from_python, "open_spiel_cpp_rollouts_2x5": in_cpp}


def run(seconds: float) -> dict[str, Any]:
    """Measure every row for about so many seconds; rates are random rounds a second."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
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
    result: dict[str, Any] = {
        "unit": "random rounds per second, one core",
        "slices": SLICES,
        "rates": {name: round(median(values)) for name, values in rates.items()},
        "best": {name: round(max(values)) for name, values in rates.items()},
        "ratios": {},
    }
    middle = result["rates"]
    for peer in ("open_spiel_python_2x5", "open_spiel_cpp_rollouts_2x5"):
        if peer in middle:
            result["ratios"][f"openspiel_rules_2x5 / {peer}"] = round(
                middle["openspiel_rules_2x5"] / middle[peer], 1
            )
            result["ratios"][f"common_2x5 / {peer}"] = round(middle["common_2x5"] / middle[peer], 1)
    if not result["ratios"]:
        result["note"] = "OpenSpiel is not installed: pip install 'perudo[peers]'"
    return result


def show(result: dict[str, Any]) -> None:
    """Print the measurements."""
    grid = Grid(title=result["unit"], title_justify="left", box=None, padding=(0, 2, 0, 0))
    grid.add_column("what")
    grid.add_column("median", justify="right")
    grid.add_column("best slice", justify="right")
    for name, rate in result["rates"].items():
        grid.add_row(name, f"{rate:,}", f"{result['best'][name]:,}")
    console = Console()
    console.print(grid)
    for name, ratio in result["ratios"].items():
        console.print(f"{name}: {ratio:g} times", highlight=False)
    if "note" in result:
        console.print(result["note"])
