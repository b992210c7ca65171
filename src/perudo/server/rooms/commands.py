"""What people and programs can ask of a table; each function runs in the table's task."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from perudo.games.errors import IllegalActionError, InvalidActionError, NotYourTurnError
from perudo.games.state import seat_name
from perudo.server.ai.catalogue import opponent, require_can_play
from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.rooms.quotas import use_ai_games
from perudo.server.rooms.room import Room
from perudo.server.table.invitations import seat_for
from perudo.server.table.table import Draft, Occupant
from perudo.server.wire import client_messages
from perudo.server.wire.events import PlayerKind


class Answer(dict[str, Any]):
    """What is acknowledged."""

    def __init__(self, n: int | None, repeated: bool = False) -> None:
        super().__init__(n=n, repeated=repeated)


async def act(room: Room, person: Person, message: client_messages.Action) -> Answer:
    """A decision."""
    state = room.state
    seat = _own_seat(room, person)
    move = message.move or f"q{message.id}"
    if (seat, move) in state.moves:
        return Answer(state.moves[seat, move], repeated=True)
    match = state.match
    if match is None or match.over:
        raise Refused("not_playing", "no game is being played at this table")
    if state.paused:
        raise Refused("paused", "the table is paused")
    if message.id != state.question:
        raise Refused(
            "stale", f"the action answers number {message.id}, but the question is {state.question}"
        )
    try:
        action = match.require(seat, message.action)
    except (IllegalActionError, NotYourTurnError, InvalidActionError) as error:
        raise Refused(error.code, str(error)) from None
    return Answer(await room.dealer.take_action(seat, action, move))


async def sit(room: Room, person: Person, message: client_messages.Sit) -> Answer:
    """Take a seat."""
    state = room.state
    if state.status == "closed":
        raise Refused("closed", "the table is closed")
    if state.seat_of(person.id) is not None:
        return Answer(state.n, repeated=True)
    if person.id in state.kicked:
        raise Refused("kicked", "the creator of the table has sent you away")
    number = seat_for(state, person, message.seat, message.key)
    _require_may_meet(room, person)
    name = _free_name(room, person.name)
    kind: PlayerKind = "bot" if person.kind == "bot" else "person"
    player = Occupant(name, kind, person.id, None, person.answerable).stored
    seated = {"seat": number, "player": player, "seed": message.seed}
    (logged,) = await room.commit([Draft("seated", seated)])
    room.dealer.sat(number)
    room.dealer.begin_if_ready()
    return Answer(logged.n)


async def stand(room: Room, person: Person, message: client_messages.Stand) -> Answer:
    """Leave."""
    return await _empty(room, _own_seat(room, person), "left")


async def kick(room: Room, person: Person, message: client_messages.Kick) -> Answer:
    """Send somebody away."""
    _require_creator(room, person)
    _require_seat(room, message.seat)
    if room.state.seats[message.seat].occupant is None:
        raise Refused("no_seat", f"nobody sits at seat {seat_name(message.seat)}")
    if room.state.options.rated and _is_played(room):
        raise Refused("refused", "nobody can be sent away from a rated game")
    return await _empty(room, message.seat, "kicked")


async def fill(room: Room, person: Person, message: client_messages.Fill) -> Answer:
    """Give an empty seat to an AI."""
    _require_creator(room, person)
    _require_seat(room, message.seat)
    state = room.state
    if state.seats[message.seat].occupant is not None:
        raise Refused("taken", "that seat is taken")
    agent = opponent(message.agent, message.level, message.seat)
    rules = state.options.parsed_rules()
    await asyncio.to_thread(require_can_play, agent, rules, len(state.seats))
    others = [seat for number, seat in enumerate(state.seats) if number != message.seat]
    if all(seat.occupant is not None and seat.occupant.kind == "ai" for seat in others):
        if state.options.rated:
            raise Refused("not_rateable", "games of AIs alone are not rated")
        use = partial(use_ai_games, service=room.service, person=person, games=state.options.games)
        await room.service.store.write(use)
    player = ai_occupant(agent.spec, message.level, message.seat).stored
    seated = {"seat": message.seat, "player": player, "seed": ""}
    (logged,) = await room.commit([Draft("seated", seated)])
    room.dealer.forget(message.seat)
    room.dealer.begin_if_ready()
    return Answer(logged.n)


async def pause(room: Room, person: Person, message: client_messages.Pause) -> Answer:
    """Stop the clocks, or let them go on."""
    _require_creator(room, person)
    if room.state.paused == message.on:
        return Answer(room.state.n, repeated=True)
    if message.on and room.state.options.rated and _is_played(room) and _meets(room, person):
        raise Refused("refused", "a rated game with others cannot be stopped")
    (logged,) = await room.commit([Draft("paused", {"on": message.on, "by": person.name})])
    room.dealer.clocks_anew()
    return Answer(logged.n)


async def absence(room: Room, person: Person, message: client_messages.Absence) -> Answer:
    """Choose what an absence does."""
    _require_creator(room, person)
    if room.state.options.rated:
        raise Refused(
            "refused", "rated games are alike for all: nobody chooses what an absence does"
        )
    data = {"action": message.action, "seconds": message.seconds}
    (logged,) = await room.commit([Draft("absence", data)])
    return Answer(logged.n)


async def rematch(room: Room, person: Person, message: client_messages.Rematch) -> Answer:
    """Ask for another series."""
    state = room.state
    seat = _own_seat(room, person)
    if state.status != "finished":
        raise Refused("not_over", "the series is not over")
    if seat in state.rematch:
        return Answer(state.n, repeated=True)
    if any(each.occupant is None for each in state.seats):
        raise Refused("seats_free", "a seat is free: fill it, or wait for somebody")
    (logged,) = await room.commit([Draft("rematch", {"seat": seat, "seed": message.seed})])
    wanted = {
        number
        for number, each in enumerate(state.seats)
        if each.occupant is not None and each.occupant.kind == "person" and room.is_here(number)
    }
    if wanted <= state.rematch:
        await room.dealer.begin(first=True)
    return Answer(logged.n)


async def hurry(room: Room, person: Person, message: client_messages.Hurry) -> Answer:
    """Let AIs finish at once when only they are left."""
    state = room.state
    if person.id != state.creator:
        _own_seat(room, person)
    if state.match is None or state.match.over:
        raise Refused("not_playing", "no game is being played at this table")
    counts = state.match.observe().dice_counts
    if any(count and state.seats[number].agent is None for number, count in enumerate(counts)):
        raise Refused("still_playing", "a person or bot still has dice")
    room.dealer.hurry()
    return Answer(state.n)


async def auto(room: Room, person: Person, message: client_messages.Auto) -> Answer:
    """Decline calza out of turn without being asked."""
    seat = _own_seat(room, person)
    if message.decline:
        room.auto_decline.add(seat)
        room.dealer.ask()
    else:
        room.auto_decline.discard(seat)
    return Answer(room.state.n)


async def say(room: Room, person: Person, message: client_messages.Say) -> Answer:
    """React or say something."""
    seat = _own_seat(room, person)
    said = {"reaction": message.reaction, "phrase": message.phrase, "text": message.text}
    if sum(value is not None for value in said.values()) != 1:
        raise Refused("wrong_field", "say needs one of reaction, phrase and text")
    if message.text is not None:
        if not room.state.options.private:
            raise Refused("no_text", "free text can be said at private tables only")
        if room.state.seats[seat].muted or person.muted:
            raise Refused("muted", "your words are not let through here")
    (logged,) = await room.commit([Draft("said", {"seat": seat, **said})])
    return Answer(logged.n)


async def mute(room: Room, person: Person, message: client_messages.Mute) -> Answer:
    """Let a seat's words through no longer, or again."""
    _require_creator(room, person)
    _require_seat(room, message.seat)
    (logged,) = await room.commit([Draft("muted", {"seat": message.seat, "on": message.on})])
    return Answer(logged.n)


