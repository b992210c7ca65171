"""Keep the processor time that people have used, and who waits for which review."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of processor time, and add the columns of the line of reviews."""
    op.create_table(
        "ai_time",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_ai_time")),
    )
    op.add_column("reviews", sa.Column("person", sa.String(32)))
    op.add_column("reviews", sa.Column("position", sa.Integer))
