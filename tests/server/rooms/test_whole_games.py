"""Series of AIs: who sits where, games played whole, and what AIs remember after a restart."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from perudo.agents import AGENTS, agent_named
from perudo.agents.external.wire import unpack_memories
from perudo.fair_dice import chain_to, check_dice
from perudo.games.chance import stream_of
from perudo.games.perudo import PERUDO, Rules
from perudo.server.ai.callers import SERVER, Caller
from perudo.server.ai.pool import AiError
from perudo.server.ai.questions import Order, PlannedGame, Played
from perudo.server.ai.series_player import play_games
from perudo.server.db import schema
from perudo.server.history.records import record_of, series_games
from perudo.server.rooms.room import Room
from perudo.server.table.seating import by_player, by_seat, seating_of
from perudo.table import SeededDice, Table
from server.kit import QuickPool
from server.world import Follower, World, awaited, world

NAMES = ("macleod", "heuristic-adaptive", "observer")
AIS = [{"kind": "ai", "agent": name} for name in NAMES]


def run(path: Path, scene: Callable[[World], Awaitable[None]], **settings: Any) -> None:
    async def main() -> None:
        async with world(path, **settings) as here:
            await scene(here)

    asyncio.run(main())


def pool_of(here: World) -> QuickPool:
    assert isinstance(here.service.pool, QuickPool)
    return here.service.pool


async def played(here: World, room: Room, games: int = 1000) -> None:
    """Wait until this many games have begun, or the series is over."""
    for _ in range(3000):
        await here.settle(room)
        if room.table.status == "finished" or room.table.game >= games:
            return
        await asyncio.sleep(0.005)
    raise AssertionError("the series stopped")


async def loaded_again(here: World, room: Room) -> Room:
    await room.stop()
    del here.lobby._rooms[room.table.id]
    return await here.lobby.room(room.table.id)


# --- seats --------------------------------------------------------------------------------------
@pytest.mark.parametrize("players", [2, 3, 6])
def test_everybody_has_every_seat_equally_often(players: int) -> None:
    seatings = [seating_of("table", 4, game, players) for game in range(4, 4 + 20 * players)]
    assert seatings[0] == list(range(players))
    for block in range(20):
        part = seatings[block * players : (block + 1) * players]
        for seat in range(players):
            assert sorted(seating[seat] for seating in part) == list(range(players))
    again = [seating_of("table", 4, game, players) for game in range(4, 4 + 20 * players)]
    assert again == seatings
    if players > 2:
        beside = Counter(
            (seating[seat], seating[(seat + 1) % players])
            for seating in seatings
            for seat in range(players)
        )
        assert len(beside) == players * (players - 1)  # and everybody sits beside everybody


def test_a_memory_moves_with_those_whom_it_is_about() -> None:
    memory = np.arange(20.0).reshape(10, 2)
    seating = [2, 0, 1]
    arranged = by_seat(memory, seating)
    assert arranged[0].tolist() == memory[2].tolist()
    assert np.array_equal(by_player(arranged, seating), memory)


def test_ais_change_seats_between_games_and_their_wins_go_with_them(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (person,) = await here.guests(1)
        room = await here.table(person, AIS, rules="common:dice=1", games=6)
        watcher = Follower(person)
        await here.open(room, watcher)  # watched: played move by move
        await played(here, room)
        assert pool_of(here).batches == 0
        starts = [e for m in watcher.sent for e in m["events"] if e["kind"] == "started"]
        assert [start["sitting"] for start in starts] == [
            seating_of(room.table.id, 1, game, 3) for game in range(1, 7)
        ]
        for start in starts:
            agents = [player["agent"] for player in start["players"]]
            assert agents == [NAMES[player] for player in start["sitting"]]
        winners = await here.service.store.read(winning_agents)
        for seat, wins in zip(room.table.seats, room.table.wins, strict=True):
            assert wins == winners[seat.agent]
        again = await loaded_again(here, room)
        assert (again.table.seating, again.table.wins) == (room.table.seating, room.table.wins)
        assert [seat.agent for seat in again.table.seats] == [s.agent for s in room.table.seats]

    run(tmp_path, scene)


def winning_agents(connection: sa.Connection) -> Counter[str | None]:
    seats = schema.game_seats.c
    return Counter(connection.execute(sa.select(seats.agent).where(seats.place == 1)).scalars())


def test_people_keep_their_seats(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (person,) = await here.guests(1)
        seats = [{"kind": "open"}, *AIS[1:]]
        room = await here.table(person, seats, rules="common:dice=1", games=4)
        await here.open(room, Follower(person))
        await here.do(room, person, "sit")
        for _ in range(5000):
            await here.settle(room)
            match = room.table.play
            if match is not None and 0 in awaited(room):
                legal = match.legal(0)
                action = "dudo" if "dudo" in legal else legal[0]
                await here.do(room, person, "action", id=room.table.question, action=action)
            else:
                await asyncio.sleep(0.001)  # AIs ask the database what they remember
            if room.table.game >= 3:
                break
        assert room.table.game >= 3
        assert room.table.seating == (0, 1, 2)

    run(tmp_path, scene)


# --- whole games --------------------------------------------------------------------------------
@pytest.mark.parametrize("watched", [False, True])
def test_games_that_nobody_follows_are_played_whole(watched: bool, tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (person,) = await here.guests(1)
        pace = {"pace": 0.0} if watched else {}
        room = await here.table(person, AIS, rules="common:dice=2", games=40, **pace)
        follower = Follower(person)
        if watched:
            await here.open(room, follower)
        await played(here, room)
        assert room.table.game == 40
        assert sum(room.table.wins) == 40
        assert pool_of(here).batches == 2  # 32 and 8 games
        assert pool_of(here).asked == 0
        id = room.table.id
        rows = await here.service.store.read(
            lambda connection: [record_of(connection, f"{id}.{n}") for n in range(1, 41)]
        )
        for record in rows[::7]:
            assert check_dice(record)["complete"]
        if watched:  # nothing is left out, and games are told in their order
            numbers = [e["n"] for m in follower.sent for e in m["events"]]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
            games = [e["game"] for m in follower.sent for e in m["events"] if "sitting" in e]
            assert games == list(range(1, 41))[-len(games) :]
        again = await loaded_again(here, room)
        assert again.table.wins == room.table.wins
        assert again.table.status == "finished"

    run(tmp_path, scene)


def test_the_secrets_are_in_the_log_before_their_games_are_played(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        pool = pool_of(here)
        play = pool.play
        seen: list[bool] = []

        async def looked_at(order: Order, seconds: float, caller: Caller = SERVER) -> Played:
            anchors = schema.events.c.kind == "anchor"
            stored = await here.service.store.read(
                lambda connection: connection.execute(
                    sa.select(schema.events.c.hidden).where(anchors)
                ).all()
            )
            (kept,) = [json.loads(row.hidden)["secret"] for row in stored]
            secrets = [secret.hex() for secret in chain_to(bytes.fromhex(kept), 5)]
            seen.extend(game["secret"] in secrets for game in order["games"])
            return await play(order, seconds, caller)

        pool.play = looked_at  # type: ignore[method-assign]
        (person,) = await here.guests(1)
        room = await here.table(person, AIS[:2], rules="common:dice=1", games=5)
        await played(here, room)
        assert seen == [True] * 5

    run(tmp_path, scene)


def test_ais_that_fail_or_take_long_are_asked_move_by_move(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        pool = pool_of(here)

        async def failing(order: Order, seconds: float, caller: Caller = SERVER) -> Played:
            pool.batches += 1
            if pool.batches == 1:
                raise AiError("a series: did not answer within 5 s")
            return {"games": [], "memories": [None, None], "problem": None}

        pool.play = failing  # type: ignore[method-assign]
        (person,) = await here.guests(1)
        room = await here.table(person, AIS[1:], rules="common:dice=1", games=3)
        await played(here, room)
        assert (room.table.game, pool.batches) == (3, 3)
        assert pool.asked > 3

    run(tmp_path, scene)


def test_somebody_who_comes_to_watch_sees_the_first_game_by_moves(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        pool = pool_of(here)
        asked, go = asyncio.Event(), asyncio.Event()

        async def slow(order: Order, seconds: float, caller: Caller = SERVER) -> Played:
            asked.set()
            await go.wait()
            return {"games": [], "memories": [None, None], "problem": None}

        pool.play = slow  # type: ignore[method-assign]
        (person,) = await here.guests(1)
        room = await here.table(person, AIS[1:], rules="common:dice=1", games=3)
        await asyncio.wait_for(asked.wait(), 30.0)
        watcher = Follower(person)
        await here.open(room, watcher)
        go.set()
        await played(here, room)
        assert room.table.game == 3
        started = [len(m["events"]) for m in watcher.sent if "started" in str(m["events"])]
        assert len(started) == 3  # each came with its first deal, and the moves after it
        assert pool.asked > 3

    run(tmp_path, scene)


def test_a_paused_series_stands_still_and_goes_on(tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        pool = pool_of(here)
        play, go = pool.play, asyncio.Event()

        async def slow(order: Order, seconds: float, caller: Caller = SERVER) -> Played:
            await go.wait()
            return await play(order, seconds, caller)

        pool.play = slow  # type: ignore[method-assign]
        (person,) = await here.guests(1)
        room = await here.table(person, AIS[1:], rules="common:dice=1", games=3)
        await here.settle(room)
        await here.do(room, person, "pause", on=True)
        go.set()
        for _ in range(5):
            await here.settle(room)
            await asyncio.sleep(0.01)
        assert room.table.game == 0
        await here.do(room, person, "pause", on=False)
        await played(here, room)
        assert room.table.game == 3

    run(tmp_path, scene)


def test_a_game_that_takes_too_long_is_not_among_those_played() -> None:
    game: PlannedGame = {
        "players": ["a", "b"],
        "seating": [0, 1],
        "secret": "ab" * 32,
        "seeds": ["", ""],
        "later_games": 0,
    }
    order: Order = {
        "rules": "common",
        "agents": ["observer", "macleod"],
        "memories": [None, None],
        "games": [game],
        "seconds": 0.0,
    }
    assert play_games(order, lambda spec, *_: agent_named(spec))["games"] == []
    ended = play_games({**order, "seconds": 60.0}, lambda spec, *_: agent_named(spec))
    assert ended["games"][0][-1]["event"] == "end"
    assert ended["memories"][0] is None
    assert ended["memories"][1] is not None
    assert unpack_memories(ended["memories"][1], 1)[0][0].any()


# --- memory -------------------------------------------------------------------------------------
async def memories_of(room: Room) -> list[str | None]:
    return [
        await room.memories.of_seat(
            room.table, seat, each.agent, agent_named(each.agent).memory_width, SERVER
        )
        for seat, each in enumerate(room.table.seats)
        if each.agent is not None
    ]


@pytest.mark.parametrize("watched", [True, False])
def test_an_ai_remembers_after_a_restart_what_it_did(watched: bool, tmp_path: Path) -> None:
    async def scene(here: World) -> None:
        (person,) = await here.guests(1)
        room = await here.table(person, AIS, rules="common:dice=2", games=4)
        if watched:
            await here.open(room, Follower(person))
        await played(here, room, games=3)
        if watched:  # in the middle of the third game
            for _ in range(200):
                events = [] if room.table.play is None else room.table.play.events
                if sum(event["event"] == "result" for event in events) >= 2:
                    break
                await here.settle(room)
            await here.do(room, person, "pause", on=True)
            assert room.table.game >= 3
        before = await memories_of(room)
        again = await loaded_again(here, room)
        assert await memories_of(again) == before
        seating = room.table.seating
        assert before[seating.index(2)] is None  # observers forget
        for player in (0, 1):
            (memory,) = unpack_memories(before[seating.index(player)], 1)
            assert memory.any()
            assert np.array_equal(memory, await counted_anew(here, room, player))

    run(tmp_path, scene)


async def counted_anew(here: World, room: Room, player: int) -> Any:
    """Compute an agent's memory of a series from the records and the running game alone."""
    table, agent = room.table, agent_named(NAMES[player])
    memory = np.zeros((10, agent.memory_width))
    play = table.play
    assert play is not None
    last = table.game if play.over else table.game - 1
    games = await here.service.store.read(
        lambda connection: list(series_games(connection, table.id, 1, last))
    )
    told = [(seating, list(record.replay())) for _, seating, record in games]
    if not play.over:
        told.append((list(table.seating), list(play.record().replay())))
    for seating, story in told:
        at_table = by_seat(memory, seating)
        for event, position in story:
            if event["event"] == "result":
                agent.learn(position.observe(seating.index(player)), at_table)
        memory = by_player(at_table, seating)
    return by_seat(memory, table.seating)


def test_no_built_in_ai_writes_in_its_memory_when_it_decides() -> None:
    """Else a memory would not follow from the rounds that were seen."""
    remembering = [name for name in AGENTS if AGENTS[name].memory_width]
    assert remembering
    for name in remembering:
        agent = agent_named(name)
        table = Table(PERUDO, Rules.preset("common"), ["a", "b"], SeededDice(5))
        memory = agent.new_memory()
        for _ in range(6):
            seat = table.actor
            assert seat is not None
            decision: Any = agent.decide(table.observe(seat), memory, stream_of(1))
            table.act(seat, decision.action)
        assert not memory.any()
