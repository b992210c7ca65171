"""What goes between ``FileAgent`` and its worker: JSON lines with records as base64.

A question carries everything that a decision depends on, the observation's record, the memory and
the stream, byte for byte, so that the answer is the same as it would be in one process. One
message may carry many decisions.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Literal, TypedDict

import numpy as np

from perudo.agents.agent import ThoughtsData
from perudo.games.game import Game, Record, game_named
from perudo.games.policy import Memory
from perudo.games.state import SEATS, State

LONGEST_LINE = 1 << 30
"""Bytes of a message: a batch may be large."""


class Decide(TypedDict):
    """Asks for decisions: several are for ``act_batch``."""

    do: Literal["decide"]
    batch: bool
    game: str
    states: list[str]
    memories: str | None
    streams: list[int]


class Learn(TypedDict):
    """Shows a settled round."""

    do: Literal["learn"]
    game: str
    states: list[str]
    memories: str


class Sit(TypedDict):
    """Introduces a match."""

    do: Literal["sit"]
    game: str
    options: dict[str, bool | int | str]
    seat: int
    players: list[str]


class Leave(TypedDict):
    """Shows how a match ended."""

    do: Literal["leave"]
    game: str
    states: list[str]


class CannotPlay(TypedDict):
    """Asks why the agent cannot play at a table, if it cannot."""

    do: Literal["cannot_play"]
    game: str
    options: dict[str, bool | int | str]
    players: int


Question = Decide | Learn | Sit | Leave | CannotPlay


class Introduction(TypedDict):
    """What the worker says of its agent, before any question."""

    memory_width: int
    uses_clock: bool
    batches: bool
    learns: bool
    sits: bool
    leaves: bool


class Decided(TypedDict):
    """Actions by their codes, and the memories and streams afterwards."""

    actions: list[int]
    thoughts: list[ThoughtsData | None]
    memories: str | None
    streams: list[int]


class Learnt(TypedDict):
    """The memory after a settled round."""

    memories: str


class Refusal(TypedDict):
    """Why the agent cannot play, if it cannot."""

    reason: str | None


class Done(TypedDict):
    """There is nothing to say."""


class Failed(TypedDict):
    """What the agent did wrong."""

    error: str


Answer = Decided | Learnt | Refusal | Done | Failed

encode = json.JSONEncoder(separators=(",", ":")).encode
"""A message as a line."""


def pack_records(records: Sequence[Record]) -> list[str]:
    """Records as text, without the zeros at their end: most of a history is empty."""
    return [b64encode(record.tobytes().rstrip(b"\0")).decode("ascii") for record in records]


def pack_memories(memories: Sequence[Memory]) -> str:
    """Memories of equal shape as text."""
    return b64encode(b"".join(memory.tobytes() for memory in memories)).decode("ascii")


_state_types: dict[str, type[State]] = {}


def state_type(game: Game) -> type[State]:
    """The class that a game's states have in Python."""
    if game.name not in _state_types:
        start = game.start(game.setting(game.presets[0]), game.properties.min_players)
        _state_types[game.name] = type(start)
    return _state_types[game.name]


def unpack_states(name: str, texts: Sequence[str]) -> list[State]:
    """The records again, as the states of a game."""
    game = game_named(name)
    kind, dtype = state_type(game), game.dtype
    return [
        kind(np.frombuffer(b64decode(text).ljust(dtype.itemsize, b"\0"), dtype)[0])
        for text in texts
    ]


def unpack_memories(text: str | None, count: int) -> list[Memory]:
    """The memories of so many decisions: a row for each seat; the worker may write in them.

    Those of an agent that remembers nothing are not sent.
    """
    if text is None:
        return [np.zeros((len(SEATS), 1)) for _ in range(count)]
    numbers = np.frombuffer(bytearray(b64decode(text)), np.float64)
    return list(numbers.reshape(count, len(SEATS), -1))
