"""Agents and their players: they see observations and name actions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar, Self, TypedDict

import numpy as np

from perudo.agents.parameters import Value
from perudo.games.chance import Stream
from perudo.games.errors import PerudoError, UnknownNameError
from perudo.games.game import SEATS, Game, Record, State
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


@dataclass(frozen=True)
class Thoughts:
    """The thoughts behind a decision. Actions are in the game's notation."""

    probabilities: dict[str, float] | None
    """Probability of each action; None if the agent can only be sampled."""
    values: dict[str, float]
    """Value of each action, in the agent's own measure."""
    phase: str | None = None
    """The agent's phase, for agents that have phases."""
    chance: float | None = None
    """Probability that the standing bid holds, as the agent sees it."""
    rollouts: int = 0
    """Number of rollouts."""

    def data(self) -> ThoughtsData:
        """Return plain data, for JSON."""
        return {
            "probabilities": self.probabilities,
            "values": self.values,
            "phase": self.phase,
            "chance": self.chance,
            "rollouts": self.rollouts,
        }


class ThoughtsData(TypedDict):
    """``Thoughts`` as JSON."""

    probabilities: dict[str, float] | None
    values: dict[str, float]
    phase: str | None
    chance: float | None
    rollouts: int


@dataclass(frozen=True)
class Decision:
    """An action, and perhaps the thoughts behind it."""

    action: Any
    thoughts: Thoughts | None = None


class Player(ABC):
    """An agent at a table, with the resources it opened to play there; a context manager.

    All that it remembers is in ``memory``, and all its randomness comes from ``stream``.
    """

    @property
    @abstractmethod
    def spec(self) -> str:
        """The agent's name on the command line."""

    @property
    @abstractmethod
    def memory_width(self) -> int:
        """Numbers remembered about each seat, from game to game of a series."""

    @abstractmethod
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        """Return an action for the seat that observes, or a ``Decision``."""

    def learn(self, observation: Any, memory: Memory) -> None:  # noqa: B027  # few agents learn
        """Learn from a settled round, by updating the memory in place."""

    def sit(  # noqa: B027  # most do nothing then
        self, game: Game, setting: Any, seat: int, players: Sequence[str]
    ) -> None:
        """Take a seat in a match that is about to begin."""

    def leave(self, observation: Any) -> None:  # noqa: B027  # most do nothing then
        """Leave a match that is over; ``observation`` is its last position."""

    def close(self) -> None:  # noqa: B027  # only those with processes have to
        """Close files and end processes."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def new_memory(self) -> Memory:
        """Return an empty memory: a row for each seat."""
        return np.zeros((len(SEATS), max(self.memory_width, 1)))


class Agent(Player):
    """A way to play; most agents have nothing to open and are their own players.

    A subclass needs ``decide`` and nothing else; see examples/my_agent.py.
    """

    name: ClassVar[str] = ""
    idea: ClassVar[str] = ""
    source: ClassVar[str] = ""
    memory_width: int = 0
    """Numbers remembered about each seat, from game to game of a series."""
    uses_clock: bool = False
    """True if its moves depend on how fast the machine is."""

    def prepare(self, start: State) -> Player:
        """Return a player for matches from this state; may take a while, and raise."""
        return self

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Return why this agent cannot play at such a table, or None."""
        return None

    @property
    def spec(self) -> str:
        """The agent's name on the command line, with its parameters."""
        return self.name or type(self).__name__


