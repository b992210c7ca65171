"""Experiments on questions that the papers left open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np

from perudo.games.perudo import PERUDO, Rules
from perudo.lab.charts import Bars, Chart, Heat, Lines
from perudo.lab.contest import Results
from perudo.lab.experiments.experiment import Conditions, Experiment, Findings, Row
from perudo.lab.experiments.measures import Measure, count, difference, lead, mean, rate, win_rate
from perudo.lab.papers.beliefs import beliefs
from perudo.lab.timing import NOTE, policy_seconds

PAPER = "Beyond the papers"
SEATS_OF_A_TABLE = 9


# --- prob and bluff over all kinds --------------------------------------------------------------
KINDS = ("dumb", "sl-dumb", "l-dumb")
LISTED = 12


def sweep(
    probs: Sequence[str], bluffs: Sequence[str], quick: int, full: int
) -> Callable[[Conditions], Findings]:
    """Return an experiment that draws all kinds and parameters to tables of nine, many times."""
    players = [
        f"{kind}:prob={prob},bluff={bluff},one_die_rule=no"
        for kind in KINDS
        for prob in probs
        for bluff in bluffs
    ]

    def run(conditions: Conditions) -> Findings:
        draws = conditions.number(quick, full)
        games = 50
        won: list[list[float]] = [[] for _ in players]
        luck = np.random.default_rng(conditions.seed)
        for draw in range(draws):
            order = luck.permutation(len(players))
            for first in range(0, len(players), SEATS_OF_A_TABLE):
                table = order[first : first + SEATS_OF_A_TABLE]
                results = conditions.play(
                    "common",
                    [players[index] for index in table],
                    games,
                    seed=conditions.seed + draw,
                )
                for seat, index in enumerate(table):
                    won[index].append(float(results.wins[:, seat].mean()))
            conditions.progress("tables of nine drawn", draw + 1, draws)
        found = [mean(np.array(some), 100.0) for some in won]
        best = sorted(range(len(players)), key=lambda index: -found[index].value)
        rows = [
            Row(
                f"{place + 1}. {players[index].removesuffix(',one_die_rule=no')}: games won",
                found[index],
                unit="%",
            )
            for place, index in enumerate(best[:LISTED])
        ]
        notes = [
            f"{draws} draws of all {len(players)} to tables of nine, {games} games each; 11.1 % "
            "would be an equal share. Intervals are over draws.",
            f"The best {LISTED} are listed; the figure has all.",
        ]
        return Findings(rows, Chart(_heats(found, probs, bluffs), len(KINDS)), notes=notes)

    return run


def _heats(found: Sequence[Measure], probs: Sequence[str], bluffs: Sequence[str]) -> list[Heat]:
    panels = []
    size, width = len(probs) * len(bluffs), len(bluffs)
    most = max(one.value for one in found)
    for place, kind in enumerate(KINDS):
        own = [one.value for one in found[place * size : (place + 1) * size]]
        cells = [own[first : first + width] for first in range(0, size, width)]
        texts = [[f"{cell:.1f}" for cell in row] for row in cells]
        title = f"{kind}: games won, %"
        panels.append(Heat(title, probs, bluffs, cells, texts, "prob", "bluff", (0.0, most)))
    return panels


# --- seating ------------------------------------------------------------------------------------
FOUR_KINDS = ("observer", "probabilistic", "heuristic-max", "sl-dumb")


def seating(conditions: Conditions) -> Findings:
    """Play all six orders of four kinds round a table, and compare places behind each kind."""
    games = conditions.number(5_000, 50_000)
    behind: dict[tuple[str, str], list[Results]] = {}
    for others in permutations(FOUR_KINDS[1:]):
        order = (FOUR_KINDS[0], *others)
        results = conditions.play("common", order, games, seating="fixed")
        for seat, name in enumerate(order):
            behind.setdefault((name, order[seat - 1]), []).append(results)
    rates: dict[tuple[str, str], Measure] = {}
    for (name, before), tables in behind.items():
        wins = sum(float(results.wins[:, _seat(results, name)].sum()) for results in tables)
        found = rate(wins, games * len(tables))
        assert found is not None
        rates[name, before] = found
    rows = []
    for name in FOUR_KINDS:
        own = {before: rates[name, before] for before in FOUR_KINDS if before != name}
        rows += [
            Row(f"{name}, after {before}: games won", one, unit="%") for before, one in own.items()
        ]
        best, worst = (choose(own.values(), key=lambda one: one.value) for choose in (max, min))
        rows.append(Row(f"{name}: best less worst place", difference(best, worst), unit="points"))
    cells = [
        [rates[name, before].value if before != name else None for before in FOUR_KINDS]
        for name in FOUR_KINDS
    ]
    texts = [["" if cell is None else f"{cell:.1f}" for cell in row] for row in cells]
    heat = Heat(
        "Games won, %, by who sits before", FOUR_KINDS, FOUR_KINDS, cells, texts, "", "after"
    )
    (lucky, before), (unlucky, behind_whom) = (
        choose(
            (pair for pair in rates if pair[0] == FOUR_KINDS[0]), key=lambda pair: rates[pair].value
        )
        for choose in (max, min)
    )
    note = (
        f"Who sits before matters most: the same {lucky} wins {rates[lucky, before].value:.0f} % "
        f"of games after {before} and {rates[unlucky, behind_whom].value:.0f} % after "
        f"{behind_whom}."
    )
    return Findings(rows, Chart([heat]), notes=[note])


def _seat(results: Results, name: str) -> int:
    return [agent.spec for agent in results.contest.agents].index(name)


# --- calza --------------------------------------------------------------------------------------
def calza(conditions: Conditions) -> Findings:
    """Compare games with and without calza, and a player that claims it with one that does not."""
    games = conditions.number(10_000, 100_000)
    four = ("observer", "observer", "probabilistic", "heuristic-max")
    played = {word: conditions.play(f"s0_sim:calza={word}", four, games) for word in ("yes", "no")}
    rows, groups = [], []
    found: dict[str, list[Measure]] = {}
    for index, name in ((0, "observer"), (2, "probabilistic"), (3, "heuristic-max")):
        own = {word: win_rate(results, index) for word, results in played.items()}
        groups.append(name)
        for word, one in own.items():
            found.setdefault(word, []).append(one)
        rows.append(
            Row(
                f"{name}: games won with calza, less without",
                difference(own["yes"], own["no"]),
                unit="points",
            )
        )
    lengths = {word: mean(results.rounds) for word, results in played.items()}
    rows.append(
        Row(
            "rounds a game with calza, less without",
            difference(lengths["yes"], lengths["no"]),
            digits=2,
        )
    )
    calls = sum(count(played["yes"], index, "calzas") for index in range(4))
    right = sum(count(played["yes"], index, "calzas_right") for index in range(4))
    rows.append(Row("calzas in 100 games", 100 * calls / games))
    rows.append(Row("calzas that were right", rate(right, calls), unit="%"))
    for threshold in ("0.3", "0.4", "0.5"):
        pair = (f"observer:calza={threshold}", "observer:calza=1", "probabilistic", "heuristic-max")
        rows.append(
            Row(
                f"{pair[0]}: lead over one that never claims it",
                lead(conditions.play("s0_sim", pair, games), 0, 1),
                unit="points",
            )
        )
    bars = Bars(
        "Games won with and without calza",
        "% of games",
        groups,
        {f"calza={word}": [one.value for one in some] for word, some in found.items()},
        {f"calza={word}": [(one.low, one.high) for one in some] for word, some in found.items()},
    )
    return Findings(rows, Chart([bars]))


# --- pseudo-rolls -------------------------------------------------------------------------------
DEALT = ("enumerate", "informed", "believed")


def pseudo_rolls(conditions: Conditions) -> Findings:
    """Compare ways to sample the others' dice in a search with sampling at random."""
    rounds = conditions.number(4_000, 40_000)
    rows, curves, ends = [], {}, {}
    opponents = ("probabilistic", "observer", "l-dumb")
    for agent in ("mcts-random", "mcts-observer"):
        for dealt in DEALT:
            gains = []
            for opponent in opponents:
                own, plain = (
                    win_rate(conditions.play("s0_sim", (name, opponent), rounds, mode="rounds"), 0)
                    for name in (f"{agent}:pseudo_rolls={dealt}", agent)
                )
                gains.append(difference(own, plain))
                label = f"{agent}, {dealt}, against {opponent}: gain"
                rows.append(Row(label, gains[-1], unit="points"))
            name = f"{agent}, {dealt}"
            curves[name] = [one.value for one in gains]
            ends[name] = [(one.low, one.high) for one in gains]
    groups = [f"against {opponent}" for opponent in opponents]
    bars = Bars("Gain over random pseudo-rolls", "points of rounds won", groups, curves, ends)
    return Findings(rows, Chart([bars]))


