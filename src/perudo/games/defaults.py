"""The operations that a game may leave out."""

from __future__ import annotations

import numpy as np

from perudo.games.chance import Stream, below, combine, scale
from perudo.games.game import (
    ARRIVED,
    OVER,
    Counters,
    Record,
    action,
    action_count,
    actor,
    apply,
    chance_count,
    chance_outcome,
    round_over,
)
from perudo.games.kernel import copy_bytes, kernel, record_size


@kernel
def no_chance(state: Record) -> int:
    """For games that deal nothing."""
    return 0


@kernel
def no_outcome(state: Record, index: int) -> None:
    """For games that deal nothing."""


@kernel
def deal_uniformly(state: Record, key: np.uint64) -> None:
    """One of the equally likely outcomes, for games that deal once."""
    chance_outcome(state, scale(combine(key, 1), chance_count(state)))


@kernel
def refuse_unlisted(state: Record, code: int) -> int:
    """Refuse, without saying why, what is not among the actor's actions."""
    if actor(state) >= 0:
        for index in range(action_count(state)):
            if action(state, index) == code:
                return 0
    return 1


@kernel
def match_over(state: Record) -> bool:
    """For games whose match is one round."""
    return bool(actor(state) == OVER)


@kernel
def step_round_randomly(state: Record, stream: Stream) -> int:
    """Play the round to its end, action by action."""
    actions = 0
    while actor(state) >= 0 and not round_over(state):
        apply(state, action(state, below(stream, action_count(state))))
        actions += 1
    return actions


@kernel
def copy_whole(target: Record, source: Record) -> None:
    """Copy a state byte by byte."""
    copy_bytes(target, source, record_size(source))


@kernel
def no_settlement_key(state: Record) -> np.uint64:
    """For games whose settlements are not known to be alike."""
    return np.uint64(0)


@kernel
def no_memory_key(state: Record, moves: int) -> np.uint64:
    """For games in which all that was seen matters."""
    return np.uint64(0)


@kernel
def no_hands(state: Record, seat: int) -> int:
    """For games whose hands depend on each other."""
    return 0


@kernel
def put_no_hand(state: Record, seat: int, index: int) -> float:
    """For games whose hands depend on each other."""
    return 0.0


@kernel
def cannot_rewind(state: Record) -> bool:
    """For games that do not keep the moves of a round."""
    return False


@kernel
def no_way(state: Record, target: Record) -> int:
    """For games that do not keep the moves of a round."""
    return ARRIVED


@kernel
def keep_all(state: Record) -> None:
    """For games whose match is one round."""


@kernel
def tally_nothing(state: Record, counters: Counters) -> None:
    """For games that count nothing but wins."""
