"""The maps in docs/ show the modules that exist."""

from __future__ import annotations

import re

import pytest

import module_map

PATHS = re.compile(r"`((?:\w+/)+\w+\.\w+)`")
PLACEHOLDER = re.compile(r"[A-Z]{2}")


def test_architecture_has_the_map_of_the_packages() -> None:
    document = module_map.ARCHITECTURE.read_text("utf-8")
    assert module_map.BEGIN in document
    assert document == module_map.with_map(document), "run python tests/module_map.py --write"


def test_the_list_of_modules_is_complete() -> None:
    written = module_map.MODULES.read_text("utf-8")
    assert written == module_map.module_list(), "run python tests/module_map.py --write"


def test_every_module_says_what_it_is() -> None:
    for folder in module_map.packages():
        for path in [folder / "__init__.py", *module_map.modules_of(folder)]:
            assert module_map.first_line(path), path


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_every_path_in_a_document_exists(name: str) -> None:
    """A path may begin at any folder; names in capitals stand for others."""
    files = [path for path in module_map.ROOT.glob("[a-z]*/**/*") if path.is_file()]
    known = "".join(f"/{path.relative_to(module_map.ROOT)}\n" for path in files)
    named = set(PATHS.findall((module_map.ROOT / name).read_text("utf-8")))
    named = {path for path in named if not PLACEHOLDER.search(path)}
    assert len(named) > 20
    assert not {path for path in named if f"/{path}\n" not in known}
