"""``perudo admin``: manage a server's accounts and database."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy.engine import Connection, Engine

from perudo.games.errors import PerudoError
from perudo.server.db import retention
from perudo.server.db.backups import back_up, migrate_safely
from perudo.server.db.backups import restore as restore_backup
from perudo.server.db.engine import check_current, open_engine, pending_migrations
from perudo.server.db.engine import migrate as migrate_database
from perudo.server.db.files import one_line_errors
from perudo.server.people import moderation, personal_data
from perudo.server.process.server_lock import hold
from perudo.server.settings import Settings

admin = typer.Typer(
    name="admin",
    help="Manage a server's accounts and database.\n\n"
    "The server may keep running, except for restore and migrate.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Database = Annotated[
    str, typer.Option("--database", envvar="PERUDO_DATABASE", help="URL, as for perudo serve.")
]
DEFAULT_DATABASE = Settings.database
Who = Annotated[str, typer.Argument(help="Name or id of an account or bot.")]
Off = Annotated[bool, typer.Option("--off", help="Lift it again.")]


@contextmanager
def _engine(database: str) -> Iterator[Engine]:
    engine = open_engine(database)
    try:
        with one_line_errors(engine):
            yield engine
    finally:
        engine.dispose()


@contextmanager
def _reading(database: str) -> Iterator[Connection]:
    with _engine(database) as engine:
        check_current(engine)
        with engine.connect() as connection:
            yield connection


@contextmanager
def _changing(database: str) -> Iterator[Connection]:
    with _engine(database) as engine:
        check_current(engine)
        with engine.execution_options(writes=True).begin() as connection:
            yield connection


@admin.command()
def backup(
    target: Annotated[Path, typer.Argument(help="File to write.")],
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Copy the database while in use; check the copy."""
    with _engine(database) as engine:
        back_up(engine, target)
    print(f"the backup is in {target}")


@admin.command()
def restore(
    source: Annotated[Path, typer.Argument(help="Backup file.")],
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Restore a backup. Stop the server first; the current database is kept under another name."""
    with _engine(database) as engine, hold(database):
        kept = restore_backup(engine, source)
    print(f"restored from {source}" + (f"; the previous database is now {kept}" if kept else ""))


@admin.command()
def migrate(
    database: Database = DEFAULT_DATABASE,
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Skip the backup.")] = False,
) -> None:
    """Back up the database and upgrade it. perudo serve does the same when it starts."""
    with _engine(database) as engine, hold(database):
        kept = None
        if no_backup:
            pending_migrations(engine)
            migrate_database(engine)
        else:
            kept = migrate_safely(engine)
    print("the database is up to date" + (f"; the backup is in {kept}" if kept else ""))


@admin.command("new-account")
def new_account(
    name: Annotated[str, typer.Argument(help="Name of the new account.")],
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Create an account, even if registration is closed. Prints its password and codes."""
    with _changing(database) as connection:
        password, codes = moderation.new_account(connection, name, time.time())
    print(password, "recovery codes:", *codes, sep="\n")


@admin.command("reset-password")
def reset_password(who: Who, database: Database = DEFAULT_DATABASE) -> None:
    """Give an account a new password. Prints the password and ends the account's sessions."""
    with _changing(database) as connection:
        password = moderation.reset_password(connection, who)
    print(password)


@admin.command()
def ban(who: Who, off: Off = False, database: Database = DEFAULT_DATABASE) -> None:
    """Ban a person and all their bots."""
    with _changing(database) as connection:
        moderation.set_banned(connection, who, not off)
    print(f"{who} is {'no longer banned' if off else 'banned'}")


@admin.command()
def mute(who: Who, off: Off = False, database: Database = DEFAULT_DATABASE) -> None:
    """Mute a person, so that no one sees their chat."""
    with _changing(database) as connection:
        moderation.set_muted(connection, who, not off)
    print(f"{who} is {'no longer muted' if off else 'muted'}")


@admin.command()
def export(who: Who, database: Database = DEFAULT_DATABASE) -> None:
    """Print all stored data about a person, as JSON."""
    with _reading(database) as connection:
        json.dump(personal_data.export_person(connection, who), sys.stdout, indent=1)
    print()


@admin.command()
def erase(
    who: Who,
    yes: Annotated[bool, typer.Option("--yes", help="Confirm; this cannot be undone.")] = False,
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Erase a person's data. Their games stay, without name and chat."""
    if not yes:
        raise PerudoError("this cannot be undone; add --yes to confirm")
    with _changing(database) as connection:
        personal_data.erase_person(connection, who)
    print(f"{who} is erased")


@admin.command()
def forget(
    days: Annotated[int, typer.Option("--days", help="Minimum age in days.", min=1)],
    database: Database = DEFAULT_DATABASE,
) -> None:
    """Delete old unrated tables and idle guests."""
    with _changing(database) as connection:
        gone = retention.forget_old(connection, days, time.time())
    print(f"deleted {gone['tables']} tables and {gone['guests']} guests")
