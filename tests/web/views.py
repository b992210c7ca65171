"""A tour of every view of the page, for pictures and for checks that concern all of them."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page

from web.kit import click, make_table, play_by_mouse, sit

AI = {"kind": "ai", "level": "strong"}
OPEN = {"kind": "open"}
RECORD = "perudo, common:dice=1: A Ann, B Bob\n1. 3/4 A 1x3 B dudo\nend"


def tour(page: Page, url: str, rules: str = "s0_sim", others: int = 5) -> Iterator[str]:
    """Bring the page to each view and say its name; how the table with a game is set can vary."""
    page.goto(url)
    page.wait_for_selector("#play-now")
    yield "front"
    page.click(".gear")
    page.wait_for_selector("dialog[open]")
    yield "settings"
    page.keyboard.press("Escape")
    yield from _pages(page, url)
    table = make_table(page, url, [OPEN, {"kind": "invited"}, AI], rules="s0_sim", private=True)
    sit(page, url, table)
    page.wait_for_selector(".invitation .qr")
    yield "waiting"
    yield from _game(page, url, rules, others)
    table = make_table(page, url, [AI] * 6, rules="official", pace=3)
    page.goto(f"{url}/#/table/{table}")
    page.wait_for_selector("[data-standing]")
    yield "watching"
    table = make_table(page, url, [OPEN, AI, AI], rules="s0_sim:dice=2")
    sit(page, url, table)
    play_by_mouse(page)
    yield "winner"
    page.click("#review")
    page.wait_for_selector("[data-cost]", timeout=120_000)
    yield "review"
    page.click("#retry")
    page.wait_for_selector(".retry-now, .retrying .winner")
    yield "retry"
    page.goto(f"{url}/#/player/{_who(page)}")
    page.wait_for_selector(".numbers")
    yield "player"
    page.goto(f"{url}/#/tables")
    page.wait_for_selector(".card")
    yield "tables"


def _who(page: Page) -> str:
    return str(page.evaluate("fetch('/api/me').then((a) => a.json()).then((b) => b.you.id)"))


def _pages(page: Page, url: str) -> Iterator[str]:
    for address, ready, name in (
        ("new", "#make-table", "setup"),
        ("ladder", "tbody tr", "ladder"),
        ("review", "#pasted", "review-choice"),
        ("lab", "#lab-start", "lab"),
        ("account", "#register", "account"),
        ("learn", "#learn-next", "lesson"),
    ):
        page.goto(f"{url}/#/{address}")
        page.wait_for_selector(ready)
        yield name
        if name == "setup":
            page.select_option("#seat-1", "agent:pomcp")
            page.click(".parameters summary")
            page.wait_for_selector("#parameters-1")
            yield "setup-expert"
    for _ in range(3):
        page.click("#learn-next")
    page.wait_for_selector(".bid")
    yield "lesson-bid"
    page.goto(f"{url}/#/lab")
    page.click("#show-results")
    page.wait_for_selector(".results table")
    page.select_option("#lab-games", "1")
    page.click("#lab-start")
    page.wait_for_selector("#lab-records")  # which are there when a game is finished
    yield "lab-run"


def _game(page: Page, url: str, rules: str, others: int) -> Iterator[str]:
    table = make_table(page, url, [OPEN, *[AI] * others], rules=rules)
    sit(page, url, table)
    page.wait_for_selector(".acting.asked")
    while page.is_visible('[data-word="decline"]') or not page.is_visible("[data-standing]"):
        click(page, '[data-word="decline"]' if page.is_visible('[data-word="decline"]') else ".bid")
        page.wait_for_selector(".acting.asked, #skip")
        if page.is_visible("#skip"):
            click(page, "#skip")
    yield "table"
    page.click("#menu summary")
    page.check("#odds")
    page.wait_for_selector(".bid-odds, .word small")
    yield "table-odds"
    while not page.is_visible(".verdict"):
        page.wait_for_selector(".acting.asked, .verdict")
        if page.is_visible(".verdict"):
            break
        for word in ("decline", "dudo"):
            if page.is_visible(f'[data-word="{word}"]'):
                click(page, f'[data-word="{word}"]')
                break
        else:
            click(page, ".bid >> nth=0")
    for _ in range(30):  # a busy page may not answer the first click
        if page.is_visible("#see-again"):
            break
        click(page, "#skip")
    page.click("#see-again")  # which stays until somebody goes on
    page.wait_for_selector(".verdict")
    yield "reveal"
    page.click("#skip")
    yield from _calza(page, url)


def _calza(page: Page, url: str) -> Iterator[str]:
    """Somebody else has bid, and anybody may say that it is exactly right."""
    table = make_table(page, url, [OPEN, AI, AI], rules="official", calza_window=15)
    sit(page, url, table)
    while not page.is_visible('[data-word="decline"]'):
        page.wait_for_selector(".acting.asked, #skip")
        if page.is_visible("#skip"):
            click(page, "#skip")
        elif not page.is_visible('[data-word="decline"]'):
            click(page, ".bid >> nth=0")
    yield "calza"
