"""Record which of several processes owns each table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the owner and fence of tables, and a table of processes."""
    op.add_column("tables", sa.Column("owner", sa.String(length=32), nullable=True))
    op.add_column("tables", sa.Column("fence", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "processes",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("since", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_processes")),
    )
