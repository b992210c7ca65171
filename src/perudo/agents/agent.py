"""What an agent is: it sees an observation and names an action."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar

import numpy as np

from perudo.games.chance import Stream
from perudo.games.errors import PerudoError, UnknownNameError
from perudo.games.game import Game, Record
from perudo.games.kernel import INTERPRETED
from perudo.games.policy import (
    SAMPLED,
    UNIFORM,
    Memory,
    Parameters,
    address_of,
    decide_at,
    new_thoughts,
)
from perudo.games.state import SEATS, State


@dataclass(frozen=True)
class Thoughts:
    """What an agent thought when it decided. Actions are given as the game writes them."""

    probabilities: dict[str, float] | None
    """The chance of each action; None if the agent can only be sampled."""
    values: dict[str, float]
    """What it took each action to be worth, in its own measure."""
    phase: str | None = None
    """Which of its moods it was in, for agents that have such."""
    chance: float | None = None
    """The chance that the standing bid holds, as it sees it."""
    rollouts: int = 0
    """How many games it played out in its head."""


@dataclass(frozen=True)
class Decision:
    """An action, and perhaps what the agent thought."""

    action: Any
    thoughts: Thoughts | None = None


class Agent(ABC):
    """Somebody who plays. All that it remembers is in ``memory``, all its luck in ``stream``.

    A subclass needs ``decide`` and nothing else; see examples/my_agent.py.
    """

    name: ClassVar[str] = ""
    idea: ClassVar[str] = ""
    source: ClassVar[str] = ""
    memory_width: ClassVar[int] = 0
    """Numbers that it remembers about each seat, from game to game of a series."""
    uses_clock: bool = False
    """Whether its moves depend on how fast the machine is."""

    @abstractmethod
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        """An action for the seat that this is an observation of, or a ``Decision``."""

    def learn(self, observation: Any, memory: Memory) -> None:  # noqa: B027  # few agents learn
        """See how a round was settled, and write into the memory what is worth remembering."""

    def prepare(self, start: State) -> None:  # noqa: B027  # most are always ready
        """Get ready for matches from this state, which may take a while; raise if impossible."""

    def sit(  # noqa: B027  # most do nothing then
        self, game: Game, setting: Any, seat: int, players: Sequence[str]
    ) -> None:
        """A match begins."""

    def leave(self, observation: Any) -> None:  # noqa: B027  # most do nothing then
        """A match is over."""

    def close(self) -> None:  # noqa: B027  # only those with processes have to
        """Nobody will ask again: end what was started."""

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Why this agent cannot sit down at such a table, if it cannot."""
        return None

    @property
    def spec(self) -> str:
        """How the agent is named on the command line."""
        return self.name or type(self).__name__

    def new_memory(self) -> Memory:
        """An empty memory: a row for each seat."""
        return np.zeros((len(SEATS), max(self.memory_width, 1)))


