"""Options in stored data, which an older or a newer version may have written (docs/rules.md, 12).

What people write is read strictly, by each game's ``setting``.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import fields
from typing import Any

from perudo.games.errors import RulesError

CHANGES_NOTHING: tuple[Any, ...] = (False, None, 0, "none", "off", "no")
"""Values at which an option that this version does not know leaves the game as it is.

So each new option has one of these values where it does nothing.
"""


def known_only(options: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """The options that are known; raises if another one may change the game."""
    for name, value in options.items():
        if name not in known and value not in CHANGES_NOTHING:
            raise RulesError(
                f"option {name!r} is unknown to this version, and {value!r} may change the game"
            )
    return {name: value for name, value in options.items() if name in known}


def complete(setting_type: Any, stored: dict[str, Any]) -> dict[str, Any]:
    """Every option of a setting: as it is stored, else as it was ``before`` there was the option.

    An option declares that value in its field's metadata; one that does not may not be missing.
    """
    before = {option.name: option.metadata for option in fields(setting_type)}
    options = known_only(stored, before)
    for name, metadata in before.items():
        if name not in options and "before" not in metadata:
            raise RulesError(f"option {name!r} is missing")
        options.setdefault(name, metadata.get("before"))
    return options
