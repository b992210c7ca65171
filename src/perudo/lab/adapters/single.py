"""One game moved on from Python, as fast as a call into compiled code can be.

The state comes in an array of one: numba takes 0.4 microseconds to accept that, and 8 for a record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from perudo.games.game import CHANCE, Record, actor, deal, refusal
from perudo.games.kernel import kernel
from perudo.lab.adapters.batched import Real, play
from perudo.lab.adapters.observation import Rows, Whole, write_mask, write_observation

REFUSED = -3
"""In place of a seat: the action was not legal, and nothing was played."""


def copied(states: Any) -> Any:
    """A copy; the array's own ``copy`` goes field by field and takes twenty times as long."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


@kernel
def deal_if_awaited(states: Record, key: np.uint64) -> int:
    """Roll the dice if they are to be rolled; returns who acts."""
    while actor(states[0]) == CHANCE:
        deal(states[0], key)
    return actor(states[0])  # type: ignore[no-any-return]  # an int to a kernel


@kernel
def play_and_deal(states: Record, code: int, key: np.uint64, horizon: int, payoffs: Real) -> int:
    """Play an action and roll again if need be; returns who acts then, or OVER, or REFUSED."""
    if refusal(states[0], code) != 0:
        return REFUSED
    play(states[0], code, horizon, payoffs)
    return deal_if_awaited(states, key)


@kernel
def play_only(states: Record, code: int, horizon: int, payoffs: Real) -> int:
    """Play a legal action; returns who acts then, or CHANCE, or OVER."""
    play(states[0], code, horizon, payoffs)
    return actor(states[0])  # type: ignore[no-any-return]  # an int to a kernel


@kernel
def show(states: Record, viewer: int, by_code: Whole, observation: Rows, mask: Rows) -> None:
    """Write what a seat sees, and what it may do if it is to act."""
    write_observation(states[0], viewer, observation)
    if actor(states[0]) == viewer:
        write_mask(states[0], by_code, mask)
    else:
        for number in range(mask.size):
            mask[number] = 0
