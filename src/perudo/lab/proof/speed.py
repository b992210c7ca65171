"""How long the champion thinks, at every number of players and dice.

Single rounds with the same number of dice for all; every other seat is an Observer, so that the
champion, which is shown how rounds are settled, finds out that it sits among others. Times are the
processor's for a decision asked for in Python, so they do not depend on what else the machine does.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from perudo.agents.agent import Agent
from perudo.agents.registry import agent_named
from perudo.games.chance import combine, key_of, stream_of
from perudo.games.perudo import PERUDO, Rules
from perudo.games.policy import Memory
from perudo.lab.proof.figures import Figure, Task, Work
from perudo.lab.proof.matches import CHAMPION, PRESETS

DEEP = "champion:deep"
LIMITS_MS = {CHAMPION: 50.0, DEEP: 1000.0}
PLAYERS, DICE = range(2, 7), range(1, 6)
OTHER = "observer"
SEED = 7


def speed() -> list[Task]:
    """Both ways of thinking at all tables."""
    return [
        Task(f"speed/{word}/{rules}/{players}", partial(_measure, word, rules, players))
        for word in LIMITS_MS
        for rules in PRESETS
        for players in PLAYERS
    ]


def _measure(word: str, rules: str, players: int, work: Work) -> Figure:
    wanted = work.sizes.timed_decisions if word == CHAMPION else work.sizes.deep_decisions
    rows = []
    for dice in DICE:
        spent = 1000 * np.array(decision_seconds(word, rules, players, dice, wanted))
        rows.append(
            {
                "dice": dice,
                "mean_ms": round(float(spent.mean()), 3),
                "p99_ms": round(float(np.quantile(spent, 0.99)), 3),
                "max_ms": round(float(spent.max()), 3),
            }
        )
    return {
        "seed": SEED,
        "decisions": wanted * len(rows),
        "max_ms": max(row["max_ms"] for row in rows),
        "by_dice": rows,
    }


def decision_seconds(word: str, rules: str, players: int, dice: int, wanted: int) -> list[float]:
    """Processor time of so many decisions."""
    champion, other = agent_named(word), agent_named(OTHER)
    memories = [(champion.new_memory(), other.new_memory()) for _ in range(players)]
    streams = [stream_of(SEED, seat) for seat in range(players)]
    spent: list[float] = []
    number = 0
    while len(spent) <= wanted:  # the first decision loads the kernels, and is left out
        start = PERUDO.start(Rules.parse(rules), players, [dice] * players, opener=number % players)
        state = start.deal(int(combine(key_of(SEED), number)))
        seated: list[tuple[Agent, Memory]] = [
            (champion, memories[seat][0])
            if (seat + number // 2) % 2
            else (other, memories[seat][1])
            for seat in range(players)
        ]
        while (seat := state.actor) is not None:
            agent, memory = seated[seat]
            observation = state.observe(seat)
            began = time.thread_time()
            decision = agent.decide(observation, memory, streams[seat])
            if agent is champion:
                spent.append(time.thread_time() - began)
            state = state.apply(decision.action)
        for seat, (agent, memory) in enumerate(seated):
            agent.learn(state.observe(seat), memory)
        number += 1
    return spent[1 : wanted + 1]
