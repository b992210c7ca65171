"""What an agent is: it sees an observation and names an action."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from perudo.games.chance import Stream
from perudo.games.state import State


class Agent(ABC):
    """Somebody who plays. All that it remembers is in ``memory``, all its luck in ``stream``."""

    name: ClassVar[str]
    idea: ClassVar[str]

    @abstractmethod
    def decide(self, observation: State, memory: Any, stream: Stream) -> Any:
        """An action for the seat that this is an observation of."""
