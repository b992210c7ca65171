"""Clients of the chaos run: well-behaved people and spectators, and visitors who misbehave.

Each kind of visitor has a loopback address of its own, so that limits by address apply to it alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import websockets
from chaos_model import Seen
from fuzz import nonsense
from kills import Client, Report

THINK_SECONDS = 0.25
"""Mean time that a person takes for a move."""
RECONNECT_SECONDS = 20.0
"""A reconnection has failed if the table is not back after this time."""
ENTERING = "entering"
"""Name of the messages that open a table and take a seat."""
HEAVY = "pomcp:iterations=20000,repeats=4,time_limit=2"
LOST = (OSError, websockets.WebSocketException, TimeoutError, httpx.HTTPError)


@dataclass
class Counts:
    """Figures of one run."""

    acks: list[float] = field(default_factory=list)
    """Seconds from sending a move to its acknowledgement."""
    begun: int = 0
    """Games of people that have begun."""
    completed: int = 0
    losses: int = 0
    """Connections of well-behaved clients that were lost."""
    reconnected: int = 0
    visits: dict[str, int] = field(default_factory=dict)
    """Numbers of what visitors did, by name."""

    def note(self, what: str) -> None:
        """Count something that a visitor did."""
        self.visits[what] = self.visits.get(what, 0) + 1


@dataclass
class World:
    """What all clients share."""

    urls: list[str]
    seed: int
    moves: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while people may send moves; cleared to bring the tables to rest."""
    ending: bool = False
    """True when no new games begin."""
    counts: Counts = field(default_factory=Counts)
    report: Report = field(default_factory=Report)
    clients: list[Follower] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    """All tables of people."""


async def ask(
    url: str, address: str, path: str, body: dict[str, Any], token: str | None = None
) -> dict[str, Any]:
    """Send a POST request from a loopback address; raise ``httpx.HTTPError`` if it is refused."""
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    transport = httpx.AsyncHTTPTransport(local_address=address)
    async with httpx.AsyncClient(base_url=url, transport=transport, timeout=10) as http:
        answer = await http.post(path, json=body, headers=headers)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found


async def ask_until_answered(world: World, *request: Any) -> dict[str, Any]:
    """Send a request to one server after another until one accepts it."""
    while True:
        for url in world.urls:
            with contextlib.suppress(httpx.HTTPError):
                return await ask(url, *request)
        await asyncio.sleep(0.3)


@asynccontextmanager
async def wire_to(url: str, address: str, token: str, style: str = "") -> AsyncIterator[Any]:
    """Open a WebSocket from a loopback address."""
    async with websockets.connect(
        "ws" + url.removeprefix("http") + f"/ws?style={style}",
        additional_headers={"Authorization": f"Bearer {token}"},
        local_addr=(address, 0),
        compression=None,
        open_timeout=10,
    ) as wire:
        yield wire


@dataclass(frozen=True)
class Visitor:
    """A guest with a loopback address."""

    address: str
    name: str
    token: str
    person: str
    """Its id."""
    style: str = ""


