"""How long agents take to decide, at their usual budgets."""

from __future__ import annotations

from collections.abc import Sequence

from perudo.agents.agent import CompiledAgent
from perudo.agents.registry import agent_named
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.arena import run
from perudo.lab.contest import Contest

SEATED = 4
SECONDS = 1.0


def decision_times(
    names: Sequence[str], rules: str = "official", seconds: float = SECONDS
) -> dict[str, float]:
    """Mean milliseconds per decision at a table of four of a kind, of those who can sit there.

    Only compiled agents are timed.
    """
    times = {}
    setting = Rules.parse(rules)
    for name in names:
        agent = agent_named(name)
        seated = agent.cannot_play(PERUDO, setting, SEATED) is None
        if isinstance(agent, CompiledAgent) and seated:
            contest = Contest(PERUDO, setting, [agent] * SEATED, 1_000_000, series=1)
            run(Contest(PERUDO, setting, [agent] * SEATED, 1))  # load the kernels
            results = run(contest, stop_after=seconds)
            times[name] = 1000 * float(results.seconds[:, 0].sum() / results.effort[:, 0].sum())
    return times
