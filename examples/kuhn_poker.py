"""How to add a game: Kuhn poker, the smallest poker, from its rules to random play.

Two players put in one chip each and get one of three cards. In turn they *pass* or *bet* one
more chip. A pass after a bet gives up; two passes or two bets are settled by the higher card.

A game is (1) a record that holds one state, (2) a few compiled functions over that record, and
(3) a class that says how people read and write it. Once registered, it can be searched, solved
and played like the games of the package. Run this file to see a few rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from perudo.games.chance import Stream, below, combine, key_of, scale, stream_of
from perudo.games.errors import InvalidActionError, PerudoError, RulesError, UnknownNameError
from perudo.games.game import (
    CHANCE,
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

# 1. The record. It needs a field that no other game has (numba tells record types apart by their
#    fields), `players`, and `viewer`. Use signed numbers, and leave unused places zero.
STATE_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("kuhn_poker", "i1"),  # the marker
            ("viewer", "i1"),  # EVERYTHING, SPECTATOR, or the seat that this is an observation for
            ("players", "i1"),
            ("history", "i1"),  # 0 before the deal, then 1 followed by a bit per action: 1 is a bet
            ("cards", "i1", (2,)),  # hidden: 1 to 3, or 0 if not known
        ],
    )
)
PASS, BET = 1, 2  # actions are small whole numbers
START, PASSED, BETTED, PASSED_BETTED = 0b1, 0b10, 0b11, 0b101  # somebody is to act
BOTH_PASSED, GAVE_UP_AT_ONCE, GAVE_UP_LATER = 0b100, 0b110, 0b1010  # the round is over
BOTH_BETTED, BOTH_BETTED_LATER = 0b111, 0b1011


# 2. The operations. They change the record in place and never return it. Convert fields with int()
#    before arithmetic: as plain Python (NUMBA_DISABLE_JIT=1) they are numbers of a few bits.
@kernel
def actor(state: Record) -> int:
    """The seat to act, or CHANCE before the deal, or OVER."""
    history = int(state.history)
    if history == 0:
        return CHANCE
    if history in (START, PASSED_BETTED):
        return 0
    return 1 if history in (PASSED, BETTED) else OVER


@kernel
def chance_count(state: Record) -> int:
    """Three cards for A, then two for B: all deals are equally likely."""
    return 6


@kernel
def chance_outcome(state: Record, index: int) -> None:
    """The n-th deal. A solver goes through all of them."""
    first, step = index // 2, 1 + index % 2
    state.history = START
    state.cards[0] = 1 + first
    state.cards[1] = 1 + (first + step) % 3


@kernel
def deal(state: Record, key: np.uint64) -> None:
    """The deal that belongs to a key: the same key always deals the same cards."""
    chance_outcome(state, int(scale(combine(key, 1), 6)))


@kernel
def action_count(state: Record) -> int:
    """Pass and bet."""
    return 2 if actor(state) >= 0 else 0


@kernel
def action(state: Record, index: int) -> int:
    """The n-th action."""
    return PASS + index


REFUSALS = ("legal", "not_now", "unknown_action")  # stable names of why an action is refused


@kernel
def refusal(state: Record, action: int) -> int:
    """0 if the action is legal, else an index into REFUSALS."""
    if action not in (PASS, BET):
        return 2
    return 0 if actor(state) >= 0 else 1


@kernel
def apply(state: Record, action: int) -> None:
    """Write the action into the history; the rest follows from that."""
    state.history = 2 * int(state.history) + (action - PASS)


@kernel
def round_over(state: Record) -> bool:
    """Whether the round is settled; here the match is one round."""
    return actor(state) == OVER


@kernel
def showdown(state: Record) -> bool:
    """Whether the cards are compared, and so seen by all."""
    return int(state.history) in (BOTH_PASSED, BOTH_BETTED, BOTH_BETTED_LATER)


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """Chips won; the horizon (ROUND or MATCH) makes no difference in a match of one round."""
    chips, winner = 1.0, 0 if state.history == GAVE_UP_AT_ONCE else 1
    if showdown(state):
        chips = 1.0 if state.history == BOTH_PASSED else 2.0
        winner = 0 if state.cards[0] > state.cards[1] else 1
    return chips if seat == winner else -chips


@kernel
def observe(state: Record, seat: int) -> None:
    """Blank what a seat may not know. Agents get nothing but this."""
    state.viewer = seat
    if not showdown(state):
        for other in range(2):
            if other != seat:
                state.cards[other] = 0


@kernel
def information_key(state: Record, seat: int) -> np.uint64:
    """A hash of what a seat knows: equal for states that it cannot tell apart."""
    card = int(state.cards[seat]) if seat >= 0 else 0
    return combine(combine(np.uint64(state.history), seat + 2), card)


@kernel
def redeal(state: Record, seat: int, stream: Stream) -> None:
    """Sample what a seat does not know, so that it can search without peeking."""
    if actor(state) == CHANCE or showdown(state):
        return
    if seat < 0:  # a spectator knows neither card
        state.cards[0] = 1 + below(stream, 3)
        seat = 0
    state.cards[1 - seat] = 1 + (int(state.cards[seat]) + below(stream, 2)) % 3


# 3. The class: names, and how things are written.
@dataclass(frozen=True)
class KuhnSetting:
    """Kuhn poker has no options; a game that has some checks them in ``__post_init__``."""


class KuhnPoker(Game):
    """Kuhn poker."""

    name = "kuhn_poker"
    summary = "three cards, one bet: the smallest poker"
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
        finish_round_randomly=step_round_randomly,  # these two are right for every game;
        copy=copy_whole,  # a game may have a shortcut
    )
    properties = Properties(
        min_players=2,
        max_players=2,
        max_actions=2,
        hidden_moves=False,
        zero_sum=True,
        chance=True,
    )
    refusals = REFUSALS
    presets = ("standard",)
    setting_type = KuhnSetting

    def setting(self, text: str) -> KuhnSetting:
        """Read the only preset."""
        if text != "standard":
            raise UnknownNameError(f"unknown setting {text!r}; there is: standard")
        return KuhnSetting()

    def describe_setting(self, setting: KuhnSetting) -> str:
        """Write it."""
        return "standard"

    def start(self, setting: KuhnSetting, players: int) -> State:
        """The state before the deal."""
        if players != 2:
            raise RulesError(f"{players} players are not possible; choose 2")
        record = self.new_record()
        record.viewer = EVERYTHING
        record.players = players
        return State(record)

    def parse_action(self, text: str) -> int:
        """Read an action."""
        word = text.strip().lower()
        if word not in ("pass", "bet"):
            raise InvalidActionError(f"{text!r} is not an action; write pass or bet")
        return PASS if word == "pass" else BET

    def format_action(self, action: int) -> str:
        """Write an action."""
        return {PASS: "pass", BET: "bet"}.get(action, f"action {action}")

    def format_deal(self, record: Record) -> dict[str, Any]:
        """The cards, as plain data for a log; hidden ones are null."""
        return {"cards": [int(card) or None for card in record.cards]}

    def replay_deal(self, record: Record, deal: dict[str, Any]) -> None:
        """Deal these cards, from a log."""
        for index in range(chance_count(record)):
            copy = record.copy()
            chance_outcome(copy, index)
            if copy.cards.tolist() == deal.get("cards"):
                chance_outcome(record, index)
                return
        raise PerudoError(f"{deal!r} is not a deal; one is {{'cards': [1, 3]}}")

    def format_result(self, record: Record) -> dict[str, Any]:
        """How the round was settled, as plain data for a log."""
        chips = [float(payoff(record, 0, seat)) for seat in range(2)]
        return {"chips": chips, **self.format_deal(record)}

    def describe(self, record: Record) -> str:
        """The state on a few lines."""
        actions = ["bet" if bit == "1" else "pass" for bit in f"{int(record.history):b}"[1:]]
        cards = [f"{seat_name(seat)} {int(record.cards[seat]) or '?'}" for seat in range(2)]
        return f"Kuhn poker: {', '.join(cards)}\n{' '.join(actions) or 'no action yet'}"


KUHN_POKER = register(KuhnPoker())


def main(rounds: int = 3, seed: int = 1) -> None:
    """Play random rounds and print them. ``State`` wraps a record as a value for Python."""
    stream = stream_of(seed)
    for number in range(rounds):
        state = KUHN_POKER.start(KUHN_POKER.setting("standard"), 2).deal(int(key_of(seed, number)))
        while state.actor is not None:
            choices = state.legal_actions
            chosen = choices[int(below(stream, len(choices)))]
            print(f"{seat_name(state.actor)} may {choices} and says {chosen}")
            state = state.apply(chosen)
        print(f"{state}\n{KUHN_POKER.format_result(state.record)}\n")


if __name__ == "__main__":
    main()