class Follower(Client):
    """A client that follows one table, and comes back when its connection is lost.

    With a seat it plays: one move at a time, each named, and sent again after a loss.
    """

    def __init__(self, world: World, visitor: Visitor, place: int) -> None:
        first = place % len(world.urls)
        urls = [*world.urls[first:], *world.urls[:first]]
        super().__init__(urls, "", visitor.token, visitor.name, world.report)
        self._rng = random.Random(f"{world.seed} {visitor.name}")
        self._world, self.visitor, self.is_spectator = world, visitor, False
        self.seen = self._nothing_seen("")
        self.connected = False
        self.last_frame = 0.0
        self._wire: Any = None
        self._sent_at: float | None = None
        self._lost_at: float | None = None

    def at(self, table: str) -> None:
        """Turn to another table."""
        self._table, self.finished = table, False
        self._pending, self._view, self._answered = None, None, -1
        self.seen = self._nothing_seen(table)

    def _nothing_seen(self, table: str) -> Seen:
        in_order = len(self._world.urls) == 1
        return Seen(self.visitor.name, table, self.visitor.person, in_order)

    @property
    def is_waiting(self) -> bool:
        """True if an answer is under way, or the table has not been seen."""
        in_flight = self._pending is not None and self._sent_at is not None
        return not self.finished and (in_flight or not self.connected)

    def cut(self) -> None:
        """Lose the connection."""
        if self._wire is not None:
            self._wire.transport.abort()

    async def play(self) -> None:
        """Follow the table until the game on it is over."""
        while not self.finished:
            try:
                await self._visit()
            except LOST:
                if self._lost_at is None:
                    self._world.counts.losses += 1
                    self._lost_at = time.monotonic()
                self._urls.append(self._urls.pop(0))
                await asyncio.sleep(0.1)
            finally:
                self.connected, self._wire, self._sent_at = False, None, None

    async def _visit(self) -> None:
        visitor = self.visitor
        wire_there = wire_to(self._urls[0], visitor.address, visitor.token, visitor.style)
        async with wire_there as wire:
            self._wire = wire
            after = self.seen.n or None
            entering: dict[str, Any] = {"table": self._table, "ref": ENTERING}
            await wire.send(json.dumps({**entering, "type": "open", "after": after}))
            if not self.is_spectator:
                await wire.send(json.dumps({**entering, "type": "sit"}))
            sending = asyncio.create_task(self._send(wire))
            try:
                while not self.finished:
                    text = await asyncio.wait_for(wire.recv(), 60)
                    self._hear(text)
            finally:
                sending.cancel()

    async def _send(self, wire: Any) -> None:
        """Send each move after a moment of thought, and again on a new connection."""
        while True:
            await asyncio.sleep(self._rng.uniform(0.5, 1.5) * THINK_SECONDS)
            await self._world.moves.wait()
            if self._pending is not None and self._sent_at is None:
                self._sent_at = time.perf_counter()
                await wire.send(json.dumps(self._pending))

    def _hear(self, text: str) -> None:
        message = json.loads(text)
        if message.get("ref") == ENTERING and message.get("code") in ("try_again", "too_fast"):
            raise ConnectionError(message["message"])  # come back in a moment
        self.last_frame = time.monotonic()
        if message.get("table") == self._table:
            self.seen.take(message, text)
            if self.visitor.style == "program" or message["type"] in ("table", "events"):
                self._arrive()
        pending, sent_at = self._pending, self._sent_at
        if message["type"] == "decide" and pending is None:
            message["view"] = {"over": False, "legal": message["legal"], "question": message["id"]}
        self._take(message)
        if message["type"] == "end":
            self.finished = True
        if pending is not None and self._pending is not pending:
            if message["type"] == "error":
                self._world.counts.note(f"moves of people refused: {message['code']}")
            elif sent_at is not None:
                self._world.counts.acks.append(time.perf_counter() - sent_at)
            self._sent_at = None

    def _arrive(self) -> None:
        """Note that the table is in view."""
        if self._lost_at is not None:
            in_time = time.monotonic() - self._lost_at < RECONNECT_SECONDS
            self._world.counts.reconnected += in_time
            self._lost_at = None
        self.connected = True


class Group:
    """People who play one game after another, and a spectator who watches them."""

    def __init__(self, world: World, number: int) -> None:
        self._world, self._number = world, number
        self._players: list[Follower] = []
        self._spectator: Follower | None = None

    async def play(self) -> None:
        """Play games until the run ends."""
        await self._arrive()
        while not self._world.ending:
            await self._world.moves.wait()
            await self._one_game()

    async def _arrive(self) -> None:
        people: list[Follower] = []
        for seat in range(3):
            address = f"127.0.{self._number + 1}.{seat + 1}"
            name = f"{self._number}.{seat}"
            guest = await ask_until_answered(self._world, address, "/api/guests", {})
            style = "program" if seat == 1 and self._number % 4 > 1 else ""
            visitor = Visitor(address, name, guest["token"], guest["you"]["id"], style)
            people.append(Follower(self._world, visitor, seat))
        *self._players, self._spectator = people
        self._spectator.is_spectator = True

    async def _one_game(self) -> None:
        assert self._spectator is not None
        # Without an AI a game's pace does not depend on how busy the AIs are.
        ais = [] if self._number % 2 else [{"kind": "ai", "level": "strong"}]
        creator, everybody = self._players[0].visitor, [*self._players, self._spectator]
        made = await ask_until_answered(
            self._world,
            creator.address,
            "/api/tables",
            {
                "rules": ("official", "common", "uk")[self._number % 3],
                "seats": [{"kind": "open"}] * 2 + ais,
                "private": True,
            },
            creator.token,
        )
        for each in everybody:
            each.at(made["table"])
        self._world.counts.begun += 1
        self._world.tables.append(made["table"])
        self._world.clients += everybody
        await asyncio.gather(*(each.play() for each in everybody))
        self._world.counts.completed += 1


