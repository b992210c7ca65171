"""The goals, and what was found of each; where many figures have one goal, the worst is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from perudo.lab.proof.figures import (
    BARELY,
    HARDLY,
    NO,
    YES,
    Figures,
    Value,
    at_least,
    at_most,
    bound_of,
    exactly,
    mean_of,
    not_below,
    share_of,
)
from perudo.lab.proof.matches import (
    CHAMPION,
    COPIES,
    EXPLOITABLE,
    FOURTH,
    PRESETS,
    STRONGEST,
    THREE,
    TIMES_MS,
)
from perudo.lab.proof.rounds import FULL, PAIRS, pair_name
from perudo.lab.proof.speed import LIMITS_MS, PLAYERS

EXPLOITABILITY, LOCAL_BOUND, RISE = 1e-3, 0.05, 0.02
ROUNDS, PAIR, MATCHES, GAIN, SELF = 0.53, 0.50, 0.55, 0.03, 0.50
FOUR, SEAT, SIX, QUARTER = 0.375, 0.25, 0.25, 0.25


@dataclass(frozen=True)
class Found:
    """One figure beside its goal."""

    label: str
    value: Value
    reached: str


@dataclass(frozen=True)
class Goal:
    """What is to be shown, and all figures that it is about."""

    text: str
    show: Callable[[Value], str]
    found: list[Found]
    wanted: int
    """How many figures there should be."""

    @property
    def reached(self) -> str:
        """What the worst of them says; nothing is reached while one is missing."""
        if len(self.found) < self.wanted:
            return f"{len(self.found)} of {self.wanted} measured"
        return self.worst.reached

    @property
    def worst(self) -> Found:
        """The figure that is furthest from the goal, or nearest to missing it."""
        order = (NO, HARDLY, BARELY, YES)
        return min(self.found, key=lambda one: order.index(one.reached))


# --- numbers in words ---------------------------------------------------------------------------
def percent(value: Value) -> str:
    """A share: ``57.3 % (54.1 to 60.4)``."""
    return f"{100 * value.value:.1f} % ({100 * value.low:.1f} to {100 * value.high:.1f})"


def points(value: Value) -> str:
    """A difference of shares."""
    return f"{100 * value.value:+.1f} ({100 * value.low:+.1f} to {100 * value.high:+.1f})"


def dice(value: Value) -> str:
    """A part of a die, with its interval."""
    return f"{value.value:.3f} ({value.low:.3f} to {value.high:.3f})"


def exact_dice(value: Value) -> str:
    """A part of a die that is known exactly."""
    return f"{value.value:.2g}"


def milliseconds(value: Value) -> str:
    """A time."""
    return f"{value.value:.3g} ms"


# --- all goals ----------------------------------------------------------------------------------
Judge = Callable[[Value], str]
Named = Iterable[tuple[str, Value | None]]


def _goal(text: str, show: Callable[[Value], str], judge: Judge, named: Named) -> Goal:
    listed = list(named)
    there = [(label, value) for label, value in listed if value is not None]
    # The first of equal verdicts is told: so the one that is furthest behind has to come first.
    down = judge(Value(1e9, 1e9, 1e9)) == YES
    there.sort(key=lambda one: one[1].value if down else -one[1].value)
    return Goal(text, show, [Found(label, one, judge(one)) for label, one in there], len(listed))


def goals(figures: Figures) -> list[Goal]:
    """Everything that the champion has to show, in figures."""
    return [*_between_two(figures), *_reading(figures), *_more_players(figures), *_speed(figures)]


def _share(figures: Figures, name: str) -> Value | None:
    return share_of(figures[name]) if name in figures else None


def _bound(figures: Figures, name: str) -> Value | None:
    return bound_of(figures[name]) if name in figures else None


def _less(one: Value | None, other: Value | None) -> Value | None:
    return None if one is None or other is None else one.minus(other)


def _between_two(figures: Figures) -> list[Goal]:
    exact = [
        (name.removeprefix("bound/exact/").replace("/", " "), exactly(figure["exploitability"]))
        for name, figure in figures.items()
        if name.startswith("bound/exact/") and figure.get("solved") == "exactly"
    ]
    unknown: Named = [("", None)]
    return [
        _goal(
            "two players: exploitability at most 0.001 of a die where rounds are solved exactly",
            exact_dice,
            lambda value: at_most(EXPLOITABILITY, value),
            exact or unknown,
        ),
        _goal(
            "5 v 5, `common` and `dudo_ai`: a local answer wins at most 0.05 of a die",
            dice,
            lambda value: at_most(LOCAL_BOUND, value),
            ((rules, _bound(figures, f"bound/local/{rules}")) for rules in ("common", "dudo_ai")),
        ),
        _goal(
            "5 v 5: at least 53 % of rounds against the best-tuned threshold caller",
            percent,
            lambda value: at_least(ROUNDS, value),
            [("5 v 5", _share(figures, FULL))],
        ),
        _goal(
            "every pair of dice: at least 50 % of rounds against it",
            percent,
            lambda value: at_least(PAIR, value),
            ((f"{a} v {b}", _share(figures, pair_name(a, b))) for a, b in PAIRS),
        ),
        *(
            _goal(
                f"two players, `{rules}`: at least 55 % of matches against every other agent",
                percent,
                lambda value: at_least(MATCHES, value),
                _matches(figures, f"two/{rules}/") or unknown,
            )
            for rules in PRESETS
        ),
    ]


def _matches(figures: Figures, prefix: str) -> list[tuple[str, Value | None]]:
    return [
        (name.removeprefix(prefix), share_of(figure))
        for name, figure in figures.items()
        if name.startswith(prefix)
    ]


def _reading(figures: Figures) -> list[Goal]:
    return [
        _goal(
            "reading opponents wins at least 3 points more against fixed agents",
            points,
            lambda value: at_least(GAIN, value),
            ((word, gain_of(figures, word)) for word in EXPLOITABLE),
        ),
        _goal(
            "reading opponents loses nothing against itself without, beyond the interval",
            percent,
            lambda value: not_below(SELF, value),
            [("`champion:adapt=0`", _share(figures, "two/self"))],
        ),
        _goal(
            "reading opponents raises what a local answer wins by at most 0.02 of a die",
            dice,
            lambda value: at_most(RISE, value),
            ((rules, rise_of(figures, "known", rules)) for rules in ("common", "dudo_ai")),
        ),
    ]


def gain_of(figures: Figures, word: str) -> Value | None:
    """What reading an opponent wins."""
    return _less(_share(figures, f"two/common/{word}"), _share(figures, f"two/unread/{word}"))


def rise_of(figures: Figures, way: str, rules: str) -> Value | None:
    """What memory adds to the local bound."""
    return _less(_bound(figures, f"bound/{way}/{rules}"), _bound(figures, f"bound/local/{rules}"))


def line_ups() -> dict[str, str]:
    """Tables of four, by the end of their figures' names."""
    return {
        way: f"three {three[0]}" if len(set(three)) == 1 else ", ".join(three)
        for way, three in THREE.items()
    }


