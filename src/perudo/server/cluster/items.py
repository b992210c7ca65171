"""Messages between server processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from perudo.server.wire.server_messages import ServerMessage


class PersonFields(TypedDict):
    """The fields of a ``Person``."""

    id: str
    kind: str
    name: str
    owner: str | None
    banned: bool
    muted: bool


class Do(TypedDict):
    """A client's message, for the process that owns the table."""

    kind: Literal["do"]
    connection: int
    person: PersonFields
    program: bool
    text: str
    unasked: bool


class Gone(TypedDict):
    """Notice that a connection has been closed."""

    kind: Literal["gone"]
    connection: int


class Send(TypedDict):
    """A message for a client, sent to the process of its connection."""

    kind: Literal["send"]
    connection: int
    message: ServerMessage


class Moved(TypedDict):
    """Notice that a table that a connection follows has moved to another process."""

    kind: Literal["moved"]
    connection: int
    table: str
    odds: bool
    after: int | None


class Elsewhere(TypedDict):
    """The answer to ``do`` from a process that does not own the table."""

    kind: Literal["elsewhere"]
    connection: int
    table: str | None


@dataclass(frozen=True)
class Question:
    """A question to another process."""

    about: Literal["info", "invitation", "send", "sessions"]
    table: str = ""
    person: str | None = None
    message: ServerMessage | None = None


class Ask(TypedDict):
    """A question, with its number."""

    kind: Literal["ask"]
    number: int
    question: Any
    """The fields of a ``Question``."""


class Answer(TypedDict):
    """The answer to a question."""

    kind: Literal["answer"]
    number: int
    answer: Any
    refused: tuple[str, str] | None
    """The code and message of a refusal."""


class Signal(TypedDict):
    """A heartbeat, or a request to synchronise again because a message was lost."""

    kind: Literal["beat", "gap"]


ToConnection = Send | Moved | Elsewhere
Item = Do | Gone | ToConnection | Ask | Answer | Signal


Envelope = TypedDict("Envelope", {"from": str, "number": int, "items": list[Item]})
"""Messages sent together; ``number`` counts the envelopes from one process to another."""