def ai_occupant(spec: str, level: str | None, seat: int) -> Occupant:
    """An AI with a name that tells it from others like it."""
    return Occupant(f"{level or spec} ({seat_name(seat)})"[:64], "ai", agent=spec)


# --- conditions ---------------------------------------------------------------------------------
def _own_seat(room: Room, person: Person) -> int:
    seat = room.state.seat_of(person.id)
    if seat is None:
        raise Refused("not_seated", "you have no seat at this table")
    return seat


def _require_creator(room: Room, person: Person) -> None:
    if person.id != room.state.creator:
        raise Refused("not_creator", "only the creator of the table may do that")


def _require_seat(room: Room, seat: int) -> None:
    if seat >= len(room.state.seats):
        raise Refused("no_seat", f"the table has {len(room.state.seats)} seats")


def _is_played(room: Room) -> bool:
    """Whether a game is going on."""
    return room.state.match is not None and not room.state.match.over


def _meets(room: Room, person: Person) -> bool:
    """Whether somebody else than AIs plays here beside this one."""
    return any(
        seat.occupant is not None
        and seat.occupant.kind != "ai"
        and seat.occupant.id != person.id
        and not seat.left
        for seat in room.state.seats
    )


def _require_may_meet(room: Room, person: Person) -> None:
    """At rated tables sit accounts and bots of different owners."""
    if not room.state.options.rated:
        return
    if person.kind == "guest":
        raise Refused("needs_account", "rated games need an account")
    for seat in room.state.seats:
        if seat.occupant is not None and seat.occupant.owner == person.answerable:
            raise Refused("same_owner", "seats of one owner do not meet in rated games")


def _free_name(room: Room, name: str) -> str:
    """The name, or one told apart from another at the table."""
    names = {seat.occupant.name for seat in room.state.seats if seat.occupant is not None}
    tried, number = name, 2
    while tried in names:
        tried, number = f"{name} {number}", number + 1
    return tried


async def _empty(room: Room, seat: int, reason: str) -> Answer:
    """Take somebody from a seat; during a game an AI plays on."""
    state = room.state
    playing = _is_played(room)
    stand_in = None
    if playing:
        occupant = state.seats[seat].occupant
        assert occupant is not None
        stand_in = occupant.agent or room.service.settings.stand_in
    data = {"seat": seat, "reason": reason, "stand_in": stand_in}
    (logged,) = await room.commit([Draft("left", data)])
    room.dealer.forget(seat)
    room.auto_decline.discard(seat)
    if playing:
        room.dealer.ask()
    return Answer(logged.n)


COMMANDS: dict[type[Any], Any] = {
    client_messages.Action: act,
    client_messages.Sit: sit,
    client_messages.Stand: stand,
    client_messages.Kick: kick,
    client_messages.Fill: fill,
    client_messages.Pause: pause,
    client_messages.Absence: absence,
    client_messages.Rematch: rematch,
    client_messages.Hurry: hurry,
    client_messages.Auto: auto,
    client_messages.Say: say,
    client_messages.Mute: mute,
}
"""What each message does."""