@dataclass(frozen=True)
class CompiledAgent(Agent):
    """An agent whose thinking is a compiled policy; its fields are the policy's parameters."""

    policy: ClassVar[Any]
    """The kernel that decides (``games/policy.py``). Read it from the class: read from a value, an
    interpreted kernel would become a method."""
    learning: ClassVar[Any] = None
    """The kernel of the same form that is shown each settled round, for agents that remember."""
    phases: ClassVar[tuple[str, ...]] = ()
    any_game: ClassVar[bool] = False
    """Whether it plays all games; most play Perudo."""

    def __post_init__(self) -> None:
        for option in fields(self):
            check_parameter(self.name, option, getattr(self, option.name))

    @property
    def spec(self) -> str:
        """The name, with the parameters that are not as usual: ``dumb:prob=0.4``."""
        changed = [
            f"{option.name}={parameter_text(getattr(self, option.name))}"
            for option in fields(self)
            if getattr(self, option.name) != option.default
        ]
        return self.name + (":" + ",".join(changed) if changed else "")

    @property
    def parameters(self) -> Parameters:
        """The fields as numbers, in their order; a choice is its place among the choices."""
        numbers = []
        for option in fields(self):
            value = getattr(self, option.name)
            choices = option.metadata.get("values")
            numbers.append(float(choices.index(value) if choices else value))
        return np.array(numbers)

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Most agents play Perudo only."""
        if not self.any_game and game.name != "perudo":
            return f"{self.name} plays perudo, not {game.name}"
        return None

    def as_model(self, start: State) -> CompiledAgent:
        """What somebody who searches takes it for: itself, or one alike who answers at once."""
        return self

    def decide(self, observation: State, memory: Memory, stream: Stream) -> Decision:
        """Ask the policy."""
        record, thoughts = observation.record, new_thoughts()
        code = self._ask(type(self).policy, record, memory, stream, thoughts)
        game = observation.game
        return Decision(game.action_value(code), read_thoughts(observation, thoughts, self.phases))

    def learn(self, observation: State, memory: Memory) -> None:
        """Show the policy a settled round."""
        learning = type(self).learning
        if learning is not None:
            stream = np.zeros(1, np.uint64)
            self._ask(learning, observation.record, memory, stream, new_thoughts())

    def _ask(
        self, policy: Any, record: Record, memory: Memory, stream: Stream, thoughts: Record
    ) -> int:
        address = address_of(policy, record.dtype)
        where = address if INTERPRETED else np.uint64(address)
        return int(decide_at(where, record, self.parameters, memory, stream, thoughts))


def read_thoughts(observation: State, thoughts: Record, phases: Sequence[str]) -> Thoughts:
    """What a policy wrote down, for people."""
    game = observation.game
    probabilities: dict[str, float] = {}
    if thoughts.mixed == UNIFORM:
        codes = observation.legal_actions.codes
        probabilities = {game.format_action(code): 1 / len(codes) for code in codes}
    values: dict[str, float] = {}
    listed = slice(int(thoughts.considered))
    rows = (thoughts[name][listed].tolist() for name in ("actions", "probabilities", "values"))
    for code, chance, value in zip(*rows, strict=True):
        action = game.format_action(code)
        probabilities[action] = probabilities.get(action, 0.0) + chance
        if not math.isnan(value):
            values[action] = value
    return Thoughts(
        probabilities=None if thoughts.mixed == SAMPLED else probabilities,
        values=values,
        phase=phases[int(thoughts.phase)] if thoughts.phase >= 0 else None,
        chance=None if math.isnan(thoughts.chance) else float(thoughts.chance),
        rollouts=int(thoughts.rollouts),
    )


# --- parameters ---------------------------------------------------------------------------------
def parameter_text(value: Any) -> str:
    """A parameter as it is written: yes and no, 0.25, 1000, a word."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def check_parameter(agent: str, option: Field[Any], value: Any) -> None:
    """Raise unless a field may have this value."""
    choices, limits = option.metadata.get("values"), option.metadata.get("range")
    if choices and value not in choices:
        raise PerudoError(
            f"{agent}: {option.name}={value} is not possible; choose {' or '.join(choices)}"
        )
    if limits and not limits[0] <= value <= limits[1]:
        raise PerudoError(
            f"{agent}: {option.name}={parameter_text(value)} is out of range; "
            f"choose {parameter_text(limits[0])} to {parameter_text(limits[1])}"
        )


def parse_parameters(kind: type[Any], agent: str, text: str) -> dict[str, Any]:
    """Read ``rollouts=1000,c=1.414`` for the fields of a dataclass."""
    options = {option.name: option for option in fields(kind)}
    values: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, word = part.partition("=")
        if name not in options:
            known = ", ".join(options) or "none"
            raise UnknownNameError(f"{agent} has no parameter {name!r}; there are: {known}")
        if not equals and isinstance(options[name].default, bool):
            word = equals = "yes"
        if not equals or not word or name in values:
            raise PerudoError(f"{agent}: write {name}=value, once")
        values[name] = _parse_parameter(agent, options[name], word)
    return values


def _parse_parameter(agent: str, option: Field[Any], word: str) -> Any:
    if isinstance(option.default, bool):
        if word not in ("yes", "no"):
            raise PerudoError(f"{agent}: {option.name}={word} should be yes or no")
        return word == "yes"
    if isinstance(option.default, str):
        return word
    whole = isinstance(option.default, int)
    try:
        number = int(word) if whole else float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        kind = "whole number" if whole else "number"
        raise PerudoError(f"{agent}: {option.name}={word} should be a {kind}")
    return number
