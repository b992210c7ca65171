"""The Python interface of games: names, settings, text formats, and immutable states.

``operations.py`` has the compiled part. Perudo's subclass of ``State`` adds properties such as the
standing bid (``games/perudo/state.py``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar, cast, overload

import numpy as np
from typing_extensions import TypedDict

from perudo.games.errors import (
    IllegalActionError,
    InvalidActionError,
    PerudoError,
    RulesError,
    UnknownNameError,
)
from perudo.games.operations import ARRIVED as ARRIVED
from perudo.games.operations import CHANCE as CHANCE
from perudo.games.operations import EVERYTHING as EVERYTHING
from perudo.games.operations import MATCH as MATCH
from perudo.games.operations import OVER as OVER
from perudo.games.operations import ROUND as ROUND
from perudo.games.operations import SPECTATOR as SPECTATOR
from perudo.games.operations import Counters as Counters
from perudo.games.operations import Operations as Operations
from perudo.games.operations import Record as Record
from perudo.games.operations import action as action
from perudo.games.operations import action_count as action_count
from perudo.games.operations import actor as actor
from perudo.games.operations import add_record_type, list_actions
from perudo.games.operations import apply as apply
from perudo.games.operations import chance_count as chance_count
from perudo.games.operations import chance_outcome as chance_outcome
from perudo.games.operations import copy as copy
from perudo.games.operations import deal as deal
from perudo.games.operations import finish_round_randomly as finish_round_randomly
from perudo.games.operations import forget_round as forget_round
from perudo.games.operations import hand_count as hand_count
from perudo.games.operations import information_key as information_key
from perudo.games.operations import memory_key as memory_key
from perudo.games.operations import move_towards as move_towards
from perudo.games.operations import observe as observe
from perudo.games.operations import payoff as payoff
from perudo.games.operations import put_hand as put_hand
from perudo.games.operations import redeal as redeal
from perudo.games.operations import refusal as refusal
from perudo.games.operations import rewind as rewind
from perudo.games.operations import round_over as round_over
from perudo.games.operations import settlement_key as settlement_key
from perudo.games.operations import tally as tally
from perudo.games.operations import workspace as workspace
from perudo.games.options import Json, Setting, Value, complete
from perudo.games.sources import marked_dtype


class Payload(TypedDict):
    """The fields of a deal or a result in a record, as JSON; each game declares its own."""


class Payoffs(Payload):
    """The worth of a round or a match to each seat."""

    payoffs: list[float]


@dataclass(frozen=True)
class Properties:
    """The declared properties of a game."""

    min_players: int
    max_players: int
    max_actions: int
    """The largest number of legal actions of a decision."""
    hidden_moves: bool
    """True if the others do not see some moves when they are made."""
    zero_sum: bool
    chance: bool
    """True if the game deals cards or rolls dice."""


class Game(ABC):
    """Base class of games: a record type, its operations, and text formats.

    A small game defines its class variables and ``describe``; the rest has defaults.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    dtype: ClassVar[np.dtype[Any]]
    operations: ClassVar[Operations]
    properties: ClassVar[Properties]
    refusals: ClassVar[tuple[str, ...]] = ("legal", "not_allowed")
    """Stable error codes, indexed by the result of ``operations.refusal``; index 0 means legal."""
    smallest: ClassVar[str] = "standard"
    """A setting whose full tree can be counted quickly, for checks."""
    revision: ClassVar[int] = 1
    """The version of the rules, stored in records; changing the meaning of an option raises it."""
    setting_type: ClassVar[Any] = Setting
    """The subclass of ``Setting`` with this game's options."""
    action_names: ClassVar[tuple[str, ...]] = ()
    """The names of the actions, numbered from 1, in games with few actions."""
    counters: ClassVar[tuple[str, ...]] = ()
    """The names of the columns that ``operations.tally`` counts."""
    dealt_fields: ClassVar[tuple[str, ...]] = ()
    """The fields of the record that a deal fills, in games with few deals."""

    @abstractmethod
    def describe(self, record: Record) -> str:
        """Describe a state or an observation on a few lines of plain text."""

    # --- settings -------------------------------------------------------------------------------
    @property
    def presets(self) -> tuple[str, ...]:
        """The names of the predefined settings; the first is the default."""
        return tuple(self.setting_type.presets())

    def setting(self, text: str) -> Any:
        """Parse a preset with options, such as ``official:calza=no,dice=3``."""
        return self.setting_type.parse(text)

    def describe_setting(self, setting: Any) -> str:
        """Format a setting as text that ``setting`` can parse."""
        return str(setting)

    def setting_options(self, setting: Any) -> dict[str, Value]:
        """Return every option with its value, as plain data."""
        return asdict(setting)

    def setting_from_options(self, options: Mapping[str, Json]) -> Any:
        """Return the setting with these stored options, which another version may have written."""
        return self.setting_type(**complete(self.setting_type, options))

    def start(self, setting: Any, players: int) -> State:
        """Return the state before the first deal."""
        fewest, most = self.properties.min_players, self.properties.max_players
        if not fewest <= players <= most:
            allowed = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise RulesError(f"{players} players cannot play {self.name}; it takes {allowed}")
        record = self.new_record()
        record.viewer = EVERYTHING
        record.players = players
        return State(record)

    def new_record(self) -> Record:
        """Return a zeroed record of this game's type."""
        return np.zeros(1, self.dtype)[0]

    # --- actions --------------------------------------------------------------------------------
    def parse_action(self, text: str) -> int:
        """Parse an action; raise ``InvalidActionError`` if it is none."""
        word = text.strip().lower()
        if word not in self.action_names:
            names = ", ".join(self.action_names)
            raise InvalidActionError(f"{text!r} is not an action; there are {names}")
        return self.action_names.index(word) + 1

    def format_action(self, action: int) -> str:
        """Format an action as text."""
        known = 1 <= action <= len(self.action_names)
        return self.action_names[action - 1] if known else f"action {action}"

    def action_value(self, action: int) -> Any:
        """Return the Python value of an action: by default its text."""
        return self.format_action(action)

    def format_actions(self, actions: Sequence[int]) -> str:
        """Format a list of actions for people."""
        return ", ".join(self.format_action(action) for action in actions)

    def explain_refusal(self, record: Record, action: int, code: str) -> str:
        """Return the reason, on one line, why an action is not legal."""
        count = int(self.operations.action_count(record))
        legal = [int(self.operations.action(record, index)) for index in range(count)]
        may = f"legal: {self.format_actions(legal)}" if legal else "nobody is to act"
        return f"{self.format_action(action)} is not allowed here ({code}); {may}"

    def hides_action(self, observation: Record, seat: int) -> bool:
        """Return true if the seat's last action is still hidden from this observation's viewer."""
        return False

    # --- the log --------------------------------------------------------------------------------
    def format_deal(self, record: Record) -> Payload:
        """Return the last deal as plain data for the record of a match.

        Given an observation, return the part that its viewer may know.
        """
        return cast(Payload, {name: record[name].tolist() for name in self.dealt_fields})

    def replay_deal(self, record: Record, deal: Payload) -> None:
        """Apply exactly this deal to the record."""
        for index in range(int(self.operations.chance_count(record))):
            dealt = record.copy()
            self.operations.chance_outcome(dealt, index)
            if all(deal.get(name) == value for name, value in self.format_deal(dealt).items()):
                self.operations.chance_outcome(record, index)
                return
        raise PerudoError(f"{deal} is not a deal of {self.name}")

    def chance_story(self, record: Record, key: np.uint64) -> Payload:
        """Return additional data about the deal of this key, such as a roll for the start."""
        return {}

    def deal_text(self, deal: Payload) -> str:
        """Describe a deal, as returned by ``format_deal``, in a few words."""
        return "deal"

    def format_result(self, record: Record) -> Payload:
        """Return the result of the last round as plain data for the record of a match."""
        payoff, seats = self.operations.payoff, range(int(record.players))
        return Payoffs(payoffs=[float(payoff(record, ROUND, seat)) for seat in seats])

    def result_text(self, result: Payload) -> str:
        """Describe a result, as returned by ``format_result``, in a few words."""
        parts = [f"{key} {value}" for key, value in result.items() if key not in ("n", "event")]
        return ", ".join(parts)


