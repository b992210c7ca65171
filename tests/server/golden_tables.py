"""What happens at golden tables, scenario by scenario, and the files that keep it.

``tests/golden/tables/*.json`` have every row of every table's log and everything that each viewer
was sent, in order. Stored events and messages on the wire are promises to databases and bots that
exist: when a file changes, read the difference. To write them anew:

    PYTHONPATH=tests python -m server.golden_tables --write [scenario ...]

``released.sql`` is the database of a released version, and no other is put in its place; what
comes of it is in ``released.json``. (``--release`` has made it.)
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from golden_options import with_new_options_everywhere
from server.golden_driver import (
    Json,
    Scenario,
    Somebody,
    Wire,
    World,
    dumped,
    restore,
    run,
    world,
)

SHARED = "~"
"""First character of the names of shared values; no value sent begins with it."""
WORTH_SHARING = 60
GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "tables"


# --- what people do -----------------------------------------------------------------------------
async def sit_all(here: World, table: str, people: Sequence[Somebody], **more: Any) -> list[Wire]:
    """Everybody connects, looks and sits down."""
    wires: list[Wire] = []
    for person in people:
        wire = await here.connect(person)
        await wire.send(type="open", table=table, ref="open", **more)
        await wire.send(type="sit", table=table, seed=f"{len(wires):02x}", ref="sit")
        wires.append(wire)
    return wires


def turn_of(wires: Sequence[Wire], table: str) -> Wire:
    """Return the connection that has to decide; the first, if there are several."""
    return next(wire for wire in wires if wire.asked(table))


def bids_of(wire: Wire, table: str) -> list[str]:
    """Return the legal bids of a connection that has to decide."""
    asked = wire.asked(table)
    return [] if asked is None else [action for action in asked[1] if "x" in action]


async def play(here: World, wires: Sequence[Wire], table: str, *, moves: int = 1000) -> None:
    """Play by the script until everything is over, or the clients have made this many moves."""
    idle = 0
    while moves and idle < 40:
        wire = next((wire for wire in wires if wire.open and wire.asked(table)), None)
        if wire is not None:
            asked = wire.asked(table) or (0, [])
            await wire.act(table, move=f"m{asked[0]}" if moves % 2 else None)
            moves, idle = moves - 1, 0
            continue
        status = next(w for w in wires if w.open and w.view(table) is not None).info(table)
        if status["status"] in ("finished", "closed"):
            return
        await here.pass_time(0.5)
        idle += 1


# --- scenarios ----------------------------------------------------------------------------------
async def calza_window(here: World) -> None:
    """Claims out of turn: settled by seat, closed by time, declined unasked; stale and repeated."""
    people = await here.guests("Ada", "Bob", "Cleo", "Dan")
    table = await here.table(people[0], 4, rules="official:dice=3", calza_window=4.0)
    watching = await here.connect(await here.guest("Eve"))
    await watching.send(type="open", table=table, odds=True, ref="open")
    wires = await sit_all(here, table, people, odds=False)
    program = await here.connect(people[3], "program")
    await program.send(type="open", table=table, ref="open")

    bidder = wires.index(turn_of(wires, table))
    following, first, second = (wires[(bidder + step) % 4] for step in (1, 2, 3))
    await wires[bidder].act(table, "2x3", move="opening")
    await following.act(table, "3x3")  # the window is open
    await second.act(table, "3x3")
    await second.act(table, "calza", move="mine")
    await second.act(table, "calza", move="mine")
    await second.send(type="action", table=table, id=1, action="decline", move="late")
    await first.act(table, "calza")

    bidder = wires.index(turn_of(wires, table))  # the next round: the window closes by itself
    following, first, second = (wires[(bidder + step) % 4] for step in (1, 2, 3))
    await first.send(type="open", table=table, odds=True, ref="odds")
    await wires[bidder].act(table)
    await here.pass_time(3.75)
    await second.act(table, "decline")
    await here.pass_time(0.25)
    await here.pass_time(1.0)

    for wire in wires:
        await wire.send(type="auto", table=table, decline=True, ref="auto")
    await turn_of(wires, table).act(table)  # nobody is asked
    bidder = wires.index(turn_of(wires, table))
    asked = wires[(bidder + 2) % 4]
    await asked.send(type="auto", table=table, decline=False, ref="auto")
    await wires[bidder].act(table, bids_of(wires[bidder], table)[0])
    await asked.act(table, "decline", move="by-hand")
    await watching.send(type="auto", table=table, decline=True, ref="auto")
    await play(here, wires, table, moves=6)


async def absence(here: World) -> None:
    """An AI takes the seat of an absent player, and gives it back; or everybody waits."""
    people = await here.guests("Ada", "Bob", "Cleo")
    options = {"rules": "common:dice=2", "timer": 30, "absence_seconds": 10.0}
    table = await here.table(people[0], 3, **options)
    wires = await sit_all(here, table, people)
    gone = wires.index(turn_of(wires, table))
    rest = [wire for wire in wires if wire is not wires[gone]]
    await wires[gone].hang_up()
    await here.pass_time(9.0)
    await here.pass_time(1.0)
    await here.pass_time(0.5)
    await play(here, rest, table, moves=3)
    known = next(m["n"] for m in reversed(rest[0].told) if m.get("type") == "events")
    back = wires[gone] = await here.connect(people[gone])
    await back.send(type="open", table=table, after=known - 1, ref="back")
    second = await here.connect(people[gone])  # the same person on another screen
    await second.send(type="open", table=table, ref="open")
    await back.hang_up()
    await here.pass_time(20.0)
    wires[gone] = second

    await rest[-1].send(type="absence", table=table, action="wait", ref="may-not")
    await wires[0].send(type="absence", table=table, action="wait", seconds=4.0, ref="too-short")
    await wires[0].send(type="absence", table=table, action="wait", ref="wait")
    acting = turn_of(wires, table)
    await acting.hang_up()
    await here.pass_time(40.0)  # neither the turn's time nor the absence counts
    await here.pass_time(200.0)
    again = await here.connect(acting.person)
    await again.send(type="open", table=table, ref="open")
    wires[wires.index(acting)] = again
    await here.pass_time(31.0)  # who is here is forced
    creator = next(wire for wire in wires if wire.person is people[0])
    await creator.send(type="absence", table=table, action="ai", seconds=5.0, ref="ai")
    last = next(wire for wire in wires if wire.person is not people[0])
    await last.hang_up()
    await here.pass_time(5.0)
    await play(here, [wire for wire in wires if wire.open], table)


async def kick_and_stand(here: World) -> None:
    """Seats that are left before, during and after games; who was sent away stays away."""
    people = await here.guests("Ada", "Bob", "Cleo", "Dan")
    ada, bob, cleo, dan = people
    table = await here.table(ada, 3, rules="common:dice=2", games=2)
    first, second = await sit_all(here, table, [ada, bob])
    watching = await here.connect(dan)
    await watching.send(type="open", table=table, ref="open")
    await second.send(type="stand", table=table, ref="stand")
    await second.send(type="stand", table=table, ref="again")
    await second.send(type="sit", table=table, seat=2, ref="sit")
    await second.send(type="kick", table=table, seat=0, ref="may-not")
    await first.send(type="kick", table=table, seat=1, ref="nobody")
    await first.send(type="kick", table=table, seat=5, ref="no-such")
    await first.send(type="kick", table=table, seat=2, ref="kick")
    await second.send(type="sit", table=table, ref="kicked")
    third = await here.connect(cleo)
    await third.send(type="sit", table=table, ref="unseen")  # sits without following
    await third.send(type="open", table=table, ref="open")
    await watching.send(type="sit", table=table, seat=1, ref="taken")
    await watching.send(type="sit", table=table, seat=2, ref="sit")
    wires = [first, third, watching]
    await play(here, wires, table, moves=2)
    await third.send(type="stand", table=table, ref="leave")
    await third.send(type="sit", table=table, ref="full")
    await third.send(type="action", table=table, id=1, action="1x2")
    await first.send(type="kick", table=table, seat=2, ref="kick")
    await play(here, [first], table)
    await watching.send(type="sit", table=table, ref="kicked")
    await here.pass_time(1.0)
    await first.send(type="kick", table=table, seat=1, ref="kick-ai")
    await first.send(type="rematch", table=table, ref="seats-free")
    await first.send(type="fill", table=table, seat=1, level="casual", ref="fill")
    await first.send(type="rematch", table=table, seed="0f", ref="rematch")

    other = await here.table(bob, 2, rules="common:dice=1", games=3)
    pair = await sit_all(here, other, [bob, cleo])
    await pair[0].send(type="stand", table=other, ref="stand")
    await pair[1].send(type="stand", table=other, ref="stand")
    for _ in range(20):  # everybody has left: the AIs play to the end of the game
        await here.pass_time(0.5)
    await pair[1].send(type="sit", table=other, ref="closed")


async def series_with_people(here: World) -> None:
    """A series with an AI, at a pace; then a rematch with new seeds."""
    people = await here.guests("Ada", "Bob")
    seats = [{"kind": "open"}, {"kind": "ai", "level": "casual"}, {"kind": "open"}]
    table = await here.table(people[0], seats, rules="common:dice=1", games=2)
    wires = await sit_all(here, table, people)
    watching = await here.connect(await here.guest("Eve"))
    await watching.send(type="open", table=table, ref="open")
    await play(here, wires, table)
    await wires[1].send(type="rematch", table=table, seed="zz", ref="wrong")
    await watching.send(type="rematch", table=table, ref="not-seated")
    await wires[1].send(type="rematch", table=table, seed="cd", ref="rematch")
    await wires[1].send(type="rematch", table=table, seed="ef", ref="again")
    await wires[0].send(type="action", table=table, id=3, action="dudo")
    await wires[0].send(type="rematch", table=table, seed="ab", ref="rematch")
    await play(here, wires, table)
    await here.ask(people[0], "GET", f"/api/games/{table}.3/record")
    await here.ask(people[0], "GET", f"/api/games/{table}.1/notation")


async def series_of_ais(here: World) -> None:
    """AIs alone play move by move while a client watches, and whole games when none does."""
    ada = await here.guest("Ada")
    ais = [{"kind": "ai", "agent": name} for name in ("observer", "l-dumb", "probabilistic")]
    watched = await here.table(ada, ais, rules="common:dice=1", games=4, pace=1.0)
    wire = await here.connect(ada)
    await wire.send(type="open", table=watched, ref="open")
    for _ in range(60):
        await here.pass_time(1.0)
    whole = await here.table(ada, ais[:2], rules="official:dice=1", games=6)
    await here.pass_time(1.0)
    follower = await here.connect(ada, label="Ada, following a series")
    await follower.send(type="open", table=whole, ref="open")
    program = await here.connect(ada, "program")
    await program.send(type="open", table=whole, ref="open")
    paced = await here.table(ada, ais, rules="common:dice=1", games=3, pace=0.0)
    await follower.send(type="open", table=paced, ref="open")
    await here.pass_time(1.0)


async def retry(here: World) -> None:
    """A decision of a finished game is tried again, move by move and at a table."""
    people = await here.guests("Ada", "Bob")
    seats = [{"kind": "open"}, {"kind": "open"}, {"kind": "ai", "agent": "observer"}]
    table = await here.table(people[0], seats, rules="official:dice=2")
    wires = await sit_all(here, table, people)
    await play(here, wires, table)
    kept = ("players", "rules", "game", "agents", "seat", "done")
    body = {"game": f"{table}.1", "seat": 0}
    review = await here.ask(people[0], "POST", "/api/reviews", body, kept)
    here.name_secret(review["id"], "REVIEW")  # a hash of the record, so of every option
    path = f"/api/reviews/{review['id']}"
    acts = [
        row["data"]["record"]["n"]
        for row in here.rows(table)
        if row["kind"] == "act" and row["data"]["record"]["seat"] == 0
    ]
    n = acts[2]
    answer = await here.ask(people[0], "POST", f"{path}/retries", {"n": n, "seed": 5})
    tried = {"n": n, "seed": 5, "actions": answer["legal"][:1]}
    await here.ask(people[0], "POST", f"{path}/retries", tried)
    await here.ask(people[0], "POST", f"{path}/retries", {"n": 1, "actions": []})
    await here.ask(people[0], "POST", f"{path}/tables", {"n": 1})
    made = await here.ask(people[1], "POST", f"{path}/tables", {"n": n})
    here.tables.append(made["table"])
    wire = await here.connect(people[1])
    await wire.send(type="open", table=made["table"], odds=True, ref="open")
    await wire.send(type="sit", table=made["table"], ref="sit")
    await play(here, [wire], made["table"], moves=2)
    await here.restart()
    wire = await here.connect(people[1])
    await wire.send(type="open", table=made["table"], ref="open")
    await play(here, [wire], made["table"])


async def restart(here: World) -> None:
    """The process ends: mid-game, with a window open, paused, and between the games of a series."""
    people = await here.guests("Ada", "Bob", "Cleo")
    table = await here.table(people[0], 3, rules="official:dice=2", games=2)
    wires = await sit_all(here, table, people)
    await play(here, wires, table, moves=3)
    known = max(m["n"] for m in wires[0].told if m.get("type") == "events")

    await here.restart()
    wires = [await here.connect(person) for person in people]
    await wires[0].send(type="open", table=table, after=known, ref="all-known")
    await wires[1].send(type="open", table=table, after=known - 2, ref="missed")
    await wires[2].send(type="open", table=table, after=10**6, ref="ahead")
    while not any(bids_of(wire, table) for wire in wires):
        await play(here, wires, table, moves=1)
    bidder = next(wire for wire in wires if bids_of(wire, table))
    bid, (question, _) = bids_of(bidder, table)[0], bidder.asked(table) or (0, [])
    await bidder.act(table, bid, move="before")
    in_window = [wire for wire in wires if wire.asked(table)]
    known = max(m["n"] for m in bidder.told if m.get("type") in ("events", "table"))

    await here.restart()  # with the window open
    places = [wires.index(wire) for wire in (bidder, *in_window)]
    wires = [await here.connect(person) for person in people]
    for wire in wires:
        await wire.send(type="open", table=table, after=known, ref="open")
    again = {"table": table, "id": question, "action": bid, "move": "before"}
    await wires[places[0]].send(type="action", **again)
    for place in places[1:]:
        await wires[place].act(table, "decline", move="answer")
    await here.pass_time(6.0)
    await play(here, wires, table, moves=2)
    await wires[0].send(type="pause", table=table, on=True, ref="pause")

    await here.restart()  # while paused
    await here.pass_time(100.0)
    wires = [await here.connect(person) for person in people]
    for wire in wires:
        await wire.send(type="open", table=table, ref="open")
    await wires[0].send(type="pause", table=table, on=False, ref="go-on")
    while wires[0].info(table)["game"] == 1 and not (wires[0].view(table) or {})["over"]:
        await play(here, wires, table, moves=1)

    await here.restart()  # between two games, and nobody is there for a while
    await here.pass_time(50.0)
    wires = [await here.connect(person) for person in people[:2]]
    for wire in wires:
        await wire.send(type="open", table=table, ref="open")
    await play(here, wires, table, moves=4)
    await here.restart()  # and nobody comes at all
    for _ in range(60):
        await here.pass_time(10.0)


async def window_of_four(here: World) -> None:
    """One has answered in the window when the process ends: the answer counts afterwards."""
    people = await here.guests("Ada", "Bob", "Cleo", "Dan")
    table = await here.table(people[0], 4, rules="official:dice=2")
    wires = await sit_all(here, table, people)
    bidder = wires.index(turn_of(wires, table))
    await wires[bidder].act(table, "2x3")
    last = (bidder + 3) % 4
    await wires[last].act(table, "calza", move="answer")
    await here.restart()
    wires = [await here.connect(person) for person in people]
    for wire in wires:
        await wire.send(type="open", table=table, ref="open")
    await wires[last].act(table, "calza", move="answer")
    await here.pass_time(4.0)
    await here.pass_time(1.0)
    await here.pass_time(1.0)
    await wires[0].send(type="open", table=table, ref="look")


async def program(here: World) -> None:
    """Programs: what a bot, a guest's program and one that only watches are sent."""
    ada = await here.account("Ada Account")
    robo = await here.bot(ada, "Robo")
    guest = await here.guest("Gus")
    table = await here.table(ada, 3, rules="official:dice=2", calza_window=4.0)
    page = (await sit_all(here, table, [ada]))[0]
    bot = await here.connect(robo)
    await bot.send(type="sit", table=table, seed="0b", ref="sit")
    guests = await here.connect(guest, "program")
    await guests.send(type="sit", table=table, seat=9, ref="no-seat")
    await guests.send(type="sit", table=table, ref="sit")
    watching = await here.connect(await here.guest("Eve"), "program")
    await watching.send(type="open", table=table, ref="open")
    wires = [page, bot, guests]
    for _ in range(3):
        await here.pass_time(1.0)
    for wire in (bot, guests):
        await wire.send_text("not json")
        await wire.send(type="nothing", table=table, ref="unknown")
        await wire.send(type="action", table=table, id="1", action="dudo")
        await wire.send(type="action", table=table, action="dudo", move="m")
        await wire.send(type="action", table=table, id=1, action="dudo", more=1)
        await wire.send(type="action", table=table, id=1, action="dudo")
        question = (page.view(table) or {})["question"]
        await wire.send(type="action", table=table, id=question, action="hello")
        await wire.send(type="action", table=table, id=question, action="9x9")
        await wire.send(type="action", table=table, id=question, action="2x1", thoughts="hm")
        await wire.send(type="ping")
    await play(here, wires, table, moves=4)
    await bot.hang_up()
    again = await here.connect(robo)  # follows unasked, and is asked again if need be
    wires[1] = again
    await play(here, wires, table, moves=2)
    second = await here.connect(robo, label="Robo, after")
    known = (page.view(table) or {})["question"]
    await second.send(type="open", table=table, after=known - 1, ref="after")
    await second.send(type="shut", table=table, ref="shut")
    await second.send(type="shut", table=table, ref="shut")
    await page.send(type="pause", table=table, on=True, ref="pause")
    await page.send(type="pause", table=table, on=False, ref="go-on")
    await play(here, wires, table)
    late = await here.connect(robo, label="Robo, late")
    await late.send(type="open", table=table, ref="open")


