"""The files of an SQLite database: one lock, one line about damage, one reader, no leftovers."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from perudo.cli.app import main
from perudo.games.errors import PerudoError
from perudo.server.db import backups, schema
from perudo.server.db.backups import back_up
from perudo.server.db.engine import migrate, open_engine
from perudo.server.db.store import Store
from perudo.server.process import run as running
from perudo.server.process import server_lock
from perudo.server.process.server_lock import hold
from server.kit import free_port

NOBODY = 65534


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database with a person in it."""
    return make(tmp_path / "perudo.db")


def make(file: Path, revision: str = "head") -> Path:
    engine = open_engine(f"sqlite:///{file}")
    migrate(engine, revision)
    person = {"id": "a", "kind": "account", "name": "Ada", "name_key": "ada", "created": 1.0}
    person |= {"seen": 1.0, "banned": False, "muted": False}
    with engine.execution_options(writes=True).begin() as connection:
        connection.execute(schema.people.insert(), [person])
    engine.dispose()
    return file


@pytest.fixture
def perudo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command; returns its exit code and what it wrote to standard error."""
    monkeypatch.setattr(running, "set_up", lambda level: None)
    monkeypatch.setattr(server_lock, "WAIT_SECONDS", 0.0)

    def run(*words: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["perudo", *words])
        with pytest.raises(SystemExit) as exit:
            main()
        code = exit.value.code
        assert isinstance(code, int)
        return code, capsys.readouterr().err

    return run


def words_for(command: str, file: Path) -> list[str]:
    """The words of a command on a database."""
    words = {
        "serve": ["serve", "--port", str(free_port())],
        "ban": ["admin", "ban", "Ada"],
        "export": ["admin", "export", "Ada"],
        "backup": ["admin", "backup", str(file.with_name("copy.db"))],
        "migrate": ["admin", "migrate"],
    }
    return [*words[command], "--database", f"sqlite:///{file}"]


COMMANDS = ("serve", "ban", "export", "backup", "migrate")


# --- one lock -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["relative", "dots", "link", "hard link", "linked folder"])
def test_every_name_of_a_file_finds_the_same_lock(
    name: str, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_lock, "WAIT_SECONDS", 0.0)
    folder = database.parent
    monkeypatch.chdir(folder)
    other = {
        "relative": Path("perudo.db"),
        "dots": folder / "x" / ".." / "perudo.db",
        "link": folder / "link.db",
        "hard link": folder / "hard.db",
        "linked folder": folder / "y" / "perudo.db",
    }[name]
    (folder / "x").mkdir()
    (folder / "link.db").symlink_to(database)
    (folder / "hard.db").hardlink_to(database)
    (folder / "y").symlink_to(folder)
    with (
        hold(f"sqlite:///{database}"),
        pytest.raises(PerudoError, match="by another perudo server"),
        hold(f"sqlite:///{other}"),
    ):
        pass
    with hold(f"sqlite:///{other}"):
        pass
    assert not list(folder.glob("*.lock"))


def test_a_server_works_with_the_file_that_it_has_locked(database: Path) -> None:
    with hold(f"sqlite:///{database}"):
        store = Store(f"sqlite:///{database}")
        with store.engine.execution_options(writes=True).begin() as connection:
            connection.execute(schema.people.update().values(banned=True))
        store.close()


# --- one line about damage ----------------------------------------------------------------------
def spoil(file: Path, how: str) -> None:
    size = file.stat().st_size
    if how == "not SQLite":
        file.write_bytes(b"PGDMP is not an SQLite file" * 999)
    elif how == "short":
        file.write_bytes(b"SQLite format 3\x00")
    elif how == "half":
        os.truncate(file, size // 2)
    elif how == "a page":
        with file.open("r+b") as opened:
            opened.seek(2 * 4096)
            opened.write(os.urandom(4096))
    else:
        with sqlite3.connect(file) as connection:
            if how == "newer":
                connection.execute("UPDATE alembic_version SET version_num = '9999'")
            else:
                connection.execute("DROP TABLE alembic_version")
        connection.close()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("how", ["not SQLite", "short", "half", "a page"])
def test_a_damaged_database_gives_one_line(
    how: str, command: str, database: Path, perudo: Any
) -> None:
    spoil(database, how)
    before = database.read_bytes()
    code, said = perudo(*words_for(command, database))
    assert code == 2
    assert said.count("\n") == 1, said
    assert "is damaged" in said
    assert "perudo admin restore" in said
    assert database.read_bytes() == before
    assert not list(database.parent.glob("copy.db*"))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("how", "problem"),
    [("newer", "needs a newer perudo"), ("another's", "belongs to another program")],
)
def test_a_database_of_another_version_or_program_is_left_alone(
    how: str, problem: str, command: str, database: Path, perudo: Any
) -> None:
    spoil(database, how)
    if command == "backup" and how == "newer":
        return  # a copy is right whatever the version
    code, said = perudo(*words_for(command, database))
    assert (code, said.count("\n")) == (2, 1), said
    assert problem in said
    engine = open_engine(f"sqlite:///{database}")
    with engine.connect() as connection:
        assert connection.execute(sa.select(schema.people.c.banned)).scalar() is False
    engine.dispose()


def test_commands_make_no_database_by_mistake(tmp_path: Path, perudo: Any) -> None:
    code, said = perudo(*words_for("ban", tmp_path / "mistyped.db"))
    assert (code, list(tmp_path.iterdir())) == (2, [])
    assert "there is no perudo database" in said


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder that another user can enter; that of a test belongs to its owner."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


@pytest.mark.parametrize("command", ["serve", "ban", "migrate"])
def test_a_file_that_cannot_be_written_gives_one_line(
    command: str, readable: Path, perudo: Any
) -> None:
    file = make(readable / "perudo.db")
    file.chmod(0o444)
    user = os.geteuid()
    if user == 0:  # may write everything
        os.seteuid(NOBODY)
    try:
        code, said = perudo(*words_for(command, file))
    finally:
        os.seteuid(user)
    assert (code, said.count("\n")) == (2, 1), said
    assert "cannot open the database" in said


@pytest.mark.parametrize("how", ["not SQLite", "half", "a page"])
def test_a_damaged_database_is_restored_and_kept(how: str, database: Path, perudo: Any) -> None:
    copy = database.with_name("copy.db")
    assert perudo(*words_for("backup", database)) == (0, "")
    spoil(database, how)
    damaged = database.read_bytes()
    wish = ["admin", "restore", str(copy), "--database", f"sqlite:///{database}"]
    assert perudo(*wish) == (0, "")
    (kept,) = database.parent.glob("perudo.db.damaged-*")
    assert kept.read_bytes() == damaged
    assert perudo(*words_for("export", database)) == (0, "")
    assert mode(kept) == mode(database) == 0o600


# --- one reader ---------------------------------------------------------------------------------
def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_only_the_owner_can_read_a_database_and_its_copies(tmp_path: Path, no_umask: None) -> None:
    file = tmp_path / "perudo.db"
    make(file, "0001")
    store = Store(f"sqlite:///{file}")
    back_up(store.engine, tmp_path / "copy.db")
    with store.engine.execution_options(writes=True).begin() as connection:
        connection.execute(schema.people.update().values(banned=True))
        found = {each.name: mode(each) for each in tmp_path.iterdir()}
    store.close()
    before = next(name for name in found if ".before-" in name)
    assert set(found) == {"perudo.db", "perudo.db-wal", "perudo.db-shm", "copy.db", before}
    assert set(found.values()) == {0o600}


def test_a_file_that_others_can_read_is_closed_to_them(
    database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database.chmod(0o644)
    Store(f"sqlite:///{database}").close()
    assert mode(database) == 0o600
    assert f"others could read {database}; now only its owner can" in caplog.text
    caplog.clear()
    Store(f"sqlite:///{database}").close()
    assert "others" not in caplog.text


def test_a_file_of_another_user_is_named_in_the_log(
    database: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.chmod(0o644)

    def refuse(self: Path, mode: int) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refuse)
    Store(f"sqlite:///{database}").close()
    assert f"others may read {database}, and it belongs to another user" in caplog.text


# --- no leftovers, and the way back -------------------------------------------------------------
def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def test_a_migration_leaves_one_copy_and_nothing_else(tmp_path: Path) -> None:
    file = make(tmp_path / "perudo.db", "0001")
    left = tmp_path / "perudo.db.before-20260101-000000.part"
    for each in (left, left.with_name(left.name + "-wal")):  # by a server that was killed
        each.write_text("half")
    Store(f"sqlite:///{file}").close()
    (copy,) = tmp_path.glob("*.before-*")
    assert names(tmp_path) == {"perudo.db", copy.name}


@pytest.mark.parametrize("moment", ["_copy_file", "check_backup"])
def test_a_copy_that_fails_leaves_nothing(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make(tmp_path / "perudo.db", "0001")
    before = file.read_bytes()
    real = getattr(backups, moment)

    def fail(*places: Path) -> None:
        real(*places)
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(backups, moment, fail)
    with pytest.raises(PerudoError, match="a copy cannot be written"):
        Store(f"sqlite:///{file}")
    assert names(tmp_path) == {"perudo.db"}
    assert file.read_bytes() == before


def test_the_way_back_is_the_copy_made_before_the_upgrade(
    tmp_path: Path, perudo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What docs/hosting.md says about downgrades; "9999" stands for the version after this."""
    file = make(tmp_path / "perudo.db")
    copy = tmp_path / "perudo.db.before-20260101-000000"
    shutil.copyfile(file, copy)
    spoil(file, "newer")
    code, said = perudo(*words_for("serve", file))
    assert code == 2
    assert "NAME.before-DATE" in said
    assert perudo("admin", "restore", str(copy), "--database", f"sqlite:///{file}") == (0, "")
    Store(f"sqlite:///{file}").close()
    (kept,) = set(tmp_path.glob("*.before-*")) - {copy}
    with sqlite3.connect(kept) as connection:
        version = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    connection.close()
    assert version == ("9999",)


def test_a_backup_is_checked_without_files_beside_it(
    database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    folder = database.parent / "backups"
    folder.mkdir()
    engine = open_engine(f"sqlite:///{database}")
    back_up(engine, folder / "copy?1%.db")
    engine.dispose()
    backups.check_backup(folder / "copy?1%.db")
    assert names(folder) == {"copy?1%.db"}
