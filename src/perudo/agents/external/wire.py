"""What goes between ``FileAgent`` and its worker: JSON lines with records as base64.

A question carries everything that a decision depends on, the observation's record, the memory and
the stream, byte for byte, so that the answer is the same as it would be in one process. One
message may carry many decisions.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence

import numpy as np

from perudo.games.game import Game, Record, game_named
from perudo.games.policy import Memory
from perudo.games.state import SEATS, State

LONGEST_LINE = 1 << 30
"""Bytes of a message: a batch may be large."""


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
