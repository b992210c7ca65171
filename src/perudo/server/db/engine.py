"""Database engines, and migrations between schema versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from perudo.games.errors import PerudoError
from perudo.server.db.files import check_sound, create_private, sqlite_file

READERS = 4
"""Number of threads that read."""
MIGRATING = 7_304_117
"""Key of the PostgreSQL lock under which one of several processes migrates the database."""
MIGRATIONS = Path(__file__).with_name("migrations")


def open_engine(address: str) -> Engine:
    """Return an engine whose connections have the settings that durability needs."""
    if address.startswith("postgresql://"):
        address = address.replace("postgresql://", "postgresql+psycopg://", 1)
    try:
        # Parameters of statements may be secret, and errors are logged.
        engine = sa.create_engine(
            address, pool_size=READERS + 2, max_overflow=4, hide_parameters=True
        )
    except (sa.exc.ArgumentError, ModuleNotFoundError) as error:
        raise PerudoError(f"--database: {error}; use sqlite:///file or postgresql://...") from None
    if engine.dialect.name == "sqlite":

        def create_file(*connecting: object) -> None:
            try:
                create_private(sqlite_file(engine))
            except OSError as error:
                raise PerudoError(f"cannot open the database: {error}") from None

        sa.event.listen(engine, "do_connect", create_file)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy says so
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "busy_timeout=10000",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # In a deferred transaction, a write after a read fails if another has written meanwhile.
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def migrate(engine: Engine, revision: str = "head") -> None:
    """Migrate the database to a revision, by default this version's."""
    from alembic import command

    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATING)))
        command.upgrade(_alembic(connection), revision)
        connection.commit()


def pending_migrations(engine: Engine) -> bool:
    """Return True if the database is older than this program, and not empty.

    Raise if it is newer, or another program's.
    """
    with engine.connect() as connection:
        current = revision_of(connection)
    return current is not None and is_old(current)


def check_current(engine: Engine) -> None:
    """Raise unless the database exists, is sound, and has this program's version."""
    revision = None
    if engine.dialect.name != "sqlite" or sqlite_file(engine).exists():
        check_sound(engine)
        with engine.connect() as connection:
            revision = revision_of(connection)
    if revision is None:
        raise PerudoError(
            f"there is no perudo database {engine.url.database}; 'perudo serve' makes one, and so "
            "does 'perudo admin migrate'"
        )
    if is_old(revision):
        raise PerudoError(
            f"the database has the older version {revision}; start the new server, or run "
            "'perudo admin migrate'"
        )


def is_old(revision: str) -> bool:
    """Return True if a revision is older than this program's; raise if it is unknown, so newer."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(MIGRATIONS))
    if revision not in {script.revision for script in scripts.walk_revisions()}:
        raise PerudoError(
            f"the database has version {revision}: it needs a newer perudo. To go back to this "
            "one, restore the copy that was made before the upgrade (NAME.before-DATE) with "
            "'perudo admin restore'"
        )
    return revision != scripts.get_current_head()


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None if it is empty.

    Raise if it is another program's SQLite file.
    """
    from alembic.runtime.migration import MigrationContext

    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is None and connection.dialect.name == "sqlite":
        if sa.inspect(connection).get_table_names():
            raise PerudoError(f"{sqlite_file(connection.engine)} belongs to another program")
    return revision


def _alembic(connection: Connection) -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config
