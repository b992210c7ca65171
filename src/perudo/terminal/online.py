"""Play on a server from a terminal, in plain sentences."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import threading
from collections.abc import Callable
from typing import Literal, NamedTuple

from typing_extensions import TypedDict
from websockets import ConnectionClosed

from perudo.client import (
    RETRY_SECONDS,
    Connection,
    Message,
    ServerError,
    connect,
    new_guest,
    read_link,
    request,
    sit_message,
)
from perudo.games.errors import PerudoError
from perudo.games.game import seat_name

LEAVE = ("quit", "exit", "q")
ENTERING = "enter"
"""The ``ref`` of the messages that enter a table."""
MARKS = {"timer": " (out of time)", "fallback": " (simple move)"}
"""Notes after an action that its player did not choose."""
PASSING = ("try_again", "too_fast")
"""Error codes that are worth another attempt."""


class SeatPlayer(TypedDict):
    """The player in a seat."""

    name: str


class SeatInfo(TypedDict):
    """A seat of a table."""

    player: SeatPlayer | None


class TableInfo(TypedDict):
    """The seats of a table."""

    seats: list[SeatInfo]


class View(TypedDict):
    """A game as the person in a seat, or a spectator, sees it."""

    seat: int | None
    dice: str | None
    bid: str | None
    bidder: int | None
    question: int
    """The id of the open question."""
    legal: list[str] | None
    """The actions to choose from, if it is the viewer's decision."""
    over: bool


class DealEvent(TypedDict):
    """A deal; the dice of other seats are None."""

    kind: Literal["deal"]
    round: int
    opener: int
    dice: list[str | None]


class ActEvent(TypedDict):
    """An action of a seat."""

    kind: Literal["act"]
    seat: int
    action: str
    by: str


class ResultEvent(TypedDict):
    """The result of a round."""

    kind: Literal["result"]
    hands: list[str | None]
    lost: list[int]
    reason: str


class EndEvent(TypedDict):
    """The end of a game."""

    kind: Literal["end"]
    payoffs: list[float]


class AbsentEvent(TypedDict):
    """A player who is away; an AI plays for them."""

    kind: Literal["absent"]
    seat: int
    agent: str


class SaidEvent(TypedDict):
    """A message in the chat: a text, a phrase or a reaction."""

    kind: Literal["said"]
    seat: int
    text: str | None
    phrase: str | None
    reaction: str | None


TableEvent = DealEvent | ActEvent | ResultEvent | EndEvent | AbsentEvent | SaidEvent
"""The events that a terminal shows; a server sends others too."""


class Question(NamedTuple):
    """A decision for the person to make."""

    id: int
    legal: list[str]
    dice: str
    bid: str | None
    bidder: int | None


class OnlineGame:
    """A table that a person follows and plays at from a keyboard."""

    def __init__(self, table: str, key: str | None, say: Callable[[str], None]) -> None:
        self.table, self._key, self._say = table, key, say
        self.connection: Connection | None = None
        """None while there is no connection."""
        self._seed = secrets.token_hex(16)
        self._names: list[str] = []
        self._me: int | None = None
        self._known: int | None = None
        """The number of the last event received."""
        self.asked: Question | None = None
        """The decision the person has to make now, if any."""
        self.over = self.left = False

    def is_done(self) -> bool:
        """Return True once the game is over or the person has left."""
        return self.over or self.left

    async def enter(self, connection: Connection) -> None:
        """Resume the table from the last event received, and sit down."""
        self.connection = connection
        await connection.send(type="open", table=self.table, after=self._known, ref=ENTERING)
        await connection.send(**sit_message(self.table, self._key, self._seed), ref=ENTERING)

    async def take(self, message: Message) -> None:
        """Show a message; raise ServerError if the server refuses the table or the seat."""
        if message["type"] == "error":
            if message["ref"] == ENTERING and message["code"] in PASSING:
                raise ConnectionError(message["message"])
            if message["ref"] == ENTERING:
                raise ServerError(message["code"], message["message"])
            self._say(message["message"])
        if message["type"] not in ("table", "events"):
            return
        self._known = message["n"]
        info: TableInfo | None = message["info"]
        view: View | None = message["view"]
        if info is not None:
            players = [seat["player"] for seat in info["seats"]]
            self._names = [player["name"] if player else "nobody" for player in players]
        if view is not None:
            self._me = view["seat"]
        for event in message["events"]:
            self._show_event(event)
        self.asked = None
        if view is not None:
            self.over = view["over"]
            if view["legal"] and view["dice"] is not None:
                facts = (view["legal"], view["dice"], view["bid"], view["bidder"])
                self.asked = Question(view["question"], *facts)
        if self.asked is not None:
            self._ask(self.asked)

    def _show_event(self, event: TableEvent) -> None:
        if event["kind"] == "deal":
            own = None if self._me is None else event["dice"][self._me]
            self._say(f"round {event['round']}, {self._name(event['opener'])} to open.")
            if own:
                self._say(f"your dice: {' '.join(own)}")
        elif event["kind"] == "act":
            if event["action"] != "decline":
                mark = MARKS.get(event["by"], "")
                self._say(f"{self._name(event['seat'])}: {event['action']}{mark}")
        elif event["kind"] == "result":
            hands = " ".join(
                f"{seat_name(seat)} {hand}" for seat, hand in enumerate(event["hands"]) if hand
            )
            lost = [self._name(seat) for seat, dice in enumerate(event["lost"]) if dice]
            loses = f"; {', '.join(lost)} lost a die" if lost else ""
            self._say(f"the dice: {hands}. {event['reason']}{loses}.")
        elif event["kind"] == "end":
            winner = event["payoffs"].index(max(event["payoffs"]))
            self._say(f"{self._name(winner)} won the game.")
        elif event["kind"] == "absent":
            self._say(f"{self._name(event['seat'])} is away; {event['agent']} plays instead.")
        elif event["kind"] == "said" and event["seat"] != self._me:
            words = event["text"] or event["phrase"] or event["reaction"]
            self._say(f"{self._name(event['seat'])} says: {words}")

    def _ask(self, question: Question) -> None:
        if "decline" in question.legal:
            self._say(f"exactly {question.bid}? Type calza, or press Enter to let it go.")
        else:
            standing = "No bid yet"
            if question.bidder is not None:
                standing = f"Standing bid: {question.bid} by {self._name(question.bidder)}"
            self._say(f"your turn. {standing}. Your dice: {' '.join(question.dice)}")

    def _name(self, seat: int) -> str:
        return "you" if seat == self._me else self._names[seat]

    async def answer(self, typed: str) -> None:
        """Send the typed action, or answer it here if it is no action."""
        question = self.asked
        word = typed.strip().lower()
        if self.connection is None:
            self._say("there is no connection at the moment; please wait.")
        elif question is None:
            self._say("it is not your turn.")
        elif word in ("legal", "l", "?"):
            self._say(", ".join(question.legal))
        else:
            word = word or ("decline" if "decline" in question.legal else "")
            await self.connection.send(
                type="action",
                table=self.table,
                id=question.id,
                action=word[:16],
                move=secrets.token_hex(8),
            )


