"""What more time would change: the same decisions with few rollouts and with very many.

Games tell small differences of strength only by the thousand, and with a second for each decision
they take days. Here decisions are taken from rounds against the strongest other agent, made again
with every budget, and judged by what the longest thinking takes their moves to be worth: the
chance to win the match that is lost by not having thought that long. The judge's own luck counts
for it, so a little is lost by anybody else. How well the champion knows its opponents is left out:
longer thinking does not change it.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import Player, Thoughts
from perudo.agents.registry import agent_named
from perudo.games.chance import combine, key_of, stream_of
from perudo.games.perudo import PERUDO, Rules
from perudo.games.state import State
from perudo.lab.proof.figures import Figure, Task, Work, mean_value
from perudo.lab.proof.matches import CHAMPION, STRONGEST

NAME = "time/settling"
RULES, PLAYERS, SEED = "common", 4, 7
BUDGETS = (32, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
"""Rollouts."""


def settling() -> Task:
    """One figure, with a row for each budget."""
    return Task(NAME, _measure)


def _measure(work: Work) -> Figure:
    sizes = work.sizes
    met = positions(sizes.settling_decisions)
    budgets = [one for one in BUDGETS if one < sizes.judging_rollouts]
    agents = [agent_named(f"{CHAMPION}:rollouts={one}").prepare(met[0]) for one in budgets]
    judge = agent_named(f"{CHAMPION}:rollouts={sizes.judging_rollouts}").prepare(met[0])

    def judged(place: int) -> list[tuple[float, float]]:
        best, _ = _thought(judge, met[place], place, len(agents))
        found = []
        for way, agent in enumerate(agents):
            thoughts, seconds = _thought(agent, met[place], place, way)
            found.append((lost(thoughts, best), seconds))
        return found

    with ThreadPoolExecutor(work.workers) as pool:
        # The context says that interpreted kernels may wrap around.
        running = [pool.submit(copy_context().run, judged, place) for place in range(len(met))]
        numbers = np.array([one.result() for one in running])
    return {
        "seed": SEED,
        "decisions": len(met),
        "judging_rollouts": sizes.judging_rollouts,
        "points": [_point(budget, numbers[:, way]) for way, budget in enumerate(budgets)],
    }


def _point(budget: int, numbers: npt.NDArray[np.float64]) -> Figure:
    found = mean_value([numbers[:, 0]])
    return {
        "rollouts": budget,
        "mean_ms": round(1000 * float(numbers[:, 1].mean()), 3),
        "lost": round(found.value, 6),
        "ci95": [round(found.low, 6), round(found.high, 6)],
    }


def _thought(agent: Player, observation: State, place: int, way: int) -> tuple[Thoughts, float]:
    """What an agent thinks there, and the processor's time for it."""
    began = time.thread_time()
    decision = agent.decide(observation, agent.new_memory(), stream_of(SEED, place, way))
    return decision.thoughts, time.thread_time() - began


def lost(thoughts: Thoughts, best: Thoughts) -> float:
    """How much less a mixture is worth than that of the longest thinking, by its values."""
    assert thoughts.probabilities is not None
    assert best.probabilities is not None
    return sum(
        (best.probabilities[move] - thoughts.probabilities[move]) * worth
        for move, worth in best.values.items()
    )


def positions(wanted: int) -> list[State]:
    """Where the champion has to think, in rounds from all sorts of dice counts."""
    champion, other = agent_named(CHAMPION), agent_named(STRONGEST)
    chance, stream = np.random.default_rng(SEED), stream_of(SEED)
    rules = Rules.parse(RULES)
    found: list[State] = []
    number = 0
    while len(found) < wanted:
        dice = [int(count) for count in chance.integers(1, rules.dice + 1, PLAYERS)]
        start = PERUDO.start(rules, PLAYERS, dice, opener=number % PLAYERS)
        state = start.deal(int(combine(key_of(SEED), number)))
        while (seat := state.actor) is not None and len(found) < wanted:
            agent = other if seat else champion
            observation = state.observe(seat)
            decision = agent.decide(observation, agent.new_memory(), stream)
            if agent is champion and decision.thoughts.rollouts > 0:
                found.append(observation)
            state = state.apply(decision.action)
        number += 1
    return found
