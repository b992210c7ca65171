"""Give invitation keys to older tables with seats by invitation."""

from __future__ import annotations

import json
import secrets

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

events = sa.table(
    "events", *(sa.column(name) for name in ("table_id", "n", "kind", "data", "hidden"))
)


def upgrade() -> None:
    """Draw the missing keys; links shared earlier do not contain them."""
    connection = op.get_bind()
    opened = sa.select(events.c.table_id, events.c.n, events.c.data).where(
        events.c.kind == "opened", events.c.data.contains("invited")
    )
    for row in connection.execute(opened).all():
        seats = json.loads(row.data)["options"]["seats"]
        if any(seat["kind"] == "invited" for seat in seats):
            connection.execute(
                events.update()
                .where(events.c.table_id == row.table_id, events.c.n == row.n)
                .values(hidden=json.dumps({"key": secrets.token_urlsafe(16)}))
            )