# --- rollouts -----------------------------------------------------------------------------------
SCALES = (30, 100, 300, 1_000, 3_000, 10_000)
SEARCHERS = {
    "mcts-random": "mcts-random:rollouts={}",
    "mcts-random, c = 0.2": "mcts-random:c=0.2,rollouts={}",
    "mcts-observer": "mcts-observer:rollouts={}",
    "pomcp": "pomcp:iterations={}",
}


def rollouts(conditions: Conditions) -> Findings:
    """Measure the strength and time of four searches by rollouts, against an observer."""
    rounds = conditions.number(400, 4_000)
    searchers = [spec.format(scale) for spec in SEARCHERS.values() for scale in SCALES]
    opening = PERUDO.start(Rules.preset("s0_sim"), 2)
    dealt = [opening.deal(conditions.seed + number) for number in range(10)]
    seconds = policy_seconds(
        searchers,
        [state.observe(state.actor or 0) for state in dealt],
        conditions.number(3, 20),
        conditions.seed,
        conditions.progress,
    )
    milliseconds = dict(zip(searchers, 1000 * seconds.mean(axis=1), strict=True))
    strength: dict[str, list[Measure]] = {}
    times: dict[str, list[float | None]] = {}
    rows = []
    for name, spec in SEARCHERS.items():
        for scale in SCALES:
            searcher = spec.format(scale)
            results = conditions.play("s0_sim", (searcher, "observer"), rounds, mode="rounds")
            strength.setdefault(name, []).append(win_rate(results, 0))
            times.setdefault(name, []).append(float(milliseconds[searcher]))
            rows.append(
                Row(
                    f"{name}, {scale:,} rollouts ({milliseconds[searcher]:.3g} ms): rounds won",
                    strength[name][-1],
                    unit="%",
                )
            )
    panels = [
        Lines(
            "Rounds won against an observer",
            "rollouts a decision",
            "% of rounds",
            SCALES,
            {name: [one.value for one in some] for name, some in strength.items()},
            {name: [(one.low, one.high) for one in some] for name, some in strength.items()},
            logarithmic=True,
            levels={"even": 50.0},
        ),
        Lines(
            "Time",
            "rollouts a decision",
            "ms a decision",
            SCALES,
            times,
            logarithmic=True,
            logarithmic_y=True,
        ),
    ]
    note = f"In brackets the processor's time for the first decision of a round. {NOTE}"
    added = conditions.seat_added(
        win_rate, "s0_sim", ("mcts-random", "observer"), 0, "% of rounds won", mode="rounds"
    )
    return Findings(rows, Chart(panels, 2), added, [note], reproducible=False)


