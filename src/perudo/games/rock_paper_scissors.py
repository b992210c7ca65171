"""Rock-paper-scissors: the smallest game of moves made at the same time.

Seat A throws first, but seat B sees only that it has, so neither knows more than the other. Optimal
play is known, a third each, which makes it a check for solvers and searches.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from perudo.games.chance import Stream, below, combine
from perudo.games.game import Game, Payload, Properties, register, seat_name
from perudo.games.kernel import kernel
from perudo.games.operations import OVER, Operations, Record

SEATS = 2
THROWS = ("rock", "paper", "scissors")
"""The names of actions 1 to 3. Each throw beats the one before it, and rock beats scissors."""
ROCK, PAPER, SCISSORS = range(1, 4)

STATE_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("rock_paper_scissors", "i1"),  # marker: distinguishes this game's record type
            ("viewer", "i1"),
            ("players", "i1"),
            ("thrown", "i1"),  # seats that have thrown
            ("throws", "i1", (SEATS,)),  # hidden until both have thrown; 0 is not known
        ],
    )
)


@kernel
def actor(state: Record) -> int:
    """Return the seat to throw, or OVER; nothing is ever dealt."""
    return int(state.thrown) if state.thrown < SEATS else OVER


@kernel
def action_count(state: Record) -> int:
    """Return 3: every throw is always legal."""
    return 3


@kernel
def action(state: Record, index: int) -> int:
    """Return the n-th throw."""
    return ROCK + index


@kernel
def apply(state: Record, action: int) -> None:
    """Play the actor's throw."""
    state.throws[state.thrown] = action
    state.thrown += 1


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """Return 1 for a win, 0.5 for a tie, 0 for a loss; the match is one round."""
    lead = (int(state.throws[seat]) - int(state.throws[1 - seat]) + 3) % 3
    return 0.5 if lead == 0 else (1.0 if lead == 1 else 0.0)


@kernel
def observe(state: Record, seat: int) -> None:
    """Blank the other seat's throw until both have thrown."""
    state.viewer = seat
    if state.thrown < SEATS:
        for other in range(SEATS):
            if other != seat:
                state.throws[other] = 0


@kernel
def information_key(state: Record, seat: int) -> np.uint64:
    """Return a hash of the number of throws made, and of those that the seat knows."""
    key = combine(np.uint64(state.thrown), seat + 2)
    for other in range(SEATS):
        known = other == seat or state.thrown == SEATS
        key = combine(key, int(state.throws[other]) if known else 0)
    return key


@kernel
def redeal(state: Record, seat: int, stream: Stream) -> None:
    """Replace the other seat's throw, if still hidden, by a uniformly random one."""
    if state.thrown < SEATS:
        for other in range(int(state.thrown)):
            if other != seat:
                state.throws[other] = ROCK + below(stream, 3)


class Outcome(Payload):
    """Both throws, and the winning seat, if any."""

    throws: list[str]
    winner: int | None


class RockPaperScissors(Game):
    """Rock-paper-scissors for two, one throw each.

    The payoffs always add up to 1: the game is strictly competitive, but not zero-sum.
    """

    name = "rock_paper_scissors"
    summary = "two throw at the same time: rock, paper or scissors"
    dtype = STATE_DTYPE
    operations = Operations(
        actor=actor,
        action_count=action_count,
        action=action,
        apply=apply,
        payoff=payoff,
        observe=observe,
        information_key=information_key,
        redeal=redeal,
    )
    properties = Properties(
        min_players=SEATS,
        max_players=SEATS,
        max_actions=len(THROWS),
        hidden_moves=True,
        zero_sum=False,
        chance=False,
    )
    action_names = THROWS

    def hides_action(self, observation: Record, seat: int) -> bool:
        """Return true for the other seat's throw until both have thrown."""
        return bool(observation.throws[seat] == 0)

    def format_result(self, record: Record) -> Outcome:
        """Return both throws and the winner, or null for a tie."""
        scores = [float(payoff(record, 0, seat)) for seat in range(SEATS)]
        return {
            "throws": [self.format_action(int(throw)) for throw in record.throws],
            "winner": scores.index(1.0) if 1.0 in scores else None,
        }

    def result_text(self, result: Payload) -> str:
        """Describe both throws and the winner."""
        outcome = cast(Outcome, result)
        winner = "nobody" if outcome["winner"] is None else seat_name(outcome["winner"])
        return f"{' against '.join(outcome['throws'])}: {winner} wins"

    def describe(self, record: Record) -> str:
        """Describe the game with one line for each seat."""
        lines = ["Rock-paper-scissors"]
        for seat in range(SEATS):
            throw = int(record.throws[seat])
            hidden = "has thrown" if seat < record.thrown else "to throw"
            lines.append(f"{seat_name(seat)}: {self.format_action(throw) if throw else hidden}")
        return "\n".join(lines)


ROCK_PAPER_SCISSORS = register(RockPaperScissors())
