"""Agents in processes of their own, which can be killed when they fail."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Never, Self, TypeVar

from perudo.agents.agent import Agent, Decision
from perudo.agents.external.line_process import LONGEST_LINE, LineProcess, ProcessError
from perudo.agents.mistakes import agent_error
from perudo.games.chance import Stream
from perudo.games.game import State
from perudo.games.policy import Memory

TIMEOUT_SECONDS = 30.0
"""Default time limit for a decision."""

Answer = TypeVar("Answer")


class ProcessAgent(Agent):
    """An agent that plays in another process; use it in a ``with`` statement, or ``close`` it."""

    def __init__(self, timeout: float = TIMEOUT_SECONDS) -> None:
        self.timeout = timeout
        """Time limit for each decision, in seconds."""
        self._process: LineProcess | None = None

    @abstractmethod
    def decide_within(
        self, observation: State, memory: Memory, stream: Stream, seconds: float | None
    ) -> Decision:
        """Return a decision within ``seconds`` instead of ``timeout``; None means no limit."""

    def decide(self, observation: State, memory: Memory, stream: Stream) -> Decision:
        """Return the process's decision."""
        return self.decide_within(observation, memory, stream, self.timeout)

    def close(self) -> None:
        """End the process and all processes it has started."""
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
        """Talk to the process; if that fails, end it, and start another when next needed."""
        assert self._process is not None
        try:
            return talk(self._process)
        except ProcessError as error:
            self._give_up(str(error), observation)
        except BaseException:  # interrupted: a late answer could be taken for the next one
            self._drop()
            raise

    def _give_up(self, problem: str, observation: State | None) -> Never:
        """End the process, and raise an error with the problem and its last error output."""
        words = self._drop()
        said = f" (it said: {words})" if words else ""
        raise agent_error(self.spec, problem + said, observation) from None

    def _drop(self) -> str:
        """End the process at once, and return the last lines of its standard error."""
        process, self._process = self._process, None
        if process is None:
            return ""
        process.end(at_once=True)
        return process.stderr_tail()
