"""The random agent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.parameters import number
from perudo.games.chance import Stream, below
from perudo.games.game import Record, action, action_count
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import DOUBT, DUDO
from perudo.games.policy import UNIFORM, Memory, Parameters, begin, choose, consider

LIKE_ANY_OTHER = -1.0
"""The value of ``call`` at which a call is like any other action."""


@kernel
def decide_randomly(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Draw any legal action; with a probability to call, draw first whether to call."""
    begin(thoughts)
    count = action_count(observation)
    if parameters[0] == LIKE_ANY_OTHER:
        thoughts.mixed = UNIFORM
        return int(action(observation, below(stream, count)))
    calls = 0
    for index in range(count):
        code = action(observation, index)
        calls += code == DUDO or code == DOUBT
    others = count - calls
    call = parameters[0] if calls > 0 else 0.0
    for index in range(count):
        code = action(observation, index)
        is_call = code == DUDO or code == DOUBT
        consider(thoughts, code, call if is_call else (1.0 - call) / others, np.nan)
    return choose(thoughts, stream)


@dataclass(frozen=True)
class RandomAgent(CompiledAgent):
    """Plays a uniformly random legal action, in any game."""

    name = "random"
    idea = "plays any legal action, or calls with a fixed probability"
    source = "Maynooth report (Putta 2019), RandomAI (not specified there)"
    policy = decide_randomly
    any_game = True

    call: float = number(LIKE_ANY_OTHER, -1.0, 1.0)
    """Probability of a call where one is legal (table 5.4: 0.5); -1: like any other action."""
