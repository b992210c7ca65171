"""Tables driven from outside, with nothing left to chance: what golden_tables.py plays on.

A world is the whole application in this process: requests and WebSockets come in as they would
from a network, and what goes out is kept. Of the server's own modules only those named in the
imports below are known here, each in one place. Nothing else may be, so that golden tables survive
when modules move.

What makes it deterministic:

- ``StillLoop``: the event loop's clock is the table's clock and moves only when a scenario says
  so. ``settle`` waits until nothing is left that could happen at this moment.
- ``FixedChance``: what is drawn from ``secrets`` is a function of the scenario's name.
- ``scripted``: AIs decide by a rule of this file, so that stronger AIs change no golden table.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import httpx

from perudo.games.perudo import PerudoState
from perudo.server.ai.callers import SERVER, Caller
from perudo.server.ai.pool import AiError
from perudo.server.ai.questions import Order, Played
from perudo.server.ai.series_player import play_games
from perudo.server.app import make_app
from perudo.server.clock import Clock
from perudo.server.history.reviews import Review, Reviews
from perudo.server.server import Server
from server.kit import QuickPool, settings_for, unlimited

EPOCH = 1_700_000_000.0
"""The time of day when a world begins."""
MESSAGE_SECONDS = 0.25
"""Seconds that each message takes; its multiples are exact."""
SHORT = 12
"""Bytes of what is drawn as a name, and is no secret."""
Json = dict[str, Any]


# --- time ---------------------------------------------------------------------------------------
class StillLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock moves only when a test moves it."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.called = 0
        """Number of scheduled calls; if it has not changed, nothing happened."""
        self.in_threads = 0
        super().__init__()

    def time(self) -> float:
        return self.seconds

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        self.called += 1
        return super().call_soon(callback, *args, context=context)

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Any, *args: Any
    ) -> Any:
        future = super().run_in_executor(executor, func, *args)
        self.in_threads += 1
        future.add_done_callback(self._came_back)
        return future

    def _came_back(self, _: Any) -> None:
        self.in_threads -= 1


def still_loop() -> StillLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, StillLoop)
    return loop


# --- chance -------------------------------------------------------------------------------------
class FixedChance:
    """Replaces ``secrets``: one sequence for each kind and length, equal in every run."""

    def __init__(self, name: str, prefix: str) -> None:
        self._name = name
        self._prefix = prefix
        self._drawn: Counter[str] = Counter()

    def token_bytes(self, size: int | None = None) -> bytes:
        return self._draw("bytes", 32 if size is None else size)

    def token_urlsafe(self, size: int | None = None) -> str:
        if size is not None and size <= SHORT:  # names of people and tables, for reading
            self._drawn["names"] += 1
            return f"{self._prefix}-{self._drawn['names']:02}"
        drawn = self._draw("urlsafe", 32 if size is None else size)
        return base64.urlsafe_b64encode(drawn).rstrip(b"=").decode()

    def token_hex(self, size: int | None = None) -> str:
        return self._draw("hex", 32 if size is None else size).hex()

    def randbits(self, bits: int) -> int:
        return int.from_bytes(self._draw("bits", 8)) % (1 << bits)

    def _draw(self, kind: str, size: int) -> bytes:
        label = f"{self._name} {kind} {size}"
        self._drawn[label] += 1
        return hashlib.shake_128(f"{label} {self._drawn[label]}".encode()).digest(size)


# --- decisions ----------------------------------------------------------------------------------
def scripted(
    seat: int, number: int, legal: Sequence[str], history: Sequence[Any], total: int
) -> str:
    """Return the action of AIs and people here: a function of the position."""
    luck = zlib.crc32(f"{seat} {number} {[list(map(str, said)) for said in history]}".encode())
    if "decline" in legal:
        return "calza" if luck % 5 == 0 else "decline"
    calls = [action for action in legal if "x" not in action and action != "pass"]
    bids = [action for action in legal if "x" in action]
    claimed = max(
        (int(str(said[1]).partition("x")[0]) for said in history if "x" in said[1]), default=0
    )
    if calls and (not bids or 2 * claimed > total + luck % 2 or luck % 11 == 0):
        return calls[0] if luck % 4 else calls[-1]
    return bids[luck % min(4, len(bids))] if bids else legal[0]


class ScriptedAgent:
    """One of them, as games that are played whole want it."""

    memory_width = 0

    def decide(self, state: PerudoState, memory: Any, stream: Any) -> str:
        legal = [state.game.format_action(code) for code in state.legal_actions.codes]
        history = [(seat, str(action)) for seat, action in state.history]
        return scripted(state.viewer, state.round, legal, history, state.total_dice)

    def learn(self, state: PerudoState, memory: Any) -> None:
        pass


class ScriptedPool(QuickPool):
    """AIs that decide in this process, by the rule of this file."""

    async def prepare(
        self, agent: str, rules: str = "official", players: int = 3, caller: Caller = SERVER
    ) -> int:
        return 0

    async def decide(
        self,
        agent: str,
        observation: Any,
        memory: str | None,
        seconds: float,
        caller: Caller = SERVER,
    ) -> str:
        return ScriptedAgent().decide(PerudoState(observation), None, None)

    async def play(self, order: Order, seconds: float, caller: Caller = SERVER) -> Played:
        agent: Any = ScriptedAgent()
        return play_games({**order, "seconds": 60.0}, lambda spec, *table: agent)

    async def review(self, *of: Any) -> None:
        """Reviews need a process, and nothing else here: golden tables are not about them."""
        raise AiError("no other processes in golden tables")


# --- people -------------------------------------------------------------------------------------
class Somebody:
    """A person or bot, and the address that they come from."""

    def __init__(self, name: str, id: str, token: str, number: int) -> None:
        self.name, self.id, self.token = name, id, token
        self.address = f"10.0.0.{number}"


class Wire:
    """A WebSocket: what was sent over it and what came, in order."""

    def __init__(self, world: World, label: str, person: Somebody, style: str) -> None:
        self.label = label
        self.person = person
        self.told: list[Json] = []
        self.open = True
        self._world = world
        self._inbox: asyncio.Queue[Json] = asyncio.Queue()
        self._inbox.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.create_task(world.app(self._scope(style), self._inbox.get, self._send))

    def _scope(self, style: str) -> Json:
        return {
            "type": "websocket",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": "/ws",
            "raw_path": b"/ws",
            "root_path": "",
            "query_string": f"style={style}".encode(),
            "headers": [
                (b"host", b"golden"),
                (b"authorization", f"Bearer {self.person.token}".encode()),
            ],
            "client": (self.person.address, 1),
            "server": ("golden", 80),
            "subprotocols": [],
        }

    async def _send(self, message: Any) -> None:
        if message["type"] == "websocket.send":
            self.told.append(json.loads(message["text"]))
        elif message["type"] == "websocket.close":
            self.told.append({"closed": message["code"]})
            self.open = False
            self._inbox.put_nowait({"type": "websocket.disconnect", "code": message["code"]})

    # --- what a client does ---------------------------------------------------------------------
    async def send(self, **message: Any) -> Json:
        """Send a message; returns the acknowledgement or error, if one came."""
        return await self.send_text(json.dumps(message), message)

    async def send_text(self, text: str, shown: Any = None) -> Json:
        """Send any text; returns the acknowledgement or error, if one came."""
        await self._world.pass_time(MESSAGE_SECONDS)
        self.told.append({"sent": text if shown is None else shown})
        before = len(self.told)
        self._inbox.put_nowait({"type": "websocket.receive", "text": self._world.meant(text)})
        await self._world.settle()
        answers = [m for m in self.told[before:] if m.get("type") in ("ack", "error", "pong")]
        return answers[-1] if answers else {}

    async def hang_up(self) -> None:
        """Close the connection."""
        if self.open:
            self.open = False
            self.told.append({"sent": "(hangs up)"})
            self._inbox.put_nowait({"type": "websocket.disconnect", "code": 1001})
            await self._world.settle()
        await self.ended()

    async def ended(self) -> None:
        """Wait until the server has done with this connection."""
        await self._task

    # --- what a client knows --------------------------------------------------------------------
    def view(self, table: str) -> Json | None:
        """Return the last view of the game that arrived."""
        views = (m["view"] for m in reversed(self.told) if m.get("table") == table and "view" in m)
        return next(views, None)

    def info(self, table: str) -> Json:
        """Return the last info about the table that arrived."""
        infos = (
            m["info"] for m in reversed(self.told) if m.get("table") == table and m.get("info")
        )
        return dict(next(infos))

    def asked(self, table: str) -> tuple[int, list[str]] | None:
        """The question to which an answer is wanted from here, and what may be answered.

        A program knows by ``decide``, everybody else by the view.
        """
        view = self.view(table)
        if view is not None:
            return (view["question"], view["legal"]) if view["legal"] else None
        answered = {
            m["sent"]["id"]
            for m in self.told
            if isinstance(m.get("sent"), dict) and "id" in m["sent"]
        }
        told = [
            m
            for m in self.told
            if m.get("table") == table and m.get("type") in ("decide", "result", "end")
        ]
        last = told[-1] if told else {}
        if last.get("type") == "decide" and last["id"] not in answered:
            return last["id"], last["legal"]
        return None

    def choice(self, table: str) -> str:
        """Return the script's answer to the open question."""
        asked, view = self.asked(table), self.view(table)
        assert asked is not None
        if view is None:
            view = next(m for m in reversed(self.told) if m.get("type") == "decide")
            view = {**view, "total": sum(view["counts"])}
        return scripted(view["seat"], view["round"], asked[1], view["history"], view["total"])

    async def act(self, table: str, action: str | None = None, **more: Any) -> Json:
        """Answer what is asked, as the script says unless another action is given."""
        asked, view = self.asked(table), self.view(table)
        id = asked[0] if asked is not None else 0 if view is None else view["question"]
        chosen = self.choice(table) if action is None else action
        return await self.send(
            **{"type": "action", "table": table, "id": id, "action": chosen, **more}
        )


