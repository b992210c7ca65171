"""The API described for programs and people, without any address outside this server."""

from __future__ import annotations

import html
from typing import Any

from fastapi import FastAPI
from pydantic import TypeAdapter

from perudo import __version__
from perudo.server.wire.client_messages import ClientMessage
from perudo.server.wire.server_messages import ServerMessage

PREFIX = "#/components/schemas/{model}"


def asyncapi() -> dict[str, Any]:
    """The WebSocket's messages as an AsyncAPI document."""
    schemas: dict[str, Any] = {}
    described: dict[str, Any] = {}
    operations = {}
    unions: tuple[tuple[str, Any, str], ...] = (
        ("toServer", ClientMessage, "receive"),
        ("toClient", ServerMessage, "send"),
    )
    for name, union, verb in unions:
        schema = TypeAdapter(union).json_schema(ref_template=PREFIX)
        schemas.update(schema.pop("$defs"))
        names = [ref["$ref"].rpartition("/")[2] for ref in schema["oneOf"]]
        described.update({each: {"payload": {"$ref": PREFIX.format(model=each)}} for each in names})
        operations[name] = {
            "action": verb,
            "channel": {"$ref": "#/channels/ws"},
            "messages": [{"$ref": f"#/channels/ws/messages/{each}"} for each in names],
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
        "components": {"messages": described, "schemas": schemas},
    }


def api_page(app: FastAPI) -> str:
    """All HTTP requests on one page."""
    rows = []
    for path, methods in sorted(app.openapi()["paths"].items()):
        for method, about in methods.items():
            text = about.get("description") or about.get("summary") or ""
            rows.append(
                f"<tr><td><code>{method.upper()}</code></td><td><code>{html.escape(path)}</code>"
                f"</td><td>{html.escape(text)}</td></tr>"
            )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>perudo: API</title>'
        "<h1>perudo: API</h1><p>In full: <a href='/openapi.json'>openapi.json</a> for HTTP, "
        "<a href='/asyncapi.json'>asyncapi.json</a> for the WebSocket at <code>/ws</code>.</p>"
        f"<table><tr><th>Method</th><th>Path</th><th></th></tr>{''.join(rows)}</table></html>"
    )
