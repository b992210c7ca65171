"""The events that the beginning, the moves and the end of a game are written down as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perudo.fair_dice import FairDice
from perudo.games.log import Event
from perudo.games.state import seat_name
from perudo.server.table.anchors import new_anchor
from perudo.server.table.match import Match
from perudo.server.table.table import Draft, Occupant, Seat, TableState


def started(
    match: Match, dice: FairDice, seats: Sequence[Seat], sitting: list[int], first: bool
) -> Draft:
    """A game has begun, with these players in these seats; ``first`` of its series or not."""
    data = {
        "game": match.number,
        "first": first,
        "players": [seat.occupant.public for seat in seats if seat.occupant],
        "sitting": sitting,
        "header": match.table.record.header(),
        "seeds": [seat.seed for seat in seats],
        "commit": dice.commit(1),
    }
    return Draft("started", data)


def moves(gained: Sequence[Event], by: str, move: str | None = None) -> list[Draft]:
    """What a game's record has gained, and who decided it."""
    drafts = []
    for event in gained:
        data: dict[str, Any] = {"record": event}
        if event["event"] == "act":
            data |= {"by": by, "move": move}
        drafts.append(Draft(event["event"], data))
    return drafts


def after_game(state: TableState, number: int, series_goes_on: bool) -> list[Draft]:
    """A secret for the next game; seats that were left go to an AI, or are free.

    A series that everybody has left is over.
    """
    drafts = [] if number + 1 in state.secrets else [new_anchor(number + 1)]
    left = [place for place, seat in enumerate(state.seats) if seat.left]
    if left:
        drafts.append(Draft("free", {"seats": left}))
    if left and series_goes_on and state.deserted:
        drafts.append(Draft("closed", {"reason": "everybody has left"}))
    elif left and series_goes_on:
        for place in left:
            agent = state.seats[place].stand_in
            player = Occupant(f"{agent} ({seat_name(place)})", "ai", agent=agent).stored
            drafts.append(Draft("seated", {"seat": place, "player": player, "seed": ""}))
    return drafts
