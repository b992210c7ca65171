"""A server in the test's own event loop, and clients that play on it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import httpx
import uvicorn
import websockets
from fastapi import FastAPI
from fastapi.routing import APIRoute

from perudo.agents import agent_named
from perudo.agents.external.wire import pack_memories, unpack_memories
from perudo.games.chance import stream_of
from perudo.games.perudo import PerudoState
from perudo.server.ai.callers import SERVER, Caller
from perudo.server.ai.pool import AiPool
from perudo.server.ai.questions import Order, Played
from perudo.server.ai.series_player import play_games
from perudo.server.app import make_app
from perudo.server.process.web_server import web_server
from perudo.server.server import Server
from perudo.server.settings import Settings

PATIENCE_SECONDS = 30.0
"""Seconds that a test waits for an expected message."""


class QuickPool(AiPool):
    """AIs that decide in this process: starting others would take most of a test's time."""

    def __init__(self) -> None:
        super().__init__(1, 1024)
        self.asked = 0
        self.batches = 0

    async def prepare(
        self, agent: str, rules: str = "official", players: int = 3, caller: Caller = SERVER
    ) -> int:
        return agent_named(agent).memory_width

    async def decide(
        self,
        agent: str,
        observation: Any,
        memory: str | None,
        seconds: float,
        caller: Caller = SERVER,
    ) -> str:
        self.asked += 1
        player = agent_named(agent)
        view = PerudoState(observation)
        given = unpack_memories(memory, 1)[0]
        decision = player.decide(view, given, stream_of(self.asked))
        return str(getattr(decision, "action", decision))

    async def learn(
        self, agent: str, rounds: Any, memory: str, seconds: float, caller: Caller = SERVER
    ) -> str:
        (known,) = unpack_memories(memory, 1)
        for each in rounds:
            agent_named(agent).learn(PerudoState(each), known)
        return pack_memories([known])

    async def play(self, order: Order, seconds: float, caller: Caller = SERVER) -> Played:
        self.batches += 1
        return play_games({**order, "seconds": 60.0}, lambda spec, *table: agent_named(spec))


def sqlite_at(path: Path) -> str:
    """The address of a database in a directory."""
    return f"sqlite:///{path / 'perudo.db'}"


database_at: Callable[[Path], str] = sqlite_at
"""Returns the database URL of a test; test_postgres.py replaces it."""


def settings_for(path: Path, **changes: Any) -> Settings:
    """Settings for tests: a database of its own, and nobody waits."""
    quick = Settings(
        database=database_at(path),
        pace_seconds=0.0,
        reveal_seconds=0.0,
        calza_seconds=5.0,
        port=free_port(),
        ai_processes=1,
    )
    return replace(quick, **changes)


def unlimited() -> dict[str, int]:
    """Settings without limits for the test's own address."""
    return {each.name: 10**9 for each in fields(Settings) if each.name.startswith("address_")}


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Site:
    """A running server."""

    def __init__(self, settings: Settings, server: Server, web: uvicorn.Server) -> None:
        self.settings = settings
        self.server = server
        self.web = web
        self.url = f"http://127.0.0.1:{settings.port}"
        self.http = httpx.AsyncClient(base_url=self.url, timeout=PATIENCE_SECONDS)
        self._players: list[Player] = []

    async def guest(self, name: str | None = None) -> str:
        """Create a guest, and return its token."""
        self.http.cookies.clear()
        answer = await self.http.post("/api/guests", json={"name": name})
        assert answer.status_code == 201, answer.text
        self.http.cookies.clear()
        return str(answer.json()["token"])

    async def ask(self, token: str, method: str, path: str, body: Any = None) -> Any:
        """Make an HTTP request with a token; returns the JSON of the answer."""
        answer = await self.raw(token, method, path, body)
        assert answer.is_success, answer.text
        return answer.json()

    async def raw(self, token: str, method: str, path: str, body: Any = None) -> httpx.Response:
        headers = {"authorization": f"Bearer {token}"}
        return await self.http.request(method, path, json=body, headers=headers)

    async def table(self, token: str, seats: int | list[Any] = 2, **options: Any) -> str:
        """Create a table, and return its id."""
        chosen = [{"kind": "open"}] * seats if isinstance(seats, int) else seats
        options = {"rules": "common", **options}
        made = await self.ask(token, "POST", "/api/tables", {"seats": chosen, **options})
        return str(made["table"])

    async def close(self) -> None:
        """Hang up everybody."""
        for player in self._players:
            await player.close()
        await self.http.aclose()

    async def connect(self, token: str, style: str = "") -> Player:
        """Connect a WebSocket."""
        address = f"ws://127.0.0.1:{self.settings.port}/ws?style={style}"
        headers = {"Authorization": f"Bearer {token}"}
        wire = await websockets.connect(address, additional_headers=headers)
        player = Player(wire)
        self._players.append(player)
        welcome = await player.receive()
        assert welcome["type"] == "welcome"
        player.id = welcome["you"]["id"]
        player.tables = welcome["tables"]
        return player


