"""Tables of four and six: matches against others, and a fourth agent against three copies."""

from __future__ import annotations

from perudo.lab.champion.duplicate import CHAMPION, PRESETS, STRONGEST, duplicate_task
from perudo.lab.champion.figures import FigureFile, GamesWon, Task
from perudo.lab.champion.goals import (
    ABSENT,
    Goal,
    at_least,
    at_most,
    goal,
    less,
    percent,
    points,
    shown,
    table,
)
from perudo.lab.champion.two import share_of
from perudo.lab.experiments.measures import Measure, exactly, mean_of

FOUR, SEAT, SIX, QUARTER = 0.375, 0.25, 0.25, 0.25
ENSEMBLE = "ensemble:rollouts=1000,pseudo_rolls=believed"
THREE = {
    "copies": (STRONGEST,) * 3,
    "copies-2": ("pomcp-pgt-rm",) * 3,
    "mixed-1": (STRONGEST, "pomcp", ENSEMBLE),
    "mixed-2": ("pomcp-pgt-rm", "observer", "boros-bluff"),
}
"""Opponents at tables of four: three copies of the strongest agent, three of one that is as strong
there, and mixed tables from the ladder's upper half."""
FOURTH = ("observer", "boros-bluff", STRONGEST)
"""The agents that play against three copies."""
COPIES = (CHAMPION, STRONGEST, "pomcp", "pomcp-pgt-rm", ENSEMBLE, "observer")
"""The agents that are copied."""


def four_tasks() -> list[Task]:
    """Return tasks for games against three others."""
    return [
        duplicate_task(
            f"four/{rules}/{way}",
            [CHAMPION, *others],
            rules,
            (4, 1_400) if way == "copies" else (4, 800),
        )
        for rules in PRESETS
        for way, others in THREE.items()
    ]


def six_tasks() -> list[Task]:
    """Return tasks for games against five copies of the strongest agent."""
    lineup = [CHAMPION, *[STRONGEST] * 5]
    return [duplicate_task(f"six/{rules}", lineup, rules, (6, 600)) for rules in PRESETS]


def copies_tasks() -> list[Task]:
    """Return tasks for games of a fourth agent against three copies of another."""
    return [
        duplicate_task(f"copies/{fourth}/{other}", [fourth, *[other] * 3], "common", (4, 400))
        for fourth in FOURTH
        for other in COPIES
        if fourth != other
    ]


def line_ups() -> dict[str, str]:
    """Return the opponents at tables of four in words, by the last part of the figures' names."""
    return {
        way: f"three {three[0]}" if len(set(three)) == 1 else ", ".join(three)
        for way, three in THREE.items()
    }


def four_goals(figures: FigureFile) -> list[Goal]:
    """Return the goals for tables of four, in total and from each seat."""
    tables: list[tuple[str, Measure | None]] = []
    seats: list[tuple[str, Measure | None]] = []
    for rules in PRESETS:
        for way, others in line_ups().items():
            figure = figures.find(GamesWon, f"four/{rules}/{way}")
            tables.append((f"{rules}, {others}", None if figure is None else figure.measure))
            for seat in range(4):
                value = None if figure is None else figure.by_seat[seat].measure
                seats.append((f"{rules}, {others}, seat {seat + 1}", value))
    return [
        goal("four players: at least 37.5 % against three others", percent, at_least(FOUR), tables),
        goal("four players: more than its share from every seat", percent, at_least(SEAT), seats),
    ]


def six_goals(figures: FigureFile) -> list[Goal]:
    """Return the goals for tables of six."""
    return [
        goal(
            f"six players: at least 25 % against five {STRONGEST}",
            percent,
            at_least(SIX),
            ((rules, share_of(figures, f"six/{rules}")) for rules in PRESETS),
        )
    ]


def copies_goals(figures: FigureFile) -> list[Goal]:
    """Return the goals for a fourth agent's share against three champions and three others."""
    others = [other for other in COPIES if other != CHAMPION]
    own = mean_share_against(figures, CHAMPION)
    return [
        goal(
            "a fourth player wins no more from three champions than from three of another agent, "
            f"on average over {len(FOURTH)} fourth players",
            points,
            at_most(0.0),
            ((other, less(own, mean_share_against(figures, other))) for other in others),
        ),
        goal(
            "the same, for each fourth player alone",
            points,
            at_most(0.0),
            (
                (f"{fourth}, {other}", extra_share(figures, fourth, other))
                for fourth in FOURTH
                for other in others
            ),
        ),
    ]


def share_against(figures: FigureFile, fourth: str, other: str) -> Measure | None:
    """Return a fourth agent's share against three copies; against its own copies, a quarter."""
    return exactly(QUARTER) if fourth == other else share_of(figures, f"copies/{fourth}/{other}")


def mean_share_against(figures: FigureFile, other: str) -> Measure | None:
    """Return the mean share of all fourth agents against three copies."""
    values = [share_against(figures, fourth, other) for fourth in FOURTH]
    there = [one for one in values if one is not None]
    return mean_of(there) if len(there) == len(values) else None


def extra_share(figures: FigureFile, fourth: str, other: str) -> Measure | None:
    """Return a fourth agent's share against three champions, less that against three others."""
    return less(share_against(figures, fourth, CHAMPION), share_against(figures, fourth, other))


def tables(figures: FigureFile) -> str:
    """Return the tables of results at tables of four and six."""
    names = {
        f"four/{rules}/{way}": f"4 players, `{rules}`, against {others}"
        for rules in PRESETS
        for way, others in line_ups().items()
    }
    names |= {
        f"six/{rules}": f"6 players, `{rules}`, against five {STRONGEST}" for rules in PRESETS
    }
    rows, example = [], ""
    for name, label in names.items():
        one = figures.find(GamesWon, name)
        if one is not None:
            seats = "; ".join(_seat(seat.measure) for seat in one.by_seat)
            rows.append((label, f"{one.games:,}", percent(one.measure), seats))
            example = example or (f"For instance `{one.command}`." if one.command else "")
    if not rows:
        return ""
    heads = ("games won", "games", "won", "% from each seat")
    return table(heads, rows) + "\n\n" + example


def _seat(value: Measure) -> str:
    return f"{100 * value.value:.0f} ({100 * value.low:.0f}-{100 * value.high:.0f})"


def copies_table(figures: FigureFile) -> str:
    """Return the table of a fourth agent's shares against three copies."""
    rows = []
    for fourth in FOURTH:
        values = [share_against(figures, fourth, other) for other in COPIES]
        if values[0] is not None:
            least = min(
                (extra for other in COPIES[1:] if (extra := extra_share(figures, fourth, other))),
                key=lambda extra: -extra.value,
                default=None,
            )
            cells = [
                "25 %" if other == fourth else shown(one, percent)
                for other, one in zip(COPIES, values, strict=True)
            ]
            rows.append((f"`{fourth}`", *cells, shown(least, points)))
    if not rows:
        return ""
    means = [shown(mean_share_against(figures, other), percent) for other in COPIES]
    rows.append(("on average", *means, ABSENT))
    heads = ["games won by a fourth from three", *(f"`{other}`" for other in COPIES)]
    return table([*heads, "from `champion` more than from the hardest other, points"], rows)
