"""HTTP: the link to a table, as text and as a QR code."""

from __future__ import annotations

import asyncio
import io
from urllib.parse import urlsplit

import segno
from fastapi import APIRouter, Request, Response

from perudo.server.http.auth import ServerHere, token_of
from perudo.server.lan import is_loopback, own_addresses
from perudo.server.server import Server
from perudo.server.wire.bodies import InvitationLink

router = APIRouter(prefix="/api", tags=["tables"])
LOOPBACK = ("127.0.0.1", "localhost", "::1")
OWN = {"Cache-Control": "no-store"}
"""Headers that prevent caching, because the answer depends on the visitor."""


@router.get("/tables/{table}/invitation")
async def invitation(
    table: str, request: Request, response: Response, server: ServerHere
) -> InvitationLink:
    """Return the link to a table.

    The creator and the seated players get a link with which others can take the seats by
    invitation; everybody else gets a link to watch (``invites`` is false).
    """
    response.headers.update(OWN)
    return await link_for(table, request, server)


@router.get("/tables/{table}/invitation.svg", responses={200: {"content": {"image/svg+xml": {}}}})
async def invitation_code(table: str, request: Request, server: ServerHere) -> Response:
    """Return the link to a table as a QR code."""
    found = await link_for(table, request, server)
    drawn = await asyncio.to_thread(_code, found["link"])
    return Response(drawn, media_type="image/svg+xml", headers=OWN)


def _code(link: str) -> bytes:
    drawn = io.BytesIO()
    segno.make(link, error="m").save(
        drawn, kind="svg", border=2, dark="#000", light="#fff", omitsize=True
    )
    return drawn.getvalue()


async def link_for(table: str, request: Request, server: Server) -> InvitationLink:
    """Return the link that the visitor may share, with the key in the part not sent to servers."""
    token = token_of(request)
    person = None if token is None else await server.people.by_token(token)
    found = await server.lobby.invitation(table, None if person is None else person.id)
    place = await asyncio.to_thread(place_of, request, server.settings.lan)
    link = f"{place}/#/table/{table}"
    if found["invites"]:
        link += "/sit"
    if found["key"] is not None:
        link += f"/{found['key']}"
    return {"link": link, "invites": found["invites"]}


def place_of(request: Request, lan: bool) -> str:
    """Return this service's address for others, which in a local network is not a loopback one."""
    base = urlsplit(str(request.base_url))
    place = base.netloc
    if lan and base.hostname in LOOPBACK:
        others = [address for address in own_addresses() if not is_loopback(address)]
        if others:
            place = f"{others[0]}:{base.port}" if base.port else others[0]
    return f"{base.scheme}://{place}"