async def pause_hurry_and_say(here: World) -> None:
    """Chat, muting, pausing, filling and hurrying at a private table; a turn times out."""
    people = await here.guests("Ada", "Bob", "Cleo")
    ada, cleo = people[0], people[2]
    seats = [{"kind": "invited"}, {"kind": "invited"}, {"kind": "open"}, {"kind": "open"}]
    options = {"rules": "common:dice=1", "timer": 10, "private": True, "pace": 5.0}
    table = await here.table(ada, seats, **options)
    first, second, third = [await here.connect(person) for person in people]
    for wire in (first, second, third):
        await wire.send(type="open", table=table, ref="open")
    await first.send(type="sit", table=table, ref="sit")
    await here.ask(cleo, "GET", f"/api/tables/{table}/invitation")
    told = await here.ask(ada, "GET", f"/api/tables/{table}/invitation")
    key = told["link"].rpartition("/")[2]
    await second.send(type="sit", table=table, seat=0, ref="no-key")
    await second.send(type="sit", table=table, seat=0, key="wrong", ref="wrong-key")
    await second.send(type="sit", table=table, seat=0, key=key, seed="b0", ref="sit")
    await second.send(type="sit", table=table, ref="again")
    await third.send(type="say", table=table, phrase="hello", ref="not-seated")
    await second.send(type="fill", table=table, seat=1, level="casual", ref="may-not")
    await first.send(type="fill", table=table, seat=0, level="casual", ref="taken")
    await first.send(type="fill", table=table, seat=1, agent="nobody", ref="unknown")
    await first.send(type="fill", table=table, seat=1, ref="neither")
    await first.send(type="fill", table=table, seat=1, level="casual", ref="fill")
    await second.send(type="say", table=table, text="a word", ref="text")
    await second.send(type="say", table=table, reaction="🎲", ref="reaction")
    await second.send(type="say", table=table, phrase="oops", reaction="🎲", ref="two")
    await second.send(type="mute", table=table, seat=0, on=True, ref="may-not")
    await first.send(type="mute", table=table, seat=0, on=True, ref="mute")
    await second.send(type="say", table=table, text="another", ref="muted")
    await second.send(type="say", table=table, phrase="good_luck", ref="phrase")
    await first.send(type="mute", table=table, seat=0, on=False, ref="unmute")
    await first.send(type="pause", table=table, on=True, ref="early")
    await first.send(type="fill", table=table, seat=3, agent="l-dumb", ref="fill-last")
    await here.pass_time(60.0)
    await second.send(type="pause", table=table, on=False, ref="may-not")
    await first.send(type="pause", table=table, on=False, ref="go-on")
    await first.send(type="pause", table=table, on=False, ref="repeated")
    await here.pass_time(10.0)  # the time of who is asked is over, or an AI says something
    await here.pass_time(10.0)
    await first.send(type="hurry", table=table, ref="still")
    await third.send(type="hurry", table=table, ref="not-seated")
    await first.send(type="pause", table=table, on=True, ref="pause")
    acting = next((wire for wire in (first, second) if wire.asked(table)), first)
    await acting.act(table, "1x2")
    await here.pass_time(300.0)
    await first.send(type="pause", table=table, on=False, ref="go-on")
    for _ in range(60):
        view = first.view(table)
        assert view is not None
        if view["over"]:
            break
        if view["counts"][0] == view["counts"][2] == 0:
            await first.send(type="hurry", table=table, ref="hurry")
        if second.asked(table):
            await here.pass_time(10.0)  # too late
        elif (asked := first.asked(table)) is not None:
            await first.act(table, asked[1][-1])
        else:
            await here.pass_time(5.0)
    await first.send(type="hurry", table=table, ref="over")
    await second.send(type="say", table=table, phrase="good_game", ref="phrase")


