"""The service's part of docs/protocol.md, written from the models.

python -m perudo.server.wire.schema_docs          prints it
python -m perudo.server.wire.schema_docs --write  puts it into docs/protocol.md
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from perudo.server.wire import server_messages
from perudo.server.wire.client_messages import ClientMessage
from perudo.server.wire.server_messages import ServerMessage

BEGIN = "<!-- messages: python -m perudo.server.wire.schema_docs --write -->"
END = "<!-- end of messages -->"
PARTS: tuple[type[BaseModel], ...] = (
    server_messages.You,
    server_messages.Player,
    server_messages.SeatView,
    server_messages.TableInfo,
    server_messages.View,
    server_messages.Window,
    server_messages.Event,
)


def members(union: Any) -> tuple[type[BaseModel], ...]:
    """The models of a union."""
    return get_args(get_args(union)[0])


def type_text(schema: dict[str, Any]) -> str:
    """A field's type in a few words."""
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
    names: dict[str, str] = {
        "integer": "whole number",
        "string": "text",
        "boolean": "true or false",
    }
    kind = str(schema.get("type", "any"))
    return names.get(kind, kind)


def model_text(model: type[BaseModel]) -> str:
    """One message or part as a section."""
    schema = model.model_json_schema()
    kind = schema["properties"].get("type", {}).get("const")
    title = f"`{kind}`" if kind else f"`{model.__name__}`"
    lines = [f"**{title}** {' '.join((model.__doc__ or '').split())}", ""]
    docs = field_docs(model)
    rows = []
    for name, part in schema["properties"].items():
        if name == "type" and kind:
            continue
        needed = "" if name in schema.get("required", ()) else " *optional*"
        rows.append(f"| `{name}` | {type_text(part)}{needed} | {docs.get(name, '')} |")
    if rows:
        lines += ["| field | | |", "|-|-|-|", *rows, ""]
    return "\n".join(lines)


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """The sentence under each field."""
    import ast
    import inspect
    import textwrap

    found: dict[str, str] = {}
    body = ast.parse(textwrap.dedent(inspect.getsource(model))).body[0]
    assert isinstance(body, ast.ClassDef)
    for field, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[field.target.id] = " ".join(str(after.value.value).split())
    return found


def text() -> str:
    """All messages."""
    sections = [
        "### From the client",
        *(model_text(model) for model in members(ClientMessage)),
        "### From the server",
        *(model_text(model) for model in members(ServerMessage)),
        "### Parts",
        *(model_text(model) for model in PARTS),
    ]
    return "\n\n".join(section.strip() for section in sections).replace("``", "`")


def with_messages(document: str) -> str:
    """A document with the messages between its two marks."""
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{text()}\n\n{END}{after}"


def main() -> None:
    """Print the messages, or put them into the document."""
    if "--write" not in sys.argv:
        print(text())
        return
    path = Path("docs/protocol.md")
    path.write_text(with_messages(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
