"""Programs in any language that speak the protocol on their standard input and output."""

from __future__ import annotations

import math
import shlex
import shutil
from collections.abc import Sequence
from typing import Any, cast

from perudo import protocol
from perudo.agents.agent import Decision
from perudo.agents.external.process_agent import TIMEOUT_SECONDS, ProcessAgent
from perudo.games.chance import Stream, next_word
from perudo.games.errors import PerudoError
from perudo.games.game import SEATS, Game, State
from perudo.games.perudo import PERUDO, PerudoState
from perudo.games.policy import Memory

LUCK_BITS = 53
"""Random bits sent with each question; numbers in every language hold this many exactly."""


class ProgramAgent(ProcessAgent):
    """A program, started without a shell, that speaks the protocol of docs/protocol.md.

    It starts with its first match and plays one match after the other. It does not use ``memory``,
    and keeps its own instead.
    """

    idea = "asks a program, in JSON lines"
    uses_clock = True  # nobody knows what else a program plays by

    def __init__(self, command: str, timeout: float = TIMEOUT_SECONDS) -> None:
        super().__init__(timeout)
        self._text = command.strip()
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise PerudoError(f"cannot read the command {command!r}: {error}") from None
        if not self._command:
            raise PerudoError("write a command after cmd:, as in cmd:node bot.js")
        if shutil.which(self._command[0]) is None:
            raise PerudoError(f"{self.spec}: program {self._command[0]!r} not found")
        self._questions = 0

    @property
    def spec(self) -> str:
        """The agent's name on the command line: the command as given."""
        return f"cmd:{self._text}"

    @property
    def pid(self) -> int | None:
        """The id of its process while it runs."""
        return None if self._process is None else self._process.pid

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Return why this agent cannot play at such a table; the protocol is only for Perudo."""
        if game.name != "perudo":
            return f"{self.spec} plays perudo, not {game.name}"
        return None

    def sit(self, game: Game, setting: Any, seat: int, players: Sequence[str]) -> None:
        """Start the program if it is not running, and announce the match."""
        if self._process is None:
            self._start(self._command)
        self._tell(protocol.hello(game, setting, seat, players))

    def decide_within(
        self, observation: State, memory: Memory, stream: Stream, seconds: float | None
    ) -> Decision:
        """Send the program a question, and return its answer as a decision."""
        view = cast(PerudoState, observation)
        if self._process is None:  # no match has been announced
            self.sit(PERUDO, view.rules, view.viewer, list(SEATS[: view.players]))
        self._questions += 1
        luck = int(next_word(stream)) >> (64 - LUCK_BITS)
        question = protocol.encode(protocol.decide(view, self._questions, luck))
        limit = math.inf if seconds is None else seconds
        answer = self._converse(lambda process: process.ask(question, limit), observation)
        try:
            code = protocol.answered_action(answer, view, self._questions)
        except PerudoError as error:
            self._give_up(str(error), observation)
        return Decision(observation.game.action_value(code))

    def learn(self, observation: State, memory: Memory) -> None:
        """Send the program the result of a round."""
        self._tell(protocol.result(cast(PerudoState, observation)), observation)

    def leave(self, observation: State) -> None:
        """Send the program the result of the match; it stays for the next one."""
        self._tell(protocol.end(cast(PerudoState, observation)), observation)

    def _tell(self, message: protocol.Message, observation: State | None = None) -> None:
        if self._process is not None:
            line = protocol.encode(message)
            self._converse(lambda process: process.write(line, self.timeout), observation)