async def hurry(here: World) -> None:
    """Only AIs are left, and nobody wants to wait for them."""
    ada = await here.guest("Ada")
    seats = [{"kind": "open"}, *[{"kind": "ai", "agent": "observer"}] * 3]
    table = await here.table(ada, seats, rules="common:dice=1", pace=10.0)
    (wire,) = await sit_all(here, table, [ada])
    for _ in range(60):
        view = wire.view(table) or {}
        if view["over"] or view["counts"][0] == 0:
            break
        if not bids_of(wire, table):
            await here.pass_time(10.0)
        else:  # as bold as can be
            await wire.act(table, bids_of(wire, table)[-1])
    await wire.send(type="hurry", table=table, ref="hurry")
    await here.pass_time(0.5)


async def refusals(here: World) -> None:
    """Refusals at tables that wait, are rated, are private or do not exist."""
    ada, bob = await here.account("Ada Account"), await here.account("Bob Account")
    robo, guest = await here.bot(ada, "Robo"), await here.guest("Gus")
    two = [{"kind": "open"}] * 2
    for body in (
        {"seats": two, "rules": "nothing"},
        {"seats": two[:1]},
        {"seats": two, "timer": 5},
        {"seats": [*two, {"kind": "ai"}]},
        {"seats": [*two, {"kind": "ai", "agent": "no.py:X"}]},
        {"seats": two, "rated": True, "rules": "uk:dice=3"},
        {"seats": two, "rated": True, "absence": "wait"},
        {"seats": [{"kind": "ai", "level": "casual"}] * 2, "rated": True},
        {"seats": two, "more": 1},
    ):
        await here.ask(ada, "POST", "/api/tables", body)
    await here.ask(guest, "POST", "/api/tables", {"seats": two, "rated": True})
    await here.ask(ada, "GET", "/api/tables/nothing-here")
    table = await here.table(ada, 3, rules="official", rated=True)
    wires = [await here.connect(person) for person in (ada, bob, guest)]
    bot = await here.connect(robo)
    await bot.send(type="sit", table=table, ref="first")
    for wire in wires:
        await wire.send(type="open", table=table, ref="open")
        await wire.send(type="sit", table=table, ref="sit")
    await bot.send(type="stand", table=table, ref="stand")
    await wires[0].send(type="sit", table=table, seat=1, ref="taken")
    await wires[0].send(type="sit", table=table, seat=0, ref="sit")
    await bot.send(type="sit", table=table, ref="same-owner")
    await wires[0].send(type="absence", table=table, action="wait", ref="rated")
    await wires[0].send(type="pause", table=table, on=True, ref="may")
    await wires[0].send(type="pause", table=table, on=False, ref="may")
    await wires[0].send(type="fill", table=table, seat=2, level="casual", ref="fill")
    await here.pass_time(1.0)
    await wires[0].send(type="kick", table=table, seat=0, ref="rated")
    await wires[0].send(type="pause", table=table, on=True, ref="rated")
    await wires[0].send(type="rematch", table=table, ref="not-over")
    await wires[0].send(type="say", table=table, text="hello", ref="no-text")
    await wires[0].send(type="say", table=table, ref="nothing-said")
    await wires[2].send(type="stand", table=table, ref="not-seated")
    await wires[2].send(type="open", table="nothing-here", ref="no-table")
    await wires[2].send(type="sit", table="?", ref="wrong-name")
    await wires[2].send(type="open", table=table, after=-1, ref="negative")
    await wires[2].send(type="say", table=table, phrase="no such words", ref="phrase")
    await wires[2].send_text("[]")
    await wires[2].send_text('{"type":"open"}')
    for number in range(6):
        await wires[0].send(type="say", table=table, reaction="👍", ref=f"say-{number}")
    waiting = await here.table(ada, 2)
    await wires[0].send(type="sit", table=waiting, ref="sit")
    await wires[0].send(type="action", table=waiting, id=1, action="1x2")
    await wires[0].send(type="hurry", table=waiting, ref="hurry")
    await wires[0].send(type="rematch", table=waiting, ref="rematch")


