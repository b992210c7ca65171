"""Playthroughs and records that must not change unnoticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden_options import record_lines
from perudo.games import games
from perudo.record import MatchRecord
from playthrough import GOLDEN, playthrough

PACKAGED = {
    name: game for name, game in games().items() if type(game).__module__.startswith("perudo.")
}
RECORDS = sorted((GOLDEN / "records").glob("*.jsonl"))


@pytest.mark.parametrize("name", PACKAGED)
def test_every_game_plays_as_its_golden_playthrough(name: str) -> None:
    golden = GOLDEN / f"{name}.txt"
    assert golden.exists(), f"{name} has no golden playthrough; run python tests/playthrough.py"
    assert playthrough(PACKAGED[name]) == golden.read_text(encoding="utf-8")


def test_every_game_has_a_golden_record() -> None:
    assert {path.name.split("-")[0] for path in RECORDS} >= set(PACKAGED)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_released_records_replay_forever(path: Path) -> None:
    record = MatchRecord.load(path)
    assert list(record.lines()) == record_lines(path)