# --- the world ----------------------------------------------------------------------------------
# Columns added since are not in the golden files, which a new column therefore leaves as they are.
GAME_COLUMNS = (
    "id, table_id, number, preset, rules, rated, private, started, ended, "
    "first_event, last_event, winner"
)
SEAT_COLUMNS = (
    "game_id, seat, person, agent, name, place, left, "
    "dice_left, calls, right_calls, bids, bluffs, faces, rounds_lost"
)


class World:
    """A server, its users, and all their messages."""

    def __init__(self, path: Path, name: str, prefix: str, settings: Json) -> None:
        self.path = path
        self.settings = settings_for(path, **unlimited(), port=8000, **settings)
        self.chance = FixedChance(name, prefix)
        self.wires: list[Wire] = []
        self.asked: list[Json] = []
        self.tables: list[str] = []
        self._named: dict[str, str] = {}
        self.app: Any = None
        self._server: Server
        self._people = 0
        self._running = AsyncExitStack()

    async def start(self) -> None:
        """Start the server."""
        loop = still_loop()
        clock = Clock(lambda: EPOCH + loop.seconds, lambda: loop.seconds)
        self._server = Server(self.settings, clock, ScriptedPool())
        self._server.reviews.find = self._finished_review  # type: ignore[method-assign]
        self.app = make_app(self.settings, self._server)
        await self._running.enter_async_context(self.app.router.lifespan_context(self.app))
        await self.settle()

    async def _finished_review(self, id: str) -> Review:
        """A review once it has failed: else it would be a race between threads."""
        reviews = self._server.reviews
        await asyncio.gather(*reviews._tasks.values())
        return await Reviews.find(reviews, id)

    async def stop(self) -> None:
        """Serve no longer; everybody is hung up."""
        await self._running.aclose()
        for wire in self.wires:
            await wire.ended()

    async def restart(self) -> None:
        """A new process with the same database."""
        await self.stop()
        await self.start()

    def name_secret(self, secret: str, name: str) -> None:
        """Clients may write the name for something that differs from run to run."""
        self._named[name] = secret

    def meant(self, text: str) -> str:
        """Return a client's text, with names of secrets replaced by the secrets."""
        for name, secret in self._named.items():
            text = text.replace(json.dumps(name), json.dumps(secret))
        return text

    def shown(self, path: str) -> str:
        """A path as the golden file has it, with the names in place of secrets."""
        for name, secret in self._named.items():
            path = path.replace(secret, name)
        return path

    # --- time -----------------------------------------------------------------------------------
    async def settle(self) -> None:
        """Wait until nothing is left that can happen now.

        What could happen is something that runs in the loop, in a thread, or is being written. A
        write that changes nothing waits for the last; if nothing else was asked to run meanwhile,
        nothing will before the clock moves.
        """
        loop, quiet = still_loop(), 0
        while quiet < 2:
            called = loop.called
            await self._written()
            if loop.in_threads:
                await asyncio.to_thread(lambda: None)
            quiet = quiet + 1 if loop.called <= called + 1 and not loop.in_threads else 0

    async def _written(self) -> None:
        """All that was to be stored is."""
        await self._server.service.store.write(lambda connection: None)

    async def pass_time(self, seconds: float) -> None:
        """Let so much time pass at once."""
        await self.settle()
        still_loop().seconds += seconds
        await self.settle()

    # --- people ---------------------------------------------------------------------------------
    async def guest(self, name: str) -> Somebody:
        """Create a guest."""
        self._people += 1
        made = await self._request(
            f"10.0.0.{self._people}", None, "POST", "/api/guests", {"name": name}
        )
        answer = made.json()
        return Somebody(name, answer["you"]["id"], answer["token"], self._people)

    async def guests(self, *names: str) -> list[Somebody]:
        return [await self.guest(name) for name in names]

    async def account(self, name: str) -> Somebody:
        """Create a person with an account, who may play rated games."""
        person = await self.guest(name)
        body = {"name": name, "password": f"the long password of {name}"}
        made = await self._request(person.address, person.token, "POST", "/api/accounts", body)
        assert made.status_code == 201, made.text
        return person

    async def bot(self, owner: Somebody, name: str) -> Somebody:
        """Create a person's bot, with a token of its own."""
        made = await self._request(owner.address, owner.token, "POST", "/api/bots", {"name": name})
        assert made.status_code == 201, made.text
        self._people += 1
        answer = made.json()
        return Somebody(name, answer["bot"]["id"], answer["token"], self._people)

    def known(self, name: str, id: str, token: str) -> Somebody:
        """Return a person who is in the database already."""
        self._people += 1
        return Somebody(name, id, token, self._people)

    async def connect(self, person: Somebody, style: str = "", label: str | None = None) -> Wire:
        """A WebSocket; ``style`` may be ``program``."""
        taken = {wire.label for wire in self.wires}
        wanted = label or (f"{person.name}, {style}" if style else person.name)
        chosen = next(
            each
            for each in (wanted, *(f"{wanted}, {n}" for n in range(2, 100)))
            if each not in taken
        )
        await self.pass_time(MESSAGE_SECONDS)
        wire = Wire(self, chosen, person, style)
        self.wires.append(wire)
        await self.settle()
        return wire

    # --- HTTP -----------------------------------------------------------------------------------
    async def ask(
        self,
        person: Somebody,
        method: str,
        path: str,
        body: Any = None,
        keep: Sequence[str] | None = None,
    ) -> Any:
        """An HTTP request; ``keep`` names what of the answer the golden file has, if not all."""
        await self.pass_time(MESSAGE_SECONDS)
        answer = await self._request(person.address, person.token, method, path, body)
        await self.settle()
        plain = answer.headers.get("content-type", "").startswith("application/json")
        told: Any = answer.json() if plain else answer.text.splitlines()
        shown = told if keep is None else {name: told[name] for name in keep}
        asked = {"by": person.name, "asks": f"{method} {self.shown(path)}", "body": body}
        self.asked.append({**asked, "status": answer.status_code, "answer": shown})
        return told

    async def table(self, creator: Somebody, seats: int | list[Json], **options: Any) -> str:
        """A new table; without rules those of ``common``."""
        chosen = [{"kind": "open"}] * seats if isinstance(seats, int) else seats
        body = {"rules": "common", **options, "seats": chosen}
        made = await self.ask(creator, "POST", "/api/tables", body)
        if "table" in made:
            self.tables.append(made["table"])
        return str(made.get("table"))

    async def _request(
        self, address: str, token: str | None, method: str, path: str, body: Any
    ) -> httpx.Response:
        transport = httpx.ASGITransport(self.app, client=(address, 1))
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(transport=transport, base_url="http://golden") as client:
            return await client.request(method, path, json=body, headers=headers)

    # --- what is kept ---------------------------------------------------------------------------
    def rows(self, table: str, after: int = 0) -> list[Json]:
        """A table's log as the database has it; JSON is read, and nothing else done to it."""
        found = self.query(
            "select n, at, kind, data, hidden from events where table_id = ? and n > ? order by n",
            (table, after),
        )
        for row in found:
            row["data"] = json.loads(row["data"])
            row["hidden"] = None if row["hidden"] is None else json.loads(row["hidden"])
        return found

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[Json]:
        """Query the database without the server."""
        connection = sqlite3.connect(self.path / "perudo.db")
        connection.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in connection.execute(sql, values)]
        finally:
            connection.close()

    async def golden(self, after: dict[str, int] | None = None) -> Json:
        """All that has happened; of tables' logs only what is new since these numbers."""
        listing = "/api/tables?status=waiting&status=playing&status=finished"
        listed = (await self._request("10.0.1.1", None, "GET", listing, None)).json()["tables"]
        tables = {}
        for id in self.tables:
            info = (await self._request("10.0.1.1", None, "GET", f"/api/tables/{id}", None)).json()
            kept = self.query(
                "select status, private, created, updated from tables where id = ?", (id,)
            )
            games = self.query(
                f"select {GAME_COLUMNS} from games where table_id = ? order by number", (id,)
            )
            seats = self.query(
                f"select {SEAT_COLUMNS} from game_seats join games on games.id = game_id "
                "where table_id = ? order by number, seat",
                (id,),
            )
            tables[id] = {
                "rows": self.rows(id, 0 if after is None else after[id]),
                "info": info,
                "listed": [row for row in listed if row["id"] == id],
                "table": kept,
                "games": games,
                "game_seats": seats,
            }
        transcripts = {wire.label: wire.told for wire in self.wires}
        return {"tables": tables, "transcripts": transcripts, "http": self.asked}


