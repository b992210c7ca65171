"""Agent classes from files, named by specs: ``path/to/my_agent.py:Careful:caution=0.4``."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from perudo.agents.agent import Agent, parse_parameters
from perudo.agents.mistakes import raised
from perudo.agents.parameters import Value
from perudo.games.chance import Stream
from perudo.games.errors import PerudoError, UnknownNameError
from perudo.games.game import Game
from perudo.games.policy import Memory


class PlainAgent(Agent):
    """Adapter for an object with ``decide`` that is no ``Agent``; other methods are optional."""

    def __init__(self, player: Any) -> None:
        self._player = player
        self.memory_width = getattr(player, "memory_width", 0)
        self.uses_clock = getattr(player, "uses_clock", False)
        if hasattr(player, "act_batch"):
            self.act_batch = player.act_batch

    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        """Return the object's decision."""
        return self._player.decide(observation, memory, stream)

    def learn(self, observation: Any, memory: Memory) -> None:
        """Show it a settled round, if it has ``learn``."""
        self._tell("learn", observation, memory)

    def sit(self, game: Game, setting: Any, seat: int, players: Sequence[str]) -> None:
        """Announce a match to it, if it has ``sit``."""
        self._tell("sit", game, setting, seat, players)

    def leave(self, observation: Any) -> None:
        """Show it the end of a match, if it has ``leave``."""
        self._tell("leave", observation)

    def close(self) -> None:
        """Close it, if it has ``close``."""
        self._tell("close")

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Return its reason why it cannot play at such a table, if it has ``cannot_play``."""
        reason: str | None = self._tell("cannot_play", game, setting, players)
        return reason

    @property
    def spec(self) -> str:
        """The name of the object's class."""
        return type(self._player).__name__

    def has(self, method: str) -> bool:
        """Return True if the object has a method of this name."""
        return callable(getattr(self._player, method, None))

    def _tell(self, method: str, *arguments: Any) -> Any:
        return getattr(self._player, method)(*arguments) if self.has(method) else None


def split_file_word(word: str) -> tuple[Path, str, str] | None:
    """Return the file, class and parameters that a spec names; None if it names no file.

    >>> split_file_word("bots/mine.py:Careful:caution=0.4")
    (PosixPath('bots/mine.py'), 'Careful', 'caution=0.4')
    >>> split_file_word("dumb:prob=0.4")
    """
    before, found, rest = word.partition(".py")
    if not found or (rest and not rest.startswith(":")):
        return None
    name, _, parameters = rest[1:].partition(":")
    return Path(before + found), name, parameters


def find_file(word: str) -> tuple[Path, str, str]:
    """Return the parts of a spec that names a class; raise if the file does not exist."""
    parts = split_file_word(word)
    if parts is None:
        raise PerudoError(f"{word!r} does not name a class in a file, like my_agent.py:Careful")
    if not parts[0].is_file():
        raise PerudoError(f"file {str(parts[0])!r} not found")
    return parts


def load_agent(word: str) -> Agent:
    """Return the agent that a spec names; any failure raises a ``PerudoError`` of one line."""
    path, name, parameters = find_file(word)
    module = _import(path)
    kind = getattr(module, name, None) if name else None
    if not isinstance(kind, type):
        players = [
            other
            for other, value in vars(module).items()
            if isinstance(value, type)
            and value.__module__ == module.__name__
            and callable(getattr(value, "decide", None))
        ]
        if not players:
            raise PerudoError(f"{path} has no class with a decide method")
        there = f"its agents: {', '.join(players)}"
        if not name:
            raise PerudoError(f"name a class of {path}, like {path.name}:{players[0]}; {there}")
        raise UnknownNameError(f"{path} has no class {name!r}; {there}")
    if not callable(getattr(kind, "decide", None)):
        raise PerudoError(
            f"{path}: {name} is not an agent; it needs decide(observation, memory, stream)"
        )
    return _make(path, kind, parameters)


def _import(path: Path) -> ModuleType:
    """Import the file; it can import modules beside it, but these do not shadow others."""
    name = f"perudo_agent_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module there
    if str(path.parent.resolve()) not in sys.path:
        sys.path.append(str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise PerudoError(f"{path} cannot be imported: {raised(error)}") from error
    return module


def _make(path: Path, kind: type[Any], parameters: str) -> Agent:
    values: dict[str, Value] = {}
    if parameters:
        if not is_dataclass(kind):
            raise PerudoError(
                f"{path}: {kind.__name__} takes no parameters; make it a dataclass to give it some"
            )
        values = parse_parameters(kind, kind.__name__, parameters)
    try:
        player = kind(**values)
    except PerudoError:
        raise
    except Exception as error:
        raise PerudoError(f"{path}: {kind.__name__} cannot be created: {raised(error)}") from error
    return player if isinstance(player, Agent) else PlainAgent(player)
