"""A learner in a few lines: a linear policy that learns to beat random play over many games.

    python examples/batched_learner.py

REINFORCE: the actions of a round become more likely if its payoff was good, less if it was bad.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.games.chance import stream_of
from perudo.lab.adapters.batched import BatchedPerudo, Step, random_actions

LEARNER = 0
"""The seat that learns; the other plays at random."""
RATE = 0.02
"""Learning rate."""

Real = npt.NDArray[np.float64]


def features(step: Step) -> Real:
    """Return the observations, scaled, with a constant feature: (rows, features)."""
    rows = step.observations / 5.0
    return np.concatenate([rows, np.ones((len(rows), 1))], axis=1)


def probabilities(weights: Real, seen: Real, masks: npt.NDArray[np.int8]) -> Real:
    """Return the policy, a softmax over the legal actions: (rows, actions)."""
    scores = np.where(masks == 1, seen @ weights, -np.inf)
    chances: Real = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    return chances


def train(steps: int, lanes: int = 256, rules: str = "common:dice=2", seed: int = 1) -> list[float]:
    """Train, and return the learner's mean payoff per round in each tenth of the steps."""
    env = BatchedPerudo(lanes, rules, players=2, seed=seed, payoffs="round")
    rng, stream = np.random.default_rng(seed), stream_of(seed)
    step = env.reset()
    weights = np.zeros((env.layout.width + 1, len(env.numbers)))
    traces = np.zeros((lanes, *weights.shape))  # gradients of the rounds in progress
    progress: list[float] = []
    earned, rounds = 0.0, 0
    for number in range(steps):
        actions = random_actions(step.masks, stream)
        mine = np.flatnonzero(step.seats == LEARNER)
        seen = features(step)[mine]
        chances = probabilities(weights, seen, step.masks[mine])
        below = chances.cumsum(axis=1)
        drawn = (below > rng.random((len(mine), 1)) * below[:, -1:]).argmax(axis=1)
        actions[mine] = drawn
        taken = np.eye(len(env.numbers))[drawn] - chances
        traces[mine] += seen[:, :, None] * taken[:, None, :]
        step = env.step(actions)
        payoffs = step.payoffs[:, LEARNER]
        settled = np.flatnonzero(payoffs)
        weights += RATE * np.tensordot(payoffs[settled], traces[settled], 1) / max(len(settled), 1)
        traces[settled] = 0.0
        earned, rounds = earned + float(payoffs.sum()), rounds + len(settled)
        if (number + 1) % (steps // 10) == 0:
            progress.append(earned / max(rounds, 1))
            earned, rounds = 0.0, 0
    return progress


if __name__ == "__main__":
    for tenth, payoff in enumerate(train(5_000), start=1):
        print(f"{10 * tenth:3d} % of the steps: {payoff:+.3f} a round")
