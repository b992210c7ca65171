"""Play a contest: compiled agents play in the arena, others at tables."""

from __future__ import annotations

import os
from collections.abc import Callable

from perudo.agents.agent import CompiledAgent
from perudo.lab import arena, tables
from perudo.lab.contest import Contest, Results


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def play(
    contest: Contest,
    workers: int | None = None,
    progress: Callable[[Results], None] = lambda results: None,
    timeout: float | None = None,
) -> Results:
    """Play all games. Tables use one worker, since Python runs one thread at a time."""
    if all(isinstance(agent, CompiledAgent) for agent in contest.agents):
        return arena.run(contest, workers or cores(), progress)
    return tables.run(contest, progress, timeout)