async def queue_and_challenge(here: World) -> None:
    """Players find each other, and are challenged by name."""
    ada, bob = await here.account("Ada Account"), await here.account("Bob Account")
    robo, guest = await here.bot(bob, "Robo"), await here.guest("Gus")
    wires = [await here.connect(person) for person in (ada, bob, guest)]
    bot = await here.connect(robo)
    wish = {"type": "queue", "rules": "common", "players": 2}
    await wires[2].send(**wish, ref="rated")
    await wires[2].send(**{**wish, "rules": "uk:dice=1", "rated": False}, ref="unknown")
    await bot.send(**wish, seed="0a", ref="queue")
    await wires[1].send(**wish, seed="0b", ref="same-owner")
    await wires[1].send(**wish, on=False, ref="leave")
    await wires[0].send(**wish, seed="0c", ref="queue")
    matched = next(m["table"] for m in wires[0].told if m.get("type") == "matched")
    here.tables.append(matched)
    await wires[0].send(type="open", table=matched, ref="open")
    await play(here, [wires[0], bot], matched, moves=3)
    seats = [{"kind": "open"}, {"kind": "invited"}]
    table = await here.table(ada, seats, rules="common:dice=1")
    await wires[1].send(type="invite", table=table, player="Robo", ref="may-not")
    await wires[0].send(type="invite", table=table, player="Nobody", ref="not-here")
    await wires[0].send(type="invite", table=table, player="Robo", ref="invite")
    await here.ask(bob, "PUT", f"/api/bots/{robo.id}/filters", {"closed": True})
    await wires[0].send(type="invite", table=table, player="Robo", ref="declined")
    key = next(m["key"] for m in bot.told if m.get("type") == "challenge")
    await bot.send(type="sit", table=table, ref="without")
    await bot.send(type="stand", table=table, ref="stand")
    await bot.send(type="sit", table=table, seat=1, key=key, ref="sit")
    await wires[0].send(type="open", table=table, ref="open")
    await wires[0].send(type="sit", table=table, ref="sit")
    await here.pass_time(1.0)
    await play(here, [wires[0], bot], table)


