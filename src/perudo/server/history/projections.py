"""What lists and statistics need of games, drawn from the log in the transaction that stores it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from sqlalchemy.engine import Connection

from perudo.games.log import Event
from perudo.games.perudo.game import Deal
from perudo.games.perudo.outcome import Settled
from perudo.server.db import schema
from perudo.server.table.table import Logged, TableState


def game_id(table: str, number: int) -> str:
    """How a game is named: its table and its number."""
    return f"{table}.{number}"


def game_began(connection: Connection, logged: list[Logged], *, state: TableState) -> None:
    """Note that a game has begun."""
    options = state.options
    connection.execute(
        schema.games.insert().values(
            id=game_id(state.id, state.game),
            table_id=state.id,
            number=state.game,
            preset=options.preset,
            rules=options.rules_text,
            rated=options.rated,
            private=options.private,
            started=logged[0].at,
            first_event=logged[0].n,
        )
    )


def game_ended(
    connection: Connection,
    logged: list[Logged],
    *,
    state: TableState,
    rate: Callable[[Connection, Any], None] | None,
) -> None:
    """Note how a game has ended."""
    assert state.match is not None
    end = next(event for event in logged if event.kind == "end")
    record = state.match.table.record
    seats = seat_rows(state)
    id = game_id(state.id, state.match.number)
    connection.execute(
        schema.games.update()
        .where(schema.games.c.id == id)
        .values(
            ended=end.at,
            last_event=end.n,
            winner=record.events[-1]["payoffs"].index(max(record.events[-1]["payoffs"])),
        )
    )
    connection.execute(schema.game_seats.insert(), [{"game_id": id, **row} for row in seats])
    if rate is not None:
        rate(connection, state)


def seat_rows(state: TableState) -> list[dict[str, Any]]:
    """What each seat did in the game that has just ended."""
    assert state.match is not None
    players = len(state.seats)
    started = next(event for event in state.log if event.kind == "started")
    left = leavers(state)
    tallies = [_Tally() for _ in range(players)]
    order = _follow(state.match.table.record.events, tallies)
    # Who left is placed after everybody who stayed.
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
        for seat, player in enumerate(started.data["players"])
    ]


def leavers(state: TableState) -> set[int]:
    """Seats whose players left while they had dice, or went away then and are not back.

    Who is out may go: that has no influence on the game.
    """
    dice = [0] * len(state.seats)
    left: set[int] = set()
    away = {number for number, seat in enumerate(state.seats) if seat.stand_in and not seat.left}
    for event in state.log:
        if event.kind == "deal":
            dice = [len(hand) for hand in event.data["record"]["dice"]]
        elif event.kind == "result":
            record = event.data["record"]
            changes = zip(dice, record["gained"], record["lost"], strict=True)
            dice = [held + gained - lost for held, gained, lost in changes]
        elif event.kind == "left" and dice[event.data["seat"]] > 0:
            left.add(event.data["seat"])
        elif event.kind == "absent" and dice[event.data["seat"]] == 0:
            away.discard(event.data["seat"])
    return left | away


class _Tally:
    """What one seat did."""

    def __init__(self) -> None:
        self.dice = 0
        self.calls = self.right = self.bluffs = self.lost = 0
        self.faces = [0] * 6


def _follow(events: list[Event], tallies: list[_Tally]) -> list[int]:
    """Count what happened; returns the seats from the winner to the first who was out."""
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
