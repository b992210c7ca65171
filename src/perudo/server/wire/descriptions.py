"""API descriptions for programs and people, which refer to no other server."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, TypedDict

from pydantic import ConfigDict, TypeAdapter
from typing_extensions import get_original_bases, is_typeddict

from perudo import __version__
from perudo.server.wire import events, server_messages
from perudo.server.wire.client_messages import ClientMessage
from perudo.server.wire.server_messages import ServerMessage

Schema = dict[str, Any]
"""A JSON schema as a dictionary."""
PREFIX = "#/components/schemas/{model}"
DOCUMENTED = ConfigDict(use_attribute_docstrings=True)


class Messages(TypedDict):
    """The messages of one direction."""

    names: list[str]
    schemas: dict[str, Schema]
    """Schemas by name, including the messages' parts."""


@cache
def from_client() -> Messages:
    """Return the messages from clients."""
    return _messages(TypeAdapter(ClientMessage))


@cache
def from_server() -> Messages:
    """Return the messages from the server."""
    found = _messages(TypeAdapter(ServerMessage, config=DOCUMENTED))
    for name, schema in found["schemas"].items():
        for inherited in _inherited(getattr(server_messages, name, getattr(events, name, None))):
            for field, text in inherited.items():
                schema["properties"][field].setdefault("description", text)
    return found


def _messages(union: TypeAdapter[Any]) -> Messages:
    schema = union.json_schema(ref_template=PREFIX, mode="serialization")
    names = [each["$ref"].rpartition("/")[2] for each in schema["oneOf"]]
    return {"names": names, "schemas": schema["$defs"]}


def _inherited(part: Any) -> Iterator[dict[str, str]]:
    """Yield the docstrings of fields that a typed dictionary inherits, which Pydantic omits."""
    for base in get_original_bases(part) if is_typeddict(part) else ():
        if is_typeddict(base):
            schema = TypeAdapter(base | None, config=DOCUMENTED).json_schema()
            fields = schema["$defs"][base.__name__]["properties"].items()
            yield {name: about["description"] for name, about in fields if "description" in about}
            yield from _inherited(base)


@cache
def asyncapi() -> Schema:
    """Return the AsyncAPI document of the WebSocket's messages."""
    receive, send = from_client(), from_server()
    operations = {
        name: {
            "action": action,
            "channel": {"$ref": "#/channels/ws"},
            "messages": [{"$ref": f"#/channels/ws/messages/{each}"} for each in messages["names"]],
        }
        for name, action, messages in (
            ("toServer", "receive", receive),
            ("toClient", "send", send),
        )
    }
    described = {
        each: {"payload": {"$ref": PREFIX.format(model=each)}}
        for each in (*receive["names"], *send["names"])
    }
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "perudo", "version": __version__},
        "channels": {
            "ws": {
                "address": "/ws",
                "messages": {each: {"$ref": f"#/components/messages/{each}"} for each in described},
            }
        },
        "operations": operations,
        "components": {
            "messages": described,
            "schemas": {**receive["schemas"], **send["schemas"]},
        },
    }


def api_page(endpoints: Iterable[tuple[str, str, str]]) -> str:
    """Return an HTML page with all HTTP endpoints: path, method and description of each."""
    rows = [
        f"<tr><td><code>{method}</code></td><td><code>{html.escape(path)}</code>"
        f"</td><td>{html.escape(text)}</td></tr>"
        for path, method, text in sorted(endpoints)
    ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>perudo: API</title>'
        "<h1>perudo: API</h1><p>In full: <a href='/openapi.json'>openapi.json</a> for HTTP, "
        "<a href='/asyncapi.json'>asyncapi.json</a> for the WebSocket at <code>/ws</code>.</p>"
        f"<table><tr><th>Method</th><th>Path</th><th></th></tr>{''.join(rows)}</table></html>"
    )