SCENARIOS: dict[str, tuple[Scenario, Json]] = {
    "calza_window": (calza_window, {}),
    "absence": (absence, {}),
    "kick_and_stand": (kick_and_stand, {}),
    "series_with_people": (series_with_people, {"pace_seconds": 1.5, "reveal_seconds": 3.0}),
    "series_of_ais": (series_of_ais, {}),
    "retry": (retry, {}),
    "restart": (restart, {}),
    "window_of_four": (window_of_four, {}),
    "program": (program, {"pace_seconds": 1.0, "reveal_seconds": 0.5}),
    "pause_hurry_and_say": (pause_hurry_and_say, {"reveal_seconds": 2.0}),
    "hurry": (hurry, {"reveal_seconds": 2.0}),
    "refusals": (refusals, {}),
    "queue_and_challenge": (queue_and_challenge, {}),
}
"""Each with the server's settings."""


# --- a database of a released version -----------------------------------------------------------
RELEASED = "released"
OLDER = """
ALTER TABLE tables DROP COLUMN owner;
ALTER TABLE tables DROP COLUMN fence;
DROP TABLE processes;
UPDATE events SET hidden = NULL WHERE kind = 'opened';
UPDATE alembic_version SET version_num = '0001';
"""
"""Makes the database one of the first version, whose tables had no keys and no other processes."""
WITHOUT_SITTING = """
UPDATE events SET data = json_remove(data, '$.sitting')
WHERE kind = 'started' AND table_id = '{table}';
"""
"""Logs from before AIs changed their seats do not tell who sits where."""


