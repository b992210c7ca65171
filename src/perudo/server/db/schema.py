"""The schema of the database, for queries; migrations create the tables.

``events`` is the authority on every game table; ``games``, ``game_seats`` and ``ratings`` are
derived from it in the same transactions, so that lists and statistics need not replay logs.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

people = Table(
    "people",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("kind", String(8), nullable=False),  # guest, account or bot
    Column("name", String(32), nullable=False),
    Column("name_key", String(32), unique=True),  # of accounts and bots, whose names are unique
    Column("password", Text),
    Column("owner", String(32), index=True),  # of a bot: the account that created it
    Column("filters", Text),  # of a bot: the challenges it accepts
    Column("banned", Boolean, nullable=False, default=False),
    Column("muted", Boolean, nullable=False, default=False),
    Column("created", Float, nullable=False),
    Column("seen", Float, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("person", String(32), ForeignKey("people.id"), nullable=False, index=True),
    Column("label", String(64), nullable=False),
    Column("created", Float, nullable=False),
    Column("expires", Float),
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("code_hash", String(64), primary_key=True),
    Column("person", String(32), ForeignKey("people.id"), nullable=False, index=True),
)

tables = Table(
    "tables",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("creator", String(32), ForeignKey("people.id"), nullable=False, index=True),
    Column("status", String(8), nullable=False, index=True),  # waiting, playing, finished, closed
    Column("private", Boolean, nullable=False),
    Column("summary", Text, nullable=False),  # for the list of tables
    Column("created", Float, nullable=False),
    Column("updated", Float, nullable=False),
    # With several processes: the owner of the table, and how often the owner has changed.
    Column("owner", String(32)),
    Column("fence", Integer, nullable=False, server_default="0"),
)

processes = Table(
    "processes",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("since", Float, nullable=False),
    Column("expires", Float, nullable=False),  # both by the database's clock
)

events = Table(
    "events",
    metadata,
    Column("table_id", String(32), ForeignKey("tables.id"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("data", Text, nullable=False),
    Column("hidden", Text),  # secrets of the server, which no viewer gets
)

games = Table(
    "games",
    metadata,
    Column("id", String(48), primary_key=True),  # the table's id and the game's number
    Column("table_id", String(32), ForeignKey("tables.id"), nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("preset", String(24)),  # null: custom rules
    Column("rules", Text, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("private", Boolean, nullable=False),
    Column("started", Float, nullable=False),
    Column("ended", Float),
    Column("first_event", Integer, nullable=False),
    Column("last_event", Integer),
    Column("winner", Integer),
)

game_seats = Table(
    "game_seats",
    metadata,
    Column("game_id", String(48), ForeignKey("games.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("person", String(32), index=True),
    Column("agent", String(200), index=True),
    Column("name", String(64), nullable=False),
    Column("place", Integer, nullable=False),
    Column("left", Boolean, nullable=False),
    Column("dice_left", Integer, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("right_calls", Integer, nullable=False),
    Column("bids", Integer, nullable=False),
    Column("bluffs", Integer, nullable=False),
    Column("faces", String(64), nullable=False),  # bids by face, six numbers
    Column("rounds_lost", Integer, nullable=False),
)

ratings = Table(
    "ratings",
    metadata,
    Column("player", String(200), primary_key=True),  # a person's id, or "ai:" and an agent
    Column("category", String(32), primary_key=True),  # preset, and "2" or "3-6" players
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("updated", Float, nullable=False),
)

rating_changes = Table(
    "rating_changes",
    metadata,
    Column("game_id", String(48), ForeignKey("games.id"), primary_key=True),
    Column("player", String(200), primary_key=True),
    Column("category", String(32), nullable=False),
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("at", Float, nullable=False),
)

quotas = Table(
    "quotas",
    metadata,
    Column("visitor", String(64), primary_key=True),
    Column("day", Integer, primary_key=True),
    Column("used", Integer, nullable=False),
)

ai_time = Table(
    "ai_time",
    metadata,
    Column("name", String(64), primary_key=True),  # a person, or the hash of a guest's address
    Column("seconds", Float, nullable=False),  # processor time used, which counts less with time
    Column("at", Float, nullable=False),
)

reviews = Table(
    "reviews",
    metadata,
    Column("id", String(32), primary_key=True),  # a hash of the request
    Column("record", Text, nullable=False),
    Column("agents", Text, nullable=False),
    Column("seat", Integer),
    Column("decisions", Text, nullable=False),  # JSON lines, added as they are found
    Column("done", Boolean, nullable=False),
    Column("problem", Text),
    Column("code", String(16)),
    Column("updated", Float, nullable=False),
    Column("person", String(32)),  # who asked for it
    Column("position", Integer),  # reviews before it in line; null: it is being made, or done
)

Index("ix_games_ended", games.c.ended)
Index("ix_rating_changes_player", rating_changes.c.player, rating_changes.c.category)
