"""Parser for the transcripts of ``MatchRecord.transcript``: a match with one line for each round.

The parser ignores the outcome after the dash, which follows from the dice.
"""

from __future__ import annotations

import re
from typing import Any, cast

from perudo.games.errors import PerudoError
from perudo.games.game import SEATS, game_named, require_legal
from perudo.games.log import Event, end_data
from perudo.games.operations import CHANCE, OVER, Record
from perudo.games.perudo.game import Deal
from perudo.record import MatchRecord, RecordError

HEADER = re.compile(r"^(?P<game>\w+), (?P<rules>\S+): (?P<players>[A-J] .+)$")
ROUND = re.compile(r"^(?P<round>\d+)\. (?P<dice>[1-6/-]+)(?P<acts>(?: [A-J] \w+)*)(?: - .*)?$")


def parse_record(text: str) -> MatchRecord:
    """Parse a finished match from its record (JSON lines) or its transcript."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines:
        raise PerudoError("there is no record here; paste its lines, or a transcript")
    if lines[0].startswith("{"):
        return MatchRecord.parse(lines)
    return parse_transcript(lines)


def parse_transcript(lines: list[str]) -> MatchRecord:
    """Parse a finished match from its transcript; an error (``RecordError``) names the line.

    >>> print(parse_transcript([
    ...     "perudo, common:dice=1: A you, B me",
    ...     "1. 3/4 A 1x3 B dudo",
    ... ]).transcript().splitlines()[1])
    1. 3/4 A 1x3 B dudo - dudo too soon, 1 there, B loses a die, A wins
    """
    record = _begin(lines[0])
    state = record.start_state().record
    game, operations = record.game, record.game.operations
    for number, line in enumerate(lines[1:], 2):
        if line == "end":
            break
        try:
            dealt, acts = _round(line)
            if operations.actor(state) != CHANCE:
                raise PerudoError("the round before has not been settled")
            game.replay_deal(state, dealt)
            record.append(cast(Event, {"event": "deal", **game.format_deal(state)}))
            for letter, action in acts:
                _act(record, state, SEATS.index(letter), action)
        except PerudoError as error:
            raise RecordError(number, str(error)) from None
    if operations.actor(state) == OVER:
        record.append({"event": "end", "payoffs": end_data(game, state)["payoffs"]})
    # Parsing the new record checks it like any other.
    return MatchRecord.parse(list(record.lines()))


def _begin(line: str) -> MatchRecord:
    found = HEADER.match(line)
    if found is None:
        raise RecordError(1, "the first line should be like 'perudo, official: A Ann, B Bob'")
    try:
        game = game_named(found["game"])
        if game.name != "perudo":
            raise PerudoError(f"only transcripts of perudo can be read, not of {game.name}")
        setting: Any = game.setting(found["rules"])
    except PerudoError as error:
        raise RecordError(1, str(error)) from None
    entries = re.split(r", (?=[A-J] )", found["players"])
    if [entry[0] for entry in entries] != list(SEATS[: len(entries)]):
        raise RecordError(1, "players should be named A, B, C and so on, in this order")
    return MatchRecord(game, setting, [entry[2:] for entry in entries])


def _round(line: str) -> tuple[Deal, list[tuple[str, str]]]:
    """Parse a round: its deal, and pairs of a seat's letter and an action."""
    found = ROUND.match(line)
    if found is None:
        raise PerudoError("a round should be like '1. 11246/33456 A 2x3 B dudo'")
    words = found["acts"].split()
    if not words:
        raise PerudoError("this round has no actions")
    dice = ["" if hand == "-" else hand for hand in found["dice"].split("/")]
    acts = list(zip(words[::2], words[1::2], strict=True))
    opener = SEATS.index(acts[0][0])
    return Deal(round=int(found["round"]), opener=opener, dice=[*dice]), acts


def _act(record: MatchRecord, state: Record, seat: int, action: str) -> None:
    game, operations = record.game, record.game.operations
    code = game.parse_action(action)
    if operations.actor(state) != seat:
        raise PerudoError(f"{SEATS[seat]} is not to act")
    require_legal(state, code)
    operations.apply(state, code)
    record.append({"event": "act", "seat": seat, "action": game.format_action(code)})
    if operations.round_over(state):
        record.append(cast(Event, {"event": "result", **game.format_result(state)}))
