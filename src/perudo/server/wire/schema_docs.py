"""The reference of messages in docs/protocol.md."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from perudo.server.wire.descriptions import Messages, Schema, from_client, from_server

BEGIN = "<!-- messages: python -m perudo.server.wire.schema_docs --write -->"
END = "<!-- end of messages -->"
STAMP = ("n", "at")
"""Fields that all events have."""
TYPE_NAMES = {"integer": "whole number", "string": "text", "boolean": "true or false"}


def type_text(schema: Schema) -> str:
    """Return a field's type in a few words."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    if "const" in schema:
        return f'`"{schema["const"]}"`'
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(type_text(each) for each in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {type_text(schema['items'])}" if "items" in schema else "list"
    kind = str(schema.get("type", "any"))
    return TYPE_NAMES.get(kind, kind)


def section(schema: Schema, left_out: Sequence[str] = ()) -> str:
    """Return the section on a message, event or part, leaving out some of its fields."""
    fields = {name: field for name, field in schema["properties"].items() if name not in left_out}
    tag = next((key for key in ("type", "kind") if "const" in fields.get(key, {})), None)
    title = schema["title"] if tag is None else fields[tag]["const"]
    lines = [f"**`{title}`** {_sentence(schema)}", ""]
    rows = []
    for name, field in fields.items():
        if name != tag:
            needed = "" if name in schema.get("required", ()) else " *optional*"
            rows.append(f"| `{name}` | {type_text(field)}{needed} | {_sentence(field)} |")
    if rows:
        lines += ["| field | | |", "|-|-|-|", *rows, ""]
    return "\n".join(lines)


def _sentence(schema: Schema) -> str:
    return " ".join(schema.get("description", "").split())


def _references(value: Any) -> list[str]:
    """Return the names of all parts to which a schema refers, in order."""
    if isinstance(value, dict):
        own = [value["$ref"].rpartition("/")[2]] if "$ref" in value else []
        return own + [name for each in value.values() for name in _references(each)]
    if isinstance(value, list):
        return [name for each in value for name in _references(each)]
    return []


def parts(messages: Messages) -> list[str]:
    """Return the names of the messages' parts, in order of appearance."""
    found = list(messages["names"])
    for name in found:
        found += dict.fromkeys(
            each for each in _references(messages["schemas"][name]) if each not in found
        )
    return [name for name in found if name not in messages["names"]]


def text() -> str:
    """Return the reference of all messages."""
    receive, send = from_client(), from_server()
    schemas = send["schemas"]
    events = [name for name in parts(send) if "kind" in schemas[name].get("required", ())]
    others = [name for name in parts(send) if "properties" in schemas[name] and name not in events]
    sections = [
        "### From the client",
        *(section(receive["schemas"][name]) for name in receive["names"]),
        "### From the server",
        *(section(schemas[name]) for name in send["names"]),
        "### Events",
        *(section(schemas[name], STAMP) for name in events if "const" in _kind(schemas[name])),
        "### Parts",
        *(section(schemas[name]) for name in others),
    ]
    return "\n\n".join(section.strip() for section in sections).replace("``", "`")


def _kind(schema: Schema) -> Schema:
    kind: Schema = schema["properties"]["kind"]
    return kind


def with_messages(document: str) -> str:
    """Return a document with the reference between its two marks."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{text()}\n\n{END}{after}"


def main() -> None:
    """Print the reference, or write it into the document."""
    if "--write" not in sys.argv:
        print(text())
        return
    path = Path("docs/protocol.md")
    path.write_text(with_messages(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
