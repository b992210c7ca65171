"""Records: written, read back, and refused with the line that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perudo.games.errors import PerudoError
from perudo.games.perudo import PRESETS
from perudo.record import MatchRecord, RecordError
from test_table import new_table, play_out


def finished_lines(rules: str = "official", players: int = 3, seed: int = 4) -> list[str]:
    table = new_table(rules, players, seed)
    play_out(table)
    return list(table.record.lines())


@pytest.mark.parametrize("rules", list(PRESETS))
def test_a_record_replays_to_the_same_bytes(rules: str) -> None:
    table = new_table(rules, players=2, seed=11)
    play_out(table)
    lines = list(table.record.lines())
    record = MatchRecord.parse(lines)
    states = [state for _, state in record.replay()]
    assert states[-1] == table.state
    assert list(record.lines()) == lines


def test_a_record_survives_a_file(tmp_path: Path) -> None:
    lines = finished_lines()
    path = tmp_path / "match.jsonl"
    MatchRecord.parse(lines).save(path)
    assert list(MatchRecord.load(path).lines()) == lines


def test_the_header_carries_every_option_and_the_revision() -> None:
    header = json.loads(finished_lines("uk")[0])
    assert header["rules"] == "uk"
    assert header["revision"] == 1
    assert header["options"]["calza_who"] == "any_but_next"
    assert len(header["options"]) > 30


def test_every_truncation_is_an_error_that_names_the_line() -> None:
    lines = finished_lines("common", players=2)
    for kept in range(len(lines)):
        with pytest.raises(RecordError) as caught:
            MatchRecord.parse(lines[:kept])
        assert caught.value.line == max(kept, 1)
    for number in (1, 2, len(lines)):
        cut = [*lines[: number - 1], lines[number - 1][:-3]]
        with pytest.raises(RecordError, match=f"^line {number}: not a whole line of JSON"):
            MatchRecord.parse(cut)


def test_an_interrupted_record_is_read_when_asked_for() -> None:
    lines = finished_lines()[:9]
    assert not MatchRecord.parse(lines, unfinished=True).finished


@pytest.mark.parametrize(
    "event, change, problem",
    [
        ("deal", {"dice": ["77777", "11111", "11111"]}, "is not a hand of 5 dice"),
        ("deal", {"dice": ["1"]}, "a list of 3 hands"),
        ("deal", {"opener": 9}, "is not a seat with dice"),
        ("act", {"seat": 7}, "to act"),
        ("act", {"action": "99x9"}, "is not a bid"),
        ("act", {"action": "doubt"}, "there is no pass to doubt"),
        ("act", {"action": 3}, "needs an action as text"),
        ("result", {"count": 77}, "count is 77, but replayed it is"),
        ("result", {"event": "act"}, "should be the result"),
        ("end", {"payoffs": [0, 0, 0]}, "payoffs is"),
        ("end", {"event": "coda"}, "unknown"),
        ("act", {"n": 99}, "event number 99 should be"),
    ],
)
def test_corruption_is_named(event: str, change: dict[str, object], problem: str) -> None:
    lines = finished_lines()
    place = next(i for i, line in enumerate(lines) if f'"event":"{event}"' in line)
    lines[place] = json.dumps({**json.loads(lines[place]), **change})
    with pytest.raises(RecordError, match=f"^line {place + 1}: ") as caught:
        MatchRecord.parse(lines)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"record": 2}, "record version 2"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"revision": 5}, "rules revision 5"),
        ({"players": "me"}, "players should be a list"),
        ({"players": ["me"]}, "1 players cannot play"),
        ({"options": {"jokers": 2}}, "option 'jokers' is unknown to this version"),
        ({"start": {"colour": "red"}}, "does not know"),
        ({"start": {"dice": [9, 9, 9]}}, "cannot be played"),
    ],
)
def test_a_bad_header_is_named(change: dict[str, object], problem: str) -> None:
    lines = finished_lines()
    lines[0] = json.dumps({**json.loads(lines[0]), **change})
    with pytest.raises(RecordError, match=r"^line 1: ") as caught:
        MatchRecord.parse(lines)
    assert problem in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"[]\n", b"\xff\xfe", b"null\n", b"{}\n"])
def test_what_is_not_a_record_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "noise"
    path.write_bytes(content)
    with pytest.raises(PerudoError):
        MatchRecord.load(path)
    with pytest.raises(PerudoError, match="cannot read"):
        MatchRecord.load(tmp_path / "absent")


def test_a_transcript_reads_like_the_match() -> None:
    text = MatchRecord.parse(finished_lines("common", players=2)).transcript()
    first, *rounds, last = text.splitlines()
    assert first.startswith("perudo, common: A player 0, B player 1")
    assert all("dudo" in line and "loses a die" in line for line in rounds)
    assert rounds[-1].endswith("wins")
    assert last == "end"
