"""The value of beliefs to a search: it weighs the others' hands by their bids."""

from __future__ import annotations

from perudo.lab.charts import Bars, Chart
from perudo.lab.experiments.experiment import Conditions, Findings, Row
from perudo.lab.experiments.measures import Measure, difference, win_rate
from perudo.lab.timing import mean_ms

RULES = "common"
SEARCHERS = {
    "pomcp-pgt-ucb": (
        "pomcp-pgt-ucb:iterations=1000,informed=no",
        "pomcp-pgt-ucb:iterations=1000,informed=yes",
    ),
    "mcts-observer": (
        "mcts-observer:rollouts=1000,pseudo_rolls=random",
        "mcts-observer:rollouts=1000,pseudo_rolls=believed",
    ),
}
"""Each search without beliefs and with them."""
TABLES = {
    "three observers": ("observer",) * 3,
    "a mixed table": ("observer", "l-dumb", "heuristic-max"),
}
DEALT = ("any hand is as likely as by the odds", "hands weighed by what was bid")


def beliefs(conditions: Conditions) -> Findings:
    """Compare two searches with and without beliefs, at two tables of four."""
    games = conditions.number(100, 2_500)
    rows = []
    groups: list[str] = []
    found: dict[str, list[Measure]] = {name: [] for name in DEALT}
    times: dict[str, list[float]] = {}
    for name, pair in SEARCHERS.items():
        for table, others in TABLES.items():
            groups.append(f"{name}\nagainst {table}")
            played = [conditions.play(RULES, (agent, *others), games) for agent in pair]
            plain, informed = (win_rate(results, 0) for results in played)
            for dealt, one in zip(DEALT, (plain, informed), strict=True):
                found[dealt].append(one)
            where = f"{name}, {table}"
            rows += [
                Row(f"{where}: games won without beliefs", plain, unit="%"),
                Row(f"{where}: games won with beliefs", informed, unit="%"),
                Row(f"{where}: gain", difference(informed, plain), unit="points"),
            ]
            for results, agent in zip(played, pair, strict=True):
                times.setdefault(agent, []).append(mean_ms(results, 0))
    bars = Bars(
        "What beliefs are worth",
        "% of games",
        groups,
        {name: [one.value for one in some] for name, some in found.items()},
        {name: [(one.low, one.high) for one in some] for name, some in found.items()},
    )
    spent = "; ".join(f"{agent} {sum(some) / len(some):.2g}" for agent, some in times.items())
    notes = [
        f"{games:,} games in each cell; 25 % would be an equal share.",
        "The model of the others, for beliefs as for rollouts, is the observer: at the mixed table "
        "it is wrong about two of them.",
        f"Mean milliseconds a decision, of this machine: {spent}.",
    ]
    return Findings(rows, Chart([bars]), notes=notes)
