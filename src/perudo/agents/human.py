"""The agent that asks a person at the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from perudo.agents.agent import Agent
from perudo.games.chance import Stream
from perudo.games.errors import PerudoError
from perudo.games.game import State, action_code, require_legal, seat_name
from perudo.games.policy import Memory

EMPTY_LINE = "decline"
"""Action for an empty line, if legal; a shortcut because the calza question comes very often."""


@dataclass(init=False, eq=False)
class HumanAgent(Agent):
    """A person at the keyboard, who sees the observation as text and types an action.

    The agent rejects unreadable and illegal input with the reason, and asks again. Ctrl-C and the
    end of input reach the caller (KeyboardInterrupt, EOFError).
    """

    name = "human"
    idea = "asks the person at the keyboard"
    source = "you"
    uses_clock = True  # a seed does not repeat a person's moves

    def __init__(
        self, ask: Callable[[str], str] = input, say: Callable[[str], None] = print
    ) -> None:
        self._ask = ask
        self._say = say

    def decide(self, observation: State, memory: Memory, stream: Stream) -> Any:
        """Show the observation and ask until the answer is legal."""
        self._say(str(observation))
        seat = observation.actor
        assert seat is not None
        while True:
            typed = self._ask(f"{seat_name(seat)}, your move: ").strip()
            if not typed and EMPTY_LINE in observation.legal_actions:
                typed = EMPTY_LINE
            try:
                code = action_code(observation.game, typed)
                require_legal(observation.record, code)
            except PerudoError as error:
                self._say(f"{error}.")
            else:
                return observation.game.action_value(code)

    def learn(self, observation: State, memory: Memory) -> None:
        """Print how the round was settled."""
        game, record = observation.game, observation.record
        self._say(f"The round is over: {game.result_text(game.format_result(record))}.")

    def leave(self, observation: State) -> None:
        """Print how the match ended."""
        if observation.over:
            payoffs = observation.payoffs()
            best = [seat for seat, payoff in enumerate(payoffs) if payoff == max(payoffs)]
            self._say(f"The match is over; won by {' and '.join(map(seat_name, best))}.")
