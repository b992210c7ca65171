"""Seats by invitation on the page: the offers, the links, and the view of others."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page

from web.kit import Server, calm, make_table, received, sit, visit
from web.views import OPEN

INVITED = {"kind": "invited"}


TOLD = "(where) => document.querySelector(`${where} input`)?.value.includes('/sit/')"
"""True once the server has sent the link to a seat."""


def link_to_a_seat(page: Page, where: str = ".waiting .invitation") -> str:
    """Return the link that a page shows to people who may invite."""
    page.wait_for_function(TOLD, arg=where)
    return page.input_value(f"{where} input")


def key_in(link: str) -> str:
    found = re.fullmatch(r".*/#/table/[\w-]+/sit/([\w-]{22,})", link)
    assert found, link
    return found[1]


def test_an_invited_friend_sits_down_by_the_link_and_a_stranger_cannot(
    server: Server, chrome: Browser
) -> None:
    creator, stranger, friend = [visit(chrome, server.url) for _ in range(3)]
    table = make_table(creator, server.url, [OPEN, INVITED], rules="common")
    sit(creator, server.url, table)
    link = link_to_a_seat(creator)
    key = key_in(link)

    # In the list there is nothing to sit down at, only something to look at.
    frames = received(stranger)
    asked: list[str] = []
    stranger.on("request", lambda request: asked.append(request.url))
    stranger.goto(f"{server.url}/#/tables")
    card = stranger.locator(".card", has=stranger.locator(f'a[href*="{table}"]'))
    card.wait_for()
    assert "By invitation" in card.inner_text()
    assert card.locator("a").inner_text() == "Watch"
    card.locator("a").click()
    stranger.wait_for_selector('[data-seat="1"] .seat-name:has-text("By invitation")')
    assert stranger.locator("[data-sit]").count() == 0
    with stranger.expect_response(re.compile(r"/invitation$")) as told:
        stranger.reload()
    # Asked again: the answer may be one that the page got before it was loaded again.
    answer = stranger.evaluate("(url) => fetch(url).then((a) => a.json())", told.value.url)
    assert answer == {"link": f"{server.url}/#/table/{table}", "invites": False}
    stranger.wait_for_selector("text=A link to watch this table")
    shown = stranger.input_value(".waiting .invitation input")
    assert shown == f"{server.url}/#/table/{table}"

    # The address of a seat without the key, and with another one.
    stranger.goto(f"{server.url}/#/table/{table}/sit")
    stranger.wait_for_selector(".notice:has-text('Only those who were invited can sit here')")
    stranger.goto(f"{server.url}/#/table/{table}/sit/{'A' * 22}")
    stranger.wait_for_selector(".notice:has-text('This invitation does not fit this table.')")
    stranger.wait_for_selector('[data-seat="1"] .seat-name:has-text("By invitation")')
    assert stranger.locator("[data-sit]").count() == 0
    calm(stranger)

    # The link, wrapped in what some programs add to it.
    sent: list[str] = []
    friend.on("request", lambda request: sent.append(request.url.partition("#")[0]))
    friend.goto(link + ").")
    friend.wait_for_selector("[data-dice]")
    creator.wait_for_selector("[data-dice]")
    stranger.wait_for_selector(".round")
    assert not [text for text in frames + asked + sent if key in text]
    for page in (creator, friend):
        calm(page)


def test_whoever_sits_down_may_pass_the_link_on(server: Server, chrome: Browser) -> None:
    creator, guest = [visit(chrome, server.url) for _ in range(2)]
    table = make_table(creator, server.url, [OPEN, OPEN, INVITED], rules="common")
    sit(creator, server.url, table)
    link = link_to_a_seat(creator)
    guest.goto(f"{server.url}/#/tables")
    card = guest.locator(".card", has=guest.locator(f'a[href*="{table}"]'))
    card.wait_for()
    assert "Free seat, By invitation" in card.inner_text()
    guest.goto(f"{server.url}/#/table/{table}")
    guest.wait_for_selector("text=A link to watch this table")
    code = guest.get_attribute(".waiting .qr", "src")
    assert guest.locator("[data-sit]").count() == 1  # the seat by invitation is not offered
    guest.click('[data-sit="1"]')
    guest.wait_for_selector("text=Invite friends with this link")
    assert link_to_a_seat(guest) == link
    assert guest.get_attribute(".waiting .qr", "src") != code
    guest.click("#menu summary")
    assert link_to_a_seat(guest, "#menu .invitation") == link
    for page in (creator, guest):
        calm(page)


@pytest.mark.parametrize(
    ("language", "invited", "refused"),
    [
        ("es", "Por invitación", "Aquí solo se sientan los invitados"),
        ("fr", "Sur invitation", "Seuls les invités peuvent s’asseoir ici"),
    ],
)
def test_a_refusal_is_said_in_the_readers_language(
    language: str, invited: str, refused: str, server: Server, chrome: Browser
) -> None:
    creator = visit(chrome, server.url)
    table = make_table(creator, server.url, [OPEN, INVITED], rules="common", private=True)
    sit(creator, server.url, table)
    creator.wait_for_selector(".qr")
    other = visit(chrome, server.url, locale=language)
    other.goto(f"{server.url}/#/table/{table}/sit")
    other.wait_for_selector(f".notice:has-text('{refused}')")
    other.wait_for_selector(f".seat-name:has-text('{invited}')")
    calm(other)