_games: dict[str, Game] = {}
_by_dtype: dict[np.dtype[Any], Game] = {}

GameType = TypeVar("GameType", bound=Game)


def register(game: GameType) -> GameType:
    """Register a game, so that the generic operations work on its records."""
    if not type(game).__module__.startswith("perudo."):
        type(game).dtype = marked_dtype(game.name, game.dtype, type(game).__module__)
    other = _by_dtype.get(game.dtype)
    if other is not None and other.name != game.name:
        raise TypeError(
            f"{game.name} and {other.name} have the same fields; give each record a marker field"
        )
    add_record_type(game.name, game.dtype, game.operations)
    _games[game.name] = game
    _by_dtype[game.dtype] = game
    return game


def games() -> dict[str, Game]:
    """Return all registered games by name."""
    return dict(_games)


def game_named(name: str) -> Game:
    """Return the game with this name."""
    if name not in _games:
        raise UnknownNameError(f"unknown game {name!r}; there are: {', '.join(sorted(_games))}")
    return _games[name]


def game_of(dtype: np.dtype[Any]) -> Game:
    """Return the game whose states have this record type."""
    if dtype not in _by_dtype:
        raise TypeError(f"no registered game has records of type {dtype}")
    return _by_dtype[dtype]


# --- states
SEATS = "ABCDEFGHIJ"
"""The letters of the seats."""
LARGEST_CODE = 1 << 31
"""The limit of action codes: all are smaller."""

