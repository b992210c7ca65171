"""Daily quotas on the work that the server does for one visitor."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.server.db import schema
from perudo.server.errors import Refused
from perudo.server.service import Service
from perudo.server.table.progress import AiGames

DAY_SECONDS = 86400.0


def use_ai_games(connection: Connection, service: Service, use: AiGames) -> None:
    """Count games between AIs against a visitor's daily quota; raise if they exceed it."""
    most = service.settings.ai_games_per_day
    use_quota(connection, use.visitor, service.clock.time(), use.games, most)


def use_quota(connection: Connection, visitor: str, now: float, amount: int, most: int) -> None:
    """Count an amount against a visitor's daily quota; raise if it exceeds the quota."""
    day = int(now // DAY_SECONDS)
    quotas = schema.quotas
    mine = (quotas.c.visitor == visitor) & (quotas.c.day == day)
    used = connection.execute(sa.select(quotas.c.used).where(mine)).scalar()
    if (used or 0) + amount > most:
        left = max(most - (used or 0), 0)
        problem = f"a visitor can have {most} games between AIs a day; {left} left"
        raise Refused("quota", problem, "ai_games_per_day", (day + 1) * DAY_SECONDS - now)
    if used is None:
        connection.execute(quotas.insert().values(visitor=visitor, day=day, used=amount))
    else:
        connection.execute(quotas.update().where(mine).values(used=used + amount))
