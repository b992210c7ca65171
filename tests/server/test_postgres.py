"""The same service on PostgreSQL: the same code, and the same tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from perudo.server.store import open_engine
from server import kit, test_bots, test_dealing, test_people, test_tables
from server.services import postgres

pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'perudo[postgres]'")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with postgres() as address:
        yield address


@pytest.fixture
def fresh(cluster: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each directory of a test has a database of its own."""
    made: dict[Path, str] = {}
    engine = open_engine(cluster).execution_options(isolation_level="AUTOCOMMIT")

    def database_at(path: Path) -> str:
        if path not in made:
            name = f"test_{abs(hash(str(path))) % 10**12}"
            with engine.connect() as connection:
                connection.execute(sa.text(f"CREATE DATABASE {name}"))
            made[path] = cluster.rpartition("/")[0] + f"/{name}"
        return made[path]

    monkeypatch.setattr(kit, "database_at", database_at)
    yield
    engine.dispose()


@pytest.mark.parametrize(
    "test",
    [
        test_tables.test_two_guests_play_a_game_to_its_end,
        test_tables.test_what_is_stale_illegal_or_repeated_changes_nothing,
        test_tables.test_a_game_goes_on_after_a_restart_where_it_stopped,
        test_dealing.test_answers_in_the_window_survive_a_restart,
        test_dealing.test_a_series_of_ais_plays_itself_and_a_rematch_begins_another,
        test_bots.test_bots_meet_in_the_queue_and_are_rated,
        test_people.test_sessions_can_be_ended,
    ],
)
def test_on_postgresql(test: Callable[..., Any], fresh: None, tmp_path: Path) -> None:
    test(tmp_path)
