"""Messages between ``FileAgent`` and its worker: JSON lines with records as base64.

A question contains everything that a decision depends on, byte for byte: the observation's record,
the memory and the stream. The answer is therefore the same as in one process. One message may hold
many decisions.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Literal, TypedDict

import numpy as np

from perudo.agents.agent import ThoughtsData
from perudo.games.game import SEATS, Game, Record, State, game_named
from perudo.games.policy import Memory

LONGEST_LINE = 1 << 30
"""Limit for a message in bytes; a batch may be large."""


class Decide(TypedDict):
    """Request for decisions; a batch goes to ``act_batch``."""

    do: Literal["decide"]
    batch: bool
    game: str
    states: list[str]
    memories: str | None
    streams: list[int]


class Learn(TypedDict):
    """Request to learn from a settled round."""

    do: Literal["learn"]
    game: str
    states: list[str]
    memories: str


class Sit(TypedDict):
    """Announcement of a match."""

    do: Literal["sit"]
    game: str
    options: dict[str, bool | int | str]
    seat: int
    players: list[str]


class Leave(TypedDict):
    """Announcement of the end of a match."""

    do: Literal["leave"]
    game: str
    states: list[str]


class CannotPlay(TypedDict):
    """Question why the agent cannot play at a table, if so."""

    do: Literal["cannot_play"]
    game: str
    options: dict[str, bool | int | str]
    players: int


Question = Decide | Learn | Sit | Leave | CannotPlay


class Introduction(TypedDict):
    """The worker's description of its agent, sent before any question."""

    memory_width: int
    uses_clock: bool
    batches: bool
    learns: bool
    sits: bool
    leaves: bool


class Decided(TypedDict):
    """Actions as codes, and the memories and streams afterwards."""

    actions: list[int]
    thoughts: list[ThoughtsData | None]
    memories: str | None
    streams: list[int]


class Learnt(TypedDict):
    """The memory after a settled round."""

    memories: str


class Refusal(TypedDict):
    """Reason why the agent cannot play; null if it can."""

    reason: str | None


class Done(TypedDict):
    """Answer to a message that needs none."""


class Failed(TypedDict):
    """Description of the agent's failure."""

    error: str


Answer = Decided | Learnt | Refusal | Done | Failed

encode = json.JSONEncoder(separators=(",", ":")).encode
"""Encode a message as a line."""


def pack_records(records: Sequence[Record]) -> list[str]:
    """Encode records as text, without the zeros at their ends, since most of a history is empty."""
    return [b64encode(record.tobytes().rstrip(b"\0")).decode("ascii") for record in records]


def pack_memories(memories: Sequence[Memory]) -> str:
    """Encode memories of equal shape as text."""
    return b64encode(b"".join(memory.tobytes() for memory in memories)).decode("ascii")


_state_types: dict[str, type[State]] = {}


def state_type(game: Game) -> type[State]:
    """Return the Python class of a game's states."""
    if game.name not in _state_types:
        start = game.start(game.setting(game.presets[0]), game.properties.min_players)
        _state_types[game.name] = type(start)
    return _state_types[game.name]


def unpack_states(name: str, texts: Sequence[str]) -> list[State]:
    """Decode records to states of a game."""
    game = game_named(name)
    kind, dtype = state_type(game), game.dtype
    return [
        kind(np.frombuffer(b64decode(text).ljust(dtype.itemsize, b"\0"), dtype)[0])
        for text in texts
    ]


def unpack_memories(text: str | None, count: int) -> list[Memory]:
    """Decode ``count`` writable memories, each with a row per seat.

    Agents that remember nothing send no memories; they get empty ones.
    """
    if text is None:
        return [np.zeros((len(SEATS), 1)) for _ in range(count)]
    numbers = np.frombuffer(bytearray(b64decode(text)), np.float64)
    return list(numbers.reshape(count, len(SEATS), -1))