async def play_online(
    url: str,
    table: str | None,
    rules: str,
    against: list[str],
    name: str | None,
    read: Callable[[], str],
    say: Callable[[str], None],
) -> int:
    """Sit down at a table, or at a new one with AIs, and play one game; return the exit code.

    ``table`` is an id or a link.
    """
    token = await asyncio.to_thread(new_guest, url, name)
    if table is None:
        seats = [{"kind": "open"}, *({"kind": "ai", "agent": agent} for agent in against)]
        options = {"rules": rules, "seats": seats, "private": True}
        table = (await asyncio.to_thread(request, url, "/api/tables", options, token))["table"]
    _, table, key = read_link(str(table))
    game = OnlineGame(table, key, say)
    say(f"table {table} at {url}. Type a bid such as 3x5, or dudo, legal or quit.")
    typing = asyncio.create_task(_type(game, read))
    attempts = 0
    try:
        while not game.is_done():
            try:
                async with connect(url, token, "page") as connection:
                    await game.enter(connection)
                    async for message in connection:
                        await game.take(message)
                        attempts = 0
                        if game.over:
                            break
            except (OSError, ConnectionClosed):
                if attempts == 0:
                    say("the connection is lost; reconnecting.")
            game.connection = None
            if not game.is_done():
                await asyncio.sleep(RETRY_SECONDS[min(attempts, len(RETRY_SECONDS) - 1)])
                attempts += 1
    finally:
        typing.cancel()
    return 0


async def _type(game: OnlineGame, read: Callable[[], str]) -> None:
    """Send the lines that are typed, until the person leaves."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read_lines() -> None:
        typed: str | None = ""
        while typed is not None:
            try:
                typed = read()
            except EOFError:
                typed = None
            try:
                loop.call_soon_threadsafe(lines.put_nowait, typed)
            except RuntimeError:  # the game is over, and the loop is closed
                return

    # A thread that waits for the keyboard cannot be ended: it must not keep the program alive.
    threading.Thread(target=read_lines, daemon=True).start()
    while (typed := await lines.get()) is not None and typed.strip().lower() not in LEAVE:
        with contextlib.suppress(ConnectionClosed):  # the loop that reads messages reports it
            await game.answer(typed)
    game.left = True
    if game.connection is not None:
        with contextlib.suppress(ConnectionClosed):  # then an AI takes the seat after a while
            await game.connection.send(type="stand", table=game.table)
            await game.connection.close()


def start_online(
    url: str, table: str | None, rules: str, against: list[str], name: str | None
) -> int:
    """Play on a server from this terminal; ``url`` may also be a link to a table."""
    linked = read_link(url)
    if linked.server is not None:
        url, table = linked.server, table or url
    if not url.startswith(("http://", "https://")):
        raise PerudoError(f"{url!r} is not a server address such as http://127.0.0.1:8000")
    try:
        return asyncio.run(play_online(url, table, rules, against, name, input, _say))
    except ServerError as error:
        raise PerudoError(f"{url}: {error}") from None


def _say(text: str) -> None:
    print(text[:1].upper() + text[1:], flush=True)