Scenario = Callable[[World], Awaitable[None]]


def dumped(path: Path) -> str:
    """A database as text; to be restored with ``restore``."""
    connection = sqlite3.connect(path / "perudo.db")
    try:
        return "\n".join(connection.iterdump()) + "\n"
    finally:
        connection.close()


def restore(path: Path, *scripts: str) -> None:
    """A database from text, which may be changed by more."""
    connection = sqlite3.connect(path / "perudo.db")
    try:
        for script in scripts:
            connection.executescript(script)
        connection.commit()
    finally:
        connection.close()


@asynccontextmanager
async def world(
    path: Path, name: str, *, prefix: str = "id", later: float = 0.0, **settings: Any
) -> AsyncIterator[World]:
    """A world in which chance has a name; ids begin with the prefix, time so much later."""
    still_loop().seconds += later
    here = World(path, name, prefix, settings)
    with _patched(here.chance):
        await here.start()
        try:
            yield here
        finally:
            await here.stop()


@contextmanager
def _patched(chance: FixedChance) -> Iterator[None]:
    """Everything from which a server could have what is not the same in every run."""
    with ExitStack() as stack:
        for name in ("token_bytes", "token_urlsafe", "token_hex", "randbits"):
            stack.enter_context(mock.patch(f"secrets.{name}", getattr(chance, name)))
        yield


def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run something in a loop whose clock stands still."""
    with asyncio.Runner(loop_factory=StillLoop) as runner:
        return runner.run(work())
