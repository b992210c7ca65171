"""The player that the thesis' conclusions propose: think hard only where it is risky."""

from __future__ import annotations

from dataclasses import dataclass

from perudo.agents.mcts import OBSERVER, OBSERVERS, MctsObserver, search
from perudo.agents.observer import PHASES, SAFE, weigh_as_observer
from perudo.agents.parameters import number
from perudo.games.chance import Stream
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.policy import Memory, Parameters, choose


@kernel
def decide_ensemble(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """The Observer's move in its risk-free and safe phases, else a search."""
    weigh_as_observer(observation, int(observation.viewer), OBSERVER, thoughts)
    phase = int(thoughts.phase)
    if phase <= SAFE:
        return choose(thoughts, stream)
    action = search(observation, int(OBSERVERS), parameters, stream, thoughts)
    thoughts.phase = phase
    return action


@dataclass(frozen=True)
class Ensemble(MctsObserver):
    """Observer while the standing bid is safe, tree search with Observers where it is not."""

    name = "ensemble"
    idea = "plays as observer while it feels safe, and as mcts-observer when in danger"
    source = "Perudo thesis, conclusions"
    policy = decide_ensemble
    phases = PHASES

    cap: int = number(10_000, 1, 10_000_000)
    """The most rollouts that depend on the number of deals."""
