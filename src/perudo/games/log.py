"""A match as a log: which state follows from an event, and which event follows from a state.

Records, tables in this process and tables of a server all go through these two functions.
"""

from __future__ import annotations

from typing import Any, Protocol

from perudo.games.errors import PerudoError
from perudo.games.game import Game, game_named, require_legal
from perudo.games.operations import CHANCE, MATCH, OVER, Record

Event = dict[str, Any]
"""One line of a record: ``n``, ``event`` (deal, act, result, end) and what belongs to it."""


class DiceSource(Protocol):
    """A source of dice and cards: seeded, recorded, or verifiable."""

    def deal(self, game: Game, record: Record) -> dict[str, Any]:
        """Bring about the awaited chance event; returns what else the log should say of it."""

    def settled(self, game: Game, record: Record) -> dict[str, Any]:
        """Return what else the log should say when a round has been settled."""

    def ended(self, game: Game, record: Record) -> dict[str, Any]:
        """Return what else the log should say when the match is over."""


VERSION = 1
"""Version of the format; older ones stay readable."""


def header(game: Game, setting: Any, players: list[str], start: dict[str, Any]) -> Event:
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


def read_header(line: Event) -> tuple[Game, Any, list[str], dict[str, Any]]:
    """Return game, setting, players and start from a log's first line."""
    if line.get("record") != VERSION:
        raise PerudoError(f"record version {line.get('record')!r}; this program reads {VERSION}")
    game = game_named(str(line.get("game")))
    if line.get("revision") != game.revision:
        raise PerudoError(
            f"rules revision {line.get('revision')!r}; this program plays {game.revision}"
        )
    players, start, options = line.get("players"), line.get("start"), line.get("options")
    if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
        raise PerudoError("players should be a list of names")
    if not isinstance(start, dict) or not isinstance(options, dict):
        raise PerudoError("start and options should be objects")
    return game, game.setting_from_options(options), list(players), start


def next_event(game: Game, record: Record, settled: bool, dice: DiceSource) -> Event | None:
    """The event that follows without a decision; None if a decision is awaited.

    A deal changes ``record``. ``settled`` is true if the log has the last round's result. After the
    end of the match the end is returned again.
    """
    operations = game.operations
    if not settled and operations.round_over(record):
        data = {**game.format_result(record), **dice.settled(game, record)}
        return {"event": "result", **data}
    actor = int(operations.actor(record))
    if actor == CHANCE:
        story = dice.deal(game, record)
        return {"event": "deal", **game.format_deal(record), **story}
    if actor == OVER:
        return {"event": "end", **end_data(game, record), **dice.ended(game, record)}
    return None


def follow(game: Game, record: Record, event: Event, settled: bool) -> bool:
    """Replay one event on a state; returns whether the log has the last round's result.

    Raises if the event does not follow.
    """
    operations = game.operations
    kind = event.get("event")
    due = not settled and bool(operations.round_over(record))
    if due != (kind == "result"):
        raise PerudoError(f"event {kind!r} should be {'the' if due else 'anything but a'} result")
    if kind == "deal":
        if operations.actor(record) != CHANCE:
            raise PerudoError("nothing is to be dealt here")
        game.replay_deal(record, event)
        return False
    if kind == "act":
        actor = int(operations.actor(record))
        if actor < 0 or event.get("seat") != actor:
            expected = f"seat {actor}" if actor >= 0 else "nobody"
            raise PerudoError(f"seat {event.get('seat')!r} acts, but it is {expected} to act")
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


def end_data(game: Game, record: Record) -> dict[str, Any]:
    """What the match was worth to each seat."""
    players = range(int(record.players))
    return {"payoffs": [float(game.operations.payoff(record, MATCH, seat)) for seat in players]}


def _compare(event: Event, expected: dict[str, Any]) -> None:
    for key, value in expected.items():
        if event.get(key) != value:
            raise PerudoError(f"{key} is {event.get(key)!r}, but replayed it is {value!r}")
