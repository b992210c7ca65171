"""Files of learnt things: a line of JSON that people can read, then bytes, sealed.

A file that is damaged, of another kind or of another version is refused with the reason.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from perudo.games.errors import PerudoError


class SealedFileError(PerudoError):
    """A file that is not what it should be, or not intact."""


def seal(kind: str, version: int, about: dict[str, Any], payload: bytes) -> bytes:
    """The content of a file."""
    seal_of = hashlib.sha256(payload).hexdigest()
    header = {"format": kind, "version": version, "sha256": seal_of, **about}
    return json.dumps(header).encode() + b"\n" + payload


def unseal(content: bytes, kind: str, version: int, name: str) -> tuple[dict[str, Any], bytes]:
    """What a file says of itself, and its bytes; ``name`` is what errors call it."""
    line, _, payload = content.partition(b"\n")
    try:
        header = dict(json.loads(line))
    except (ValueError, TypeError):
        header = {}
    if header.pop("format", None) != kind:
        raise SealedFileError(f"{name} is not a file of {kind}")
    found = header.pop("version", None)
    if found != version:
        raise SealedFileError(f"{name} is of version {found}, not {version}")
    if hashlib.sha256(payload).hexdigest() != header.pop("sha256", None):
        raise SealedFileError(f"{name} is damaged: its contents do not match its checksum")
    return header, payload


def write_whole(path: Path, content: bytes) -> None:
    """Write a file at once or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(content)
    unfinished.replace(path)


def read(path: Path) -> bytes:
    """A file's content."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SealedFileError(f"cannot read {path}: {error.strerror}") from None