def _more_players(figures: Figures) -> list[Goal]:
    tables = [(rules, way) for rules in PRESETS for way in line_ups()]
    seats: list[tuple[str, Value | None]] = []
    for rules, way in tables:
        figure = figures.get(f"four/{rules}/{way}")
        for seat in range(4):
            value = None if figure is None else share_of(figure["by_seat"][seat])
            seats.append((f"{rules}, {line_ups()[way]}, seat {seat + 1}", value))
    return [
        _goal(
            "four players: at least 37.5 % against three others",
            percent,
            lambda value: at_least(FOUR, value),
            (
                (f"{rules}, {line_ups()[way]}", _share(figures, f"four/{rules}/{way}"))
                for rules, way in tables
            ),
        ),
        _goal(
            "four players: more than its share from every seat",
            percent,
            lambda value: at_least(SEAT, value),
            seats,
        ),
        _goal(
            f"six players: at least 25 % against five {STRONGEST}",
            percent,
            lambda value: at_least(SIX, value),
            ((rules, _share(figures, f"six/{rules}")) for rules in PRESETS),
        ),
        _goal(
            "three copies of the champion leave a fourth no more than three copies of another, "
            f"on average over {len(FOURTH)} fourths",
            points,
            lambda value: at_most(0.0, value),
            (
                (other, _less(left_on_average(figures, CHAMPION), left_on_average(figures, other)))
                for other in COPIES
                if other != CHAMPION
            ),
        ),
        _goal(
            "the same, for each fourth by itself",
            points,
            lambda value: at_most(0.0, value),
            (
                (f"{fourth}, {other}", ease_of(figures, fourth, other))
                for fourth in FOURTH
                for other in COPIES
                if other != CHAMPION
            ),
        ),
    ]


def left_to(figures: Figures, fourth: str, other: str) -> Value | None:
    """What a fourth wins from three copies; from three of its own kind a quarter."""
    return exactly(QUARTER) if fourth == other else _share(figures, f"copies/{fourth}/{other}")


def left_on_average(figures: Figures, other: str) -> Value | None:
    """What all who were tried win from three copies."""
    values = [left_to(figures, fourth, other) for fourth in FOURTH]
    there = [one for one in values if one is not None]
    return mean_of(there) if len(there) == len(values) else None


def ease_of(figures: Figures, fourth: str, other: str) -> Value | None:
    """How much more a fourth wins from three champions than from three of another."""
    return _less(left_to(figures, fourth, CHAMPION), left_to(figures, fourth, other))


def _speed(figures: Figures) -> list[Goal]:
    first, last = (_share(figures, f"time/{TIMES_MS[place]}") for place in (0, -1))
    found = [
        _goal(
            "strength against time: more at 1 s a decision than at 1 ms",
            points,
            lambda value: at_least(0.0, value),
            [("the last point less the first", _less(last, first))],
        )
    ]
    for word, limit in LIMITS_MS.items():
        tables = [(rules, players) for rules in PRESETS for players in PLAYERS]
        found.append(
            _goal(
                f"`{word}`: the slowest decision takes at most {limit:.0f} ms on one core",
                milliseconds,
                lambda value, limit=limit: at_most(limit, value),  # type: ignore[misc]  # bound now
                (
                    (f"{rules}, {players} players", _slowest(figures, word, rules, players))
                    for rules, players in tables
                ),
            )
        )
    return found


def _slowest(figures: Figures, word: str, rules: str, players: int) -> Value | None:
    name = f"speed/{word}/{rules}/{players}"
    return exactly(figures[name]["max_ms"]) if name in figures else None
