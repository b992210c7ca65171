"""Rock-paper-scissors: the smallest game of moves made at the same time.

Seat A throws first, but seat B sees only that it has; so neither knows more than the other. Good
play is known, a third each, which makes it a check for whatever learns or searches.
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
"""Each beats the one before it, and rock beats scissors; an action is the place in this, from 1."""
ROCK, PAPER, SCISSORS = range(1, 4)

STATE_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("rock_paper_scissors", "i1"),  # marker: record types are told apart by their fields
            ("viewer", "i1"),
            ("players", "i1"),
            ("thrown", "i1"),  # seats that have thrown
            ("throws", "i1", (SEATS,)),  # hidden until both have thrown; 0 is not known
        ],
    )
)


@kernel
def actor(state: Record) -> int:
    """The seat to throw, or OVER; nothing is ever dealt."""
    return int(state.thrown) if state.thrown < SEATS else OVER


@kernel
def action_count(state: Record) -> int:
    """Three throws."""
    return 3


@kernel
def action(state: Record, index: int) -> int:
    """The n-th throw."""
    return ROCK + index


@kernel
def apply(state: Record, action: int) -> None:
    """Throw."""
    state.throws[state.thrown] = action
    state.thrown += 1


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """A win is worth 1, a tie 0.5 and a loss 0; the match is one round, so both are the same."""
    lead = (int(state.throws[seat]) - int(state.throws[1 - seat]) + 3) % 3
    return 0.5 if lead == 0 else (1.0 if lead == 1 else 0.0)


@kernel
def observe(state: Record, seat: int) -> None:
    """Blank the other's throw until both have thrown."""
    state.viewer = seat
    if state.thrown < SEATS:
        for other in range(SEATS):
            if other != seat:
                state.throws[other] = 0


@kernel
def information_key(state: Record, seat: int) -> np.uint64:
    """A hash of who has thrown, and of the throws that the seat knows."""
    key = combine(np.uint64(state.thrown), seat + 2)
    for other in range(SEATS):
        known = other == seat or state.thrown == SEATS
        key = combine(key, int(state.throws[other]) if known else 0)
    return key


@kernel
def redeal(state: Record, seat: int, stream: Stream) -> None:
    """Let the other throw again, each throw being equally likely, unless it has been seen."""
    if state.thrown < SEATS:
        for other in range(int(state.thrown)):
            if other != seat:
                state.throws[other] = ROCK + below(stream, 3)


class Outcome(Payload):
    """Both throws, and the seat that has won, if any."""

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
        """The first throw, until both have thrown."""
        return bool(observation.throws[seat] == 0)

    def format_result(self, record: Record) -> Outcome:
        """Both throws and who won, or null."""
        scores = [float(payoff(record, 0, seat)) for seat in range(SEATS)]
        return {
            "throws": [self.format_action(int(throw)) for throw in record.throws],
            "winner": scores.index(1.0) if 1.0 in scores else None,
        }

    def result_text(self, result: Payload) -> str:
        """Who won with what."""
        outcome = cast(Outcome, result)
        winner = "nobody" if outcome["winner"] is None else seat_name(outcome["winner"])
        return f"{' against '.join(outcome['throws'])}: {winner} wins"

    def describe(self, record: Record) -> str:
        """A line for each seat."""
        lines = ["Rock-paper-scissors"]
        for seat in range(SEATS):
            throw = int(record.throws[seat])
            hidden = "has thrown" if seat < record.thrown else "to throw"
            lines.append(f"{seat_name(seat)}: {self.format_action(throw) if throw else hidden}")
        return "\n".join(lines)


ROCK_PAPER_SCISSORS = register(RockPaperScissors())
