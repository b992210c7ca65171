"""The time of the champion's decisions, at every number of players and dice.

Single rounds are played with equal numbers of dice; every second seat is an Observer, so that the
champion, which sees the results of rounds, learns that it plays against other agents. Times are
processor times of decisions requested from Python, so they do not depend on the machine's load.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from perudo.agents.agent import Player
from perudo.agents.registry import agent_named
from perudo.games.chance import combine, key_of, stream_of
from perudo.games.perudo import PERUDO, Rules
from perudo.games.policy import Memory
from perudo.lab.champion.duplicate import CHAMPION, PRESETS, SEED
from perudo.lab.champion.figures import DecisionTimes, FigureFile, Speed, Task
from perudo.lab.champion.goals import Goal, at_most, goal, table
from perudo.lab.experiments.experiment import Conditions
from perudo.lab.experiments.measures import Measure, exactly
from perudo.lab.timing import timed_decision

DEEP = "champion:deep"
LIMITS_MS = {CHAMPION: 50.0, DEEP: 1000.0}
PLAYERS, DICE = range(2, 7), range(1, 6)
OTHER = "observer"
SIZES = {CHAMPION: (4, 200), DEEP: (2, 40)}
"""Decisions at each number of players and dice, in a quick run and in a full one."""


def tasks() -> list[Task]:
    """Return tasks for both budgets at all tables."""
    return [
        Task(f"speed/{word}/{rules}/{players}", partial(_measure, word, rules, players))
        for word in LIMITS_MS
        for rules in PRESETS
        for players in PLAYERS
    ]


def _measure(word: str, rules: str, players: int, conditions: Conditions) -> Speed:
    wanted = conditions.number(*SIZES[word])
    rows = []
    for dice in DICE:
        spent = 1000 * np.array(decision_seconds(word, rules, players, dice, wanted))
        rows.append(
            DecisionTimes(
                dice=dice,
                mean_ms=round(float(spent.mean()), 3),
                p99_ms=round(float(np.quantile(spent, 0.99)), 3),
                max_ms=round(float(spent.max()), 3),
            )
        )
    return Speed(
        seed=SEED,
        decisions=wanted * len(rows),
        max_ms=max(row.max_ms for row in rows),
        by_dice=tuple(rows),
    )


def decision_seconds(word: str, rules: str, players: int, dice: int, wanted: int) -> list[float]:
    """Return the processor seconds of each decision."""
    setting = Rules.parse(rules)
    first = PERUDO.start(setting, players, [dice] * players, opener=0)
    champion, other = (agent_named(name).prepare(first) for name in (word, OTHER))
    memories = [(champion.new_memory(), other.new_memory()) for _ in range(players)]
    streams = [stream_of(SEED, seat) for seat in range(players)]
    spent: list[float] = []
    number = 0
    while len(spent) <= wanted:  # the first decision loads the kernels, and is left out
        start = PERUDO.start(setting, players, [dice] * players, opener=number % players)
        state = start.deal(int(combine(key_of(SEED), number)))
        seated: list[tuple[Player, Memory]] = [
            (champion, memories[seat][0])
            if (seat + number // 2) % 2
            else (other, memories[seat][1])
            for seat in range(players)
        ]
        while (seat := state.actor) is not None:
            player, memory = seated[seat]
            decision, seconds = timed_decision(player, state.observe(seat), memory, streams[seat])
            if player is champion:
                spent.append(seconds)
            state = state.apply(decision.action)
        for seat, (player, memory) in enumerate(seated):
            player.learn(state.observe(seat), memory)
        number += 1
    return spent[1 : wanted + 1]


def goals(figures: FigureFile) -> list[Goal]:
    """Return the goals for the slowest decisions."""
    return [
        goal(
            f"`{word}`: the slowest decision takes at most {limit:.0f} ms on one core",
            lambda value: f"{value.value:.3g} ms",
            at_most(limit),
            (
                (f"{rules}, {players} players", _slowest(figures, word, rules, players))
                for rules in PRESETS
                for players in PLAYERS
            ),
        )
        for word, limit in LIMITS_MS.items()
    ]


def _slowest(figures: FigureFile, word: str, rules: str, players: int) -> Measure | None:
    found = figures.find(Speed, f"speed/{word}/{rules}/{players}")
    return None if found is None else exactly(found.max_ms)


def tables(figures: FigureFile) -> str:
    """Return the table of decision times."""
    rows = []
    for word in LIMITS_MS:
        for rules in PRESETS:
            for players in PLAYERS:
                figure = figures.find(Speed, f"speed/{word}/{rules}/{players}")
                if figure is not None:
                    cells = [
                        " / ".join(map(_milliseconds, (one.mean_ms, one.p99_ms, one.max_ms)))
                        for one in figure.by_dice
                    ]
                    rows.append((f"`{word}`, `{rules}`, {players} players", *cells))
    if not rows:
        return ""
    heads = ["processor ms per decision: mean / 99 % / slowest; by dice each", *"12345"]
    return table(heads, rows)


def _milliseconds(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"
