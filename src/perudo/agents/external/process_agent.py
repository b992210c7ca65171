"""An agent in a process of its own, which can be ended when it fails."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Never, Self, TypeVar

from perudo.agents.agent import Agent, Decision
from perudo.agents.external.line_process import LONGEST_LINE, LineProcess, ProcessError
from perudo.agents.mistakes import agent_error
from perudo.games.chance import Stream
from perudo.games.policy import Memory
from perudo.games.state import State

TIMEOUT_SECONDS = 30.0
"""How long a decision may take unless said otherwise."""

Answer = TypeVar("Answer")


class OutsideAgent(Agent):
    """Somebody who plays in another process; use it with ``with``, or ``close`` it."""

    def __init__(self, timeout: float = TIMEOUT_SECONDS) -> None:
        self.timeout = timeout
        """Seconds for each decision."""
        self._process: LineProcess | None = None

    @abstractmethod
    def decide_within(
        self, observation: State, memory: Memory, stream: Stream, seconds: float | None
    ) -> Decision:
        """Decide, in so many seconds instead of the usual ones."""

    def decide(self, observation: State, memory: Memory, stream: Stream) -> Decision:
        """Have the process decide."""
        return self.decide_within(observation, memory, stream, self.timeout)

    def close(self) -> None:
        """End the process, and whatever it has started."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _start(self, command: Sequence[str], longest_line: int = LONGEST_LINE) -> None:
        try:
            self._process = LineProcess(command, longest_line=longest_line)
        except ProcessError as error:
            raise agent_error(self.spec, str(error)) from None

    def _converse(
        self, talk: Callable[[LineProcess], Answer], observation: State | None = None
    ) -> Answer:
        """Speak with the process. If that fails it is ended; another starts when needed next."""
        assert self._process is not None
        try:
            return talk(self._process)
        except ProcessError as error:
            self._give_up(str(error), observation)
        except BaseException:  # interrupted: the answer may still come, and be taken for another
            self._drop()
            raise

    def _give_up(self, problem: str, observation: State | None) -> Never:
        """End the process and say why, with what it wrote last to its standard error."""
        words = self._drop()
        said = f" (it said: {words})" if words else ""
        raise agent_error(self.spec, problem + said, observation) from None

    def _drop(self) -> str:
        """End the process at once; returns its last words."""
        process, self._process = self._process, None
        if process is None:
            return ""
        process.end(at_once=True)
        return process.last_words()
