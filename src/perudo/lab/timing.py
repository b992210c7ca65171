"""Time decisions: single ones, compiled policies alone, and all those of a contest."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledAgent, Decision, Player
from perudo.agents.registry import agent_named
from perudo.games.chance import Stream, stream_of
from perudo.games.game import State
from perudo.games.kernel import INTERPRETED
from perudo.games.perudo import PERUDO, Rules
from perudo.games.policy import Memory, address_of, decide_at, new_thoughts
from perudo.lab.arena import run
from perudo.lab.contest import Contest, Results

NOTE = "Times are of this machine and change from run to run; the games do not."
SEATED = 4
SECONDS = 1.0


def timed_decision(
    player: Player, observation: State, memory: Memory, stream: Stream
) -> tuple[Decision, float]:
    """Return a player's decision and the processor time that it took, in seconds.

    Processor time hardly depends on the machine's other load.
    """
    began = time.thread_time()
    decision = player.decide(observation, memory, stream)
    return decision, time.thread_time() - began


def policy_seconds(
    agents: Sequence[str],
    observations: Sequence[State],
    repeats: int,
    seed: int,
    progress: Callable[[str, int, int], None],
) -> npt.NDArray[np.float64]:
    """Return the mean processor seconds of a decision, by agent and repeat; agents take turns.

    Only the compiled policies run, so times of short searches can be compared: building a
    ``Decision`` for Python takes as long as hundreds of rollouts.
    """
    taken = np.zeros((len(agents), repeats))
    records, thoughts = [observation.record for observation in observations], new_thoughts()
    for repeat in range(-1, repeats):  # the first one only loads the kernels
        for place, name in enumerate(agents):
            agent = agent_named(name)
            assert isinstance(agent, CompiledAgent)
            player = agent.prepare(observations[0])
            address = address_of(player.policy, records[0].dtype)
            where = address if INTERPRETED else np.uint64(address)
            parameters, memory = player.parameters, player.new_memory()
            stream = stream_of(seed + repeat)
            began = time.thread_time()
            for record in records:
                decide_at(where, record, parameters, memory, stream, thoughts)
            taken[place, repeat] = (time.thread_time() - began) / len(records)
        progress("decisions", repeat + 1, repeats)
    return taken


def mean_ms(results: Results, *indices: int) -> float:
    """Return the mean milliseconds of a decision by some of a contest's agents."""
    where = list(indices)
    decisions = int(results.effort[where, 0].sum())
    return 1000 * float(results.seconds[where, 0].sum()) / max(decisions, 1)


def decision_times(
    names: Sequence[str], rules: str = "official", seconds: float = SECONDS
) -> dict[str, float]:
    """Return the mean milliseconds of a decision by agent, in contests of four equal agents.

    Only compiled agents that can play at such a table are timed.
    """
    times = {}
    setting = Rules.parse(rules)
    for name in names:
        agent = agent_named(name)
        seated = agent.cannot_play(PERUDO, setting, SEATED) is None
        if isinstance(agent, CompiledAgent) and seated:
            contest = Contest(PERUDO, setting, [agent] * SEATED, 1_000_000, series=1)
            run(Contest(PERUDO, setting, [agent] * SEATED, 1))  # load the kernels
            times[name] = mean_ms(run(contest, stop_after=seconds), *range(SEATED))
    return times
