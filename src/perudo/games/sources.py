"""The sources that a module's machine code depends on: its own, and those of all its imports.

All imported modules count, not only those with kernels, since numba writes constants into machine
code.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

GAMES = "perudo.games"

_GAP = r"(?:[ \t]|\\\r?\n)"
_IMPORT = re.compile(
    rf"(?:^|[:;]){_GAP}*((?:from{_GAP}+[.\w]+{_GAP}+import\b|import{_GAP})"
    r"(?:[^\n(\\]|\\\r?\n)*(?:\([^)]*\))?)",
    re.MULTILINE,
)


def in_games(module: str) -> bool:
    """Return true if a module belongs to the games, which are hashed together."""
    return module == GAMES or module.startswith(f"{GAMES}.")


def marked_dtype(name: str, dtype: np.dtype[Any], module: str) -> np.dtype[Any]:
    """Return the record type of a game outside this package, with a field named after its source.

    Compiled code is cached by record type. The package's own modules are hashed into the cache
    directory; a game from elsewhere gets a new type, and so new code, whenever its file changes.
    """
    source = Path(sys.modules[module].__file__ or "").read_bytes()
    digest = hashlib.sha256(module.encode() + b"\0" + source).hexdigest()[:16]
    marker = (f"{name}_{digest}", "i1")
    parts = [(field, part) for field, (part, *_) in (dtype.fields or {}).items()]
    return np.dtype((np.record, [*parts, marker]))


class Sources:
    """The sources of the package in a directory; each file is read only once."""

    def __init__(self, package: Path) -> None:
        self._paths: dict[str, Path] = {}
        for directory, _, files in os.walk(package):
            names = (package.name, *Path(directory).relative_to(package).parts)
            for file in files:
                stem, suffix = os.path.splitext(file)
                if suffix == ".py":
                    parts = names if stem == "__init__" else (*names, stem)
                    self._paths[".".join(parts)] = Path(directory, file)
        self._text = functools.cache(lambda module: self._paths[module].read_bytes())
        self._imported = functools.cache(self._find_imported)

    def fingerprint(self, module: str) -> str:
        """Return a hash of the sources in a module's ``closure``."""
        digest = hashlib.sha256()
        for name in sorted(self.closure(module)):
            text = self._text(name)
            digest.update(f"{name} {len(text)}\0".encode() + text)
        return digest.hexdigest()[:16]

    def closure(self, module: str) -> set[str]:
        """Return the modules that can affect a module's kernels.

        For a module outside the games, games are left out: its cache lies within theirs.
        """
        if in_games(module):
            return {name for name in self._paths if in_games(name)}
        if module not in self._paths:
            return set(self._paths)
        found: set[str] = set()
        following = [module]
        while following:
            name = following.pop()
            if name not in found and not in_games(name):
                found.add(name)
                following += self._imported(name)
        return found

    def _find_imported(self, module: str) -> set[str]:
        """Return the modules of the package that a module imports directly.

        A package that re-exports names of its submodules imports these submodules itself.
        """
        is_package = self._paths[module].name == "__init__.py"
        package = module if is_package else module.rpartition(".")[0]
        found: set[str] = set()
        for statement in _import_statements(self._text(module).decode()):
            names = [alias.name for alias in statement.names]
            if isinstance(statement, ast.Import):
                found.update(names)
            else:
                origin = _absolute(statement, package)
                submodules = [f"{origin}.{name}" for name in names]
                found.update(name if name in self._paths else origin for name in submodules)
        return found & self._paths.keys()


def _absolute(statement: ast.ImportFrom, package: str) -> str:
    """Return the absolute name of the module that a ``from ... import`` names."""
    if not statement.level:
        return statement.module or ""
    above = package.split(".")[: len(package.split(".")) - statement.level + 1]
    return ".".join([*above, *filter(None, [statement.module])])


def _import_statements(text: str) -> list[ast.Import | ast.ImportFrom]:
    """Return a file's imports, including those in functions and for type checkers.

    Only lines that look like imports are parsed: parsing whole files would take ten times as long,
    at each start. If such a line turns out to be prose, the whole file is parsed.
    """
    lines = "\n".join(match[1] for match in _IMPORT.finditer(text))
    try:
        tree = ast.parse(lines)
    except SyntaxError:
        tree = ast.parse(text)
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
