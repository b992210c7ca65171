"""A game state as people handle it in Python: a value that never changes.

Works for any game; Perudo adds names for what is on its table (``games/perudo/position.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from perudo.games.errors import IllegalActionError, InvalidActionError
from perudo.games.game import CHANCE, MATCH, OVER, ROUND, Game, Record, action, game_of
from perudo.games.kernel import kernel

SEATS = "ABCDEFGHIJ"
"""Seats by name."""

LARGEST_CODE = 1 << 31
"""No game numbers its actions this high."""

StateType = TypeVar("StateType", bound="State")


def seat_name(seat: int) -> str:
    """A seat's letter."""
    return SEATS[seat]


def copied(record: Record) -> Record:
    """A copy of a record; its own ``copy`` goes field by field and takes ten times as long."""
    return np.frombuffer(bytearray(record.tobytes()), record.dtype)[0]


@kernel
def list_actions(state: Record, codes: npt.NDArray[np.int64]) -> None:
    """Write down all actions of the actor."""
    for index in range(codes.size):
        codes[index] = action(state, index)


class State:
    """One state, or one seat's observation of it, of any game."""

    def __init__(self, record: Record) -> None:
        self._record = copied(record)

    @property
    def record(self) -> Record:
        """The underlying record; a copy, so that this value cannot change."""
        return copied(self._record)

    @property
    def game(self) -> Game:
        """The game that this is a state of."""
        return game_of(self._record.dtype)

    @property
    def players(self) -> int:
        """How many seats there are."""
        return int(self._record.players)

    @property
    def actor(self) -> int | None:
        """The seat to act, or None before a deal and after the match."""
        seat = int(self.game.operations.actor(self._record))
        return seat if seat >= 0 else None

    @property
    def awaits_deal(self) -> bool:
        """Whether dice are to be rolled or cards to be dealt."""
        return bool(self.game.operations.actor(self._record) == CHANCE)

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return bool(self.game.operations.actor(self._record) == OVER)

    @property
    def round_over(self) -> bool:
        """Whether a round has been settled and the next not been dealt."""
        return bool(self.game.operations.round_over(self._record))

    @property
    def viewer(self) -> int:
        """Whose observation this is; EVERYTHING if it is the full state."""
        return int(self._record.viewer)

    @property
    def legal_actions(self) -> LegalActions:
        """What the actor may do: lazy, with ``in``, ``len``, iteration and readable ``str``."""
        return LegalActions(self)

    def apply(self: StateType, action: Any) -> StateType:
        """The state after a legal action, which may be given as text."""
        code = action_code(self.game, action)
        require_legal(self._record, code)
        record = copied(self._record)
        self.game.operations.apply(record, code)
        return type(self)(record)

    def deal(self: StateType, key: int) -> StateType:
        """The state after dice are rolled or cards dealt, from a key."""
        record = copied(self._record)
        self.game.operations.deal(record, np.uint64(key))
        return type(self)(record)

    def observe(self: StateType, seat: int) -> StateType:
        """What a seat (or SPECTATOR) sees."""
        record = copied(self._record)
        self.game.operations.observe(record, seat)
        return type(self)(record)

    def payoffs(self, horizon: int = MATCH) -> tuple[float, ...]:
        """What the finished match, or the settled round, is worth to each seat."""
        if not (self.over if horizon == MATCH else self.round_over):
            raise ValueError(
                "the match is not over" if horizon == MATCH else "the round is not over"
            )
        payoff = self.game.operations.payoff
        return tuple(float(payoff(self._record, horizon, seat)) for seat in range(self.players))

    def round_payoffs(self) -> tuple[float, ...]:
        """What the round just settled was worth to each seat."""
        return self.payoffs(ROUND)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and bool(
            self._record.dtype == other._record.dtype
            and self._record.tobytes() == other._record.tobytes()
        )

    def __hash__(self) -> int:
        return hash(self._record.tobytes())

    def __str__(self) -> str:
        return self.game.describe(self._record)


def action_code(game: Game, action: Any) -> int:
    """The number of an action that is given as a number, as text, or as the game's own value."""
    if isinstance(action, (int, np.integer)) and not isinstance(action, bool):
        if abs(int(action)) >= LARGEST_CODE:
            raise InvalidActionError(f"{action} is not the number of an action")
        return int(action)
    if isinstance(action, str):
        return game.parse_action(action)
    code = getattr(action, "code", None)
    if isinstance(code, int):
        return code
    raise InvalidActionError(f"{action!r} is not an action; give text such as '3x5'")


def require_legal(record: Record, code: int) -> None:
    """Raise ``IllegalActionError`` with the reason unless the actor may do this."""
    game = game_of(record.dtype)
    number = int(game.operations.refusal(record, code))
    if number != 0:
        name = game.refusals[number]
        raise IllegalActionError(name, game.explain_refusal(record, code, name))


class LegalActions(Sequence[Any]):
    """The legal actions of a state, counted and found without listing them."""

    def __init__(self, state: State) -> None:
        self._game = state.game
        self._record = state.record
        self._state = state

    @property
    def codes(self) -> list[int]:
        """The actions as numbers."""
        codes = np.zeros(len(self), np.int64)
        list_actions(self._record, codes)
        return codes.tolist()

    def __len__(self) -> int:
        if self._state.actor is None:
            return 0
        return int(self._game.operations.action_count(self._record))

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self)} legal actions, not {index}")
        return self._game.action_value(int(self._game.operations.action(self._record, place)))

    def __contains__(self, action: object) -> bool:
        try:
            code = action_code(self._game, action)
        except InvalidActionError:
            return False
        return int(self._game.operations.refusal(self._record, code)) == 0

    def __iter__(self) -> Iterator[Any]:
        return (self._game.action_value(code) for code in self.codes)

    def __str__(self) -> str:
        return self._game.format_actions(self.codes)

    def __repr__(self) -> str:
        return f"<LegalActions: {self}>"
