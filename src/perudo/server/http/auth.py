"""Authentication of requests, by a browser's cookie or a program's bearer token."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection
from starlette.responses import Response

from perudo.games.errors import PerudoError
from perudo.server.errors import Refused
from perudo.server.http.middleware import address_of
from perudo.server.people.names import name_key
from perudo.server.people.people import SESSION_SECONDS, Person
from perudo.server.rate_limits import FAILED_SIGN_IN
from perudo.server.server import Server

COOKIE = "perudo"
WRONG = ("wrong_password", "wrong_code")
"""Codes of failed sign-ins."""
SUBPROTOCOL = "perudo"
SUBPROTOCOL_TOKEN = "token."
"""Prefix of the token for WebSocket clients that cannot send headers, such as browsers: they offer
the subprotocols ``perudo`` and ``token.TOKEN``."""


def token_of(connection: HTTPConnection) -> str | None:
    """Return the token sent with a request, or None."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return token
    for offered in connection.headers.get("sec-websocket-protocol", "").split(","):
        if offered.strip().startswith(SUBPROTOCOL_TOKEN):  # WebSockets of browsers and Node
            return offered.strip().removeprefix(SUBPROTOCOL_TOKEN)
    return connection.cookies.get(COOKIE)


def server_of(connection: HTTPConnection) -> Server:
    """Return the running server."""
    server: Server = connection.app.state.server
    return server


async def visitor(connection: HTTPConnection) -> Person:
    """Return the person who sent the request; raise if it has no valid session."""
    token = token_of(connection)
    server = server_of(connection)
    person = await server.people.by_token(token) if token else None
    if person is None:
        raise Refused("no_session", "no valid session; start with POST /api/guests, or log in")
    server.service.budget.saw(person, address_of(connection.scope))
    return person


Visitor = Annotated[Person, Depends(visitor)]
ServerHere = Annotated[Server, Depends(server_of)]


def keep(response: Response, connection: HTTPConnection, token: str) -> None:
    """Set a cookie with a session's token, which scripts cannot read."""
    secure = server_of(connection).settings.secure_cookies or connection.url.scheme == "https"
    response.set_cookie(
        COOKIE,
        token,
        max_age=int(SESSION_SECONDS),
        httponly=True,
        samesite="strict",
        secure=secure,
        path="/",
    )


def drop(response: Response) -> None:
    """Delete the session's cookie."""
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


def limit_guests(connection: HTTPConnection) -> None:
    """Count a new guest against the limit of its address."""
    server_of(connection).limits.guests.take(address_of(connection.scope))


def limit_sign_ins(connection: HTTPConnection) -> None:
    """Count a sign-in against the limit of its address: checking a password is costly."""
    server_of(connection).limits.sign_ins.take(address_of(connection.scope))


@contextmanager
def guess(connection: HTTPConnection, name: str) -> Iterator[None]:
    """Limit the passwords and codes that can be tried, from one address and for one account.

    Whoever guesses at one account from many addresses is limited too, and right passwords hardly
    count, because a whole class may sign in from one address. An attempt counts as failed until
    it has succeeded, so that many attempts at once are limited like those one after the other.
    """
    limits = server_of(connection).limits
    account = name_key(" ".join(name.split()))
    limit_sign_ins(connection)
    limits.failures.take(account)
    try:
        yield
    except PerudoError as error:
        if getattr(error, "code", None) in WRONG:
            limits.sign_ins.give_back(address_of(connection.scope), 1 - FAILED_SIGN_IN)
        else:
            limits.failures.give_back(account)
        raise
    limits.failures.give_back(account)
