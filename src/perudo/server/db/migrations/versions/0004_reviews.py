"""Store reviews of finished games, so that every process can read them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of reviews."""
    op.create_table(
        "reviews",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("agents", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("decisions", sa.Text, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False),
        sa.Column("problem", sa.Text),
        sa.Column("code", sa.String(16)),
        sa.Column("updated", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviews")),
    )