# --- visitors who misbehave ---------------------------------------------------------------------
class Visitors:
    """Everybody else: each method is one visitor, who goes on until cancelled."""

    def __init__(self, world: World, seed: int) -> None:
        self._world, self._seed = world, seed

    async def _token(self, address: str) -> str:
        guest = await ask_until_answered(self._world, address, "/api/guests", {})
        return str(guest["token"])

    async def starve(self) -> None:
        """Ask for as much of the AIs' time as one guest can, again and again."""
        address, seats = "127.0.90.1", [{"kind": "ai", "agent": HEAVY}] * 6
        token = await self._token(address)
        wish = {"rules": "official", "seats": seats, "games": 50, "pace": 0.0}
        while True:
            for _ in range(12):
                try:
                    made = await ask(self._world.urls[0], address, "/api/tables", wish, token)
                    self._world.counts.note("heavy tables made")
                    await self._look(address, token, made["table"])
                except httpx.HTTPStatusError as error:
                    self._world.counts.note(f"heavy tables refused {error.response.status_code}")
                    break
                except LOST:
                    self._world.counts.note("heavy tables lost")
            await asyncio.sleep(5)

    async def _look(self, address: str, token: str, table: str) -> None:
        """Open a table for a moment, which begins its games."""
        async with wire_to(self._world.urls[0], address, token) as wire:
            await wire.send(json.dumps({"type": "open", "table": table, "ref": "x"}))
            async with asyncio.timeout(5):
                async for text in wire:
                    if json.loads(text).get("ref") == "x":
                        return

    async def read_slowly(self, number: int) -> None:
        """Ask for whole tables and read none of the answers."""
        address, rng = f"127.0.91.{number + 1}", random.Random(f"{self._seed} slow {number}")
        token = await self._token(address)
        while True:
            with contextlib.suppress(*LOST):
                async with wire_to(self._world.urls[-1], address, token) as wire:
                    self._world.counts.note("slow readers connected")
                    for _ in range(rng.randrange(20, 60)):
                        tables = self._world.tables[-4:] or ["none"]
                        await wire.send(json.dumps({"type": "open", "table": rng.choice(tables)}))
                        await asyncio.sleep(0.3)
            await asyncio.sleep(0.5)

    async def flood(self) -> None:
        """Send messages as fast as the connection takes them."""
        address, rng = "127.0.92.1", random.Random(f"{self._seed} flood")
        token = await self._token(address)
        while True:
            with contextlib.suppress(*LOST):
                async with wire_to(self._world.urls[0], address, token) as wire:
                    for _ in range(rng.randrange(200, 1500)):
                        kind = rng.choice(["ping", "open", "say", "sit"])
                        table = (self._world.tables[-1:] or ["none"])[0]
                        await wire.send(json.dumps({"type": kind, "table": table, "text": "x"}))
                        self._world.counts.note("flood messages")
                    await asyncio.sleep(0.5)
            await asyncio.sleep(rng.uniform(0.5, 2))

    async def babble(self) -> None:
        """Send frames that resemble messages more or less."""
        address, rng = "127.0.93.1", random.Random(f"{self._seed} babble")
        token = await self._token(address)
        seats = [{"kind": "open"}, {"kind": "ai", "level": "casual"}]
        wish = {"rules": "common", "seats": seats}
        own = (await ask_until_answered(self._world, address, "/api/tables", wish, token))["table"]
        while True:
            with contextlib.suppress(*LOST):
                style = rng.choice(["page", "program"])
                async with wire_to(self._world.urls[0], address, token, style) as wire:
                    for _ in range(rng.randrange(20, 80)):
                        await wire.send(nonsense(rng, [own], rng.randrange(50)))
                        self._world.counts.note("malformed frames")
                        await asyncio.sleep(0.05)
            await asyncio.sleep(0.2)

    async def come_and_go(self) -> None:
        """Watch a table for a moment, and leave without a word."""
        address, rng = "127.0.94.1", random.Random(f"{self._seed} passing")
        token = await self._token(address)
        while True:
            with contextlib.suppress(*LOST):
                async with wire_to(self._world.urls[-1], address, token) as wire:
                    table = (self._world.tables[-1:] or ["none"])[0]
                    await wire.send(json.dumps({"type": "open", "table": table}))
                    await asyncio.sleep(rng.uniform(0.1, 1.0))
                    self._world.counts.note("passing spectators")
                    wire.transport.abort()
            await asyncio.sleep(rng.uniform(0.1, 1.0))

    def everybody(self, slow: int) -> Sequence[Any]:
        """Return the visits of all, to be run as tasks."""
        readers = [self.read_slowly(number) for number in range(slow)]
        return [self.starve(), self.flood(), self.babble(), self.come_and_go(), *readers]
