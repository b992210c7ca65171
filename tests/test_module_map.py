"""The maps in docs/ show the modules that exist."""

from __future__ import annotations

import module_map


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