@dataclass(frozen=True)
class CompiledAgent(Agent):
    """An agent whose decisions are a compiled policy; its fields are the policy's parameters."""

    policy: ClassVar[Any]
    """The kernel that decides (``games/policy.py``). Read it from the class or a player: read from
    an agent, an interpreted kernel would become a method."""
    learning: ClassVar[Any] = None
    """The kernel of the same signature that sees each settled round, for agents that remember."""
    phases: ClassVar[tuple[str, ...]] = ()
    any_game: ClassVar[bool] = False
    """True if it plays all games; most agents play only Perudo."""

    def __post_init__(self) -> None:
        for option in fields(self):
            check_parameter(self.name, option, getattr(self, option.name))

    @property
    def spec(self) -> str:
        """The name, with the parameters that differ from their defaults: ``dumb:prob=0.4``."""
        changed = [
            f"{option.name}={parameter_text(getattr(self, option.name))}"
            for option in fields(self)
            if getattr(self, option.name) != option.default
        ]
        return self.name + (":" + ",".join(changed) if changed else "")

    @property
    def parameters(self) -> Parameters:
        """The fields as numbers, in order; a choice is its index among the choices."""
        numbers = []
        for option in fields(self):
            value = getattr(self, option.name)
            choices = option.metadata.get("values")
            numbers.append(float(choices.index(value) if choices else value))
        return np.array(numbers)

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Return why this agent cannot play at such a table; most play only Perudo."""
        if not self.any_game and game.name != "perudo":
            return f"{self.name} plays perudo, not {game.name}"
        return None

    def prepare(self, start: State) -> CompiledPlayer:
        """Return a player: the policy with its parameters."""
        return CompiledPlayer(self, self.parameters)

    def as_model(self, start: State) -> CompiledPlayer:
        """Return the player that searches should put in its place; it should be fast."""
        return self.prepare(start)

    def decide(self, observation: State, memory: Memory, stream: Stream) -> Decision:
        """Prepare for this one decision; a player from ``prepare`` is faster for many."""
        with self.prepare(observation) as player:
            return player.decide(observation, memory, stream)

    def learn(self, observation: State, memory: Memory) -> None:
        """Prepare for this one round; a player from ``prepare`` is faster for many."""
        with self.prepare(observation) as player:
            player.learn(observation, memory)


@dataclass(frozen=True, eq=False)
class CompiledPlayer(Player):
    """A compiled policy with its parameters, and the arrays that these point to."""

    agent: CompiledAgent
    parameters: Parameters
    opened: tuple[Any, ...] = ()
    """Owners of the arrays whose addresses are among the parameters."""

    @property
    def spec(self) -> str:
        """The agent's name on the command line, with its parameters."""
        return self.agent.spec

    @property
    def memory_width(self) -> int:
        """Numbers remembered about each seat, from game to game of a series."""
        return self.agent.memory_width

    @property
    def policy(self) -> Any:
        """The kernel that decides."""
        return type(self.agent).policy

    @property
    def learning(self) -> Any:
        """The kernel that learns from settled rounds; None if the agent does not."""
        return type(self.agent).learning

    def decide(self, observation: State, memory: Memory, stream: Stream) -> Decision:
        """Return the policy's decision with its thoughts."""
        record, thoughts = observation.record, new_thoughts()
        code = self._ask(self.policy, record, memory, stream, thoughts)
        game = observation.game
        return Decision(
            game.action_value(code), read_thoughts(observation, thoughts, self.agent.phases)
        )

    def learn(self, observation: State, memory: Memory) -> None:
        """Show the policy a settled round."""
        if self.learning is not None:
            stream = np.zeros(1, np.uint64)
            self._ask(self.learning, observation.record, memory, stream, new_thoughts())

    def _ask(
        self, policy: Any, record: Record, memory: Memory, stream: Stream, thoughts: Record
    ) -> int:
        address = address_of(policy, record.dtype)
        where = address if INTERPRETED else np.uint64(address)
        return int(decide_at(where, record, self.parameters, memory, stream, thoughts))


def read_thoughts(observation: State, thoughts: Record, phases: Sequence[str]) -> Thoughts:
    """Convert the record that a policy wrote to ``Thoughts``."""
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
def parameter_text(value: Value) -> str:
    """Return a parameter as text: yes or no, 0.25, 1000, a word."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def check_parameter(agent: str, option: Field[Any], value: Value) -> None:
    """Raise unless the parameter can have this value."""
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


def parse_parameters(kind: type[Any], agent: str, text: str) -> dict[str, Value]:
    """Parse ``rollouts=1000,c=1.414`` for the fields of a dataclass."""
    options = {option.name: option for option in fields(kind)}
    values: dict[str, Value] = {}
    for part in text.split(","):
        name, equals, word = part.partition("=")
        if name not in options:
            known = ", ".join(options) or "none"
            raise UnknownNameError(f"{agent} has no parameter {name!r}; its parameters: {known}")
        if not equals and isinstance(options[name].default, bool):
            word = equals = "yes"
        if not equals or not word or name in values:
            raise PerudoError(f"{agent}: give {name}=value exactly once")
        values[name] = _parse_parameter(agent, options[name], word)
    return values


def _parse_parameter(agent: str, option: Field[Any], word: str) -> Value:
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
