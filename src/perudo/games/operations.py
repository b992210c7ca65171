"""The compiled operations that a game supplies for its states, and generic functions to call them.

A state is one NumPy record of fixed size. A game supplies ``Operations`` for its record type;
everything else (tables, search, solvers, the arena) is written once against the generic functions
of the same names. These find the game by the record's type: in a kernel at compile time, in Python
at run time.

Chance is separate from play: ``apply`` is deterministic. When dice are to be rolled or cards dealt,
``actor`` returns ``CHANCE``, and ``deal`` rolls or deals. Simultaneous moves are sequential moves
that stay hidden until all have moved.
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
"""Statistics of rounds: a row for each seat, a column for each of a game's counters."""

CHANCE = -1
"""The result of ``actor`` when dice are to be rolled or cards to be dealt."""
OVER = -2
"""The result of ``actor`` when the match is over."""

ARRIVED = -1
"""The result of ``move_towards`` when no move is missing."""

ROUND, MATCH = 0, 1
"""The horizons of a payoff."""

EVERYTHING = -1
"""The ``viewer`` of a full state, which only its table and the lab hold."""
SPECTATOR = -2
"""The ``viewer`` of an observation with public information only."""


# --- generic operations -------------------------------------------------------------------------
_operations: dict[np.dtype[Any], Operations] = {}


def add_record_type(name: str, dtype: np.dtype[Any], operations: Operations) -> None:
    """Register a game's record type for the generic operations; raise TypeError if it is unfit."""
    covered = sum(part.itemsize for part, *_ in (dtype.fields or {}).values())
    if covered != dtype.itemsize:
        raise TypeError(f"the record of {name} has padding: equal states could differ in bytes")
    shadowed = [field for field in dtype.names or () if hasattr(np.record, field)]
    if shadowed:
        raise TypeError(
            f"the record of {name} cannot have a field {shadowed[0]}: NumPy records use it"
        )
    _operations[dtype] = operations


def operations_of(dtype: np.dtype[Any]) -> Operations:
    """Return the operations of the game whose states have this record type."""
    try:
        return _operations[dtype]
    except KeyError:
        raise TypeError(f"no registered game has records of type {dtype}") from None


def _generic(name: str, arguments: int) -> Callable[..., Any]:
    """Make the generic form of an operation with this number of arguments after the state."""

    def generic(state: Record, *arguments: Any) -> Any:
        return getattr(operations_of(state.dtype), name)(state, *arguments)

    if not INTERPRETED:
        _overload(generic, name, arguments)
    return generic


