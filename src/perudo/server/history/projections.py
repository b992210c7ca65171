"""Rows for lists and statistics, drawn from events in the transaction that stores them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy.engine import Connection

from perudo.games.hosting import SeatResult
from perudo.server.db import schema
from perudo.server.table.events import End
from perudo.server.table.log import Entry
from perudo.server.table.table import Table


def game_id(table: str, number: int) -> str:
    """Return the id of a game, made of its table and its number."""
    return f"{table}.{number}"


def project(
    connection: Connection,
    table: Table,
    entries: Sequence[Entry],
    rate: Callable[[Connection, Table, float], None] | None,
) -> None:
    """Note what lists and statistics need of new events, after which the table is as given."""
    for entry in entries:
        if entry.event.kind == "started":
            _game_began(connection, table, entry)
        elif entry.event.kind == "end":
            _game_ended(connection, table, entry)
            if rate is not None:
                rate(connection, table, entry.at)


def _game_began(connection: Connection, table: Table, started: Entry) -> None:
    options = table.options
    connection.execute(
        schema.games.insert().values(
            id=game_id(table.id, table.game),
            table_id=table.id,
            number=table.game,
            preset=options.preset,
            rules=options.rules_text,
            rated=options.rated,
            private=options.private,
            started=started.at,
            first_event=started.n,
        )
    )


def _game_ended(connection: Connection, table: Table, end: Entry) -> None:
    assert isinstance(end.event, End)
    payoffs = end.event.record["payoffs"]
    seats = seat_rows(table)
    id = game_id(table.id, table.game)
    connection.execute(
        schema.games.update()
        .where(schema.games.c.id == id)
        .values(
            ended=end.at,
            last_event=end.n,
            winner=payoffs.index(max(payoffs)),
        )
    )
    connection.execute(schema.game_seats.insert(), [{"game_id": id, **row} for row in seats])


class SeatRow(SeatResult):
    """A row of ``game_seats`` without its game."""

    seat: int
    person: str | None
    agent: str | None
    name: str
    left: bool


def seat_rows(table: Table) -> list[SeatRow]:
    """Return what each seat did in the game that has just ended."""
    play, left = table.play, table.quit | table.away
    assert play is not None
    results = play.hosting.results(play.events, len(play.lineup))
    order = sorted(range(len(results)), key=lambda seat: results[seat]["place"])
    # Who left is placed after everybody who stayed.
    ranking = [seat for seat in order if seat not in left] + [
        seat for seat in order if seat in left
    ]
    return [
        {
            **results[seat],
            "seat": seat,
            "person": player["id"],
            "agent": player["agent"],
            "name": player["name"],
            "place": ranking.index(seat) + 1,
            "left": seat in left,
        }
        for seat, player in enumerate(play.lineup)
    ]