async def make_released(here: World) -> str:
    """Tables in the middle of everything; returns who and what there is, as comments."""
    people = await here.guests("Ada", "Bob", "Cleo", "Dan")
    ada, bob, cleo, dan = people
    games: dict[str, str] = {}

    games["left"] = await here.table(ada, 4, rules="common:dice=2", games=2)
    wires = await sit_all(here, games["left"], people)
    await play(here, wires, games["left"], moves=5)
    await wires[3].send(type="stand", table=games["left"], ref="stand")
    await wires[2].hang_up()
    await here.pass_time(31.0)
    await play(here, wires[:2], games["left"], moves=3)

    games["series"] = await here.table(bob, 2, rules="common:dice=1", games=3)
    await play(here, await sit_all(here, games["series"], people[:2]), games["series"], moves=0)
    while True:  # to the end of the first game; the next begins when all have looked at it
        wires = [wire for wire in here.wires[-2:] if wire.asked(games["series"])]
        if not wires:
            break
        await wires[0].act(games["series"])

    games["finished"] = await here.table(cleo, 2, rules="uk:dice=1")
    pair = await sit_all(here, games["finished"], [cleo, dan])
    await play(here, pair, games["finished"])

    ais = [{"kind": "ai", "agent": name} for name in ("observer", "l-dumb", "probabilistic")]
    games["ais"] = await here.table(dan, ais, rules="official:dice=1", games=5, pace=1.0)
    wire = await here.connect(dan)
    await wire.send(type="open", table=games["ais"], ref="open")
    while wire.info(games["ais"])["game"] < 3:
        await here.pass_time(1.0)
    await wire.send(type="pause", table=games["ais"], on=True, ref="pause")

    seats = [{"kind": "invited"}, {"kind": "open"}, {"kind": "invited"}]
    games["waiting"] = await here.table(ada, seats, rules="common:dice=1", private=True)
    wire = await here.connect(ada)
    await wire.send(type="sit", table=games["waiting"], seed="aa", ref="sit")

    games["old"] = await here.table(ada, 3, rules="official:dice=2", absence="wait")
    wires = await sit_all(here, games["old"], people[:3])
    await play(here, wires, games["old"], moves=2)

    games["window"] = await here.table(ada, 4, rules="official:dice=2", absence="wait")
    wires = await sit_all(here, games["window"], people)
    bidder = wires.index(turn_of(wires, games["window"]))
    await wires[bidder].act(games["window"], "2x3")
    await wires[(bidder + 3) % 4].act(games["window"], "calza", move="answer")
    lines = [f"-- person {each.name} {each.id} {each.token}" for each in people]
    lines += [f"-- table {name} {id}" for name, id in games.items()]
    return "\n".join(lines) + "\n"