def workspace(state: Record, count: int) -> Any:
    """Return zeroed records of a state's type; this works in kernels too."""
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
    """Let kernels call a generic operation, which compiles to a direct call of the game's own.

    The call is inlined into the caller: numba would optimise the whole operation again for each
    function in between.
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
    """Fill in the codes of all legal actions."""
    for index in range(codes.size):
        codes[index] = action(state, index)


# --- the operations that a game may leave out ---------------------------------------------------
@kernel
def no_chance(state: Record) -> int:
    """Return 0 outcomes, in games that deal nothing."""
    return 0


@kernel
def no_outcome(state: Record, index: int) -> None:
    """Do nothing, in games that deal nothing."""


@kernel
def deal_uniformly(state: Record, key: np.uint64) -> None:
    """Deal one of the equally likely outcomes, in games that deal once."""
    chance_outcome(state, scale(combine(key, 1), chance_count(state)))


@kernel
def refuse_unlisted(state: Record, code: int) -> int:
    """Return 1, without a specific reason, for all actions that are not listed."""
    if actor(state) >= 0:
        for index in range(action_count(state)):
            if action(state, index) == code:
                return 0
    return 1


@kernel
def match_over(state: Record) -> bool:
    """Return true at the end of the match, in games whose match is one round."""
    return bool(actor(state) == OVER)


@kernel
def step_round_randomly(state: Record, stream: Stream) -> int:
    """Play uniformly random actions to the end of the round; return their number."""
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
    """Return 0, in games that cannot recognise equal settlements."""
    return np.uint64(0)


@kernel
def no_memory_key(state: Record, moves: int) -> np.uint64:
    """Return 0, in games without a model of short memory."""
    return np.uint64(0)


@kernel
def no_hands(state: Record, seat: int) -> int:
    """Return 0 hands, in games whose hands depend on each other."""
    return 0


@kernel
def put_no_hand(state: Record, seat: int, index: int) -> float:
    """Do nothing, in games whose hands depend on each other."""
    return 0.0


@kernel
def cannot_rewind(state: Record) -> bool:
    """Return false, in games that do not keep the moves of a round."""
    return False


@kernel
def no_way(state: Record, target: Record) -> int:
    """Return ARRIVED, in games that do not keep the moves of a round."""
    return ARRIVED


@kernel
def keep_all(state: Record) -> None:
    """Do nothing, in games whose match is one round."""


@kernel
def tally_nothing(state: Record, counters: Counters) -> None:
    """Do nothing, in games that count nothing but wins."""


# --- what a game supplies -----------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class Operations:
    """The compiled functions that a game supplies. They change ``state`` in place.

    Functions with a default are for games that have more than one round, deal more than once,
    explain refusals, or can do something faster.
    """

    actor: Callable[[Record], int]
    """Return the seat to act, or CHANCE, or OVER."""
    action_count: Callable[[Record], int]
    """Return the actor's number of legal actions."""
    action: Callable[[Record, int], int]
    """Return the n-th legal action."""
    apply: Callable[[Record, int], None]
    """Play a legal action, with all its consequences up to the next decision or deal."""
    payoff: Callable[[Record, int, int], float]
    """Return a seat's payoff of the settled round or finished match: (state, horizon, seat)."""
    observe: Callable[[Record, int], None]
    """Blank all that this seat (or SPECTATOR) may not know."""
    information_key: Callable[[Record, int], np.uint64]
    """Return a hash of all that this seat (not a spectator) knows about the round."""
    redeal: Callable[[Record, int, Any], None]
    """Sample the hidden part from a stream, consistently with what this seat knows."""
    chance_count: Callable[[Record], int] = no_chance
    """Return the number of equally likely outcomes of the awaited deal; 0 if too many to number."""
    chance_outcome: Callable[[Record, int], None] = no_outcome
    """Deal the n-th outcome."""
    deal: Callable[[Record, np.uint64], None] = deal_uniformly
    """Deal the outcome that this key and the round's number determine."""
    refusal: Callable[[Record, int], int] = refuse_unlisted
    """Return 0 if the action is legal, else the index of the reason in ``Game.refusals``."""
    round_over: Callable[[Record], bool] = match_over
    """Return true if a round has been settled and the next one has not been dealt."""
    finish_round_randomly: Callable[[Record, Any], int] = step_round_randomly
    """Play uniformly random actions from a stream to the round's end; return their number."""
    copy: Callable[[Record, Record], None] = copy_whole
    """Copy the second state over the first."""
    settlement_key: Callable[[Record], np.uint64] = no_settlement_key
    """Return a key of a settled round, for solvers; 0 if unknown. Rounds with equal keys and equal
    hands have equal outcomes."""
    memory_key: Callable[[Record, int], np.uint64] = no_memory_key
    """Return a hash of the public position for players who remember only this number of last moves
    of the round; 0 if unknown. Positions with equal keys have equal continuations."""
    hand_count: Callable[[Record, int], int] = no_hands
    """Return the number of hands that a seat can have; 0 if hands depend on each other."""
    put_hand: Callable[[Record, int, int], float] = put_no_hand
    """Give a seat its n-th possible hand; return its probability."""
    rewind: Callable[[Record], bool] = cannot_rewind
    """Go back to the round's first decision without changing hands; return false if impossible."""
    move_towards: Callable[[Record, Record], int] = no_way
    """Return the next move from a rewound state to a target in the same round; or ARRIVED."""
    forget_round: Callable[[Record], None] = keep_all
    """Blank all data of a settled round that the rest of the match does not depend on."""
    tally: Callable[[Record, Counters], None] = tally_nothing
    """Add the statistics of the round just settled to counters: a row for each seat, a column for
    each of ``Game.counters``."""


assert all(operation.name in globals() for operation in fields(Operations))
