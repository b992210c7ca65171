"""Policies: compiled functions that choose an action, given an observation.

All policies have one signature, so that the arena and the searches can call any of them by its
address, without being recompiled for each::

    decide(observation, parameters, memory, stream, thoughts) -> action

``parameters`` are numbers that configure the policy. ``memory``, with one row for each seat, is all
that it may remember. ``stream`` is its only source of randomness. It writes the actions that it
considered to ``thoughts``: usually a mixture, from which ``choose`` draws.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, uniform
from perudo.games.kernel import INTERPRETED, kernel
from perudo.games.operations import Record

Parameters = npt.NDArray[np.float64]
Memory = npt.NDArray[np.float64]
Addresses = Any
"""Addresses of compiled policies; in interpreted mode, the functions themselves."""

MAX_CONSIDERED = 512
"""The largest number of actions of a decision."""
NO_PHASE = -1
SAMPLED, MIXED, UNIFORM = range(3)
"""The ways to choose an action: without stating probabilities, from the listed mixture, or
uniformly from all legal actions."""

THOUGHTS_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("considered", "i4"),  # the number of actions listed below
            ("mixed", "i1"),  # SAMPLED, MIXED or UNIFORM
            ("phase", "i1"),  # the number of the agent's phase, or NO_PHASE
            ("rollouts", "i8"),  # the number of games played out to decide
            ("chance", "f8"),  # that the standing bid holds, as the agent estimates it; or NaN
            ("actions", "i4", (MAX_CONSIDERED,)),  # if one is listed twice, its chances add up
            ("probabilities", "f8", (MAX_CONSIDERED,)),
            ("values", "f8", (MAX_CONSIDERED,)),  # in the agent's own units; or NaN
        ],
    )
)


@kernel
def begin(thoughts: Record) -> None:
    """Clear the thoughts of the last decision."""
    thoughts.considered = 0
    thoughts.mixed = MIXED
    thoughts.phase = NO_PHASE
    thoughts.rollouts = 0
    thoughts.chance = np.nan


@kernel
def consider(thoughts: Record, action: int, probability: float, value: float) -> None:
    """Add an action, with the probability of choosing it and its value (or NaN)."""
    place = int(thoughts.considered)
    thoughts.actions[place] = action
    thoughts.probabilities[place] = probability
    thoughts.values[place] = value
    thoughts.considered = place + 1


@kernel
def surely(thoughts: Record, action: int) -> int:
    """Add the only action, with probability 1, and return it."""
    consider(thoughts, action, 1.0, np.nan)
    return action


@kernel
def choose(thoughts: Record, stream: Stream) -> int:
    """Draw an action from the mixture; a certain action draws nothing from the stream."""
    last = int(thoughts.considered) - 1
    if thoughts.probabilities[0] >= 1.0 or last == 0:
        return int(thoughts.actions[0])
    draw = uniform(stream)
    for place in range(last):
        draw -= thoughts.probabilities[place]
        if draw < 0.0:
            return int(thoughts.actions[place])
    while last > 0 and thoughts.probabilities[last] <= 0.0:
        last -= 1  # rounding must not select an action of probability 0
    return int(thoughts.actions[last])


@kernel
def chance_of(thoughts: Record, action: int) -> float:
    """Return an action's probability in the mixture, which may list it more than once."""
    chance = 0.0
    for place in range(int(thoughts.considered)):
        if thoughts.actions[place] == action:
            chance += float(thoughts.probabilities[place])
    return chance


def new_thoughts() -> Record:
    """Allocate the thoughts of one decision."""
    return np.zeros(1, THOUGHTS_DTYPE)[0]


if INTERPRETED:

    def address_of(policy: Any, dtype: np.dtype[Any]) -> Any:
        """Return the function itself."""
        return policy

    def addresses(policies: list[Any], dtype: np.dtype[Any]) -> Addresses:
        """Return the functions themselves."""
        return policies

    _by_number: dict[int, Any] = {}

    def number_of(policy: Any, dtype: np.dtype[Any]) -> float:
        """Return a number that represents a policy in parameters."""
        _by_number[id(policy)] = policy
        return float(id(policy))

    def policy_at(address: Any, observation: Record) -> Any:
        """Return the function itself, or the one that a number represents."""
        return address if callable(address) else _by_number[int(address)]

else:
    import numba
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    from perudo.games.kernel import callback

    _THOUGHTS = numba.from_dtype(THOUGHTS_DTYPE)
    _compiled: dict[tuple[Any, Any], Any] = {}

    def _signature(observation: Any) -> Any:
        return types.int64(
            observation,
            types.float64[::1],
            types.float64[:, ::1],
            types.uint64[::1],
            _THOUGHTS,
        )

    def address_of(policy: Any, dtype: np.dtype[Any]) -> Any:
        """Compile a policy (a kernel) for a game's record type and return its address."""
        key = (policy, dtype)
        if key not in _compiled:
            _compiled[key] = callback(policy, _signature(numba.from_dtype(dtype)))
        return np.uint64(_compiled[key].address)

    def number_of(policy: Any, dtype: np.dtype[Any]) -> float:
        """Return a policy's address as a float, which is exact: addresses are below 2**53."""
        return float(address_of(policy, dtype))

    def addresses(policies: list[Any], dtype: np.dtype[Any]) -> Addresses:
        """Compile policies and return their addresses."""
        return np.array([address_of(policy, dtype) for policy in policies], np.uint64)

    @intrinsic  # type: ignore[untyped-decorator]  # numba ships no types
    def policy_at(typing_context: Any, address: Any, observation: Any) -> Any:
        """Return the policy at an address, for observations of this type.

        A call through numba's own typed list of functions takes 60 ns; this is as fast as any call.
        """
        function = types.FunctionType(_signature(observation))

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            value = cgutils.create_struct_proxy(function)(context, builder)
            nowhere = context.get_constant_null(types.voidptr)
            value.c_addr = builder.inttoptr(arguments[0], nowhere.type)
            value.py_addr = nowhere
            value.jit_addr = nowhere
            return value._getvalue()

        return function(types.uint64, observation), generate


@kernel
def decide_at(
    address: Any,
    observation: Record,
    parameters: Parameters,
    memory: Memory,
    stream: Stream,
    thoughts: Record,
) -> int:
    """Return the action of the policy at an address."""
    return policy_at(address, observation)(observation, parameters, memory, stream, thoughts)  # type: ignore[no-any-return]


class Model(NamedTuple):
    """A policy with all its arguments except the observation and the stream."""

    policy: Any
    """The policy's address; see ``address_of``."""
    parameters: Parameters
    memory: Memory
    thoughts: Record


def model_of(policy: Any, dtype: np.dtype[Any], parameters: Parameters, memory: Memory) -> Model:
    """Return a model for the game with this record type."""
    return Model(address_of(policy, dtype), parameters, memory, new_thoughts())


@kernel
def ask(model: Model, view: Record, stream: Stream) -> int:
    """Return a model's action; ``model.thoughts`` then has its thoughts."""
    return int(
        policy_at(model.policy, view)(view, model.parameters, model.memory, stream, model.thoughts)
    )
