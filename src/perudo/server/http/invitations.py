"""HTTP: the link to a table, as text and as a code that phones scan."""

from __future__ import annotations

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
"""What one is told depends on who one is."""


@router.get("/tables/{table}/invitation")
async def invitation(
    table: str, request: Request, response: Response, server: ServerHere
) -> InvitationLink:
    """The address at which friends find a table.

    Whoever made it or sits there is told the link with which others can take the seats that are by
    invitation; everybody else one to watch (``invites`` is false).
    """
    response.headers.update(OWN)
    return await link_for(table, request, server)


@router.get("/tables/{table}/invitation.svg", responses={200: {"content": {"image/svg+xml": {}}}})
async def invitation_code(table: str, request: Request, server: ServerHere) -> Response:
    """The same as a code to scan."""
    drawn = io.BytesIO()
    segno.make((await link_for(table, request, server))["link"], error="m").save(
        drawn, kind="svg", border=2, dark="#000", light="#fff", omitsize=True
    )
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers=OWN)


async def link_for(table: str, request: Request, server: Server) -> InvitationLink:
    """The link that whoever asks may pass on. The key stands where no server is told it."""
    token = token_of(request)
    person = None if token is None else await server.people.by_token(token)
    found = await server.lobby.invitation(table, None if person is None else person.id)
    link = f"{place_of(request, server.settings.lan)}/#/table/{table}"
    if found["invites"]:
        link += "/sit"
    if found["key"] is not None:
        link += f"/{found['key']}"
    return {"link": link, "invites": found["invites"]}


def place_of(request: Request, lan: bool) -> str:
    """This service's address for others: in a local network not the machine's name for itself."""
    base = urlsplit(str(request.base_url))
    place = base.netloc
    if lan and base.hostname in LOOPBACK:
        others = [address for address in own_addresses() if not is_loopback(address)]
        if others:
            place = f"{others[0]}:{base.port}" if base.port else others[0]
    return f"{base.scheme}://{place}"