async def resume(here: World, dump: str) -> None:
    """Go on with all of them to their ends."""
    notes = [line.split() for line in dump.splitlines() if line.startswith("-- ")]
    games = {note[2]: note[3] for note in notes if note[1] == "table"}
    people = [here.known(*note[2:]) for note in notes if note[1] == "person"]
    here.tables = list(games.values())
    wires = [await here.connect(person) for person in people]

    async def follow(game: str, *followers: Wire) -> list[Wire]:
        for wire in followers or wires:
            await wire.send(type="open", table=games[game], ref="open")
        return list(followers or wires)

    await follow("window")
    await here.pass_time(4.0)
    await here.pass_time(1.0)
    await follow("left", wires[0], wires[1], wires[3])
    await follow("old", *wires[:3])
    await play(here, await follow("series", *wires[:2]), games["series"])
    await wires[2].send(type="open", table=games["left"], ref="back")
    await play(here, wires[:3], games["left"])
    await play(here, wires[:3], games["old"])
    await play(here, wires, games["window"])
    pair = await follow("finished", wires[2], wires[3])
    for wire in pair:
        await wire.send(type="rematch", table=games["finished"], seed="ee", ref="rematch")
    await play(here, pair, games["finished"])
    await wires[3].send(type="pause", table=games["ais"], on=False, ref="go-on")
    for _ in range(60):  # at their pace
        await here.pass_time(1.0)
    await wires[3].send(type="open", table=games["ais"], ref="look")

    trio = await follow("waiting", *wires[:3])
    path = f"/api/tables/{games['waiting']}/invitation"
    link = (await here.ask(people[0], "GET", path, keep=["invites"]))["link"]
    here.name_secret(link.rpartition("/")[2], "KEY")
    for wire in trio[1:]:
        await wire.send(type="sit", table=games["waiting"], seat=2, key="KEY", ref="sit")
    await wires[2].send(type="sit", table=games["waiting"], ref="not-open")
    await wires[2].send(type="sit", table=games["waiting"], key="KEY", ref="sit")
    await play(here, trio, games["waiting"])


def released(path: Path) -> str:
    """Make the released version's database again; return its notes and dump."""

    async def main() -> str:
        async with world(path, RELEASED, reveal_seconds=3.0) as here:
            notes = await make_released(here)
            table = next(line.split()[3] for line in notes.splitlines() if "table old" in line)
        restore(path, WITHOUT_SITTING.format(table=table))
        return notes + dumped(path)

    made: str = run(main)
    return made


