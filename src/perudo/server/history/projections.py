"""Rows for lists and statistics, derived from the log in the transaction that stores its events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from sqlalchemy.engine import Connection

from perudo.games.log import Event
from perudo.games.perudo.game import Deal
from perudo.games.perudo.outcome import Settled
from perudo.server.db import schema
from perudo.server.table.events import End
from perudo.server.table.log import Entry
from perudo.server.table.table import Table


def game_id(table: str, number: int) -> str:
    """Return a game's id: its table's id and its number."""
    return f"{table}.{number}"


def project(
    connection: Connection,
    table: Table,
    entries: Sequence[Entry],
    rate: Callable[[Connection, Table, float], None] | None,
) -> None:
    """Insert and update rows for new events; ``table`` is the state after them."""
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


def seat_rows(table: Table) -> list[dict[str, Any]]:
    """Return each seat's statistics of the game that has just ended."""
    play, left = table.play, table.quit | table.away
    assert play is not None
    tallies = [_Tally() for _ in play.lineup]
    order = _follow(play.events, tallies)
    # Players who left are placed after all who stayed.
    ranking = [seat for seat in order if seat not in left] + [
        seat for seat in order if seat in left
    ]
    return [
        {
            "seat": seat,
            "person": player["id"],
            "agent": player["agent"],
            "name": player["name"],
            "place": ranking.index(seat) + 1,
            "left": seat in left,
            "dice_left": tallies[seat].dice,
            "calls": tallies[seat].calls,
            "right_calls": tallies[seat].right,
            "bids": sum(tallies[seat].faces),
            "bluffs": tallies[seat].bluffs,
            "faces": ",".join(map(str, tallies[seat].faces)),
            "rounds_lost": tallies[seat].lost,
        }
        for seat, player in enumerate(play.lineup)
    ]


class _Tally:
    """The counts of one seat's moves and results."""

    def __init__(self) -> None:
        self.dice = 0
        self.calls = self.right = self.bluffs = self.lost = 0
        self.faces = [0] * 6


def _follow(events: Sequence[Event], tallies: list[_Tally]) -> list[int]:
    """Count moves and results, and return the seats from the winner to the first player out."""
    out: list[int] = []
    dice: list[str] = []
    for event in events:
        if event["event"] == "deal":
            dice = cast(list[str], cast(Deal, event)["dice"])
            for tally, hand in zip(tallies, dice, strict=True):
                tally.dice = len(hand)
        elif event["event"] == "act" and "x" in event["action"]:
            quantity, face = map(int, event["action"].split("x"))
            tally = tallies[event["seat"]]
            tally.faces[face - 1] += 1
            # A bluff claims more of a face than one's own dice and a third of the others' make.
            own = sum(die in (str(face), "1") for die in dice[event["seat"]])
            unseen = sum(len(hand) for hand in dice) - len(dice[event["seat"]])
            tally.bluffs += own == 0 and quantity > unseen / 6
        elif event["event"] == "result":
            _settle(cast(Settled, event), tallies, out)
    rest = [seat for seat in range(len(tallies)) if seat not in out]
    rest.sort(key=lambda seat: -tallies[seat].dice)
    return rest + out[::-1]


def _settle(event: Settled, tallies: list[_Tally], out: list[int]) -> None:
    caller = tallies[event["caller"]]
    caller.calls += 1
    caller.right += not event["lost"][event["caller"]]
    for seat, tally in enumerate(tallies):
        tally.lost += event["lost"][seat] > 0
        before = tally.dice
        tally.dice += event["gained"][seat] - event["lost"][seat]
        if before > 0 and tally.dice == 0:
            out.append(seat)
