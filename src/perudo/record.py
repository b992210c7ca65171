"""The record of a match: its deals, actions and results, replayed from these events alone.

A record is written as JSON lines: a header, then numbered events. It stores the value of every
option of the rules, not only a preset's name, so that it replays the same after presets have
changed. It also stores the consequences of actions; replaying checks them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from perudo.games.errors import PerudoError
from perudo.games.game import Game, Payload, State, seat_name
from perudo.games.log import Event, Header, follow, header, read_header
from perudo.games.options import Json


class RecordError(PerudoError):
    """A record cannot be read or does not replay; the message names the line."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line


@dataclass
class MatchRecord:
    """The record of one match, finished or not."""

    game: Game
    setting: Any
    players: list[str]
    """A name for each seat."""
    start: Payload = field(default_factory=Payload)
    """Arguments of ``Game.start``, for example each seat's dice."""
    events: list[Event] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """True if the match was played to its end."""
        return bool(self.events) and self.events[-1]["event"] == "end"

    def start_state(self) -> State:
        """Return the state before the first deal."""
        return self.game.start(self.setting, len(self.players), **self.start)

    # --- writing --------------------------------------------------------------------------------
    def append(self, event: Event) -> Event:
        """Append an event and return it with its number."""
        numbered = cast(Event, {"n": len(self.events) + 1, **event})
        self.events.append(numbered)
        return numbered

    def header(self) -> Header:
        """Return the header, the first line of the record."""
        return header(self.game, self.setting, self.players, self.start)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the stored record, each a JSON object."""
        for line in (self.header(), *self.events):
            yield json.dumps(line, separators=(",", ":"), ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Write the record to a file."""
        Path(path).write_text("".join(f"{line}\n" for line in self.lines()), encoding="utf-8")

    # --- reading --------------------------------------------------------------------------------
    @staticmethod
    def load(path: str | Path, *, unfinished: bool = False) -> MatchRecord:
        """Read and check a record from a file; allow an unfinished match only if ``unfinished``."""
        return MatchRecord.parse(_lines_of(path), unfinished=unfinished)

    @staticmethod
    def load_all(path: str | Path, *, unfinished: bool = False) -> list[MatchRecord]:
        """Read and check all records of a file that has one or several, one after the other."""
        games: list[list[str]] = []
        for line in _lines_of(path):
            if not games or '"record":' in line:  # only a header has this field
                games.append([])
            games[-1].append(line)
        found = []
        for number, lines in enumerate(games or [[]], 1):
            try:
                found.append(MatchRecord.parse(lines, unfinished=unfinished))
            except RecordError as error:
                if len(games) < 2:
                    raise
                raise PerudoError(f"game {number}, {error}") from None
        return found

    @staticmethod
    def parse(lines: Iterable[str], *, unfinished: bool = False) -> MatchRecord:
        """Read and check a record from its lines."""
        parsed = [_parse_line(number, line) for number, line in enumerate(lines, 1)]
        if not parsed:
            raise RecordError(1, "the record is empty")
        record = parse_header(cast(Header, parsed[0]))
        record.events = cast(list[Event], parsed[1:])
        for _ in record.replay():
            pass
        if not record.finished and not unfinished:
            raise RecordError(len(parsed), "the record stops before the match has ended")
        return record

    def replay(self) -> Iterator[tuple[Event, State]]:
        """Yield every event with the state after it.

        Raise RecordError at an event that does not follow from those before it.
        """
        state = self.start_state()
        record = state.record
        settled = False  # whether the result of the last round has been read
        for number, event in enumerate(self.events, 1):
            try:
                if event.get("n") != number:
                    raise PerudoError(f"event number {event.get('n')!r} should be {number}")
                settled = follow(self.game, record, event, settled)
            except PerudoError as error:
                raise RecordError(number + 1, str(error)) from None
            yield event, type(state)(record)

    def transcript(self) -> str:
        """Return a human-readable transcript, with one line for each round."""
        lines = [
            f"{self.game.name}, {self.game.describe_setting(self.setting)}: "
            + ", ".join(f"{seat_name(seat)} {name}" for seat, name in enumerate(self.players))
        ]
        words: list[str] = []
        for event in self.events:
            if event["event"] == "deal":
                words = [self.game.deal_text(event)]
            elif event["event"] == "act":
                words.append(f"{seat_name(event['seat'])} {event['action']}")
            elif event["event"] == "result":
                lines.append(" ".join(words) + f" - {self.game.result_text(event)}")
                words = []
            else:
                lines.append("end")
        if words:
            lines.append(" ".join(words))
        return "\n".join(lines)


def _lines_of(path: str | Path) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise PerudoError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PerudoError(f"{path} is not a record: it is not text") from None


def _parse_line(number: int, line: str) -> dict[str, Json]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordError(number, f"not a whole line of JSON ({error.msg})") from None
    if not isinstance(value, dict):
        raise RecordError(number, "a JSON object was expected")
    return value


def parse_header(line: Header) -> MatchRecord:
    """Return the record, without events, that begins with this line."""
    try:
        record = MatchRecord(*read_header(line))
        record.start_state()
    except PerudoError as error:
        raise RecordError(1, str(error)) from None
    except TypeError:
        raise RecordError(1, "start has a part that this game does not know") from None
    return record
