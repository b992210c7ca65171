"""A client for the server: write a bot in a few lines, or use the connection for anything else.

from perudo.client import play

def choose(question):            # a "decide" message, as in docs/protocol.md
    return question["legal"][-1]

asyncio.run(play("http://127.0.0.1:8000", token, choose, queue={"players": 2}))
"""

from __future__ import annotations

import asyncio
import json
import secrets
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from perudo.games.errors import PerudoError

Message = dict[str, Any]
RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)
"""The delays between attempts to reconnect; the last one repeats."""
OPEN_SECONDS = 10.0


class ServerError(PerudoError):
    """The server refused a request; ``code`` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def request(url: str, path: str, body: Message | None = None, token: str | None = None) -> Message:
    """Send an HTTP request to a server's API and return the response; a body makes it a POST."""
    headers = {"content-type": "application/json"}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    try:
        asked = urllib.request.Request(url.rstrip("/") + path, data, headers)
        with urllib.request.urlopen(asked, timeout=OPEN_SECONDS) as answer:
            found: Message = json.load(answer)
            return found
    except urllib.error.HTTPError as error:
        told = _problem(error)
        raise ServerError(told["code"], told["message"]) from None
    except (OSError, ValueError) as error:
        raise PerudoError(f"cannot reach {url}: {error}") from None


def _problem(error: urllib.error.HTTPError) -> Message:
    try:
        told = json.load(error)
        return {"code": str(told["code"]), "message": str(told["message"])}
    except (ValueError, KeyError, TypeError):
        return {"code": f"http_{error.code}", "message": f"the server answered {error.code}"}


def new_guest(url: str, name: str | None = None) -> str:
    """Create a guest account and return its token."""
    return str(request(url, "/api/guests", {"name": name})["token"])


class Link(NamedTuple):
    """The parts of a link to a table."""

    server: str | None
    """The server's URL; None if only the table's id was given."""
    table: str
    key: str | None
    """The key of the invitation, if the link is one."""


def read_link(text: str) -> Link:
    """Parse the link to a table, as the page shows it, or a table's id alone.

    >>> read_link("http://dice.example/#/table/SOME_ID/sit/THE_KEY")
    Link(server='http://dice.example', table='SOME_ID', key='THE_KEY')
    >>> read_link("SOME_ID")
    Link(server=None, table='SOME_ID', key=None)
    """
    server, linked, place = text.strip().partition("/#/table/")
    if not linked:
        return Link(None, server, None)
    table, _, way = place.partition("/")
    return Link(server, table, way.removeprefix("sit").strip("/") or None)


class Connection:
    """A WebSocket connection to a server, for any number of tables."""

    def __init__(self, wire: Any) -> None:
        self._wire = wire

    async def send(self, **message: Any) -> None:
        """Send a message with these fields (see docs/protocol.md)."""
        await self._wire.send(json.dumps(message))

    async def close(self) -> None:
        """Close the connection."""
        await self._wire.close()

    async def __aiter__(self) -> AsyncIterator[Message]:
        async for text in self._wire:
            yield json.loads(text)


@asynccontextmanager
async def connect(url: str, token: str, style: str = "") -> AsyncIterator[Connection]:
    """Open a connection; ``style`` selects the messages: "program" for bots, "page" for pages.

    Raise ``ServerError`` if the server rejects the token, and ``OSError`` if the server, or a proxy
    before it, cannot be reached at the moment.
    """
    import websockets

    address = "ws" + url.rstrip("/").removeprefix("http") + f"/ws?style={style}"
    headers = {"Authorization": f"Bearer {token}"}
    try:
        async with websockets.connect(address, additional_headers=headers) as wire:
            yield Connection(wire)
    except websockets.InvalidHandshake as error:
        status = getattr(getattr(error, "response", None), "status_code", 500)
        if status >= 500:
            raise ConnectionError(f"the server cannot be reached: {error}") from None
        raise ServerError("no_session", f"the server refused the connection: {error}") from None


async def play(
    url: str,
    token: str,
    choose: Callable[[Message], str],
    *,
    queue: Message | None = None,
    accept: Callable[[Message], bool] = lambda challenge: True,
    table: str | None = None,
    games: int | None = None,
) -> int:
    """Play at all tables where this player has a seat; return the number of games finished.

    ``choose`` gets each ``decide`` message and returns an action. ``queue`` (rules, players, rated)
    enters matchmaking; ``table`` (an id or a link) takes a seat at one table; ``accept`` decides
    about challenges. Games found in the queue get a fresh seed, once the server has committed to
    their dice. The function returns after ``games`` games, by default never. It reconnects when the
    connection is lost; the server then repeats its open questions.
    """
    import websockets

    seed = secrets.token_hex(16)  # this player's part of the dice
    played = attempts = 0
    while games is None or played < games:
        try:
            async with connect(url, token, "program") as connection:
                attempts = 0
                if table is not None:
                    await connection.send(**sit_message(*read_link(table)[1:], seed))
                if queue is not None:
                    await connection.send(type="queue", seeds=True, **queue)
                async for message in connection:
                    over = await _answer(connection, message, choose, accept, seed)
                    played += over
                    if games is not None and played >= games:
                        return played
                    if over and queue is not None:
                        await connection.send(type="queue", seeds=True, **queue)
        except (OSError, websockets.ConnectionClosed):
            await asyncio.sleep(RETRY_SECONDS[min(attempts, len(RETRY_SECONDS) - 1)])
            attempts += 1
    return played


async def _answer(
    connection: Connection,
    message: Message,
    choose: Callable[[Message], str],
    accept: Callable[[Message], bool],
    seed: str,
) -> bool:
    """Respond to a message; return true if it was the end of a game."""
    if message["type"] == "decide":
        action = choose(message)
        await connection.send(
            type="action", table=message["table"], id=message["id"], action=action
        )
    elif message["type"] == "matched":
        fresh = secrets.token_hex(16)
        await connection.send(type="seed", table=message["table"], game=1, seed=fresh)
    elif message["type"] == "challenge" and accept(message):
        await connection.send(**sit_message(message["table"], message.get("key"), seed))
    elif message["type"] == "error" and message["code"] in FATAL:
        raise ServerError(message["code"], message["message"])
    return bool(message["type"] == "end")


def sit_message(table: str, key: str | None, seed: str) -> Message:
    """Return the message that takes a seat; the key is left out if it is None."""
    return {"type": "sit", "table": table, "seed": seed} | ({} if key is None else {"key": key})


FATAL = (
    "needs_account",
    "needs_invitation",
    "wrong_invitation",
    "unknown_rules",
    "no_table",
    "taken",
    "kicked",
    "not_rateable",
)
"""The error codes after which ``play`` gives up."""