def resumed(path: Path, *changes: str) -> Json:
    """Today's server continues with the database of the released version."""
    dump = (GOLDEN / f"{RELEASED}.sql").read_text(encoding="utf-8")
    restore(path, dump, *changes)

    async def main() -> Json:
        async with world(path, "resumed", prefix="new", later=10_000.0, reveal_seconds=3.0) as here:
            last = here.query(
                "select id, (select max(n) from events where table_id = id) as n from tables"
            )
            known = {row["id"]: row["n"] for row in last}
            await resume(here, dump)
            golden = await here.golden(known)
            for (
                wire
            ) in here.wires:  # what is loaded, and how it is acknowledged; logs tell the rest
                told = [m for m in wire.told if m.get("type") != "events"]
                golden["transcripts"][wire.label] = told
            return golden

    found: Json = run(main)
    return found


# --- files --------------------------------------------------------------------------------------
def played(name: str, path: Path) -> Json:
    """Return everything that happens in a scenario."""
    if name == RELEASED:
        return resumed(path)
    scenario, settings = SCENARIOS[name]

    async def main() -> Json:
        async with world(path, name, **settings) as here:
            await scenario(here)
            return await here.golden()

    found: Json = run(main)
    return found


def shortened(golden: Json) -> Json:
    """Shorten every view and info to its changes since the viewer's last one.

    Nothing is lost: equal results come from equal values.
    """
    told = {label: _changes(messages) for label, messages in golden["transcripts"].items()}
    plain: Json = json.loads(json.dumps({**golden, "transcripts": told}))
    return plain


def _changes(told: list[Json]) -> list[Json]:
    before: dict[tuple[str, str], Json] = {}
    kept = []
    for message in told:
        short = dict(message)
        for part in ("view", "info"):
            new, key = message.get(part), (part, str(message.get("table")))
            if new is None:
                continue
            old = before.get(key)
            if old is not None and list(old) == list(new):
                del short[part]
                short[f"{part}, changed"] = {k: new[k] for k in new if new[k] != old[k]}
            before[key] = new
        kept.append(short)
    return kept


def packed(golden: Json) -> Json:
    """Store values that appear several times once, under ``shared``, and refer to them by name."""
    seen: Counter[str] = Counter()
    shared: Json = {}

    def count(value: Any) -> None:
        if isinstance(value, dict | list):
            text = _line(value)
            seen[text] += 1
            if seen[text] == 1:  # what stands once may be told of once
                for each in value.values() if isinstance(value, dict) else value:
                    count(each)

    def pack(value: Any) -> Any:
        if not isinstance(value, dict | list):
            return value
        text = _line(value)
        if seen[text] < 2 or len(text) < WORTH_SHARING:
            return pack_parts(value)
        name = f"{SHARED}{hashlib.sha256(text.encode()).hexdigest()[:6]}"
        if name not in shared:
            shared[name] = None  # so that what it is made of comes after it
            shared[name] = pack_parts(value)
        return name

    def pack_parts(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: pack(each) for key, each in value.items()}
        return [pack(each) for each in value]

    count(golden)
    return {**pack(golden), "shared": shared}


def unpacked(file: Json) -> Json:
    """Undo ``packed``."""
    shared = file["shared"]

    def unpack(value: Any) -> Any:
        if isinstance(value, str) and value.startswith(SHARED):
            return unpack(shared[value])
        if isinstance(value, dict):
            return {key: unpack(each) for key, each in value.items()}
        return [unpack(each) for each in value] if isinstance(value, list) else value

    return {key: unpack(value) for key, value in file.items() if key != "shared"}


def text_of(value: Any, depth: int = 0) -> str:
    """JSON with one row or message a line."""
    indent, line = " " * (depth + 1), _line(value)
    if len(line) < 100 or depth > 3 or (depth > 2 and isinstance(value, dict)):
        return line
    if isinstance(value, dict):
        lines = [
            f"{indent}{json.dumps(k)}: {text_of(each, depth + 1)}" for k, each in value.items()
        ]
        return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"
    if isinstance(value, list):
        lines = [indent + _line(each) for each in value]
        return "[\n" + ",\n".join(lines) + "\n" + " " * depth + "]"
    return line


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def file_of(name: str) -> Path:
    return GOLDEN / f"{name}.json"


def read(name: str) -> Json:
    """What a golden file says, shortened, with the options of the rules that are newer than it."""
    golden = unpacked(json.loads(file_of(name).read_text(encoding="utf-8")))
    found: Json = with_new_options_everywhere(golden)
    return found


def write(names: Sequence[str]) -> None:
    """Write golden files again."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name in names or [*SCENARIOS, RELEASED]:
        with tempfile.TemporaryDirectory() as path:
            golden = packed(shortened(played(name, Path(path))))
        file_of(name).write_text(text_of(golden) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--release"]:
        with tempfile.TemporaryDirectory() as directory:
            dump = released(Path(directory))
        (GOLDEN / f"{RELEASED}.sql").write_text(dump, encoding="utf-8")
    elif sys.argv[1:2] == ["--write"]:
        write(sys.argv[2:])
    else:
        sys.exit(__doc__)
