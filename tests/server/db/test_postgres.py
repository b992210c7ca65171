"""The server on PostgreSQL, with the same code and the same tests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from perudo.games.errors import PerudoError
from perudo.server.db.engine import open_engine
from perudo.server.process import run as running
from perudo.server.process import server_lock
from perudo.server.process.server_lock import hold
from server import kit
from server.history import test_ratings as test_ladder
from server.http import test_odd_text, test_security
from server.people import test_bots, test_people
from server.rooms import test_dealing, test_quotas, test_tables
from server.rooms.test_failing_writes import at_a_table
from server.services import postgres, wait_for
from server.table import test_invitations

pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'perudo[postgres]'")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with postgres() as address:
        yield address


@pytest.fixture
def fresh(cluster: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Each directory of a test has a database of its own, and copies of it are kept there."""
    monkeypatch.chdir(tmp_path)
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


def test_the_table_goes_on_when_connections_to_the_database_were_lost(
    fresh: None, tmp_path: Path
) -> None:
    async def main() -> None:
        async with kit.site(kit.settings_for(tmp_path)) as here:
            table, players = await at_a_table(here)
            acting = next(p for p in players if p.asked(table))
            action = acting.asked(table)[0]
            await asyncio.to_thread(end_connections, here.settings.database)
            refused = await acting.act(table, action, move="mine")
            assert (refused["type"], refused["code"]) == ("error", "try_again")
            while (done := await acting.act(table, action, move="mine"))["type"] == "error":
                assert done["code"] == "try_again"
                await asyncio.sleep(0.05)
            for player in players:
                await player.open(table)
            await kit.play_out(players, table)

    asyncio.run(main())


def end_connections(database: str, which: str = "true") -> None:
    """Have the database end every connection but this one, or some of them."""
    others = f"datname = current_database() AND pid <> pg_backend_pid() AND {which}"
    query = sa.text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
    engine = open_engine(database)
    with engine.connect() as connection:
        assert connection.execute(query).all()
    engine.dispose()


def refusal(database: str, shared: bool = False) -> str:
    """Return the error of a server started on the database; empty if it would run."""
    try:
        with hold(database, shared):
            return ""
    except PerudoError as error:
        return str(error)


HOLDER = "pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)"
IN_USE = "by another perudo server; stop that first, or give the same --redis to both"


def test_a_second_server_needs_redis_like_the_first(
    fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server_lock, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr(running, "set_up", lambda level: None)
    settings = kit.settings_for(tmp_path)
    database = settings.database
    with hold(database):
        assert IN_USE in refusal(database)
        assert IN_USE in refusal(database, shared=True)
        with pytest.raises(PerudoError, match=IN_USE):
            running.run(settings)
        assert not refusal(kit.settings_for(tmp_path / "other").database)
    with hold(database, shared=True):
        assert not refusal(database, shared=True)
        assert IN_USE in refusal(database)
    assert not refusal(database)
    nowhere = f"postgresql://perudo@127.0.0.1:{kit.free_port()}/postgres"
    assert "cannot open the database" in refusal(nowhere)


def test_the_lock_is_taken_again_when_the_connection_was_lost(
    fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server_lock, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr(server_lock, "LOOK_SECONDS", 0.05)
    database = kit.settings_for(tmp_path).database
    engine = open_engine(database)
    rival = engine.connect()
    with hold(database):
        end_connections(database, HOLDER)
        wait_for(lambda: IN_USE in refusal(database))
        assert "cannot check the lock" in caplog.text
        assert "uses this database too" not in caplog.text
        # Whoever waits for the lock gets it at once when it is lost: that is said, and no more.
        wish = sa.select(sa.func.pg_advisory_lock(server_lock.SERVING))
        waiting = threading.Thread(target=rival.execute, args=(wish,))
        waiting.start()
        wait_for(lambda: waits(database))
        end_connections(database, HOLDER)
        waiting.join()
        wait_for(lambda: "uses this database too" in caplog.text)
        rival.invalidate()
        wait_for(lambda: IN_USE in refusal(database))
    rival.close()
    engine.dispose()
    assert not refusal(database)


def waits(database: str) -> bool:
    """Return True if a connection waits for a lock."""
    engine = open_engine(database)
    with engine.connect() as connection:
        found = connection.execute(sa.text("SELECT 1 FROM pg_locks WHERE NOT granted")).all()
    engine.dispose()
    return bool(found)


def test_nothing_waits_for_the_lock(fresh: None, tmp_path: Path) -> None:
    """It is an open transaction for months: it must not keep old rows from being cleared away."""
    database = kit.settings_for(tmp_path).database
    query = sa.text(
        "SELECT backend_xid, backend_xmin FROM pg_stat_activity "
        "WHERE datname = current_database() AND state = 'idle in transaction'"
    )
    engine = open_engine(database)
    with hold(database), engine.connect() as connection:
        assert connection.execute(query).all() == [(None, None)]
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
        test_people.test_a_host_resets_bans_and_mutes,
        test_people.test_a_host_makes_accounts_where_nobody_else_can,
        test_people.test_a_person_is_exported_and_erased,
        test_people.test_old_casual_games_are_forgotten,
        test_ladder.test_the_same_two_again_count_less_each_time,
        test_invitations.test_an_invitation_is_good_after_a_restart,
        test_invitations.test_tables_from_before_there_were_keys_get_one,
        test_quotas.test_games_of_ais_alone_are_counted_however_the_table_came_to_be,
        test_odd_text.test_odd_text_over_http_is_no_error_of_the_server,
        test_odd_text.test_a_name_whose_key_is_too_long_is_refused,
        test_odd_text.test_odd_text_over_the_websocket_is_refused,
        test_security.test_the_http_api_answers_anything_without_breaking,
    ],
)
def test_on_postgresql(test: Callable[..., Any], fresh: None, tmp_path: Path) -> None:
    test(tmp_path)
