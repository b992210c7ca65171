"""Retries: play on from a decision of a finished game, with an AI in the other seats.

A retry runs either move by move, without state on the server, or at an ordinary table.
"""

from __future__ import annotations

from typing import cast

from perudo.games.errors import PerudoError
from perudo.games.hosting import hosting_of
from perudo.games.log import Event
from perudo.record import MatchRecord
from perudo.server.ai.callers import Caller
from perudo.server.ai.pool import AiPool
from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.table import events
from perudo.server.table.progress import Moment, new_anchor
from perudo.server.table.table import Occupant
from perudo.server.wire.reviews import MOST_ACTIONS, RetryState
from perudo.server.wire.table_options import MAX_SEATS, AiSeat, OpenSeat, TableOptions
from perudo.table import SeededDice, Table

OTHERS = "observer"
"""The AI that plays the other seats."""
THINK_SECONDS = 5.0

SHOWN = (
    *("round", "dice", "counts", "bid", "bidder", "history"),
    *("wild", "palafico", "total"),
)
"""Facts of the position that come before the legal actions in the answer."""


async def play_again(
    record: MatchRecord, n: int, actions: list[str], seed: int, pool: AiPool, caller: Caller
) -> RetryState:
    """Play the game from event ``n`` on with these actions, up to the player's next decision.

    The server stores nothing: each request repeats all actions since event ``n``, and the seed.
    """
    seat, before = _until(record, n)
    hosting = hosting_of(record.game.name)
    table = Table.resume(before, SeededDice(seed))
    for action in actions:
        if table.actor is None:
            raise Refused("not_playing", "this game is over")
        table.act(table.actor, action)
    done = list(actions)
    while table.actor is not None and table.actor != seat:
        if len(done) >= MOST_ACTIONS:
            raise Refused("too_many", "this game is too long")
        view = table.observe(table.actor)
        action = await pool.decide(OTHERS, view.record, None, THINK_SECONDS, caller)
        table.act(table.actor, action)
        done.append(hosting.action_text(hosting.action_code(action)))
    seen = table.observe(seat)
    story = [event for event, _ in table.story(seat)]
    last = {event["event"]: event for event in story}
    known = {
        **hosting.view(seen, last.get("result")),
        **hosting.passing_view(table.record.events),
        **hosting.private_view(seat, last.get("deal")),
    }
    state = {
        "seat": seat,
        "others": OTHERS,
        "actions": done,
        "events": [
            {
                "kind": event["event"],
                **{name: value for name, value in event.items() if name not in ("event", "fair")},
            }
            for event in story[n - 1 :]
        ],
        **{name: known[name] for name in SHOWN},
        "legal": hosting.legal(seen),
        "odds": hosting.odds(seen) if seen.actor == seat else None,
        **{name: known[name] for name in ("last", "winner", "over")},
    }
    return cast(RetryState, state)


def table_options(record: MatchRecord, n: int) -> TableOptions:
    """Return the options of a table for a retry: private, with AIs in the other seats."""
    seat, _ = _until(record, n)
    if len(record.players) > MAX_SEATS:
        raise PerudoError(f"a table has at most {MAX_SEATS} seats, not {len(record.players)}")
    return TableOptions(
        rules=str(record.setting),
        seats=[
            OpenSeat() if place == seat else AiSeat(agent=OTHERS)
            for place in range(len(record.players))
        ],
        private=True,
    )


def table_log(
    record: MatchRecord, n: int, person: Person, options: TableOptions
) -> list[events.Event]:
    """The beginning of the table's log: everything up to the decision, then it is the person's.

    The archived game does not name the person in the seat, since a game that began in the middle
    says nothing about that player. It has no commitment to its first dice, which were rolled in the
    original game.
    """
    seat, before = _until(record, n)
    players = [
        Occupant(person.name, "person", id=person.id)
        if place == seat
        else Occupant(f"{name} ({OTHERS})", "ai", agent=OTHERS)
        for place, name in enumerate(record.players)
    ]
    before.players = [player.name for player in players]
    started = events.Started(
        game=1,
        first=True,
        players=[{**player.public, "id": None} for player in players],
        header=before.header(),
        seeds=[""] * len(players),
        commit=None,
        sitting=list(range(len(players))),
    )
    return [
        events.Opened(options.model_dump(mode="json"), person.id),
        new_anchor(1, 1, Moment()),
        *(events.Seated(place, player.stored, "") for place, player in enumerate(players)),
        started,
        *(events.MATCH_KINDS[event["event"]](event, "player") for event in before.events),
    ]


def _until(record: MatchRecord, n: int) -> tuple[int, MatchRecord]:
    """Return the seat that decides at event ``n``, and the record before it without fair dice."""
    if not 1 <= n <= len(record.events) or record.events[n - 1]["event"] != "act":
        raise Refused("no_decision", f"event {n} of this game is not a decision")
    before = MatchRecord(record.game, record.setting, list(record.players), record.start)
    before.events = [
        cast(Event, {name: value for name, value in event.items() if name != "fair"})
        for event in record.events[: n - 1]
    ]
    return int(record.events[n - 1]["seat"]), before
