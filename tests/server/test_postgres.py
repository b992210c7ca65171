"""The same service on PostgreSQL: the same code, and the same tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from perudo.server.store import open_engine
from server import (
    kit,
    test_bots,
    test_dealing,
    test_invitations,
    test_ladder,
    test_people,
    test_quotas,
    test_tables,
)
from server.services import postgres
from server.test_failing_writes import at_a_table

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


def end_connections(database: str) -> None:
    """Have the database end every connection but this one."""
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    query = sa.text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
    engine = open_engine(database)
    with engine.connect() as connection:
        assert connection.execute(query).all()
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
    ],
)
def test_on_postgresql(test: Callable[..., Any], fresh: None, tmp_path: Path) -> None:
    test(tmp_path)
