"""Finished games: their records, lists, and statistics of players."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.record import MatchRecord
from perudo.server.db import schema
from perudo.server.errors import Refused
from perudo.server.wire.bodies import FinishedGame, GameStory, Statistics
from perudo.server.wire.events import stored_seating


def record_of(connection: Connection, id: str) -> MatchRecord:
    """Return the record of a finished game, with all dice; refuse while it is being played."""
    return MatchRecord.parse(record_lines(connection, id))


def record_lines(connection: Connection, id: str) -> list[str]:
    """Return the record of a finished game as lines of JSON, without checking it."""
    game = connection.execute(sa.select(schema.games).where(schema.games.c.id == id)).first()
    if game is None:
        raise Refused("no_game", "there is no such game")
    if game.ended is None:
        raise Refused("not_over", "the game is still being played")
    events = schema.events.c
    rows = connection.execute(
        sa.select(events.kind, events.data)
        .where(
            events.table_id == game.table_id,
            events.n >= game.first_event,
            events.n <= game.last_event,
            events.kind.in_(("started", "deal", "act", "result", "end")),
        )
        .order_by(events.n)
    ).all()
    parts = [json.loads(row.data)["header" if row.kind == "started" else "record"] for row in rows]
    return [json.dumps(part, separators=(",", ":"), ensure_ascii=False) for part in parts]


class Numbered(NamedTuple):
    """A game and its number among those of its table."""

    id: str
    number: int


def finished_games(connection: Connection, table: str, after: int, limit: int) -> list[Numbered]:
    """List a table's finished games after the one of a number, in their order."""
    games = schema.games.c
    rows = connection.execute(
        sa.select(games.id, games.number)
        .where(games.table_id == table, games.number > after, games.ended.is_not(None))
        .order_by(games.number)
        .limit(limit)
    )
    return [Numbered(row.id, row.number) for row in rows]


def series_games(
    connection: Connection, table: str, first: int, last: int
) -> Iterator[tuple[int, list[int], MatchRecord]]:
    """Iterate over finished games of a table: number, ``seating`` and record."""
    games, events = schema.games.c, schema.events.c
    for row in connection.execute(
        sa.select(schema.games)
        .where(games.table_id == table, games.number >= first, games.number <= last)
        .order_by(games.number)
    ).all():
        started = connection.execute(
            sa.select(events.data).where(events.table_id == table, events.n == row.first_event)
        ).scalar_one()
        record = record_of(connection, row.id)
        seating = stored_seating(json.loads(started)) or list(range(len(record.players)))
        yield row.number, seating, record


def game_story(connection: Connection, id: str) -> GameStory:
    """Return a finished game with its record."""
    game = connection.execute(sa.select(schema.games).where(schema.games.c.id == id)).first()
    lines = [json.loads(line) for line in record_lines(connection, id)]
    assert game is not None
    return {**_game(connection, game), "record": lines}


def games_of(
    connection: Connection,
    person: str | None,
    before: float | None,
    limit: int,
    visitor: str | None = None,
) -> list[FinishedGame]:
    """List finished games that a visitor may know of, newest first, of one person or of all."""
    games = schema.games
    query = sa.select(games).where(games.c.ended.is_not(None), shown_to(visitor, person))
    if person is not None:
        seats = schema.game_seats
        query = query.join(seats, seats.c.game_id == games.c.id).where(seats.c.person == person)
    if before is not None:
        query = query.where(games.c.ended < before)
    rows = connection.execute(query.order_by(games.c.ended.desc()).limit(limit)).all()
    return [_game(connection, row) for row in rows]


def shown_to(visitor: str | None, person: str | None) -> sa.ColumnElement[bool]:
    """Return which games lists about a person show: private ones to that person alone."""
    if person is not None and person == visitor:
        return sa.true()
    return ~schema.games.c.private


def _game(connection: Connection, game: Any) -> FinishedGame:
    seats = connection.execute(
        sa.select(schema.game_seats)
        .where(schema.game_seats.c.game_id == game.id)
        .order_by(schema.game_seats.c.seat)
    ).all()
    return {
        "id": game.id,
        "table": game.table_id,
        "rules": game.rules,
        "rated": game.rated,
        "private": game.private,
        "started": game.started,
        "ended": game.ended,
        "winner": game.winner,
        "players": [
            {
                "name": seat.name,
                "id": seat.person,
                "agent": seat.agent,
                "place": seat.place,
                "left": seat.left,
            }
            for seat in seats
        ],
    }


def statistics(
    connection: Connection, person: str, visitor: str | None = None
) -> dict[str, Statistics]:
    """Return a person's statistics of the games shown, for two and for more players."""
    seats, games = schema.game_seats, schema.games
    players = (
        sa.select(sa.func.count())
        .select_from(schema.game_seats.alias("others"))
        .where(sa.literal_column("others.game_id") == seats.c.game_id)
        .scalar_subquery()
    )
    rows = connection.execute(
        sa.select(seats, players.label("players"), games.c.winner)
        .join(games, games.c.id == seats.c.game_id)
        .where(seats.c.person == person, shown_to(visitor, person))
    ).all()
    groups: dict[str, list[Any]] = {"2": [], "3-6": []}
    for row in rows:
        groups["2" if row.players == 2 else "3-6"].append(row)
    return {name: _sum(group) for name, group in groups.items()}


def _sum(rows: list[Any]) -> Statistics:
    won = [row for row in rows if row.place == 1]
    calls, bids = sum(row.calls for row in rows), sum(row.bids for row in rows)
    faces = [
        sum(numbers)
        for numbers in zip(*(map(int, row.faces.split(",")) for row in rows), strict=True)
    ]
    return {
        "games": len(rows),
        "wins": len(won),
        "left": sum(row.left for row in rows),
        "mean_place": _ratio(sum(row.place for row in rows), len(rows)),
        "call_accuracy": _ratio(sum(row.right_calls for row in rows), calls),
        "calls": calls,
        "bluff_rate": _ratio(sum(row.bluffs for row in rows), bids),
        "bids": bids,
        "bids_by_face": faces or [0] * 6,
        "dice_left_when_won": _ratio(sum(row.dice_left for row in won), len(won)),
        "rounds_lost": sum(row.rounds_lost for row in rows),
    }


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None
