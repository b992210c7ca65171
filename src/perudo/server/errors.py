"""Refusals: a stable code, a message, and the HTTP status of each code."""

from __future__ import annotations

import math

from typing_extensions import TypedDict

from perudo.games.errors import PerudoError

STATUS = {
    "no_session": 401,
    "wrong_password": 403,
    "wrong_code": 403,
    "banned": 403,
    "not_creator": 403,
    "needs_account": 403,
    "closed": 403,
    "origin": 403,
    "private": 403,
    "no_table": 404,
    "no_game": 404,
    "no_person": 404,
    "no_review": 404,
    "no_results": 404,
    "unknown_bot": 404,
    "name_taken": 409,
    "has_account": 409,
    "too_large": 413,
    "too_fast": 429,
    "quota": 429,
    "too_many": 429,
    "try_again": 503,
}
"""HTTP status by code; other codes mean 400."""


class Refused(PerudoError):
    """A request that cannot be carried out now; ``code`` is stable and used on the wire."""

    def __init__(
        self, code: str, message: str, limit: str | None = None, seconds: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.limit = limit
        """The name of the limit that was reached, as in the settings."""
        self.seconds = seconds
        """The time until it is worth trying again."""


class Waiting(TypedDict, total=False):
    """The limit that a request ran into."""

    limit: str
    seconds: float


def waiting_of(error: PerudoError) -> Waiting:
    """Return the limit and the time to wait, if the error states them."""
    found: Waiting = {}
    if isinstance(error, Refused):
        if error.limit is not None:
            found["limit"] = error.limit
        if error.seconds is not None:
            found["seconds"] = round(error.seconds, 1)
    return found


def retry_after(waiting: Waiting) -> dict[str, str]:
    """Return the header that tells clients when to try again."""
    if "seconds" not in waiting:
        return {}
    return {"retry-after": str(max(1, math.ceil(waiting["seconds"])))}
