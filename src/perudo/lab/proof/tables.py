"""The champion's figures as tables, a function for each part of what it has to show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perudo.lab.proof.bounds import EXACT_DICE, EXACT_RULES, FULL_RULES, MISLEADING
from perudo.lab.proof.figures import Figure, Figures, Value, at_least, bound_of, share_of
from perudo.lab.proof.goals import (
    GAIN,
    MATCHES,
    dice,
    ease_of,
    gain_of,
    left_on_average,
    left_to,
    line_ups,
    percent,
    points,
    rise_of,
)
from perudo.lab.proof.matches import COPIES, EXPLOITABLE, FOURTH, PRESETS, STRONGEST, TIMES_MS
from perudo.lab.proof.rounds import CALLS, FULL, OPENINGS, PAIRS, pair_name
from perudo.lab.proof.settling import NAME
from perudo.lab.proof.speed import LIMITS_MS, PLAYERS

ABSENT = "-"
PLOT = "champion-time"
SPREAD = ("mean", "p99", "max")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are of numbers."""
    lines = ["| " + " | ".join(heads) + " |", "|-" + "|-:" * (len(heads) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _shown(value: Value | None) -> str:
    return ABSENT if value is None else percent(value)


def _milliseconds(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.2g}"


def _seat(value: Value) -> str:
    return f"{100 * value.value:.0f} ({100 * value.low:.0f}-{100 * value.high:.0f})"


def _example(figures: Figures, *names: str) -> str:
    """A command that plays a part of what a figure is made of."""
    for name in names:
        if name in figures and "command" in figures[name]:
            return f"For instance `{figures[name]['command']}`."
    return ""


def matches(figures: Figures) -> str:
    """Matches between two, and what reading opponents wins."""
    names = [name.split("/", 2)[2] for name in figures if name.startswith("two/common/")]
    names.sort(key=lambda word: -figures[f"two/common/{word}"]["share"])
    if not names:
        return ""
    rows = []
    for word in names:
        common = figures[f"two/common/{word}"]
        official = figures.get(f"two/official/{word}")
        shown = _shown(None if official is None else share_of(official))
        reached = at_least(MATCHES, share_of(common))
        rows.append(
            (f"`{word}`", f"{common['games']:,}", percent(share_of(common)), reached, shown)
        )
    heads = ("two players, matches won against", "games", "`common`", "55 %", "`official`")
    reading = []
    for word in EXPLOITABLE:
        gain = gain_of(figures, word)
        if gain is not None:
            both = (figures[f"two/{way}/{word}"] for way in ("common", "unread"))
            shares = [percent(share_of(one)) for one in both]
            reading.append((f"`{word}`", *shares, points(gain), at_least(GAIN, gain)))
    text = table(heads, rows) + "\n\n" + _example(figures, "two/common/observer")
    if reading:
        heads = ("reading opponents", "`champion`", "`champion:adapt=0`", "points more", "3")
        text += "\n\n" + table(heads, reading)
    return text


def rounds(figures: Figures) -> str:
    """Rounds against the caller by chances."""
    rows = []
    for name, label in [
        (FULL, "5 v 5"),
        *((pair_name(*two), "{} v {}".format(*two)) for two in PAIRS),
    ]:
        if name in figures:
            one = figures[name]
            tuned = f"{one['call']:g}, {one['opening']:g}"
            rows.append((label, f"{one['games']:,}", tuned, percent(share_of(one))))
    if not rows:
        return ""
    heads = ("single rounds, `common`, both sides of the dice", "rounds", "caller", "won")
    return table(heads, rows) + (
        "\n\nThe caller says dudo to bids that are less likely than the first number, given its "
        "own dice, else makes the likeliest raise; it opens as high as is at least as likely as "
        f"the second. It is the one of {len(CALLS) * len(OPENINGS)} such callers that lost least "
        "in other rounds."
    )


def bounds(figures: Figures) -> str:
    """How exploitable it is."""
    rows = []
    for rules in EXACT_RULES:
        cells = []
        for pair in EXACT_DICE:
            figure = figures.get("bound/exact/{}/{}v{}".format(rules, *pair))
            if figure is None or figure["exploitability"] is None:
                cells.append(ABSENT if figure is None else str(figure["why"]))
            else:
                cells.append(f"{figure['exploitability']:.2g} ({figure['solved']})")
        rows.append((f"`{rules}`", *cells))
    text = ""
    if any(name.startswith("bound/exact/") for name in figures):
        heads = [
            "exact exploitability of `champion:adapt=0` (how it was solved)",
            "1 v 1",
            "2 v 1",
            "1 v 2",
        ]
        text = table(heads, rows) + "\n\n"
    rows = []
    for rules in FULL_RULES:
        ways = {"local": "`champion:adapt=0`", "known": "`champion`, which knows the answerer"}
        ways |= {f"misled/{rules}/{word}": f"`champion`, misled by `{word}`" for word in MISLEADING}
        for way, label in ways.items():
            name = f"bound/{way}" if "/" in way else f"bound/{way}/{rules}"
            if name in figures:
                one = figures[name]
                rise = rise_of(figures, way, rules) if way == "known" else None
                more = ABSENT if rise is None else dice(rise)
                rows.append(
                    (f"{label}, `{rules}`", f"{one['rounds']:,}", dice(bound_of(one)), more)
                )
    if rows:
        heads = ["what a local answer wins at 5 v 5, in dice", "rounds", "won", "more than without"]
        seen = max(figures[name].get("known_rounds", 0) for name in figures)
        text += table(heads, rows) + (
            "\n\nThe local answer searches at each decision and knows the champion's book. "
            f"*Knows*: the champion was shown {seen} rounds of the answerer before, and all that "
            "follow. *Misled*: it was shown as many of somebody else in the answerer's place, and "
            "keeps believing in that; no goal, since nobody stays wrong so long."
        )
    return text.strip()


def many(figures: Figures) -> str:
    """Tables of four and six."""
    names = {
        f"four/{rules}/{way}": f"4 players, `{rules}`, against {others}"
        for rules in PRESETS
        for way, others in line_ups().items()
    }
    names |= {
        f"six/{rules}": f"6 players, `{rules}`, against five {STRONGEST}" for rules in PRESETS
    }
    rows = []
    for name, label in names.items():
        if name in figures:
            one = figures[name]
            seats = "; ".join(_seat(share_of(seat)) for seat in one["by_seat"])
            rows.append((label, f"{one['games']:,}", percent(share_of(one)), seats))
    if not rows:
        return ""
    heads = ("games won", "games", "won", "% from each seat")
    return table(heads, rows) + "\n\n" + _example(figures, *names)


def copies(figures: Figures) -> str:
    """What three copies leave to a fourth."""
    rows = []
    for fourth in FOURTH:
        values = [left_to(figures, fourth, other) for other in COPIES]
        if values[0] is not None:
            least = min(
                (ease for other in COPIES[1:] if (ease := ease_of(figures, fourth, other))),
                key=lambda ease: -ease.value,
                default=None,
            )
            worst = ABSENT if least is None else points(least)
            shown = [
                "25 %" if other == fourth else _shown(one)
                for other, one in zip(COPIES, values, strict=True)
            ]
            rows.append((f"`{fourth}`", *shown, worst))
    if not rows:
        return ""
    means = [_shown(left_on_average(figures, other)) for other in COPIES]
    rows.append(("on average", *means, ABSENT))
    heads = ["what a fourth wins from three", *(f"`{other}`" for other in COPIES)]
    return table([*heads, "at `champion` more than at the hardest other, points"], rows)


def time_points(figures: Figures) -> list[Figure]:
    """Strength at different times, from the shortest on."""
    there = [figures[name] for name in map("time/{}".format, TIMES_MS) if name in figures]
    return list({one["rollouts"]: one for one in there}.values())


def times(figures: Figures) -> str:
    """Strength against time."""
    rows = [
        (
            f"`champion:rollouts={one['rollouts']}`",
            f"{one['mean_ms']:.3g}",
            f"{one['games']:,}",
            percent(share_of(one)),
        )
        for one in time_points(figures)
    ]
    if not rows:
        return ""
    heads = (f"4 players, `common`, against three {STRONGEST}", "ms a decision", "games", "won")
    text = table(heads, rows)
    if NAME in figures:
        text += "\n\n" + _settled(figures[NAME])
    if len(rows) > 1:
        text += f"\n\n![Strength against time](figures/{PLOT}.png)"
    return text


def _settled(figure: Figure) -> str:
    """What is lost by not thinking longer."""
    rows = [
        (
            f"`champion:rollouts={one['rollouts']}`",
            f"{one['mean_ms']:.3g}",
            f"{100 * one['lost']:.3f} ({100 * one['ci95'][0]:.3f} to {100 * one['ci95'][1]:.3f})",
        )
        for one in figure["points"]
    ]
    heads = (
        f"the same {figure['decisions']:,} decisions, judged by "
        f"{figure['judging_rollouts']:,} rollouts",
        "ms a decision",
        "chance to win the match lost a decision, %",
    )
    return table(heads, rows)


def speed(figures: Figures) -> str:
    """How long decisions take."""
    rows = []
    for word in LIMITS_MS:
        for rules in PRESETS:
            for players in PLAYERS:
                name = f"speed/{word}/{rules}/{players}"
                if name in figures:
                    cells = [
                        " / ".join(_milliseconds(one[f"{what}_ms"]) for what in SPREAD)
                        for one in figures[name]["by_dice"]
                    ]
                    rows.append((f"`{word}`, `{rules}`, {players} players", *cells))
    if not rows:
        return ""
    heads = ["ms of the processor for a decision: mean / 99 % / slowest; dice each", *"12345"]
    return table(heads, rows)
