"""Refusals: a stable code, a message, and the HTTP status of each code."""

from __future__ import annotations

from perudo.games.errors import PerudoError

STATUS = {
    "no_session": 401,
    "wrong_password": 403,
    "wrong_code": 403,
    "banned": 403,
    "not_creator": 403,
    "needs_account": 403,
    "closed": 403,
    "private": 403,
    "no_table": 404,
    "no_game": 404,
    "no_person": 404,
    "no_review": 404,
    "no_results": 404,
    "unknown_bot": 404,
    "name_taken": 409,
    "has_account": 409,
    "too_fast": 429,
    "quota": 429,
    "too_many": 429,
    "try_again": 503,
}
"""HTTP status by code; other codes mean 400."""


class Refused(PerudoError):
    """A request that cannot be carried out now; ``code`` is stable and used on the wire."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
