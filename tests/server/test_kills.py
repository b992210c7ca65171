"""A killed server loses nothing; the full run is ``python benchmarks/kills.py``."""

from __future__ import annotations

import asyncio
from pathlib import Path

from kills import run


def test_no_acknowledged_move_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'kills.db'}"
    report = asyncio.run(run(kills=2, tables=2, database=database))
    assert report.kills == 2
    assert report.acknowledged
