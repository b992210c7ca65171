"""What a game is: a record type, and a handful of compiled operations on it.

A state is one NumPy record of fixed size. A game supplies the operations below for its record
type; everything else (tables, search, solvers, the arena) is written once against the generic
functions of the same names, which find the game by the record's type: at compile time inside a
kernel, at run time in Python.

Chance is separate from play: ``apply`` is deterministic, and when dice are to be rolled or cards
dealt, ``actor`` is ``CHANCE`` and ``deal`` does it. Simultaneous moves are sequential moves whose
content stays hidden until all have moved.
"""

from __future__ import annotations

import hashlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from perudo.games.errors import InvalidActionError, PerudoError, RulesError, UnknownNameError
from perudo.games.kernel import INTERPRETED
from perudo.games.options import complete

if TYPE_CHECKING:
    from perudo.games.state import State

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


def _default(name: str) -> Any:
    """A field that, left out, is the operation of this name in ``defaults``."""

    def find() -> Any:
        from perudo.games import defaults

        return getattr(defaults, name)

    return field(default_factory=find)


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
    chance_count: Callable[[Record], int] = _default("no_chance")
    """How many equally likely outcomes the awaited chance event has; 0 if too many to number."""
    chance_outcome: Callable[[Record, int], None] = _default("no_outcome")
    """Bring about the k-th of them."""
    deal: Callable[[Record, np.uint64], None] = _default("deal_uniformly")
    """Bring about the outcome that belongs to this key (and the round's number)."""
    refusal: Callable[[Record, int], int] = _default("refuse_unlisted")
    """0 if the action is legal, else the number of the reason (see ``Game.refusals``)."""
    round_over: Callable[[Record], bool] = _default("match_over")
    """Whether the round has been settled and the next one has not been dealt."""
    finish_round_randomly: Callable[[Record, Any], int] = _default("step_round_randomly")
    """Uniform legal actions, drawn from a stream, to the end of the round; returns how many."""
    copy: Callable[[Record, Record], None] = _default("copy_whole")
    """Make the first state equal to the second."""
    settlement_key: Callable[[Record], np.uint64] = _default("no_settlement_key")
    """For solvers: rounds settled with equal keys pay alike when hands are alike; 0: not known."""
    memory_key: Callable[[Record, int], np.uint64] = _default("no_memory_key")
    """A hash of the public position for players who remember only the round's last so many moves:
    positions of equal keys go on alike. 0: not known."""
    hand_count: Callable[[Record, int], int] = _default("no_hands")
    """How many hands a seat can have, where hands are independent of each other; else 0."""
    put_hand: Callable[[Record, int, int], float] = _default("put_no_hand")
    """Give a seat the k-th of them; returns how likely it is to be dealt."""
    rewind: Callable[[Record], bool] = _default("cannot_rewind")
    """Go back to where the round's first move is to be made, hands as they are; or return False."""
    move_towards: Callable[[Record, Record], int] = _default("no_way")
    """The move that leads from a rewound state towards one of the same round; or ARRIVED."""
    forget_round: Callable[[Record], None] = _default("keep_all")
    """Between rounds: blank all on which the rest of the match does not depend."""
    tally: Callable[[Record, Counters], None] = _default("tally_nothing")
    """Add what happened in the round just settled to counters: a row for each seat, a column for
    each of ``Game.counters``."""


@dataclass(frozen=True)
class Properties:
    """What a game declares about itself."""

    min_players: int
    max_players: int
    max_actions: int
    """No decision has more legal actions than this."""
    hidden_moves: bool
    """Whether some moves are not seen by the others when they are made."""
    zero_sum: bool
    chance: bool
    """Whether anything is dealt or rolled."""


@dataclass(frozen=True)
class NoOptions:
    """The setting of a game that has nothing to choose."""


