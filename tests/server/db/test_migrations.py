"""The migrations make the tables that the schema names."""

from __future__ import annotations

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from perudo.server.db import schema
from perudo.server.db.engine import migrate, open_engine


def test_a_migrated_database_is_the_schema(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'perudo.db'}")
    try:
        migrate(engine)
        with engine.connect() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            assert compare_metadata(context, schema.metadata) == []
    finally:
        engine.dispose()
