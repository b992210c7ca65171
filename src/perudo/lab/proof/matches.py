"""Games of the champion: against one, three and five others, three of it, and by the clock.

Every line-up is played in all rotations of its seats, with the same dice and luck in each, and
memories begin anew with every game. Intervals are Wilson's; since what is lucky for one seat is
unlucky for another, they are rather too wide than too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from perudo.agents.agent import Agent
from perudo.agents.registry import agent_named
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.contest import Contest, interval
from perudo.lab.ladder.ladder import able, roster
from perudo.lab.play import play
from perudo.lab.proof.figures import Figure, Task, Work
from perudo.lab.tournament.schedule import rotated

SEED = 7
CHAMPION, UNREAD = "champion", "champion:adapt=0"
PRESETS = ("common", "official")
STRONGEST = "pomcp-pgt-ucb"
"""Of the others, by the ladder's mean."""
ENSEMBLE = "ensemble:rollouts=1000,pseudo_rolls=believed"
WITHOUT_MATCH = "cfr:match=no"
CLOSE = ("cfr", WITHOUT_MATCH)
EXPLOITABLE = ("observer", "boros-bluff", "macleod", "l-dumb", "hmax-random")
"""They always play alike, and not well: to be read."""
THREE = {
    "copies": (STRONGEST,) * 3,
    "copies-2": ("pomcp-pgt-rm",) * 3,
    "mixed-1": (STRONGEST, "pomcp", ENSEMBLE),
    "mixed-2": ("pomcp-pgt-rm", "observer", "boros-bluff"),
}
"""At tables of four: three of the strongest, of the one that is as strong there, and different ones
of the ladder's upper half."""
FOURTH = ("observer", "boros-bluff", STRONGEST)
"""Who sits with three copies ..."""
COPIES = (CHAMPION, STRONGEST, "pomcp", "pomcp-pgt-rm", ENSEMBLE, "observer")
"""... of one of these."""
TIMES_MS = (1, 3, 10, 30, 100, 300, 1000)
DECISIONS = 24
"""That a player makes in a game of four, about."""
TRIED_ROLLOUTS, LEAST_ROLLOUTS, MOST_ROLLOUTS = 10_000, 32, 10_000_000