class Game(ABC):
    """A game: its record type, its operations, and how its parts are written for people.

    A small game gives the names, ``action_names`` and ``describe``; the rest has defaults.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    dtype: ClassVar[np.dtype[Any]]
    operations: ClassVar[Operations]
    properties: ClassVar[Properties]
    refusals: ClassVar[tuple[str, ...]] = ("legal", "not_allowed")
    """Stable codes; ``operations.refusal`` returns an index into this, 0 meaning legal."""
    presets: ClassVar[Sequence[str]] = ("standard",)
    smallest: ClassVar[str] = "standard"
    """A setting whose whole tree can be counted in a moment, for checks."""
    revision: ClassVar[int] = 1
    """Raised when the same options come to mean something else; records carry it."""
    setting_type: ClassVar[Any] = NoOptions
    """The frozen dataclass of this game's options; it validates itself.

    ``before`` in an option's metadata is its value in records from before there was the option.
    """
    action_names: ClassVar[tuple[str, ...]] = ()
    """The actions of a game that has only a few; they are numbered from 1."""
    counters: ClassVar[tuple[str, ...]] = ()
    """What ``operations.tally`` counts."""
    dealt_fields: ClassVar[tuple[str, ...]] = ()
    """The fields of the record that chance fills, for games whose deals are few."""

    @abstractmethod
    def describe(self, record: Record) -> str:
        """The state, or an observation of it, on a few lines of plain text."""

    # --- settings -------------------------------------------------------------------------------
    def setting(self, text: str) -> Any:
        """Read a preset with options, ``official:calza=no,dice=3``, into this game's settings."""
        if text not in self.presets:
            raise UnknownNameError(
                f"unknown setting {text!r} of {self.name}; there is: {', '.join(self.presets)}"
            )
        return self.setting_type()

    def describe_setting(self, setting: Any) -> str:
        """Write the settings so that ``setting`` reads them back."""
        return self.presets[0]

    def setting_options(self, setting: Any) -> dict[str, Any]:
        """Every option with its value, as plain data."""
        return asdict(setting)

    def setting_from_options(self, options: dict[str, Any]) -> Any:
        """The settings with these stored options, which another version may have written."""
        return self.setting_type(**complete(self.setting_type, options))

    def start(self, setting: Any, players: int) -> State:
        """The state before the first deal."""
        from perudo.games.state import State

        fewest, most = self.properties.min_players, self.properties.max_players
        if not fewest <= players <= most:
            allowed = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise RulesError(f"{players} players cannot play {self.name}; it takes {allowed}")
        record = self.new_record()
        record.viewer = EVERYTHING
        record.players = players
        return State(record)

    def new_record(self) -> Record:
        """A zeroed record of this game's type."""
        return np.zeros(1, self.dtype)[0]

    # --- actions --------------------------------------------------------------------------------
    def parse_action(self, text: str) -> int:
        """Read an action; raises ``InvalidActionError``."""
        word = text.strip().lower()
        if word not in self.action_names:
            names = ", ".join(self.action_names)
            raise InvalidActionError(f"{text!r} is not an action; there are {names}")
        return self.action_names.index(word) + 1

    def format_action(self, action: int) -> str:
        """Write an action."""
        known = 1 <= action <= len(self.action_names)
        return self.action_names[action - 1] if known else f"action {action}"

    def action_value(self, action: int) -> Any:
        """The action as handled in Python: its text, unless a game has something better."""
        return self.format_action(action)

    def format_actions(self, actions: Sequence[int]) -> str:
        """Write a list of actions so that a person can take it in."""
        return ", ".join(self.format_action(action) for action in actions)

    def explain_refusal(self, record: Record, action: int, code: str) -> str:
        """Say in one line why an action is not allowed."""
        count = int(self.operations.action_count(record))
        legal = [int(self.operations.action(record, index)) for index in range(count)]
        may = f"legal: {self.format_actions(legal)}" if legal else "nobody is to act"
        return f"{self.format_action(action)} is not allowed here ({code}); {may}"

    def hides_action(self, observation: Record, seat: int) -> bool:
        """Whether the viewer of this observation may not know yet what the seat has just done."""
        return False

    # --- the log --------------------------------------------------------------------------------
    def format_deal(self, record: Record) -> dict[str, Any]:
        """What chance just brought about, as plain data for a record's log.

        With the full state all of it; with an observation, what that seat may know.
        """
        return {name: record[name].tolist() for name in self.dealt_fields}

    def replay_deal(self, record: Record, deal: dict[str, Any]) -> None:
        """Bring about exactly this outcome of chance."""
        for index in range(int(self.operations.chance_count(record))):
            dealt = record.copy()
            self.operations.chance_outcome(dealt, index)
            if all(deal.get(name) == value for name, value in self.format_deal(dealt).items()):
                self.operations.chance_outcome(record, index)
                return
        raise PerudoError(f"{deal} is not a deal of {self.name}")

    def chance_story(self, record: Record, key: np.uint64) -> dict[str, Any]:
        """What else to tell of the deal that this key is about to bring (a roll for the start)."""
        return {}

    def deal_text(self, deal: dict[str, Any]) -> str:
        """A deal, as ``format_deal`` gave it, in a few words."""
        return "deal"

    def format_result(self, record: Record) -> dict[str, Any]:
        """How the round that just ended was settled, as plain data for a record's log."""
        seats = range(int(record.players))
        return {"payoffs": [float(self.operations.payoff(record, ROUND, seat)) for seat in seats]}

    def result_text(self, result: dict[str, Any]) -> str:
        """A result, as ``format_result`` gave it, in a few words."""
        return ", ".join(f"{key} {result[key]}" for key in result if key not in ("n", "event"))


