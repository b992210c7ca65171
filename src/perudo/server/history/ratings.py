"""Ratings: per preset, and separately for two and for three to six players.

Skills are Plackett-Luce (``perudo.ratings``), with a mean and a standard deviation. Built-in AIs
are anchors, with fixed ratings measured by the lab. A player who leaves ranks last
(``projections``). Repeated games against the same opponents within a day count less each time.
"""

from __future__ import annotations

import math

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo import levels
from perudo.ratings import POINTS, START, Skill, skills_after
from perudo.server.db import schema
from perudo.server.history.projections import game_id
from perudo.server.history.records import shown_to
from perudo.server.table.table import Table
from perudo.server.wire.bodies import LadderEntry, RatingChange, RatingPoints

BETA = 25.0 / 6.0
"""Standard deviation of a player's performance in one game, on the scale of skills."""
POINTS_PER_SKILL = POINTS / (BETA * math.sqrt(2.0))
"""Rating points per unit of skill; 400 points more are odds of ten to one (``perudo.ratings``)."""
MEASURED_RULES = "official"
"""The preset of the lab's ladder."""
ANCHOR_SIGMA = 1.0
"""Standard deviation of an anchor's skill under the measured rules."""
OTHER_RULES_SIGMA = 4.0
"""Standard deviation of an anchor's skill under all other rules."""
REPEAT_SECONDS = 86400.0
"""Time for which earlier games against the same opponents reduce a game's weight."""

ANCHORS = {"2": levels.ratings(2), "3-6": levels.ratings(4)}
"""Points of built-in AIs on the lab's ladder; AIs that are not on it have no rating."""


def points(skill: Skill) -> tuple[float, float]:
    """Convert a skill to points: a rating and its standard deviation."""
    return START + POINTS_PER_SKILL * (skill.mu - 25.0), POINTS_PER_SKILL * skill.sigma


def anchor(agent: str, ladder: str) -> Skill | None:
    """Return the fixed skill of a built-in AI on a ladder; None if it was not measured."""
    preset, _, size = ladder.rpartition(" ")
    measured = ANCHORS[size].get(agent)
    if measured is None:
        return None
    sigma = ANCHOR_SIGMA if preset == MEASURED_RULES else OTHER_RULES_SIGMA
    return Skill(25.0 + (measured - START) / POINTS_PER_SKILL, sigma)


def category(preset: str, players: int) -> str:
    """Return the name of a game's ladder."""
    return f"{preset} {'2' if players == 2 else '3-6'}"


def rate_game(connection: Connection, table: Table, at: float) -> None:
    """Change the ratings of the players of a rated game, in the transaction that stores its end."""
    options = table.options
    if not options.rated or options.private or options.preset is None:
        return
    id = game_id(table.id, table.game)
    seats = connection.execute(
        sa.select(schema.game_seats).where(schema.game_seats.c.game_id == id)
    ).all()
    ladder = category(options.preset, len(seats))
    rated: list[tuple[str | None, Skill, int]] = []
    for seat in seats:
        skill = anchor(seat.agent, ladder) if seat.agent is not None else None
        if seat.person is not None:
            skill = skill_of(connection, seat.person, ladder)
        if skill is not None:
            rated.append((seat.person, skill, seat.place))
    if len(rated) < 2 or all(person is None for person, *_ in rated):
        return
    after = skills_after([skill for _, skill, _ in rated], [place for *_, place in rated])
    people = [person for person, *_ in rated if person is not None]
    for (person, before, _), skill in zip(rated, after, strict=True):
        if person is not None:
            weight = _weight(connection, person, people, at)
            _store(connection, person, ladder, blended(before, skill, weight), id, at)


def blended(before: Skill, after: Skill, weight: float) -> Skill:
    """Interpolate linearly between two skills; a weight of 1 returns the second."""
    return Skill(
        before.mu + weight * (after.mu - before.mu),
        before.sigma + weight * (after.sigma - before.sigma),
    )


def skill_of(connection: Connection, person: str, ladder: str) -> Skill:
    """Return a person's skill on a ladder, or the prior for a person without games."""
    ratings = schema.ratings
    row = connection.execute(
        sa.select(ratings).where(ratings.c.player == person, ratings.c.category == ladder)
    ).first()
    return Skill() if row is None else Skill(row.rating, row.deviation)


