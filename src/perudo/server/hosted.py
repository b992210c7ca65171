"""The game that this server offers, and the rules of its tables, parsed once."""

from __future__ import annotations

from functools import lru_cache

from perudo.games.hosting import hosting_of
from perudo.games.options import Setting

HOSTING = hosting_of("perudo")
"""The game that tables are opened for."""


@lru_cache(maxsize=256)
def parsed(text: str) -> Setting:
    """Parse the text of rules."""
    setting: Setting = HOSTING.game.setting(text)
    return setting


@lru_cache(maxsize=256)
def shortest(text: str) -> str:
    """Return the text of rules in its shortest form, cached because it takes longer than a move."""
    return str(parsed(text))


@lru_cache(maxsize=256)
def options_of(text: str) -> dict[str, bool | int | str]:
    """Return all options of the rules by name."""
    return HOSTING.game.setting_options(parsed(text))
