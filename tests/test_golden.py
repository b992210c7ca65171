"""Playthroughs and records that must not change unnoticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden_options import record_lines
from perudo.record import MatchRecord
from playthrough import GOLDEN, RECORDS, packaged_games, playthrough, recorded_games

PACKAGED = packaged_games()


@pytest.mark.parametrize("name", PACKAGED)
def test_every_game_plays_as_its_golden_playthrough(name: str) -> None:
    golden = GOLDEN / f"{name}.txt"
    assert golden.exists(), f"{name} has no golden playthrough; run python tests/playthrough.py"
    assert playthrough(PACKAGED[name]) == golden.read_text(encoding="utf-8")


def test_every_game_has_a_golden_record() -> None:
    assert recorded_games() >= set(PACKAGED), "run python tests/playthrough.py"


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_released_records_replay_forever(path: Path) -> None:
    record = MatchRecord.load(path)
    assert list(record.lines()) == record_lines(path)
