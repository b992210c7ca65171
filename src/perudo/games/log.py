"""The log of a match: ``next_event`` derives events from states, ``follow`` states from events.

Records, tables in this process and tables of a server all use these two functions.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, Required, cast

from typing_extensions import TypedDict

from perudo.games.errors import PerudoError
from perudo.games.game import Game, Payload, Payoffs, game_named, require_legal
from perudo.games.operations import CHANCE, MATCH, OVER, Record
from perudo.games.options import Json, Value


class _Line(TypedDict, total=False):
    """The fields of events in any game; deals and results also have fields of the game's own."""

    n: int
    """The event's number in its record, from 1."""
    event: Required[Literal["deal", "act", "result", "end"]]
    seat: int
    """The seat that acts."""
    payoffs: list[float]
    """Each seat's payoff of the match, at its end."""


class Event(_Line, total=False):
    """One line of a record after the header."""

    action: str


class SeenEvent(_Line, total=False):
    """An event as a viewer may know it."""

    action: str | None
    """None if the viewer may not know it yet."""


class Header(TypedDict):
    """The first line of a record."""

    record: int
    game: str
    rules: str
    revision: int
    options: dict[str, Value]
    players: list[str]
    start: Payload
    """Arguments of ``Game.start``, for example each seat's dice."""


class DiceSource(Protocol):
    """A source of dice and cards: seeded, recorded, or verifiable."""

    def deal(self, game: Game, record: Record) -> Payload:
        """Apply the awaited deal; return additional fields for its event."""

    def settled(self, game: Game, record: Record) -> Payload:
        """Return additional fields for the event of a round's result."""

    def ended(self, game: Game, record: Record) -> Payload:
        """Return additional fields for the event of the match's end."""


VERSION = 1
"""The version of the record format; older ones stay readable."""


def header(game: Game, setting: Any, players: list[str], start: Payload) -> Header:
    """Return the first line of a log, with every option of the rules."""
    return {
        "record": VERSION,
        "game": game.name,
        "rules": game.describe_setting(setting),
        "revision": game.revision,
        "options": game.setting_options(setting),
        "players": players,
        "start": start,
    }


def read_header(line: Header) -> tuple[Game, Any, list[str], Payload]:
    """Return game, setting, players and start from a log's first line."""
    read = cast(dict[str, Json], line)  # nothing has been checked yet
    if read.get("record") != VERSION:
        raise PerudoError(f"record version {read.get('record')!r}; this program reads {VERSION}")
    game = game_named(str(read.get("game")))
    if read.get("revision") != game.revision:
        raise PerudoError(
            f"rules revision {read.get('revision')!r}; this program plays {game.revision}"
        )
    players, start, options = read.get("players"), read.get("start"), read.get("options")
    if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
        raise PerudoError("players should be a list of names")
    if not isinstance(start, dict) or not isinstance(options, dict):
        raise PerudoError("start and options should be objects")
    names = cast(list[str], list(players))
    return game, game.setting_from_options(options), names, cast(Payload, start)


def next_event(game: Game, record: Record, settled: bool, dice: DiceSource) -> Event | None:
    """Return the event that follows without a decision; None if a decision is awaited.

    A deal changes ``record``. ``settled`` is true if the log has the last round's result. After the
    end of the match, each call returns the end event.
    """
    operations = game.operations
    if not settled and operations.round_over(record):
        data = {**game.format_result(record), **dice.settled(game, record)}
        return cast(Event, {"event": "result", **data})
    actor = int(operations.actor(record))
    if actor == CHANCE:
        story = dice.deal(game, record)
        return cast(Event, {"event": "deal", **game.format_deal(record), **story})
    if actor == OVER:
        ended = {**end_data(game, record), **dice.ended(game, record)}
        return cast(Event, {"event": "end", **ended})
    return None


def follow(game: Game, record: Record, event: Event, settled: bool) -> bool:
    """Replay one event on a state; return true if the log then has the last round's result.

    Raise PerudoError if the event does not follow from the state.
    """
    operations = game.operations
    kind = event.get("event")
    due = not settled and bool(operations.round_over(record))
    if due != (kind == "result"):
        raise PerudoError(f"event {kind!r} should be {'the' if due else 'anything but a'} result")
    if kind == "deal":
        if operations.actor(record) != CHANCE:
            raise PerudoError("there is no deal here")
        game.replay_deal(record, event)
        return False
    if kind == "act":
        actor = int(operations.actor(record))
        if actor < 0 or event.get("seat") != actor:
            expected = f"seat {actor}" if actor >= 0 else "nobody"
            raise PerudoError(f"seat {event.get('seat')!r} acts, but {expected} is to act")
        if not isinstance(event.get("action"), str):
            raise PerudoError("an act needs an action as text")
        code = game.parse_action(event["action"])
        require_legal(record, code)
        operations.apply(record, code)
        return False
    if kind == "result":
        _compare(event, game.format_result(record))
        return True
    if kind == "end":
        if operations.actor(record) != OVER:
            raise PerudoError("the match has not ended here")
        _compare(event, end_data(game, record))
        return True
    raise PerudoError(f"event {kind!r} is unknown; there are deal, act, result and end")


def end_data(game: Game, record: Record) -> Payoffs:
    """Return each seat's payoff of the match."""
    players = range(int(record.players))
    return {"payoffs": [float(game.operations.payoff(record, MATCH, seat)) for seat in players]}


def _compare(event: Event, expected: Payload) -> None:
    for key, value in expected.items():
        if event.get(key) != value:
            raise PerudoError(f"{key} is {event.get(key)!r}, but replayed it is {value!r}")
