"""Matches of two: results against all agents of the ladder, and the gain from reading opponents."""

from __future__ import annotations

from perudo.agents.registry import agent_named
from perudo.games.perudo import Rules
from perudo.lab.champion.duplicate import CHAMPION, NOT_ADAPTING, PRESETS, duplicate_task
from perudo.lab.champion.figures import FigureFile, GamesWon, Task
from perudo.lab.champion.goals import (
    Goal,
    at_least,
    goal,
    less,
    percent,
    points,
    reached_by,
    shown,
    table,
)
from perudo.lab.experiments.measures import Measure
from perudo.lab.ladder.ladder import eligible, roster

MATCHES, GAIN, SELF = 0.55, 0.03, 0.50
WITHOUT_MATCH = "cfr:match=no"
CLOSE = ("cfr", WITHOUT_MATCH)
"""Opponents that play nearly as well, so that the experiment needs many games."""
EXPLOITABLE = ("observer", "boros-bluff", "macleod", "l-dumb", "hmax-random")
"""Opponents with fixed, weak policies, which the champion can learn to exploit."""
USUAL_SIZE, CLOSE_SIZE, OFFICIAL_SIZE = (4, 1_400), (4, 100_000), (2, 400)


def opponents(rules: str) -> list[str]:
    """Return the ladder's other agents that can play at a table of two."""
    words = [word for word in roster() if agent_named(word).name != CHAMPION]
    return eligible([*words, WITHOUT_MATCH] if rules == "common" else words, Rules.parse(rules), 2)


def tasks() -> list[Task]:
    """Return tasks for matches against all agents, with and without adapting, and itself."""
    found = []
    for word in opponents("common"):
        size = CLOSE_SIZE if word in CLOSE else USUAL_SIZE
        found.append(duplicate_task(f"two/common/{word}", [CHAMPION, word], "common", size))
    for word in EXPLOITABLE:
        found.append(
            duplicate_task(f"two/unread/{word}", [NOT_ADAPTING, word], "common", USUAL_SIZE)
        )
    found.append(duplicate_task("two/self", [CHAMPION, NOT_ADAPTING], "common", CLOSE_SIZE))
    for word in opponents("official"):
        size = CLOSE_SIZE if word in CLOSE else OFFICIAL_SIZE
        found.append(duplicate_task(f"two/official/{word}", [CHAMPION, word], "official", size))
    return found


def share_of(figures: FigureFile, name: str) -> Measure | None:
    """Return the share of games won, if it was measured."""
    found = figures.find(GamesWon, name)
    return None if found is None else found.measure


def gain_of(figures: FigureFile, word: str) -> Measure | None:
    """Return the gain in share from reading an opponent."""
    return less(share_of(figures, f"two/common/{word}"), share_of(figures, f"two/unread/{word}"))


def goals(figures: FigureFile) -> list[Goal]:
    """Return the goals for matches won, and for the gain from reading opponents."""
    return [
        *(
            goal(
                f"two players, `{rules}`: at least 55 % of matches against every other agent",
                percent,
                at_least(MATCHES),
                (
                    (name.removeprefix(f"two/{rules}/"), share_of(figures, name))
                    for name in figures.names(f"two/{rules}/")
                ),
            )
            for rules in PRESETS
        ),
        goal(
            "reading opponents wins at least 3 points more against fixed agents",
            points,
            at_least(GAIN),
            ((word, gain_of(figures, word)) for word in EXPLOITABLE),
        ),
        goal(
            "reading opponents loses nothing against a champion without it, beyond the interval",
            percent,
            at_least(SELF),
            [("`champion:adapt=0`", share_of(figures, "two/self"))],
            lenient=True,
        ),
    ]


def tables(figures: FigureFile) -> str:
    """Return the tables of matches of two, and of the gain from reading opponents."""
    rows = []
    for name in figures.names("two/common/"):
        common, word = figures.find(GamesWon, name), name.removeprefix("two/common/")
        assert common is not None
        official = shown(share_of(figures, f"two/official/{word}"), percent)
        yes = reached_by(common.measure, at_least(MATCHES))
        cells = (f"`{word}`", f"{common.games:,}", percent(common.measure), yes, official)
        rows.append((common.share, cells))
    if not rows:
        return ""
    rows.sort(key=lambda row: -row[0])
    heads = ("two players, matches won against", "games", "`common`", "55 %", "`official`")
    text = table(heads, [cells for _, cells in rows])
    example = figures.find(GamesWon, "two/common/observer")
    text += "\n\n" + (f"For instance `{example.command}`." if example and example.command else "")
    reading = []
    for word in EXPLOITABLE:
        gain = gain_of(figures, word)
        if gain is not None:
            ways = (share_of(figures, f"two/{way}/{word}") for way in ("common", "unread"))
            shares = [shown(one, percent) for one in ways]
            reading.append((f"`{word}`", *shares, points(gain), reached_by(gain, at_least(GAIN))))
    if reading:
        heads = ("reading opponents", "`champion`", "`champion:adapt=0`", "points more", "3")
        text += "\n\n" + table(heads, reading)
    return text
