"""The operations that a game supplies for its states, compiled, and the same for any game.

A state is one NumPy record of fixed size. A game supplies ``Operations`` for its record type;
everything else (tables, search, solvers, the arena) is written once against the generic functions
of the same names, which find the game by the record's type: at compile time inside a kernel, at
run time in Python.

Chance is separate from play: ``apply`` is deterministic, and when dice are to be rolled or cards
dealt, ``actor`` is ``CHANCE`` and ``deal`` does it. Simultaneous moves are sequential moves whose
content stays hidden until all have moved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, below, combine, scale
from perudo.games.kernel import INTERPRETED, copy_bytes, kernel, record_size

Record = Any
"""One game state: a NumPy record (in a kernel, numba's record type)."""

Counters = npt.NDArray[np.int64]
"""What happened in rounds: a row for each seat, a column for each of a game's counters."""

CHANCE = -1
"""``actor`` when dice are to be rolled or cards to be dealt."""
OVER = -2
"""``actor`` when the match is over."""

ARRIVED = -1
"""``move_towards`` when no move is missing."""

ROUND, MATCH = 0, 1
"""Horizons: what a payoff is about."""

EVERYTHING = -1
"""``viewer`` of a full state, which only its table and the lab hold."""
SPECTATOR = -2
"""``viewer`` of what everybody may see."""


# --- generic operations -------------------------------------------------------------------------
_operations: dict[np.dtype[Any], Operations] = {}


def add_record_type(name: str, dtype: np.dtype[Any], operations: Operations) -> None:
    """Make the generic operations work on a game's records; raises if the type is not fit."""
    covered = sum(part.itemsize for part, *_ in (dtype.fields or {}).values())
    if covered != dtype.itemsize:
        raise TypeError(f"the record of {name} has padding: equal states could differ in bytes")
    shadowed = [field for field in dtype.names or () if hasattr(np.record, field)]
    if shadowed:
        raise TypeError(f"the record of {name} cannot have a field {shadowed[0]}: NumPy's own")
    _operations[dtype] = operations


def operations_of(dtype: np.dtype[Any]) -> Operations:
    """Return the operations of the game whose states have this record type."""
    try:
        return _operations[dtype]
    except KeyError:
        raise TypeError(f"no registered game has records of type {dtype}") from None


def _generic(name: str, arguments: int) -> Callable[..., Any]:
    """The generic form of an operation, found by record type; it takes so many more arguments."""

    def generic(state: Record, *arguments: Any) -> Any:
        return getattr(operations_of(state.dtype), name)(state, *arguments)

    if not INTERPRETED:
        _overload(generic, name, arguments)
    return generic


def workspace(state: Record, count: int) -> Any:
    """Zeroed records of the same type as a state, also in a kernel."""
    return np.zeros(count, state.dtype)


if not INTERPRETED:
    import numba
    from numba.extending import overload as _overload_function

    @_overload_function(workspace)  # type: ignore[untyped-decorator]  # numba ships no types
    def _workspace(state: Any, count: Any) -> Any:
        dtype = next(dtype for dtype in _operations if numba.from_dtype(dtype) == state)

        def make(state: Any, count: Any) -> Any:
            return np.zeros(count, dtype)

        return make


def _overload(generic: Callable[..., Any], name: str, arguments: int) -> None:
    """Let kernels call the game's operation as if it had been named.

    The caller's code gets the call itself (``inline``), not a function that makes it: numba
    optimises the whole operation again for each function that leads to it.
    """
    import numba
    from numba.extending import overload

    def operation_of(record: Any) -> Any:
        return next(
            getattr(operations, name)
            for dtype, operations in _operations.items()
            if numba.from_dtype(dtype) == record
        )

    def resolve(state: Any) -> Any:
        operation = operation_of(state)

        def call(state: Any) -> Any:
            return operation(state)

        return call

    def resolve_with_one(state: Any, first: Any) -> Any:
        operation = operation_of(state)

        def call(state: Any, first: Any) -> Any:
            return operation(state, first)

        return call

    def resolve_with_two(state: Any, first: Any, second: Any) -> Any:
        operation = operation_of(state)

        def call(state: Any, first: Any, second: Any) -> Any:
            return operation(state, first, second)

        return call

    resolver = (resolve, resolve_with_one, resolve_with_two)[arguments]
    overload(generic, inline="always")(resolver)


actor = _generic("actor", 0)
chance_count = _generic("chance_count", 0)
chance_outcome = _generic("chance_outcome", 1)
deal = _generic("deal", 1)
action_count = _generic("action_count", 0)
action = _generic("action", 1)
refusal = _generic("refusal", 1)
apply = _generic("apply", 1)
round_over = _generic("round_over", 0)
payoff = _generic("payoff", 2)
observe = _generic("observe", 1)
information_key = _generic("information_key", 1)
redeal = _generic("redeal", 2)
finish_round_randomly = _generic("finish_round_randomly", 1)
copy = _generic("copy", 1)
settlement_key = _generic("settlement_key", 0)
memory_key = _generic("memory_key", 1)
hand_count = _generic("hand_count", 1)
put_hand = _generic("put_hand", 2)
rewind = _generic("rewind", 0)
move_towards = _generic("move_towards", 1)
forget_round = _generic("forget_round", 0)
tally = _generic("tally", 1)


@kernel
def list_actions(state: Record, codes: npt.NDArray[np.int64]) -> None:
    """Write down all actions of the actor."""
    for index in range(codes.size):
        codes[index] = action(state, index)


# --- the operations that a game may leave out ---------------------------------------------------
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


# --- what a game supplies -----------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class Operations:
    """The compiled functions that a game supplies. ``state`` is changed in place.

    Those with a default are for games that have more than one round, deal more than once, explain
    refusals, or know a shorter way.
    """

    actor: Callable[[Record], int]
    """The seat to act, or CHANCE, or OVER."""
    action_count: Callable[[Record], int]
    """How many actions the actor has."""
    action: Callable[[Record, int], int]
    """The k-th of them."""
    apply: Callable[[Record, int], None]
    """Play a legal action; what follows from it, up to the next decision, happens too."""
    payoff: Callable[[Record, int, int], float]
    """What the settled round, or finished match, is worth: (state, horizon, seat)."""
    observe: Callable[[Record, int], None]
    """Blank what this seat (or SPECTATOR) may not know."""
    information_key: Callable[[Record, int], np.uint64]
    """A hash of all that this seat (not a spectator) knows about the round."""
    redeal: Callable[[Record, int, Any], None]
    """Sample the hidden part afresh from a stream, consistently with what this seat knows."""
    chance_count: Callable[[Record], int] = no_chance
    """How many equally likely outcomes the awaited chance event has; 0 if too many to number."""
    chance_outcome: Callable[[Record, int], None] = no_outcome
    """Bring about the k-th of them."""
    deal: Callable[[Record, np.uint64], None] = deal_uniformly
    """Bring about the outcome that belongs to this key (and the round's number)."""
    refusal: Callable[[Record, int], int] = refuse_unlisted
    """0 if the action is legal, else the number of the reason (see ``Game.refusals``)."""
    round_over: Callable[[Record], bool] = match_over
    """Whether the round has been settled and the next one has not been dealt."""
    finish_round_randomly: Callable[[Record, Any], int] = step_round_randomly
    """Uniform legal actions, drawn from a stream, to the end of the round; returns how many."""
    copy: Callable[[Record, Record], None] = copy_whole
    """Make the first state equal to the second."""
    settlement_key: Callable[[Record], np.uint64] = no_settlement_key
    """For solvers: rounds settled with equal keys pay alike when hands are alike; 0: not known."""
    memory_key: Callable[[Record, int], np.uint64] = no_memory_key
    """A hash of the public position for players who remember only the round's last so many moves:
    positions of equal keys go on alike. 0: not known."""
    hand_count: Callable[[Record, int], int] = no_hands
    """How many hands a seat can have, where hands are independent of each other; else 0."""
    put_hand: Callable[[Record, int, int], float] = put_no_hand
    """Give a seat the k-th of them; returns how likely it is to be dealt."""
    rewind: Callable[[Record], bool] = cannot_rewind
    """Go back to where the round's first move is to be made, hands as they are; or return False."""
    move_towards: Callable[[Record, Record], int] = no_way
    """The move that leads from a rewound state towards one of the same round; or ARRIVED."""
    forget_round: Callable[[Record], None] = keep_all
    """Between rounds: blank all on which the rest of the match does not depend."""
    tally: Callable[[Record, Counters], None] = tally_nothing
    """Add what happened in the round just settled to counters: a row for each seat, a column for
    each of ``Game.counters``."""


assert all(operation.name in globals() for operation in fields(Operations))
