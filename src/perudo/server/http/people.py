"""HTTP: guests, accounts, sessions and bots."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from perudo.server.http.auth import (
    ServerHere,
    Visitor,
    drop,
    guess,
    keep,
    limit_guests,
    limit_sign_ins,
    token_of,
)
from perudo.server.people.bots import Bots
from perudo.server.wire.bodies import (
    Account,
    BotList,
    BotToken,
    CreatedBot,
    Credentials,
    Done,
    Ended,
    Filters,
    Me,
    NewBot,
    NewGuest,
    PasswordChange,
    Recovery,
    Session,
)

router = APIRouter(prefix="/api", tags=["people"])


def bots_of(server: ServerHere) -> Bots:
    """Return the bots of the running server."""
    return Bots(server.service.store, server.service.clock.time)


BotsHere = Annotated[Bots, Depends(bots_of)]


@router.post("/guests", status_code=201, dependencies=[Depends(limit_guests)])
async def new_guest(
    body: NewGuest, request: Request, response: Response, server: ServerHere
) -> Session:
    """Create a guest and a session, sent as a cookie and, for programs, as a token."""
    person, token = await server.people.new_guest(body.name)
    keep(response, request, token)
    return {"you": person.public, "token": token}


@router.get("/me")
async def me(person: Visitor) -> Me:
    """Return the visitor's name and kind."""
    return {"you": person.public}


@router.post("/accounts", status_code=201, dependencies=[Depends(limit_sign_ins)])
async def register(body: Credentials, person: Visitor, server: ServerHere) -> Account:
    """Turn a guest into an account with a password, keeping its games.

    The answer shows the recovery codes only this once; each can set a new password.
    """
    account, codes = await server.people.register(person, body.name, body.password)
    return {"you": account.public, "recovery_codes": codes}


@router.post("/login")
async def log_in(
    body: Credentials, request: Request, response: Response, server: ServerHere
) -> Session:
    """Start a session of an account."""
    with guess(request, body.name):
        person, token = await server.people.log_in(body.name, body.password)
    keep(response, request, token)
    return {"you": person.public, "token": token}


@router.post("/logout")
async def log_out(request: Request, response: Response, server: ServerHere) -> Done:
    """End this session."""
    token = token_of(request)
    person = await server.people.by_token(token) if token else None
    if token:
        await server.people.end_session(token)
    if person is not None:
        await server.end_connections(person.id)
    drop(response)
    return {"done": True}


@router.post("/logout-others")
async def log_out_others(request: Request, person: Visitor, server: ServerHere) -> Ended:
    """End all other sessions of this account."""
    ended = await server.people.end_other_sessions(person, token_of(request) or "")
    await server.end_connections(person.id)
    return {"ended": ended}


@router.post("/password")
async def change_password(
    body: PasswordChange, request: Request, person: Visitor, server: ServerHere
) -> Done:
    """Change the password, and end all other sessions of the account; its bots stay connected."""
    with guess(request, person.name):
        await server.people.change_password(person, token_of(request) or "", body.old, body.new)
    await server.end_connections(person.id)
    return {"done": True}


@router.post("/recover")
async def recover(body: Recovery, request: Request, server: ServerHere) -> Account:
    """Set a new password with a recovery code, end all sessions and return new codes."""
    with guess(request, body.name):
        person, codes = await server.people.recover(body.name, body.code, body.password)
    await server.end_connections(person.id)
    return {"you": person.public, "recovery_codes": codes}


@router.get("/bots")
async def bots(person: Visitor, all_bots: BotsHere) -> BotList:
    """List the bots of the account."""
    return {"bots": [bot.public for bot in await all_bots.of(person)]}


@router.post("/bots", status_code=201)
async def new_bot(body: NewBot, person: Visitor, all_bots: BotsHere) -> CreatedBot:
    """Create a bot; the answer shows its token only this once."""
    bot, token = await all_bots.new(person, body.name)
    return {"bot": bot.public, "token": token}


@router.post("/bots/{bot}/token")
async def renew_token(bot: str, person: Visitor, all_bots: BotsHere) -> BotToken:
    """Replace a bot's token; the old one is no longer valid."""
    return {"token": await all_bots.renew_token(person, bot)}


@router.put("/bots/{bot}/filters")
async def set_filters(bot: str, body: Filters, person: Visitor, all_bots: BotsHere) -> Done:
    """Choose the challenges that a bot receives."""
    await all_bots.set_filters(person, bot, body)
    return {"done": True}