class Player:
    """A WebSocket client that keeps all messages it receives."""

    def __init__(self, wire: Any) -> None:
        self.wire = wire
        self.id = ""
        self.tables: list[str] = []
        self.frames: list[str] = []
        self.views: dict[str, Any] = {}
        self.infos: dict[str, Any] = {}
        self.n: dict[str, int] = {}
        self.events: dict[str, list[Any]] = {}
        self._move = 0

    async def send(self, **message: Any) -> None:
        await self.wire.send(json.dumps(message))

    async def receive(self) -> Any:
        text = await asyncio.wait_for(self.wire.recv(), PATIENCE_SECONDS)
        self.frames.append(text)
        message = json.loads(text)
        if message["type"] in ("table", "events"):
            table = message["table"]
            self.views[table] = message["view"]
            self.infos[table] = message["info"] or self.infos.get(table)
            self.n[table] = message["n"]
            if message["type"] == "table":
                self.events[table] = []
            self.events.setdefault(table, []).extend(message["events"])
        return message

    async def until(self, wanted: Callable[[Any], bool]) -> Any:
        """Receive until a message is as wanted."""
        while True:
            message = await self.receive()
            if wanted(message):
                return message

    async def request(self, **message: Any) -> Any:
        """Send something and wait for its acknowledgement or error."""
        self._move += 1
        ref = message.get("move") or message.get("ref") or f"r{self._move}"
        key = "move" if message["type"] == "action" else "ref"
        await self.send(**{key: ref, **message})
        return await self.until(lambda m: m["type"] in ("ack", "error") and m["ref"] == ref)

    async def open(self, table: str, **more: Any) -> Any:
        """Follow a table; returns the first message about it."""
        await self.send(type="open", table=table, ref="open", **more)
        first = await self.until(lambda m: m["type"] in ("table", "events", "error"))
        await self.until(lambda m: m["type"] in ("ack", "error") and m["ref"] == "open")
        return first

    async def sit(self, table: str, **more: Any) -> Any:
        return await self.request(type="sit", table=table, **more)

    def asked(self, table: str) -> list[str]:
        """Return the legal actions of the player now."""
        view = self.views.get(table)
        return [] if view is None or view["legal"] is None else list(view["legal"])

    async def act(self, table: str, action: str, **more: Any) -> Any:
        question = self.views[table]["question"]
        return await self.request(type="action", table=table, id=question, action=action, **more)

    async def close(self) -> None:
        await self.wire.close()


def routes_of(here: Site) -> Iterator[tuple[str, str]]:
    """Iterate over the method and path of every HTTP route, without those of the page's files."""
    app = here.web.config.app
    assert isinstance(app, FastAPI)
    for included in app.routes:
        for route in getattr(included, "original_router", app).routes:
            if isinstance(route, APIRoute):
                yield from ((method, route.path) for method in sorted(route.methods or ()))


def choose(legal: list[str], turn: int) -> str:
    """Bid a little, and doubt now and then."""
    if "decline" in legal:
        return "decline"
    if turn % 3 == 2:
        for word in ("dudo", "doubt"):
            if word in legal:
                return word
    return legal[0]


async def play_out(players: list[Player], table: str) -> None:
    """Play a game to its end, everybody answering what they are asked."""
    turn = 0
    while True:
        acting = next((p for p in players if p.asked(table)), None)
        if acting is not None:
            question = acting.views[table]["question"]
            answer = await acting.act(table, choose(acting.asked(table), turn))
            assert answer["type"] == "ack", answer
            turn += 1
            for player in players:  # all see what came of it
                while player.n[table] < answer["n"]:
                    await player.receive()
            if acting.views[table]["question"] == question and acting.asked(table):
                await acting.receive()
        else:
            await asyncio.wait(
                [asyncio.create_task(p.receive()) for p in players],
                return_when=asyncio.ALL_COMPLETED,
            )
        if all(p.views[table] and p.views[table]["over"] for p in players):
            return


@asynccontextmanager
async def site(settings: Settings, server: Server | None = None) -> AsyncIterator[Site]:
    """Run a server on a free port."""
    server = server or Server(settings, pool=QuickPool())
    web = web_server(settings, make_app(settings, server))
    task = asyncio.create_task(web.serve())
    while not web.started:
        await asyncio.sleep(0.01)
        assert not task.done(), "the server did not start"
    await server.ready.wait()
    here = Site(settings, server, web)
    try:
        yield here
    finally:
        await here.close()
        web.should_exit = True
        await task
