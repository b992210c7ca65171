"""The container of learnt strategies: a human-readable line of JSON, then bytes with a checksum.

Reading a file that is damaged, or of another format or version, raises an error with the reason.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt

from perudo.games.errors import PerudoError

Array = npt.NDArray[Any]


class SealedFileError(PerudoError):
    """A file is damaged, or not of the expected format."""


class Header(TypedDict, total=False):
    """The first line of every file, with how the file was made; formats add fields to it."""

    format: str
    version: int
    sha256: str
    command: str
    commit: str
    seed: int


class About(Header, total=False):
    """A description of a round and of how its strategies were learnt."""

    game: str
    revision: int
    rules: str
    dice: list[int]
    horizon: str
    """The payoff that was maximised: ``round`` or ``match``."""
    standing: int
    pages: int
    """The number of pages of the match."""
    memory: int
    variant: str
    value: float
    error: float
    exploitability: float
    iterations: int
    deals: int
    clones: int
    share: float
    seconds: float
    memory_mb: float
    information_sets: int
    hands: list[int]
    """Each player's number of hands."""


AnyHeader = TypeVar("AnyHeader", bound=Header)


@dataclass(frozen=True)
class Format(Generic[AnyHeader]):
    """A file format: a name and a version."""

    name: str
    version: int

    def seal(self, payload: bytes, *parts: Header) -> bytes:
        """Return the content of a file, with the given parts merged into its header."""
        header: Header = {"format": self.name, "version": self.version}
        header["sha256"] = hashlib.sha256(payload).hexdigest()
        for part in parts:
            header.update(part)
        return json.dumps(header).encode() + b"\n" + payload

    def unseal(self, content: bytes, name: str) -> tuple[AnyHeader, bytes]:
        """Return the format's own header fields and the payload; errors call the file ``name``."""
        line, _, payload = content.partition(b"\n")
        try:
            header = json.loads(line)
        except ValueError:
            header = None
        if not isinstance(header, dict) or header.pop("format", None) != self.name:
            raise SealedFileError(f"{name} is not a {self.name} file")
        version, checksum = header.pop("version", None), header.pop("sha256", None)
        if version != self.version:
            raise SealedFileError(
                f"{name} has version {version}; this program reads {self.version}"
            )
        if hashlib.sha256(payload).hexdigest() != checksum:
            raise SealedFileError(f"{name} is damaged: its contents do not match its checksum")
        return header, payload  # type: ignore[return-value]  # nothing checks the other names


def pack(arrays: Iterable[Array]) -> bytes:
    """Return the little-endian bytes of arrays, one after the other."""
    return b"".join(part.astype(part.dtype.newbyteorder("<")).tobytes() for part in arrays)


def unpack(data: bytes, shapes: list[tuple[str, int]], name: str) -> list[Array]:
    """Return read-only arrays of these types and lengths."""
    kinds = [(np.dtype(kind).newbyteorder("<"), count) for kind, count in shapes]
    if sum(kind.itemsize * count for kind, count in kinds) != len(data):
        raise SealedFileError(f"{name} does not match its header")
    arrays, begin = [], 0
    for kind, count in kinds:
        arrays.append(np.frombuffer(data, kind, count, begin))
        begin += kind.itemsize * count
    return arrays


def read(path: Path) -> bytes:
    """Return the content of a file; raise SealedFileError if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SealedFileError(f"cannot read {path}: {error.strerror}") from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically, by renaming a finished copy."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_bytes(content)
    unfinished.replace(path)
