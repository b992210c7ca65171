"""The rows of ``perudo bench`` for learners' environments: batched, and PettingZoo's one by one.

Both choose uniform legal actions, each in the fastest way that its arrays allow, and that time
counts too. A step is one decision with its observation and mask.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np

from perudo.games.chance import stream_of
from perudo.lab.adapters.batched import BatchedPerudo, random_actions

LANES = 1024
TABLES = {"official_4x5": ("official", 4), "common_2x5": ("common", 2)}
AEC_STEPS = 250
"""Steps of the one-by-one loop between readings of the clock."""

Contender = Callable[[], int]
"""A function that makes some steps and returns their number."""


def batched(rules: str, players: int) -> Contender:
    """Return a function that advances all games of a batch by one step."""
    env = BatchedPerudo(LANES, rules, players, seed=1)
    stream, last = stream_of(1), [env.reset()]

    def step() -> int:
        last[0] = env.step(random_actions(last[0].masks, stream))
        return LANES

    return step


def one_by_one(rules: str, players: int) -> Contender | None:
    """Return PettingZoo's loop over one table, or None if it is not installed."""
    try:
        from perudo.lab.adapters.pettingzoo_env import env
    except ImportError:
        return None
    table, luck = env(rules, players), random.Random(1)
    table.reset(seed=1)

    def step() -> int:
        made = 0
        while made < AEC_STEPS:
            for _ in table.agent_iter():
                seen, _, over, _, _ = table.last()
                if over:
                    table.step(None)
                else:
                    table.step(int(luck.choice(np.flatnonzero(seen["action_mask"]))))
                    made += 1
            table.reset()
        return made

    return step


def environment_rates(seconds: float, slices: int) -> dict[str, list[float]]:
    """Return the steps per second of both environments, measured in slices that take turns."""
    contenders: dict[str, Contender] = {}
    for name, (rules, players) in TABLES.items():
        contenders[f"batched_{name}"] = batched(rules, players)
        loop = one_by_one(rules, players)
        if loop is not None:
            contenders[f"pettingzoo_aec_{name}"] = loop
    for step in contenders.values():
        step()  # load the kernels before the clock runs
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(slices):
        for name, step in contenders.items():
            steps, started = 0, time.perf_counter()
            while time.perf_counter() - started < seconds / slices:
                steps += step()
            rates[name].append(steps / (time.perf_counter() - started))
    return rates


def environment_ratios(rates: dict[str, int]) -> dict[str, float]:
    """Return the speed of batches as a multiple of PettingZoo's."""
    return {
        f"batched_{name} / pettingzoo_aec_{name}": round(
            rates[f"batched_{name}"] / rates[f"pettingzoo_aec_{name}"], 1
        )
        for name in TABLES
        if f"pettingzoo_aec_{name}" in rates
    }
