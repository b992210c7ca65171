"""Backups of either kind of database, restored into either, and made before a migration."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from perudo.cli.app import app
from perudo.games.errors import PerudoError
from perudo.server.db import schema
from perudo.server.db.backups import back_up, check_backup, copy_beside, restore
from perudo.server.db.engine import migrate, open_engine
from perudo.server.db.store import Store
from server.services import postgres

pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'perudo[postgres]'")

PEOPLE = [
    {"id": "a", "kind": "account", "name": "Ada é 🎲", "name_key": "ada", "banned": False},
    {"id": "b", "kind": "bot", "name": "Bob", "name_key": "bob", "owner": "a", "banned": True},
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with postgres() as address:
        yield address


@pytest.fixture
def database(cluster: str, tmp_path: Path) -> Iterator[str]:
    """An empty PostgreSQL database."""
    name = f"backup_{abs(hash(str(tmp_path))) % 10**12}"
    engine = open_engine(cluster).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    yield cluster.rpartition("/")[0] + f"/{name}"
    engine.dispose()


def admin(database: str, *words: str) -> str:
    result = CliRunner().invoke(app, ["admin", *words, "--database", database])
    if isinstance(result.exception, PerudoError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def fill(database: str, events: int = 2500) -> None:
    """Fill a database with a person, a table, and more events than one batch of a copy."""
    engine = open_engine(database)
    migrate(engine)
    usual = {"created": 1.5, "seen": 2.25, "muted": False, "owner": None}
    with engine.execution_options(writes=True).begin() as connection:
        connection.execute(schema.people.insert(), [{**usual, **person} for person in PEOPLE])
        connection.execute(
            schema.tables.insert().values(
                id="t",
                creator="a",
                status="closed",
                private=True,
                summary="{}",
                created=1,
                updated=2,
            )
        )
        rows = [
            {"table_id": "t", "n": n, "at": n / 8, "kind": "said", "data": "{}", "hidden": None}
            for n in range(events)
        ]
        connection.execute(schema.events.insert(), rows)
    engine.dispose()


def content(database: str) -> dict[str, list[Any]]:
    engine = open_engine(database)
    with engine.connect() as connection:
        found = {
            name: sorted(map(repr, connection.execute(sa.select(table))))
            for name, table in schema.metadata.tables.items()
        }
    engine.dispose()
    return found


def test_postgresql_is_copied_and_restored(database: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    fill(database)
    before = content(database)
    copy = tmp_path / "copy.db"
    admin(database, "backup", str(copy))
    assert content(f"sqlite:///{copy}") == before
    with pytest.raises(PerudoError, match="already exists"):
        admin(database, "backup", str(copy))

    admin(database, "ban", "Ada")  # later it all goes wrong
    engine = open_engine(database)
    with engine.begin() as connection:
        connection.execute(schema.events.delete().where(schema.events.c.n >= 10))
    engine.dispose()
    spoilt = content(database)
    assert spoilt != before
    said = admin(database, "restore", str(copy))
    assert content(database) == before
    (kept,) = tmp_path.glob("backup_*.before-*.db")
    assert str(kept) in said
    assert content(f"sqlite:///{kept}") == spoilt


def test_a_backup_moves_from_one_kind_of_database_to_the_other(
    database: str, tmp_path: Path
) -> None:
    file = f"sqlite:///{tmp_path / 'perudo.db'}"
    fill(file, events=3)
    admin(file, "backup", str(tmp_path / "copy.db"))
    said = admin(database, "restore", str(tmp_path / "copy.db"))  # it was empty: nothing is kept
    assert "previous database" not in said
    assert content(database) == content(file)
    admin(database, "backup", str(tmp_path / "back.db"))
    other = f"sqlite:///{tmp_path / 'other.db'}"
    admin(other, "restore", str(tmp_path / "back.db"))
    assert content(other) == content(file)


def test_postgresql_is_copied_before_a_migration(
    database: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    old = open_engine(database)
    migrate(old, "0001")
    with old.begin() as connection:
        person = {"created": 1.0, "seen": 1.0, "muted": False, "owner": None, **PEOPLE[0]}
        connection.execute(schema.people.insert(), [person])
    old.dispose()
    Store(database).close()
    (kept,) = tmp_path.glob("*.before-*.db")
    with sqlite3.connect(kept) as copy:
        assert copy.execute("SELECT name FROM people").fetchall() == [(PEOPLE[0]["name"],)]
        assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
    copy.close()
    Store(database).close()  # nothing to do any more
    assert len(list(tmp_path.glob("*.before-*.db"))) == 1
    admin(database, "restore", str(kept))  # an old backup is brought to this version
    assert "Ada" in content(database)["people"][0]


def test_no_migration_without_a_copy(database: str, tmp_path: Path, monkeypatch: Any) -> None:
    old = open_engine(database)
    migrate(old, "0001")
    with old.connect() as connection:
        place = tmp_path / "gone"
        place.mkdir()
        monkeypatch.chdir(place)
        place.rmdir()  # no file can be made here, not even by root
        monkeypatch.setattr(Path, "cwd", lambda: place)
        with pytest.raises(PerudoError, match="perudo admin migrate --no-backup"):
            Store(database)
        version = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
        assert version == "0001"
    old.dispose()
    os.chdir(tmp_path)
    admin(database, "migrate", "--no-backup")
    Store(database).close()


@pytest.mark.parametrize("problem", ["nothing", "another program", "half", "newer"])
def test_what_is_not_a_backup_changes_nothing(
    problem: str, database: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    fill(database, events=3)
    before = content(database)
    path = tmp_path / "given.db"
    engine = open_engine(database)
    back_up(engine, path)
    if problem == "nothing":
        path.write_bytes(b"PGDMP not an SQLite file" * 100)
    elif problem == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        with sqlite3.connect(path) as given:
            if problem == "newer":
                given.execute("UPDATE alembic_version SET version_num = '9999'")
            else:
                given.execute("DROP TABLE alembic_version")
        given.close()
        if problem == "newer":
            check_backup(path)  # it is whole, but not for this program
    file = f"sqlite:///{tmp_path / 'perudo.db'}"
    fill(file, events=3)
    with pytest.raises(PerudoError, match=r"is not a backup|damaged|needs a newer"):
        admin(file, "restore", str(path))
    assert content(file) == before
    with pytest.raises(PerudoError, match=r"is not a backup|damaged|needs a newer"):
        restore(engine, path)
    engine.dispose()
    assert content(database) == before


def test_two_copies_within_a_second_are_both_kept(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("time.strftime", lambda form: "20260101-000000")
    database = f"sqlite:///{tmp_path / 'here.db'}"
    fill(database, 1)
    engine = open_engine(database)
    copies = {copy_beside(engine) for _ in range(3)}
    engine.dispose()
    assert len(copies) == 3
    assert len({check_backup(copy) for copy in copies}) == 1
