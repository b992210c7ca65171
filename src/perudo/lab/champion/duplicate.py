"""Duplicate games of the champion: a line-up in all rotations of its seats, with the same dice.

Memories begin empty in every game. Intervals are Wilson's; they are rather too wide, because dice
that are lucky for one seat are unlucky for another.
"""

from __future__ import annotations

from collections.abc import Sequence

from perudo.agents.agent import Agent
from perudo.agents.registry import agent_named
from perudo.lab.champion.figures import GamesWon, Share, Task
from perudo.lab.contest import interval
from perudo.lab.experiments.experiment import Conditions
from perudo.lab.tournament.schedule import rotated

SEED = 7
CHAMPION, NOT_ADAPTING = "champion", "champion:adapt=0"
PRESETS = ("common", "official")
STRONGEST = "pomcp-pgt-ucb"
"""The strongest other agent, by the ladder's mean."""
Size = tuple[int, int]
"""Games to play in a quick run and in a full one."""


def duplicate(
    conditions: Conditions,
    words: Sequence[str | Agent],
    rules: str,
    games: int,
    mode: str = "games",
    dice: Sequence[int] | None = None,
    seed: int = SEED,
) -> GamesWon:
    """Play about this many games; return the games that the first agent won."""
    made = {word: word if isinstance(word, Agent) else agent_named(word) for word in words}
    agents = [made[word] for word in words]
    each = max(1, games // len(agents))
    seats: list[Share] = []
    decisions, spent = 0, 0.0
    for seat in range(len(agents)):
        results = conditions.play_agents(
            rules,
            rotated(agents, seat),
            each,
            seed=seed,
            mode=mode,
            seating="fixed",
            dice=dice,
            series=1,
        )
        wins = float(results.wins[:, seat].sum())
        share, ci95 = _share(wins, each)
        seats.append(Share(games=each, wins=wins, share=share, ci95=ci95))
        decisions += int(results.effort[seat, 0])
        spent += float(results.seconds[seat, 0])
    wins, played = sum(one.wins for one in seats), each * len(seats)
    share, ci95 = _share(wins, played)
    figure = GamesWon(
        command=_command([agent.spec for agent in agents], rules, each, mode, dice, seed),
        seed=seed,
        games=played,
        wins=wins,
        share=share,
        ci95=ci95,
        mean_ms=round(1000 * spent / max(decisions, 1), 3),
    )
    return figure.model_copy(update={"by_seat": tuple(seats)}) if len(agents) > 2 else figure


def _share(wins: float, games: int) -> tuple[float, tuple[float, float]]:
    ends = interval(wins, games)
    assert ends is not None
    return round(wins / games, 6), (ends[0], ends[1])


def _command(
    specs: Sequence[str], rules: str, games: int, mode: str, dice: Sequence[int] | None, seed: int
) -> str:
    words = ["perudo match", *specs, "--rules", rules, "--games", str(games), "--seed", str(seed)]
    words += ["--mode rounds"] if mode == "rounds" else []
    words += [f"--dice {','.join(map(str, dice))}"] if dice else []
    return " ".join([*words, "--seating fixed --series 1"])


def duplicate_task(name: str, words: Sequence[str], rules: str, size: Size) -> Task:
    """Return a task that measures a figure by duplicate games."""
    return Task(
        name, lambda conditions: duplicate(conditions, words, rules, conditions.number(*size))
    )
