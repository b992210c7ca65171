"""A policy: a compiled function that looks at an observation and names an action.

All policies have one signature, so that the arena and the searches call any of them by its
address, without being compiled anew for each::

    decide(observation, parameters, memory, stream, thoughts) -> action

``parameters`` are numbers that say how it plays. ``memory`` has one row for each seat, the
policy's own to write in, and is all that it may remember. ``stream`` is all its luck. In
``thoughts`` it says what it considered: usually a mixture of actions, from which ``choose`` draws.
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
"""Compiled policies by address; interpreted, the functions themselves."""

MAX_CONSIDERED = 512
"""No decision has more actions than this."""
NO_PHASE = -1
SAMPLED, MIXED, UNIFORM = range(3)
"""How an action was chosen: by means that state no chances, from the listed mixture, or any legal
action being as likely as any other."""

THOUGHTS_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("considered", "i4"),  # how many actions are listed below
            ("mixed", "i1"),  # SAMPLED, MIXED or UNIFORM
            ("phase", "i1"),  # which of the agent's phases, or NO_PHASE
            ("rollouts", "i8"),  # how many games were played out to decide
            ("chance", "f8"),  # that the standing bid holds, as the agent sees it; or NaN
            ("actions", "i4", (MAX_CONSIDERED,)),  # one may be listed twice: chances add up
            ("probabilities", "f8", (MAX_CONSIDERED,)),
            ("values", "f8", (MAX_CONSIDERED,)),  # in the agent's own measure; or NaN
        ],
    )
)


@kernel
def begin(thoughts: Record) -> None:
    """Forget the last decision's thoughts."""
    thoughts.considered = 0
    thoughts.mixed = MIXED
    thoughts.phase = NO_PHASE
    thoughts.rollouts = 0
    thoughts.chance = np.nan


@kernel
def consider(thoughts: Record, action: int, probability: float, value: float) -> None:
    """Note an action, with the chance of choosing it and its value (or NaN)."""
    place = int(thoughts.considered)
    thoughts.actions[place] = action
    thoughts.probabilities[place] = probability
    thoughts.values[place] = value
    thoughts.considered = place + 1


@kernel
def surely(thoughts: Record, action: int) -> int:
    """The only action considered."""
    consider(thoughts, action, 1.0, np.nan)
    return action


@kernel
def choose(thoughts: Record, stream: Stream) -> int:
    """Draw from the mixture; what is certain needs no luck."""
    last = int(thoughts.considered) - 1
    if thoughts.probabilities[0] >= 1.0 or last == 0:
        return int(thoughts.actions[0])
    draw = uniform(stream)
    for place in range(last):
        draw -= thoughts.probabilities[place]
        if draw < 0.0:
            return int(thoughts.actions[place])
    while last > 0 and thoughts.probabilities[last] <= 0.0:
        last -= 1  # rounding must not pick what was not meant
    return int(thoughts.actions[last])


@kernel
def chance_of(thoughts: Record, action: int) -> float:
    """How likely an action is by the mixture; one may be listed more than once."""
    chance = 0.0
    for place in range(int(thoughts.considered)):
        if thoughts.actions[place] == action:
            chance += float(thoughts.probabilities[place])
    return chance


def new_thoughts() -> Record:
    """Room for one decision's thoughts."""
    return np.zeros(1, THOUGHTS_DTYPE)[0]


if INTERPRETED:

    def address_of(policy: Any, dtype: np.dtype[Any]) -> Any:
        """Return the function itself."""
        return policy

    def addresses(policies: list[Any], dtype: np.dtype[Any]) -> Addresses:
        """The functions themselves."""
        return policies

    _by_number: dict[int, Any] = {}

    def number_of(policy: Any, dtype: np.dtype[Any]) -> float:
        """A number that stands for a policy among parameters."""
        _by_number[id(policy)] = policy
        return float(id(policy))

    def policy_at(address: Any, observation: Record) -> Any:
        """The function itself, or the one that a number stands for."""
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
        """Compile a policy (a kernel) for a game's record type and say where its code is."""
        key = (policy, dtype)
        if key not in _compiled:
            _compiled[key] = callback(policy, _signature(numba.from_dtype(dtype)))
        return np.uint64(_compiled[key].address)

    def number_of(policy: Any, dtype: np.dtype[Any]) -> float:
        """A number that stands for a policy among parameters: addresses are below 2**53."""
        return float(address_of(policy, dtype))

    def addresses(policies: list[Any], dtype: np.dtype[Any]) -> Addresses:
        """Compile policies and say where their code is."""
        return np.array([address_of(policy, dtype) for policy in policies], np.uint64)

    @intrinsic  # type: ignore[untyped-decorator]  # numba ships no types
    def policy_at(typing_context: Any, address: Any, observation: Any) -> Any:
        """The policy at an address, for observations of this type.

        numba's own typed list of functions takes 60 ns a call; this is as fast as any call.
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
    """Ask the policy at an address."""
    return policy_at(address, observation)(observation, parameters, memory, stream, thoughts)  # type: ignore[no-any-return]


class Model(NamedTuple):
    """A policy with everything that a kernel passes to it besides the view and the stream."""

    policy: Any
    """Its address; see ``address_of``."""
    parameters: Parameters
    memory: Memory
    thoughts: Record


def model_of(policy: Any, dtype: np.dtype[Any], parameters: Parameters, memory: Memory) -> Model:
    """Return a model that plays the game with this record type."""
    return Model(address_of(policy, dtype), parameters, memory, new_thoughts())


@kernel
def ask(model: Model, view: Record, stream: Stream) -> int:
    """Return the action that a model chooses; its thoughts are left in ``model.thoughts``."""
    return int(
        policy_at(model.policy, view)(view, model.parameters, model.memory, stream, model.thoughts)
    )
