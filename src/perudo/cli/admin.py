"""``perudo admin``: what a host does beside serving."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

admin = typer.Typer(
    name="admin",
    help="Look after a service's database; the server may be running.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Database = Annotated[
    str, typer.Option("--database", envvar="PERUDO_DATABASE", help="As for perudo serve.")
]
USUAL = "sqlite:///perudo.db"
Who = Annotated[str, typer.Argument(help="The name of an account or bot, or an id.")]
Off = Annotated[bool, typer.Option("--off", help="Take it back.")]


@contextmanager
def _engine(database: str) -> Iterator[Engine]:
    from perudo.server.db.engine import open_engine

    engine = open_engine(database)
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def _changing(database: str) -> Iterator[Connection]:
    with _engine(database) as engine, engine.execution_options(writes=True).begin() as connection:
        yield connection


@admin.command()
def backup(
    target: Annotated[Path, typer.Argument(help="The file to write.")], database: Database = USUAL
) -> None:
    """Copy the database while it is in use, and check the copy."""
    from perudo.server.db.backups import back_up

    with _engine(database) as engine:
        back_up(engine, target)
    print(f"the backup is in {target}")


@admin.command()
def restore(
    source: Annotated[Path, typer.Argument(help="A backup.")], database: Database = USUAL
) -> None:
    """Put a backup in the database's place. Stop the server first; what was there is kept."""
    from perudo.server.db.backups import restore as put_back
    from perudo.server.process.server_lock import hold

    with _engine(database) as engine, hold(database):
        kept = put_back(engine, source)
    print(f"restored from {source}" + (f"; what was there is in {kept}" if kept else ""))


@admin.command()
def migrate(
    database: Database = USUAL,
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Do not copy it before.")] = False,
) -> None:
    """Bring the database to this version, after a backup. ``perudo serve`` does it too."""
    from perudo.server.db.backups import migrate_safely
    from perudo.server.db.engine import migrate as bring

    with _engine(database) as engine:
        kept = None
        if no_backup:
            bring(engine)
        else:
            kept = migrate_safely(engine)
    print("the database is up to date" + (f"; the backup is in {kept}" if kept else ""))


@admin.command("new-account")
def new_account(
    name: Annotated[str, typer.Argument(help="What they want to be called.")],
    database: Database = USUAL,
) -> None:
    """Make an account, also where registration is closed; prints its password and codes."""
    import time

    from perudo.server.people import moderation

    with _changing(database) as connection:
        password, codes = moderation.new_account(connection, name, time.time())
    print(password, "recovery codes:", *codes, sep="\n")


@admin.command("reset-password")
def reset_password(who: Who, database: Database = USUAL) -> None:
    """Give an account a new password, which is printed; its sessions end."""
    from perudo.server.people import moderation

    with _changing(database) as connection:
        password = moderation.reset_password(connection, who)
    print(password)


@admin.command()
def ban(who: Who, off: Off = False, database: Database = USUAL) -> None:
    """Let somebody in no longer, with all their bots."""
    from perudo.server.people import moderation

    with _changing(database) as connection:
        moderation.set_banned(connection, who, not off)
    print(f"{who} is {'let in again' if off else 'banned'}")


@admin.command()
def mute(who: Who, off: Off = False, database: Database = USUAL) -> None:
    """Let somebody's free text through nowhere."""
    from perudo.server.people import moderation

    with _changing(database) as connection:
        moderation.set_muted(connection, who, not off)
    print(f"{who} is {'heard again' if off else 'muted'}")


@admin.command()
def export(who: Who, database: Database = USUAL) -> None:
    """Print everything that is stored about somebody, as JSON."""
    from perudo.server.people import personal_data

    with _engine(database) as engine, engine.connect() as connection:
        json.dump(personal_data.export_person(connection, who), sys.stdout, indent=1)
    print()


@admin.command()
def erase(
    who: Who,
    yes: Annotated[bool, typer.Option("--yes", help="Really: it cannot be undone.")] = False,
    database: Database = USUAL,
) -> None:
    """Forget who somebody was; their games stay, without name and words."""
    from perudo.games.errors import PerudoError
    from perudo.server.people import personal_data

    if not yes:
        raise PerudoError("this cannot be undone; say --yes")
    with _changing(database) as connection:
        personal_data.erase_person(connection, who)
    print(f"{who} is erased")


@admin.command()
def forget(
    days: Annotated[int, typer.Option("--days", help="Older than this.", min=1)],
    database: Database = USUAL,
) -> None:
    """Delete unrated tables and idle guests that are older than some days."""
    import time

    from perudo.server.db import retention

    with _changing(database) as connection:
        gone = retention.forget_old(connection, days, time.time())
    print(f"deleted {gone['tables']} tables and {gone['guests']} guests")