_games: dict[str, Game] = {}
_by_dtype: dict[np.dtype[Any], Game] = {}


def _marked(game: Game) -> np.dtype[Any]:
    """The record type of a game outside this package, with a field named after its source.

    Compiled code is cached by record type. The package's own modules are hashed into the cache
    directory; a game from elsewhere gets a new type, and so new code, whenever its file changes.
    """
    module = sys.modules[type(game).__module__]
    source = Path(module.__file__ or "").read_bytes()
    digest = hashlib.sha256(module.__name__.encode() + b"\0" + source).hexdigest()[:16]
    marker = (f"{game.name}_{digest}", "i1")
    parts = [(name, part) for name, (part, *_) in (game.dtype.fields or {}).items()]
    return np.dtype((np.record, [*parts, marker]))


def register(game: Game) -> Game:
    """Make a game known, so that the generic operations work on its records."""
    if not type(game).__module__.startswith("perudo."):
        type(game).dtype = _marked(game)
    dtype = game.dtype
    covered = sum(part.itemsize for part, *_ in (dtype.fields or {}).values())
    if covered != dtype.itemsize:
        raise TypeError(
            f"the record of {game.name} has padding: equal states could differ in bytes"
        )
    shadowed = [name for name in dtype.names or () if hasattr(np.record, name)]
    if shadowed:
        raise TypeError(f"the record of {game.name} cannot have a field {shadowed[0]}: NumPy's own")
    other = _by_dtype.get(dtype)
    if other is not None and other.name != game.name:
        raise TypeError(
            f"{game.name} and {other.name} have the same fields; give each record a marker field"
        )
    _games[game.name] = game
    _by_dtype[dtype] = game
    return game


def games() -> dict[str, Game]:
    """All registered games by name."""
    return dict(_games)


def game_named(name: str) -> Game:
    """The game with this name."""
    if name not in _games:
        raise UnknownNameError(f"unknown game {name!r}; there are: {', '.join(sorted(_games))}")
    return _games[name]


def game_of(dtype: np.dtype[Any]) -> Game:
    """The game whose states have this record type."""
    if dtype not in _by_dtype:
        raise TypeError(f"no registered game has records of type {dtype}")
    return _by_dtype[dtype]


def _generic(name: str, arguments: int) -> Callable[..., Any]:
    """The generic form of an operation, found by record type; it takes so many more arguments."""

    def generic(state: Record, *arguments: Any) -> Any:
        return getattr(game_of(state.dtype).operations, name)(state, *arguments)

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
        dtype = next(
            game.dtype for game in _games.values() if numba.from_dtype(game.dtype) == state
        )

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
            getattr(game.operations, name)
            for game in _games.values()
            if numba.from_dtype(game.dtype) == record
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


assert all(operation.name in globals() for operation in fields(Operations))
