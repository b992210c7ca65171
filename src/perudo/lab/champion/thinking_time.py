"""Strength against time: games with increasing rollouts, and the same decisions repeated.

Games need thousands of repetitions to show small differences of strength, and at a second per
decision that takes days. So decisions from rounds against the strongest other agent are repeated
with every budget, and the longest search judges the moves by their values: the loss is a
probability of winning the match. The judge favours its own noise, so every other budget loses a
little. The champion's knowledge of its opponents is left out: longer searches do not change it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import Thoughts
from perudo.agents.registry import agent_named
from perudo.games.chance import combine, key_of, stream_of
from perudo.games.game import State
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.champion.duplicate import CHAMPION, SEED, STRONGEST, duplicate
from perudo.lab.champion.figures import Budget, FigureFile, GamesWon, Settling, Task
from perudo.lab.champion.goals import Goal, at_least, goal, less, percent, points, table
from perudo.lab.champion.two import share_of
from perudo.lab.charts import Chart, Lines
from perudo.lab.experiments.experiment import Conditions
from perudo.lab.experiments.measures import mean_of_samples
from perudo.lab.play import cores
from perudo.lab.timing import timed_decision

SETTLING, PLOT = "time/settling", "champion-time"
RULES, PLAYERS = "common", 4
TIMES_MS = (1, 3, 10, 30, 100, 300, 1000)
DECISIONS = 24
"""Decisions of a player in a game of four, approximately."""
TRIED_ROLLOUTS, LEAST_ROLLOUTS, MOST_ROLLOUTS = 10_000, 32, 10_000_000
BUDGETS = (32, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
"""Rollouts of the decisions that are judged."""
JUDGING_ROLLOUTS = (400, 1_000_000)
"""Rollouts of the judging search, in a quick run and in a full one."""
SETTLING_DECISIONS = (3, 400)
TIME_SECONDS, TIME_GAMES = (1, 240), (4, 400)
"""Seconds of the champion's thinking for each point, and most games, quick and full."""


def tasks(figures: FigureFile) -> list[Task]:
    """Return tasks: repeated decisions, then games with the rollouts that fit each time."""
    before = ["", *(f"time/{target}" for target in TIMES_MS[:-1])]
    return [Task(SETTLING, _settling)] + [
        Task(f"time/{target}", partial(_timed, target, name, figures))
        for target, name in zip(TIMES_MS, before, strict=True)
    ]


# --- games --------------------------------------------------------------------------------------
def _timed(target: int, before: str, figures: FigureFile, conditions: Conditions) -> GamesWon:
    """Play with the number of rollouts that the previous figure's speed predicts for the target."""
    slower = figures.find(GamesWon, before) or _against_three(TRIED_ROLLOUTS, 8, conditions)
    rollouts = rollouts_for(target * slower.rollouts / max(slower.mean_ms, 0.001))
    if before and rollouts <= slower.rollouts:
        return slower.model_copy(update={"target_ms": target})  # it cannot search longer
    seconds = conditions.number(*TIME_SECONDS)
    affordable = int(1000 * seconds / (target * DECISIONS))
    games = max(4, min(conditions.number(*TIME_GAMES), affordable))
    return _against_three(rollouts, games, conditions).model_copy(update={"target_ms": target})


def _against_three(rollouts: int, games: int, conditions: Conditions) -> GamesWon:
    words = [f"{CHAMPION}:rollouts={rollouts}", *[STRONGEST] * 3]
    figure = duplicate(conditions, words, RULES, games)
    return figure.model_copy(update={"rollouts": rollouts})


def rollouts_for(wanted: float) -> int:
    """Round a number of rollouts to two digits and to the champion's limits.

    >>> rollouts_for(12345.6)
    12000
    """
    whole = max(LEAST_ROLLOUTS, min(MOST_ROLLOUTS, round(wanted)))
    scale: int = 10 ** max(0, len(str(whole)) - 2)
    return whole // scale * scale


# --- decisions made again -----------------------------------------------------------------------
def _settling(conditions: Conditions) -> Settling:
    judging = conditions.pick(*JUDGING_ROLLOUTS)
    met = positions(conditions.number(*SETTLING_DECISIONS))
    budgets = [one for one in BUDGETS if one < judging]
    players = [
        agent_named(f"{CHAMPION}:rollouts={one}").prepare(met[0]) for one in (*budgets, judging)
    ]

    def judged(place: int) -> list[tuple[float, float]]:
        found = [
            timed_decision(player, met[place], player.new_memory(), stream_of(SEED, place, way))
            for way, player in enumerate(players)
        ]
        best = found[-1][0].thoughts
        return [(lost(decision.thoughts, best), seconds) for decision, seconds in found[:-1]]

    with ThreadPoolExecutor(conditions.workers or cores()) as pool:
        # The context lets integers of interpreted kernels overflow.
        running = [pool.submit(copy_context().run, judged, place) for place in range(len(met))]
        numbers = np.array([one.result() for one in running])
    return Settling(
        seed=SEED,
        decisions=len(met),
        judging_rollouts=judging,
        points=tuple(_point(budget, numbers[:, way]) for way, budget in enumerate(budgets)),
    )