def duplicate(
    words: Sequence[str | Agent],
    rules: str,
    games: int,
    work: Work,
    mode: str = "games",
    dice: Sequence[int] | None = None,
    seed: int = SEED,
) -> Figure:
    """What the first of some agents wins, from every seat with the same dice."""
    made = {word: word if isinstance(word, Agent) else agent_named(word) for word in words}
    agents = [made[word] for word in words]
    each = max(1, games // len(agents))
    seats: list[Figure] = []
    decisions, spent = 0, 0.0
    for seat in range(len(agents)):
        lineup = rotated(agents, seat)
        contest = Contest(
            PERUDO, Rules.parse(rules), lineup, each, seed, mode, "fixed", dice, series=1
        )
        results = play(contest, work.workers)
        if results.failure is not None:
            raise results.failure
        if results.interrupted:
            raise KeyboardInterrupt
        wins = float(results.wins[:, seat].sum())
        seats.append({"games": each, "wins": wins, **_share(wins, each)})
        decisions += int(results.effort[seat, 0])
        spent += float(results.seconds[seat, 0])
    wins, games = sum(one["wins"] for one in seats), each * len(seats)
    figure = {
        "command": _command([agent.spec for agent in agents], rules, each, mode, dice, seed),
        "seed": seed,
        "games": games,
        "wins": wins,
        **_share(wins, games),
        "mean_ms": round(1000 * spent / max(decisions, 1), 3),
    }
    return figure | ({"by_seat": seats} if len(agents) > 2 else {})


def _share(wins: float, games: int) -> Figure:
    return {"share": round(wins / games, 6), "ci95": interval(wins, games)}


def _command(
    specs: Sequence[str], rules: str, games: int, mode: str, dice: Sequence[int] | None, seed: int
) -> str:
    """One rotation; in the others the names are moved on."""
    words = ["perudo match", *specs, "--rules", rules, "--games", str(games), "--seed", str(seed)]
    words += ["--mode rounds"] if mode == "rounds" else []
    words += [f"--dice {','.join(map(str, dice))}"] if dice else []
    return " ".join([*words, "--seating fixed --series 1"])


def _task(name: str, words: Sequence[str], rules: str, size: str) -> Task:
    def measure(work: Work) -> Figure:
        return duplicate(words, rules, getattr(work.sizes, size), work)

    return Task(name, measure)


# --- two players --------------------------------------------------------------------------------
def opponents(rules: str) -> list[str]:
    """The ladder's others who can sit at a table of two."""
    words = [word for word in roster() if agent_named(word).name != CHAMPION]
    return able([*words, WITHOUT_MATCH] if rules == "common" else words, Rules.parse(rules), 2)


def two() -> list[Task]:
    """Matches against everybody, with and without reading them; and against itself."""
    tasks = []
    for word in opponents("common"):
        size = "close_matches" if word in CLOSE else "matches"
        tasks.append(_task(f"two/common/{word}", [CHAMPION, word], "common", size))
    for word in EXPLOITABLE:
        tasks.append(_task(f"two/unread/{word}", [UNREAD, word], "common", "matches"))
    tasks.append(_task("two/self", [CHAMPION, UNREAD], "common", "close_matches"))
    for word in opponents("official"):
        words, size = [CHAMPION, word], "close_matches" if word in CLOSE else "official_matches"
        tasks.append(_task(f"two/official/{word}", words, "official", size))
    return tasks


# --- four and six -------------------------------------------------------------------------------
def four() -> list[Task]:
    """Against three others."""
    tasks = []
    for rules in PRESETS:
        for way, others in THREE.items():
            size = "four" if way == "copies" else "four_mixed"
            tasks.append(_task(f"four/{rules}/{way}", [CHAMPION, *others], rules, size))
    return tasks


def six() -> list[Task]:
    """Against five of the strongest."""
    lineup = [CHAMPION, *[STRONGEST] * 5]
    return [_task(f"six/{rules}", lineup, rules, "six") for rules in PRESETS]


def copies() -> list[Task]:
    """What a fourth wins from three copies of the champion, and of others."""
    return [
        _task(f"copies/{fourth}/{other}", [fourth, *[other] * 3], "common", "copies")
        for fourth in FOURTH
        for other in COPIES
        if fourth != other
    ]


# --- strength against time ----------------------------------------------------------------------
def by_time() -> list[Task]:
    """Against three of the strongest, with more and more rollouts."""
    before = [f"time/{target}" for target in TIMES_MS[:-1]]
    return [
        Task(f"time/{target}", partial(_timed, target, name))
        for target, name in zip(TIMES_MS, ["", *before], strict=True)
    ]


def _timed(target: int, before: str, work: Work) -> Figure:
    """Games with about as many rollouts as take so long, by what was measured before."""
    if before:
        slower = work.found[before]
    else:
        slower = _against_three(TRIED_ROLLOUTS, 8, work)
    rollouts = rollouts_for(target * slower["rollouts"] / max(slower["mean_ms"], 0.001))
    if before and rollouts <= slower["rollouts"]:
        return {**slower, "target_ms": target}  # it cannot think longer
    affordable = int(1000 * work.sizes.time_seconds / (target * DECISIONS))
    games = max(4, min(work.sizes.time_games, affordable))
    return _against_three(rollouts, games, work) | {"target_ms": target}


def _against_three(rollouts: int, games: int, work: Work) -> Figure:
    words = [f"{CHAMPION}:rollouts={rollouts}", *[STRONGEST] * 3]
    return duplicate(words, "common", games, work) | {"rollouts": rollouts}


def rollouts_for(wanted: float) -> int:
    """A number of rollouts with two digits, that the champion allows.

    >>> rollouts_for(12345.6)
    12000
    """
    whole = max(LEAST_ROLLOUTS, min(MOST_ROLLOUTS, round(wanted)))
    scale: int = 10 ** max(0, len(str(whole)) - 2)
    return whole // scale * scale
