"""How long agents think, measured so that a busy machine disturbs it little."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledAgent
from perudo.agents.registry import agent_named
from perudo.games.chance import stream_of
from perudo.games.kernel import INTERPRETED
from perudo.games.policy import address_of, decide_at, new_thoughts
from perudo.games.state import State

NOTE = "Times are of this machine and change from run to run; the games do not."


def decision_seconds(
    agents: Sequence[str],
    observations: Sequence[State],
    repeats: int,
    seed: int,
    progress: Callable[[str, int, int], None],
) -> npt.NDArray[np.float64]:
    """Mean processor time of a decision, by agent and repeat; all agents in turn.

    Only the policies are timed, not how their thoughts are told to people.
    """
    taken = np.zeros((len(agents), repeats))
    records, thoughts = [observation.record for observation in observations], new_thoughts()
    for repeat in range(-1, repeats):  # the first one only loads the kernels
        for place, name in enumerate(agents):
            agent = agent_named(name)
            assert isinstance(agent, CompiledAgent)
            address = address_of(type(agent).policy, records[0].dtype)
            where = address if INTERPRETED else np.uint64(address)
            parameters, memory = agent.parameters, agent.new_memory()
            stream = stream_of(seed + repeat)
            started = time.thread_time()
            for record in records:
                decide_at(where, record, parameters, memory, stream, thoughts)
            taken[place, repeat] = (time.thread_time() - started) / len(records)
        progress("decisions", repeat + 1, repeats)
    return taken
