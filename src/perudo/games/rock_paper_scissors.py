"""Rock-paper-scissors: the smallest game of moves made at the same time.

Seat A throws first, but seat B sees only that it has; so neither knows more than the other. Good
play is known, a third each, which makes it a check for whatever learns or searches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from perudo.games.chance import Stream, below, combine
from perudo.games.errors import InvalidActionError, PerudoError, RulesError, UnknownNameError
from perudo.games.game import (
    EVERYTHING,
    OVER,
    Game,
    Operations,
    Properties,
    Record,
    copy_whole,
    register,
    step_round_randomly,
)
from perudo.games.kernel import kernel
from perudo.games.state import State, seat_name

SEATS = 2
THROWS = ("rock", "paper", "scissors")
"""Each beats the one before it, and rock beats scissors; an action is the place in this, from 1."""
ROCK, PAPER, SCISSORS = range(1, 4)

REFUSALS = ("legal", "match_over", "unknown_action")
LEGAL, MATCH_OVER, UNKNOWN_ACTION = range(len(REFUSALS))

STATE_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("rock_paper_scissors", "i1"),  # marker: record types are told apart by their fields
            ("viewer", "i1"),  # EVERYTHING, SPECTATOR, or the seat that this is an observation for
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
def chance_count(state: Record) -> int:
    """There is no chance."""
    return 0


@kernel
def chance_outcome(state: Record, index: int) -> None:
    """There is no chance."""


@kernel
def deal(state: Record, key: np.uint64) -> None:
    """There is no chance."""


@kernel
def action_count(state: Record) -> int:
    """Three throws."""
    return len(THROWS) if state.thrown < SEATS else 0


@kernel
def action(state: Record, index: int) -> int:
    """The n-th throw."""
    return ROCK + index


@kernel
def refusal(state: Record, action: int) -> int:
    """Why the actor may not do this, or LEGAL. The one place that decides legality."""
    if not ROCK <= action <= SCISSORS:
        return UNKNOWN_ACTION
    return LEGAL if state.thrown < SEATS else MATCH_OVER


@kernel
def apply(state: Record, action: int) -> None:
    """Throw."""
    state.throws[state.thrown] = action
    state.thrown += 1


@kernel
def round_over(state: Record) -> bool:
    """Whether both have thrown."""
    return bool(state.thrown == SEATS)


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """A win is worth 1, a tie 0.5 and a loss 0; the match is one round, so both are the same."""
    lead = (int(state.throws[seat]) - int(state.throws[1 - seat]) + len(THROWS)) % len(THROWS)
    return 0.5 if lead == 0 else (1.0 if lead == 1 else 0.0)


@kernel
def observe(state: Record, seat: int) -> None:
    """Blank the other's throw until both have thrown."""
    state.viewer = seat
    if not round_over(state):
        for other in range(SEATS):
            if other != seat:
                state.throws[other] = 0


@kernel
def information_key(state: Record, seat: int) -> np.uint64:
    """A hash of who has thrown, and of the seat's own throw; in the end, of both."""
    key = combine(combine(np.uint64(0), seat + 2), int(state.thrown))
    for other in range(SEATS):
        known = other == seat or round_over(state)
        key = combine(key, int(state.throws[other]) if known else 0)
    return key


@kernel
def redeal(state: Record, seat: int, stream: Stream) -> None:
    """Let the other throw again, each throw being equally likely, unless it has been seen."""
    if not round_over(state):
        for other in range(int(state.thrown)):
            if other != seat:
                state.throws[other] = ROCK + below(stream, len(THROWS))


@dataclass(frozen=True)
class RockPaperScissorsSetting:
    """There is nothing to choose."""


class RockPaperScissors(Game):
    """Rock-paper-scissors for two, one throw each.

    The payoffs always add up to 1: the game is constant-sum, and so strictly competitive, but
    not zero-sum.
    """

    name = "rock_paper_scissors"
    summary = "two throw at the same time: rock, paper or scissors"
    dtype = STATE_DTYPE
    operations = Operations(
        actor=actor,
        chance_count=chance_count,
        chance_outcome=chance_outcome,
        deal=deal,
        action_count=action_count,
        action=action,
        refusal=refusal,
        apply=apply,
        round_over=round_over,
        payoff=payoff,
        observe=observe,
        information_key=information_key,
        redeal=redeal,
        finish_round_randomly=step_round_randomly,
        copy=copy_whole,
    )
    properties = Properties(
        min_players=SEATS,
        max_players=SEATS,
        max_actions=len(THROWS),
        hidden_moves=True,
        zero_sum=False,
        chance=False,
    )
    refusals = REFUSALS
    presets = ("standard",)
    setting_type = RockPaperScissorsSetting

    def setting(self, text: str) -> RockPaperScissorsSetting:
        """Read the only preset, which has no options."""
        name, _, options = text.partition(":")
        if name not in self.presets:
            raise UnknownNameError(f"unknown setting {name!r}; there is: standard")
        if options:
            raise UnknownNameError(f"unknown option {options!r}; rock-paper-scissors has none")
        return RockPaperScissorsSetting()

    def describe_setting(self, setting: RockPaperScissorsSetting) -> str:
        """Write the only preset."""
        return "standard"

    def start(self, setting: RockPaperScissorsSetting, players: int) -> State:
        """Nobody has thrown; there is nothing to deal."""
        if players != SEATS:
            raise RulesError(f"{players} players are not possible; choose {SEATS}")
        record = self.new_record()
        record.viewer = EVERYTHING
        record.players = players
        return State(record)

    def parse_action(self, text: str) -> int:
        """Read a throw."""
        word = text.strip().lower()
        if word not in THROWS:
            raise InvalidActionError(f"{text!r} is not a throw; write {', '.join(THROWS)}")
        return ROCK + THROWS.index(word)

    def format_action(self, action: int) -> str:
        """Write a throw."""
        if not ROCK <= action <= SCISSORS:
            raise InvalidActionError(f"{action} is not the number of a throw")
        return THROWS[action - ROCK]

    def format_deal(self, record: Record) -> dict[str, Any]:
        """Nothing is dealt."""
        return {}

    def replay_deal(self, record: Record, deal: dict[str, Any]) -> None:
        """Nothing is dealt."""
        raise PerudoError("nothing is dealt in rock-paper-scissors")

    def format_result(self, record: Record) -> dict[str, Any]:
        """Both throws and who won, or null."""
        scores = [float(payoff(record, 0, seat)) for seat in range(SEATS)]
        return {
            "throws": [self.format_action(int(throw)) for throw in record.throws],
            "winner": scores.index(1.0) if 1.0 in scores else None,
        }

    def result_text(self, result: dict[str, Any]) -> str:
        """Who won with what."""
        winner = "nobody" if result["winner"] is None else seat_name(result["winner"])
        return f"{' against '.join(result['throws'])}: {winner} wins"

    def describe(self, record: Record) -> str:
        """A line for each seat."""
        lines = ["Rock-paper-scissors"]
        for seat in range(SEATS):
            throw = int(record.throws[seat])
            hidden = "has thrown" if seat < record.thrown else "to throw"
            lines.append(f"{seat_name(seat)}: {self.format_action(throw) if throw else hidden}")
        return "\n".join(lines)

    def explain_refusal(self, record: Record, action: int, code: str) -> str:
        """Say in one line why an action is not allowed."""
        if code == "unknown_action":
            return f"{action} is not the number of a throw"
        return f"{self.format_action(action)}: both have thrown, the match is over"


ROCK_PAPER_SCISSORS = register(RockPaperScissors())
