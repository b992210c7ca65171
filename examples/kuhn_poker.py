"""A game of your own: Kuhn poker, the smallest poker, in about a hundred lines.

Two players put in one chip each and get one of three cards. In turn they *pass* or *bet* one more
chip. A pass after a bet folds; after two passes or two bets the higher card wins.

A game consists of a record that holds one state, a few compiled functions on that record, and a
class that reads and writes states for people. Once registered, the game can be played, searched and
solved like the package's own.
Run this file to see a few rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perudo.games import Game, Properties, register
from perudo.games.chance import Stream, below, combine, key_of, stream_of
from perudo.games.game import seat_name
from perudo.games.kernel import kernel
from perudo.games.operations import ARRIVED, CHANCE, OVER, Operations, Record

# The record needs `players` and `viewer`; the other fields are up to the game. Use signed integers,
# and leave unused fields zero.
STATE_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("viewer", "i1"),
            ("players", "i1"),
            ("history", "i1"),  # 0 before the deal, then 1 followed by a bit per action: 1 is a bet
            ("cards", "i1", (2,)),  # hidden: 1 to 3, or 0 if unknown
        ],
    )
)
PASS, BET = 1, 2
START, PASSED, BETTED, PASSED_BETTED = 0b1, 0b10, 0b11, 0b101  # a player is to act
BOTH_PASSED, GAVE_UP_AT_ONCE, GAVE_UP_LATER = 0b100, 0b110, 0b1010  # the round is over


# The operations change the record in place and never return it. Convert fields with int() before
# arithmetic: in plain Python (NUMBA_DISABLE_JIT=1) they are integers of eight bits, and overflow.
@kernel
def actor(state: Record) -> int:
    """Return the seat to act, or CHANCE before the deal, or OVER."""
    if state.history == 0:
        return CHANCE
    if state.history == START or state.history == PASSED_BETTED:
        return 0
    return 1 if state.history == PASSED or state.history == BETTED else OVER


@kernel
def chance_count(state: Record) -> int:
    """Return the number of deals: three cards for A times two for B, equally likely."""
    return 6


@kernel
def chance_outcome(state: Record, index: int) -> None:
    """Apply the n-th deal."""
    first, step = index // 2, 1 + index % 2
    state.history = START
    state.cards[0] = 1 + first
    state.cards[1] = 1 + (first + step) % 3


@kernel
def action_count(state: Record) -> int:
    """Return the number of legal actions: pass and bet."""
    return 2


@kernel
def action(state: Record, index: int) -> int:
    """Return the n-th legal action."""
    return PASS + index


@kernel
def apply(state: Record, action: int) -> None:
    """Append the action to the history, from which everything else follows."""
    state.history = 2 * int(state.history) + (action - PASS)


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """Return the chips won; a match is one round, so the horizon (ROUND or MATCH) is irrelevant."""
    if state.history == GAVE_UP_AT_ONCE or state.history == GAVE_UP_LATER:
        chips, winner = 1.0, 0 if state.history == GAVE_UP_AT_ONCE else 1
    else:
        chips = 1.0 if state.history == BOTH_PASSED else 2.0
        winner = 0 if state.cards[0] > state.cards[1] else 1
    return chips if seat == winner else -chips


@kernel
def observe(state: Record, seat: int) -> None:
    """Blank what a seat may not know. Agents see nothing but the result."""
    state.viewer = seat
    gave_up = state.history == GAVE_UP_AT_ONCE or state.history == GAVE_UP_LATER
    if actor(state) != OVER or gave_up:
        for other in range(2):
            if other != seat:
                state.cards[other] = 0


@kernel
def information_key(state: Record, seat: int) -> np.uint64:
    """Return a hash of what a seat knows, equal for states that it cannot tell apart."""
    return combine(combine(np.uint64(state.history), seat), int(state.cards[seat]))


@kernel
def redeal(state: Record, seat: int, stream: Stream) -> None:
    """Sample what a seat does not know, so that a search cannot peek."""
    state.cards[1 - seat] = 1 + (int(state.cards[seat]) + below(stream, 2)) % 3


# Two optional operations: with them a search can replay a round with other cards, and infer the
# opponent's card from the bids.
@kernel
def rewind(state: Record) -> bool:
    """Go back to the first decision of the round; return True if that was possible."""
    state.history = START
    return True


@kernel
def move_towards(state: Record, target: Record) -> int:
    """Return the next action towards a later state of the same round."""
    later = int(target.history)
    if later == state.history:
        return ARRIVED
    while later >> 1 != state.history:
        later >>= 1
    return PASS + (later & 1)


class KuhnPoker(Game):
    """The rules of Kuhn poker, and how people read and write its states."""

    name = "kuhn_poker"
    summary = "three cards, one bet: the smallest poker"
    dtype = STATE_DTYPE
    operations = Operations(
        actor=actor,
        chance_count=chance_count,
        chance_outcome=chance_outcome,
        action_count=action_count,
        action=action,
        apply=apply,
        payoff=payoff,
        observe=observe,
        information_key=information_key,
        redeal=redeal,
        rewind=rewind,
        move_towards=move_towards,
    )
    properties = Properties(
        min_players=2,
        max_players=2,
        max_actions=2,
        hidden_moves=False,
        zero_sum=True,
        chance=True,
    )
    action_names = ("pass", "bet")  # numbered from 1
    dealt_fields = ("cards",)

    def describe(self, record: Record) -> str:
        """Return the state as two lines of text."""
        said = ["bet" if bit == "1" else "pass" for bit in f"{int(record.history):b}"[1:]]
        cards = [f"{seat_name(seat)} {int(record.cards[seat]) or '?'}" for seat in range(2)]
        return f"Kuhn poker: {', '.join(cards)}\n{' '.join(said) or 'no action yet'}"


KUHN_POKER = register(KuhnPoker())


def main(rounds: int = 3, seed: int = 1) -> None:
    """Play random rounds, and print them. ``State`` wraps a record as a value for Python."""
    stream = stream_of(seed)
    for number in range(rounds):
        state = KUHN_POKER.start(KUHN_POKER.setting("standard"), 2).deal(int(key_of(seed, number)))
        while state.actor is not None:
            chosen = state.legal_actions[int(below(stream, 2))]
            print(f"{seat_name(state.actor)} may {state.legal_actions} and chooses {chosen}")
            state = state.apply(chosen)
        print(f"{state}\nchips won: {state.payoffs()}\n")


if __name__ == "__main__":
    main()
