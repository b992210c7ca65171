"""The messages between a game of Perudo and the program that plays a seat, in any language.

A message is one JSON object; docs/protocol.md is the reference. Messages to a player are made from
that seat's observation and nothing else. This module does no input or output: a local program gets
these messages as lines on its standard input, a remote one over the network.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, cast

from typing_extensions import TypedDict

from perudo.games.errors import PerudoError
from perudo.games.game import Game, action_code, require_legal
from perudo.games.operations import EVERYTHING
from perudo.games.perudo import PerudoState, facts
from perudo.games.perudo.outcome import Settled as Settled

PROTOCOL = 1
"""The version of the protocol. Removing a field or changing its meaning raises it; adding a field
does not."""

DECIDED_FROM = (
    *("round", "dice", "counts", "turn", "bid", "bidder", "history"),
    *("wild", "palafico", "been_palafico"),
)
"""The facts that come before the legal actions in ``decide``."""

QUOTED = 80
"""The largest number of characters of a bad message that an error quotes."""


# --- to the player ------------------------------------------------------------------------------
class Hello(TypedDict):
    """Announces the start of a match."""

    type: Literal["hello"]
    protocol: int
    game: str
    revision: int
    rules: dict[str, bool | int | str]
    seat: int | None
    """The receiver's seat; null for a spectator."""
    players: list[str]


class Decide(TypedDict):
    """Asks for an action; the only message that a player answers."""

    type: Literal["decide"]
    id: int
    seat: int
    position: str
    round: int
    dice: str
    counts: list[int]
    turn: int
    bid: str | None
    bidder: int | None
    history: list[tuple[int, str]]
    wild: int | None
    palafico: int | None
    been_palafico: list[int]
    legal: list[str]
    last: Settled | None
    luck: NotRequired[int]


class Result(TypedDict):
    """Reports how a round was settled."""

    type: Literal["result"]
    seat: int | None
    round: int
    counts: list[int]
    history: list[tuple[int, str]]
    outcome: Settled


class End(TypedDict):
    """Reports the end of the match. If it was abandoned, there is no winner."""

    type: Literal["end"]
    seat: int | None
    winner: int | None
    payoffs: list[float] | None


Message = Hello | Decide | Result | End
"""Any message to a player."""


def hello(game: Game, setting: Any, seat: int | None, players: Sequence[str]) -> Hello:
    """Return the message that begins a match."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": game.name,
        "revision": game.revision,
        "rules": game.setting_options(setting),
        "seat": seat,
        "players": list(players),
    }


def decide(observation: PerudoState, number: int, luck: int | None = None) -> Decide:
    """Return the message that asks a seat for an action, given its observation.

    ``luck`` is a fresh random number for players that want to play the same match again.
    """
    seat, turn = observation.viewer, observation.turn
    dice = observation.hand(seat) if seat >= 0 else None
    if dice is None or turn is None or seat != observation.actor:
        raise ValueError("a decision needs the observation of the seat to act")
    codes = observation.legal_actions.codes
    message = cast(
        Decide,
        {
            "type": "decide",
            "id": number,
            "seat": seat,
            "position": observation.notation,
            **facts(observation, *DECIDED_FROM),
            "legal": [observation.game.format_action(code) for code in codes],
            **facts(observation, "last"),
        },
    )
    if luck is not None:
        message["luck"] = luck
    return message


def result(observation: PerudoState) -> Result:
    """Return the message that reports the round that was just settled."""
    outcome = observation.outcome
    if not observation.round_over or outcome is None:
        raise ValueError("the round has not been settled")
    return {
        "type": "result",
        "seat": _seat(observation),
        "round": observation.round,
        "counts": list(observation.dice_counts),
        "history": facts(observation, "history")["history"],
        "outcome": outcome.data(),
    }


def end(observation: PerudoState) -> End:
    """Return the message that ends the match, finished or not."""
    return {
        "type": "end",
        "seat": _seat(observation),
        "winner": observation.winner,
        "payoffs": list(observation.payoffs()) if observation.over else None,
    }


def encode(message: Message) -> str:
    """Return a message on one line, in ASCII: some readers take other characters for line ends."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False)


def _seat(observation: PerudoState) -> int | None:
    """Return the seat that a message is for; None for a spectator."""
    if observation.viewer == EVERYTHING:
        raise ValueError("a message is made from an observation, not from the full state")
    return observation.viewer if observation.viewer >= 0 else None


# --- from the player ----------------------------------------------------------------------------
class ProtocolError(PerudoError):
    """A message is not acceptable; ``code`` is stable and part of the protocol."""

    def __init__(self, code: str, problem: str) -> None:
        super().__init__(problem)
        self.code = code


@dataclass(frozen=True)
class Reply:
    """A player's answer to ``decide``."""

    id: int
    """The id of the question."""
    action: str
    thoughts: str | None = None
    """A free comment on the action; it has no effect."""


EXAMPLE = '{"type":"action","id":1,"action":"2x3"}'
_FIELDS: dict[str, tuple[type, bool]] = {
    "type": (str, True),
    "id": (int, True),
    "action": (str, True),
    "thoughts": (str, False),
}
"""The fields of an answer: each one's type, and true if it is required."""
_WORDS = {str: "text", int: "a whole number"}


def parse_reply(line: str) -> Reply:
    """Parse an answer; raise ProtocolError if it is malformed.

    >>> parse_reply('{"type":"action","id":17,"action":"4x5"}')
    Reply(id=17, action='4x5', thoughts=None)
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        raise ProtocolError("unreadable", f"{quote(line)} is not JSON, as in {EXAMPLE}") from None
    if not isinstance(message, dict):
        raise ProtocolError("unreadable", f"{quote(line)} is not an object, as in {EXAMPLE}")
    if message.get("type") != "action":
        raise ProtocolError("unknown_type", f"{quote(line)} should have the type 'action'")
    for name in message:
        if name not in _FIELDS:
            known = ", ".join(_FIELDS)
            raise ProtocolError("unknown_field", f"{quote(name)} is unknown; there are {known}")
    for name, (kind, needed) in _FIELDS.items():
        if name not in message and not needed:
            continue
        if name not in message:
            raise ProtocolError("missing_field", f"{quote(line)} has no {name!r}")
        if type(message[name]) is not kind:
            raise ProtocolError("wrong_field", f"{name!r} in {quote(line)} is not {_WORDS[kind]}")
    return Reply(message["id"], message["action"], message.get("thoughts"))


def answered_action(line: str, observation: PerudoState, number: int) -> int:
    """Parse the answer to question ``number`` and return its action; raise if it is not legal."""
    reply = parse_reply(line)
    if reply.id != number:
        raise ProtocolError("wrong_id", f"the answer has id {reply.id}, the question {number}")
    code = action_code(observation.game, reply.action)
    require_legal(observation.record, code)
    return code


def quote(text: str) -> str:
    """Return a text in quotes, cut to ``QUOTED`` characters."""
    return repr(text if len(text) <= QUOTED else text[: QUOTED - 3] + "...")
