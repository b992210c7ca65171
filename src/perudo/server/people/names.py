"""Names of people and bots: the allowed characters, and uniqueness."""

from __future__ import annotations

import re
import secrets

from perudo.server.errors import Refused

LONGEST_KEY = 32
"""Most characters of a name's key, which may be longer than the name: ΐ becomes three letters."""
NAME_PATTERN = re.compile(r"[^\W_][\w .'-]{0,22}[\w.]|[^\W_]")
"""Names begin with a letter or digit, and have letters, digits, spaces and a few marks."""
_FIRST = ("Amber", "Blue", "Brave", "Calm", "Clever", "Lucky", "Merry", "Quick", "Quiet", "Sly")
_SECOND = ("Condor", "Cup", "Die", "Fox", "Heron", "Llama", "Otter", "Puma", "Tapir", "Vicuña")


def check_name(name: str) -> str:
    """Return the name with single spaces; raise if it is not allowed."""
    name = " ".join(name.split())
    if not NAME_PATTERN.fullmatch(name) or len(name_key(name)) > LONGEST_KEY:
        raise Refused(
            "bad_name",
            "a name has 1 to 24 letters, digits, spaces or . ' - and begins with a letter or digit",
        )
    return name


def name_key(name: str) -> str:
    """Return the key that must be unique among names."""
    return name.casefold()


def guest_name() -> str:
    """Return a random name for a guest who has not chosen one."""
    return f"{secrets.choice(_FIRST)} {secrets.choice(_SECOND)} {secrets.randbelow(900) + 100}"
