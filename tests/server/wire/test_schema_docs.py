"""The documents about the server agree with its messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args, get_type_hints

from perudo.server.table.events import KINDS, Opened
from perudo.server.wire import events
from perudo.server.wire.client_messages import ClientMessage
from perudo.server.wire.descriptions import asyncapi
from perudo.server.wire.schema_docs import with_messages
from perudo.server.wire.server_messages import ServerMessage

DOCUMENT = Path(__file__).parents[3] / "docs" / "protocol.md"


def test_the_protocol_page_is_generated_from_the_models() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert with_messages(text) == text, "python -m perudo.server.wire.schema_docs --write"


def test_asyncapi_describes_every_message_in_itself() -> None:
    document = asyncapi()
    unions: tuple[Any, ...] = (ClientMessage, ServerMessage)
    names = {each.__name__ for union in unions for each in get_args(get_args(union)[0])}
    assert set(document["components"]["messages"]) == names
    for reference in _references(document):
        place = document
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]


def test_every_event_that_is_sent_is_described() -> None:
    described = get_args(events.PublicEvent) + get_args(events.RecordEvent)
    kinds = {get_args(get_type_hints(each)["kind"])[0] for each in described}
    assert kinds == set(KINDS) - {Opened.kind}


def _references(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [each for part in value.values() for each in _references(part)]
    if isinstance(value, list):
        return [each for part in value for each in _references(part)]
    return []