# --- the list -----------------------------------------------------------------------------------
EXPERIMENTS = [
    Experiment(
        "B-sweep",
        "prob against bluff over all kinds, at tables of nine",
        PAPER,
        "Proposed in the Maynooth report: all three kinds with all nine settings against each "
        "other, which “would take a long time”.",
        "27 players drawn to tables of nine, preset common, seats shuffled, one_die_rule=no",
        sweep((".1", ".25", ".4"), (".1", ".25", ".4"), 25, 400),
    ),
    Experiment(
        "B-fine",
        "finer values of prob and bluff",
        PAPER,
        "Proposed in the Maynooth report: values between those that it tried.",
        "54 players drawn to tables of nine, otherwise as B-sweep",
        sweep((".2", ".3", ".4", ".5", ".6", ".7"), ("0", ".05", ".1"), 12, 200),
    ),
    Experiment(
        "B-seating",
        "who does well behind whom",
        PAPER,
        "The Perudo thesis finds that seating matters (1d), for two kinds.",
        "all six orders of four kinds, preset common, seats fixed, random first opener",
        seating,
    ),
    Experiment(
        "B-calza",
        "what calza changes",
        PAPER,
        "No paper compares games with and without calza.",
        "games of two observers, probabilistic and heuristic-max, preset s0_sim with and without "
        "calza on one's turn; then an observer that claims calza from some chance on against one "
        "that never does",
        calza,
    ),
    Experiment(
        "B-informed",
        "pseudo-rolls: enumerated, informed, believed",
        PAPER,
        "Proposed in the Perudo thesis' conclusions, not tried there.",
        "rounds of five dice each, preset s0_sim, the thesis' budgets of rollouts",
        pseudo_rolls,
    ),
    Experiment(
        "B-beliefs",
        "what beliefs are worth to a searcher",
        PAPER,
        "No paper tries it: their searchers deal the others any hand, whatever these have bid.",
        "games of four, preset common, seats shuffled, 1,000 rollouts a decision",
        beliefs,
    ),
    Experiment(
        "B-rollouts",
        "rollouts against strength and time",
        PAPER,
        "The Perudo thesis expects more rollouts to play better.",
        "rounds of five dice each against an observer, preset s0_sim",
        rollouts,
    ),
]
