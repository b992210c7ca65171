"""HTTP: the link to a table, as text and as a code that phones scan."""

from __future__ import annotations

import io
from urllib.parse import urlsplit

import segno
from fastapi import APIRouter, Request
from fastapi.responses import Response

from perudo.server.lan import is_loopback, own_addresses
from perudo.server.sessions import Answer, HouseHere

router = APIRouter(prefix="/api", tags=["tables"])
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@router.get("/tables/{table}/invitation")
async def invitation(table: str, request: Request, house: HouseHere) -> Answer:
    """The address at which friends find a table."""
    await house.lobby.require(table)
    return {"link": link_to(table, request, house.settings.lan)}


@router.get("/tables/{table}/invitation.svg", responses={200: {"content": {"image/svg+xml": {}}}})
async def invitation_code(table: str, request: Request, house: HouseHere) -> Response:
    """The same as a code to scan."""
    await house.lobby.require(table)
    drawn = io.BytesIO()
    segno.make(link_to(table, request, house.settings.lan), error="m").save(
        drawn, kind="svg", border=2, dark="#000", light="#fff", omitsize=True
    )
    return Response(drawn.getvalue(), media_type="image/svg+xml")


def link_to(table: str, request: Request, lan: bool) -> str:
    """A table's address for others: in a local network not by this machine's name for itself."""
    base = urlsplit(str(request.base_url))
    place = base.netloc
    if lan and base.hostname in LOOPBACK:
        others = [address for address in own_addresses() if not is_loopback(address)]
        if others:
            place = f"{others[0]}:{base.port}" if base.port else others[0]
    return f"{base.scheme}://{place}/#/table/{table}/sit"
