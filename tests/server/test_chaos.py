"""Everything at once for a few seconds; the full run is ``python benchmarks/chaos.py``."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import sqlalchemy as sa
from chaos import ONE, Chaos, Options, plan
from chaos_model import Difference, Secrets, Seen, check_acknowledged, check_log, view_difference

from perudo.server.db import schema
from perudo.server.db.engine import open_engine
from perudo.server.settings import Settings

SHORT = Options(seconds=14, quiet=2, every=7, ending=4, tables=4, slow=1)


def test_the_seed_determines_the_faults() -> None:
    assert plan(Options(seed=7)) == plan(Options(seed=7)) != plan(Options(seed=8))
    assert {fault.kind for cycle in plan(SHORT) for fault in cycle} == set(ONE)


def test_nothing_is_lost_leaked_or_uncaught_in_chaos(tmp_path: Path) -> None:
    result = asyncio.run(Chaos(SHORT, tmp_path).run())
    assert result.faults["kill"] >= 1
    assert result.moves
    assert result.frames
    assert result.counts.visits["malformed frames"]
    assert len(result.lines()) == 10

    # The model would have found a difference in the same database.
    engine = open_engine(f"sqlite:///{tmp_path / 'chaos.db'}")
    events = schema.events.c
    with engine.connect() as connection:
        deals = sa.select(schema.events).where(events.kind == "deal").order_by(events.n)
        deal = connection.execute(deals).first()
        assert deal is not None
        table, n, dice = deal.table_id, deal.n, json.loads(deal.data)["record"]["dice"]
        check_acknowledged(connection, [])
        with pytest.raises(Difference, match="is stored as None"):
            check_acknowledged(connection, [(table, "never made", n)])
        secrets = Secrets(connection, table)
        assert secrets.leak(0, n, f'{{"dice":"{dice[0]}"}}') is None
        assert f"the dice {dice[1]} of seat 1" in str(secrets.leak(0, n, f'{{"x":"{dice[1]}"}}'))
        assert f"the dice {dice[1]}" in str(secrets.leak(-1, n, f'{{"x":"{dice[1]}"}}'))
        secret = secrets.secrets[0].dice
        assert "the secret of the game" in str(secrets.leak(0, n, secret))
        behind = Seen("someone", table, "nobody", n=n)
        assert f"someone has event {n}" in str(view_difference(connection, behind, Settings()))
    engine.dispose()


def test_the_model_finds_what_a_client_was_not_sent() -> None:
    seen = Seen("someone", "t", "p", n=3)
    told = {"type": "events", "n": 5, "events": [{"n": 5, "kind": "act"}], "view": None}
    with pytest.raises(Difference, match=r"had event 3 of t, got \[5\]"):
        seen.take(told, "")


def test_the_model_finds_uncaught_exceptions() -> None:
    line = json.dumps({"level": "error", "message": "x", "error": "... NotStored: events"})
    check_log([line], storage_failed=True)
    with pytest.raises(Difference, match="NotStored"):
        check_log([line], storage_failed=False)
    with pytest.raises(Difference, match="Traceback"):
        check_log(["Traceback (most recent call last):"], storage_failed=True)
