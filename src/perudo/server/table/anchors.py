"""Secrets of games' dice, drawn and published before the games."""

from __future__ import annotations

import secrets

from perudo.fair_dice import SECRET_BYTES, sha
from perudo.server.table.table import Draft


def new_anchor(game: int) -> Draft:
    """A secret for a game's dice, and what is told of it before."""
    secret = secrets.token_bytes(SECRET_BYTES)
    return Draft("anchor", {"game": game, "anchor": sha(secret)}, {"secret": secret.hex()})