def _point(budget: int, numbers: npt.NDArray[np.float64]) -> Budget:
    found = mean_of_samples([numbers[:, 0]])
    return Budget(
        rollouts=budget,
        mean_ms=round(1000 * float(numbers[:, 1].mean()), 3),
        lost=round(found.value, 6),
        ci95=(round(found.low, 6), round(found.high, 6)),
    )


def lost(thoughts: Thoughts | None, best: Thoughts | None) -> float:
    """Return the loss of a policy against the longest search's, by the values of that search."""
    assert thoughts is not None
    assert best is not None
    assert thoughts.probabilities is not None
    assert best.probabilities is not None
    return sum(
        (best.probabilities[move] - thoughts.probabilities[move]) * worth
        for move, worth in best.values.items()
    )


def positions(wanted: int) -> list[State]:
    """Return observations in which the champion searches, from rounds with random dice counts."""
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


# --- goals and tables ---------------------------------------------------------------------------
def goals(figures: FigureFile) -> list[Goal]:
    """Return the goal that more time gives more strength."""
    first, last = (share_of(figures, f"time/{TIMES_MS[place]}") for place in (0, -1))
    return [
        goal(
            "strength against time: more at 1 s a decision than at 1 ms",
            points,
            at_least(0.0),
            [("the last point less the first", less(last, first))],
        )
    ]


def time_points(figures: FigureFile) -> list[GamesWon]:
    """Return the figures of strength at different times, the shortest first."""
    found = [figures.find(GamesWon, f"time/{target}") for target in TIMES_MS]
    return list({one.rollouts: one for one in found if one is not None}.values())


def tables(figures: FigureFile) -> str:
    """Return the tables of strength against time."""
    rows = [
        (
            f"`champion:rollouts={one.rollouts}`",
            f"{one.mean_ms:.3g}",
            f"{one.games:,}",
            percent(one.measure),
        )
        for one in time_points(figures)
    ]
    if not rows:
        return ""
    heads = (f"4 players, `common`, against three {STRONGEST}", "ms a decision", "games", "won")
    text = table(heads, rows)
    settling = figures.find(Settling, SETTLING)
    if settling is not None:
        text += "\n\n" + _settling_table(settling)
    if len(rows) > 1:
        text += f"\n\n![Strength against time](figures/{PLOT}.png)"
    return text


def _settling_table(figure: Settling) -> str:
    rows = [
        (
            f"`champion:rollouts={one.rollouts}`",
            f"{one.mean_ms:.3g}",
            f"{100 * one.lost:.3f} ({100 * one.ci95[0]:.3f} to {100 * one.ci95[1]:.3f})",
        )
        for one in figure.points
    ]
    heads = (
        f"the same {figure.decisions:,} decisions, judged by {figure.judging_rollouts:,} rollouts",
        "ms a decision",
        "winning chance lost a decision, %",
    )
    return table(heads, rows)


def strength_chart(figures: FigureFile) -> Chart | None:
    """Return a chart of games won against decision time; None with fewer than two points."""
    there = time_points(figures)
    if len(there) < 2:
        return None
    name = f"champion against three {STRONGEST}"
    panels = [
        Lines(
            title="Strength against time: 4 players, common",
            x_label="milliseconds a decision, on average",
            unit="games won, %",
            x=[figure.mean_ms for figure in there],
            series={name: [100 * figure.share for figure in there]},
            intervals={name: [(100 * figure.ci95[0], 100 * figure.ci95[1]) for figure in there]},
            logarithmic=True,
            levels={"its share": 25.0},
            x_ticks=[
                tick for tick in TIMES_MS if there[0].mean_ms <= 1.5 * tick <= 2 * there[-1].mean_ms
            ],
        )
    ]
    settling = figures.find(Settling, SETTLING)
    return Chart(panels if settling is None else [*panels, _settling_lines(settling)])


def _settling_lines(figure: Settling) -> Lines:
    name = "champion"
    return Lines(
        title=f"What {figure.judging_rollouts:,} rollouts would have done better",
        x_label="milliseconds a decision, on average",
        unit="chance to win the match lost a decision, %",
        x=[one.mean_ms for one in figure.points],
        series={name: [100 * one.lost for one in figure.points]},
        intervals={name: [(100 * one.ci95[0], 100 * one.ci95[1]) for one in figure.points]},
        logarithmic=True,
        levels={"nothing": 0.0},
        x_ticks=TIMES_MS[1:-1],
    )