StateType = TypeVar("StateType", bound="State")


def seat_name(seat: int) -> str:
    """Return a seat's letter."""
    return SEATS[seat]


def copied(record: Record) -> Record:
    """Copy a record, ten times faster than its own ``copy``, which goes field by field."""
    return np.frombuffer(bytearray(record.tobytes()), record.dtype)[0]


class State:
    """An immutable state of any game, or one seat's observation of it."""

    def __init__(self, record: Record) -> None:
        self._record = copied(record)

    @property
    def record(self) -> Record:
        """A copy of the underlying record."""
        return copied(self._record)

    @property
    def game(self) -> Game:
        """The game to which this state belongs."""
        return game_of(self._record.dtype)

    @property
    def players(self) -> int:
        """The number of seats."""
        return int(self._record.players)

    @cached_property
    def actor(self) -> int | None:
        """The seat to act, or None before a deal and after the match."""
        seat = int(self.game.operations.actor(self._record))
        return seat if seat >= 0 else None

    @property
    def awaits_deal(self) -> bool:
        """True if dice are to be rolled or cards to be dealt."""
        return bool(self.game.operations.actor(self._record) == CHANCE)

    @property
    def over(self) -> bool:
        """True if the match is over."""
        return bool(self.game.operations.actor(self._record) == OVER)

    @property
    def round_over(self) -> bool:
        """True if a round has been settled and the next has not been dealt."""
        return bool(self.game.operations.round_over(self._record))

    @property
    def viewer(self) -> int:
        """The seat that observes this state, or SPECTATOR; EVERYTHING for the full state."""
        return int(self._record.viewer)

    @property
    def legal_actions(self) -> LegalActions:
        """The actor's legal actions, a lazy sequence with a readable ``str``."""
        return LegalActions(self)

    def apply(self: StateType, action: Any) -> StateType:
        """Return the state after a legal action, which may be given as text."""
        code = action_code(self.game, action)
        require_legal(self._record, code)
        record = copied(self._record)
        self.game.operations.apply(record, code)
        return type(self)(record)

    def deal(self: StateType, key: int) -> StateType:
        """Return the state after the deal or roll that a key determines."""
        record = copied(self._record)
        self.game.operations.deal(record, np.uint64(key))
        return type(self)(record)

    def observe(self: StateType, seat: int) -> StateType:
        """Return the observation of a seat or SPECTATOR."""
        record = copied(self._record)
        self.game.operations.observe(record, seat)
        return type(self)(record)

    def payoffs(self, horizon: int = MATCH) -> tuple[float, ...]:
        """Return each seat's payoff of the finished match or the settled round."""
        what, over = ("match", self.over) if horizon == MATCH else ("round", self.round_over)
        if not over:
            raise ValueError(f"the {what} is not over")
        payoff = self.game.operations.payoff
        return tuple(float(payoff(self._record, horizon, seat)) for seat in range(self.players))

    def round_payoffs(self) -> tuple[float, ...]:
        """Return each seat's payoff of the round just settled."""
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
    """Return the code of an action given as a number, as text, or as the game's own value."""
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
    """Raise ``IllegalActionError`` with the reason unless the action is legal."""
    game = game_of(record.dtype)
    number = int(game.operations.refusal(record, code))
    if number != 0:
        name = game.refusals[number]
        raise IllegalActionError(name, game.explain_refusal(record, code, name))


class LegalActions(Sequence[Any]):
    """The legal actions of a state; counting and indexing do not list them."""

    def __init__(self, state: State) -> None:
        self._game = state.game
        self._record = state.record
        self._state = state

    @property
    def codes(self) -> list[int]:
        """The codes of the actions."""
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
