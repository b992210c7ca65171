"""The rule that chooses, from the ladder, the agents of each level that people play against."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypedDict

from perudo.agents.registry import AGENTS
from perudo.games.errors import PerudoError
from perudo.lab.ladder.ladder import Ladder, LadderRow

LEVELS = {
    "beginner": "gentle, for the first games",
    "casual": "a regular player who can be beaten",
    "strong": "sharp, and seldom wrong about the odds",
    "expert": "hard: the strongest that answer at once",
}
"""The names and summaries of the levels, weakest first."""
QUICK_MS = 200.0
"""The slowest timed decision, in milliseconds, that an agent of a level may have."""
ABOVE_RANDOM = 400.0
"""The rating above random play, ten wins to one, from which an agent counts as sensible."""
FEWEST, MOST = 2, 3
"""The number of agents of a level, if enough are near its mark."""
NEAR = 1 / 3
"""The largest distance of an agent from its level's mark, as a share of the spacing."""

RULE = (
    "The candidates play at all table sizes, never took more than 0.2 s when timed and are at "
    "least 400 points above random. The weakest and the strongest mark the first and the last "
    "level; the other two marks divide the distance evenly. An agent is near a mark if it is "
    "within a third of the way to the next one. A level has two or three agents near its mark, of "
    "different families if possible: those whose mean is nearest to the mark."
)


class Level(TypedDict):
    """A level that people choose, as JSON."""

    name: str
    summary: str
    mark: float
    rating: float
    slowest_ms: float
    agents: list[str]


class Levels(TypedDict):
    """All levels, the weakest first, with the rule that chose them."""

    rule: str
    spacing: float
    levels: list[Level]


def choose(ladder: Ladder) -> Levels:
    """Return the levels that ``RULE`` chooses, as plain data."""
    rows = [row for row in ladder["agents"] if len(row["ratings"]) == len(ladder["players"])]
    bottom = next((row["mean"] for row in rows if row["agent"] == "random"), None)
    if bottom is None:
        raise PerudoError("levels are measured from random, which is not on this ladder")
    eligible = [
        row
        for row in rows
        if row["mean"] >= bottom + ABOVE_RANDOM and row["slowest_ms"] <= QUICK_MS
    ]
    if len(eligible) < len(LEVELS):
        raise PerudoError(f"{len(LEVELS)} levels need as many agents; {len(eligible)} are suitable")
    low, high = (found(row["mean"] for row in eligible) for found in (min, max))
    spacing = (high - low) / (len(LEVELS) - 1)
    levels: list[Level] = []
    for place, (name, summary) in enumerate(LEVELS.items()):
        mark = low + place * spacing
        chosen = _nearest(eligible, mark, NEAR * spacing)
        levels.append(
            {
                "name": name,
                "summary": summary,
                "mark": round(mark, 1),
                "rating": round(_mean(chosen), 1),
                "slowest_ms": max(row["slowest_ms"] for row in chosen),
                "agents": [row["agent"] for row in chosen],
            }
        )
    return {"rule": RULE, "spacing": round(spacing, 1), "levels": levels}


def _nearest(rows: list[LadderRow], mark: float, reach: float) -> list[LadderRow]:
    """Return two or three agents within reach whose mean is nearest, or the nearest agent."""
    ordered = sorted(rows, key=lambda row: abs(row["mean"] - mark))
    near = [row for row in ordered if abs(row["mean"] - mark) <= reach]
    sets: list[tuple[LadderRow, ...]] = [
        some for size in range(FEWEST, MOST + 1) for some in combinations(near, size)
    ]
    mixed = [some for some in sets if len({family(row["agent"]) for row in some}) == len(some)]
    if not sets:
        return ordered[:1]
    best = min(mixed or sets, key=lambda some: (abs(_mean(some) - mark), -len(some)))
    return list(best)


def _mean(rows: Sequence[LadderRow]) -> float:
    return float(sum(row["mean"] for row in rows) / len(rows))


def family(word: str) -> str:
    """Return the family of an agent, which is the module that defines it.

    >>> family("l-dumb:prob=0.4"), family("sl-dumb")
    ('dumb', 'dumb')
    """
    return AGENTS[word.partition(":")[0]].__module__.rpartition(".")[2]