def _weight(connection: Connection, person: str, people: list[str], at: float) -> float:
    """Return a game's weight: 1 against new opponents, less after games with them in a day."""
    others = [other for other in people if other != person]
    if not others:
        return 1.0
    mine, theirs = schema.game_seats.alias(), schema.game_seats.alias()
    met = connection.execute(
        sa.select(sa.func.count())
        .select_from(
            mine.join(theirs, mine.c.game_id == theirs.c.game_id).join(
                schema.games, schema.games.c.id == mine.c.game_id
            )
        )
        .where(
            mine.c.person == person,
            theirs.c.person.in_(others),
            schema.games.c.rated,
            schema.games.c.ended > at - REPEAT_SECONDS,
            schema.games.c.ended < at,
        )
    ).scalar()
    return 1.0 / (1.0 + (met or 0) / len(others) / 3.0)


def _store(
    connection: Connection, person: str, ladder: str, skill: Skill, game: str, at: float
) -> None:
    ratings = schema.ratings
    mine = (ratings.c.player == person) & (ratings.c.category == ladder)
    games = connection.execute(sa.select(ratings.c.games).where(mine)).scalar()
    values = {"rating": skill.mu, "deviation": skill.sigma, "updated": at}
    if games is None:
        connection.execute(
            ratings.insert().values(player=person, category=ladder, games=1, **values)
        )
    else:
        connection.execute(ratings.update().where(mine).values(games=games + 1, **values))
    connection.execute(
        schema.rating_changes.insert().values(
            game_id=game,
            player=person,
            category=ladder,
            rating=skill.mu,
            deviation=skill.sigma,
            at=at,
        )
    )


# --- reading ------------------------------------------------------------------------------------
def ranking(connection: Connection, ladder: str, limit: int) -> list[LadderEntry]:
    """Return a ladder: people and bots by conservative rating, with built-in AIs for reference.

    The conservative rating is ``Skill.ordinal``. The limit counts people and bots only.
    """
    ratings, people = schema.ratings, schema.people
    rows = connection.execute(
        sa.select(ratings, people.c.name, people.c.kind)
        .join(people, people.c.id == ratings.c.player)
        .where(ratings.c.category == ladder)
        .order_by((ratings.c.rating - 3.0 * ratings.c.deviation).desc())  # Skill.ordinal
        .limit(limit)
    ).all()
    ranked: list[tuple[float, LadderEntry]] = []
    for row in rows:
        skill = Skill(row.rating, row.deviation)
        entry: LadderEntry = {
            "id": row.player,
            "name": row.name,
            "kind": row.kind,
            **_shown(skill),
            "games": row.games,
        }
        ranked.append((skill.ordinal, entry))
    for agent in ANCHORS[ladder.rpartition(" ")[2]]:
        fixed = anchor(agent, ladder)
        assert fixed is not None
        entry = {"id": None, "name": agent, "kind": "ai", **_shown(fixed), "games": 0}
        ranked.append((fixed.ordinal, entry))
    ranked.sort(key=lambda each: -each[0])
    return [entry for _, entry in ranked]


def rating_curve(
    connection: Connection, person: str, visitor: str | None = None
) -> dict[str, list[RatingChange]]:
    """Return the changes of a person's ratings by games shown to the visitor, by ladder.

    Earlier versions rated private games too.
    """
    changes, games = schema.rating_changes, schema.games
    curves: dict[str, list[RatingChange]] = {}
    for row in connection.execute(
        sa.select(changes)
        .join(games, games.c.id == changes.c.game_id)
        .where(changes.c.player == person, shown_to(visitor, person))
        .order_by(changes.c.at)
    ):
        shown = _shown(Skill(row.rating, row.deviation))
        curves.setdefault(row.category, []).append({"at": row.at, "game": row.game_id, **shown})
    return curves


def _shown(skill: Skill) -> RatingPoints:
    rating, deviation = points(skill)
    return {
        "rating": round(rating, 1),
        "deviation": round(deviation, 1),
        "low": round(rating - 1.96 * deviation, 1),
        "high": round(rating + 1.96 * deviation, 1),
    }
