"""The rest of the page: reveals, the first round, accounts, the lab, and what creators can do."""

from __future__ import annotations

from playwright.sync_api import Browser, Page

from perudo.record import MatchRecord
from web.kit import Server, calm, click, make_table, sit, visit

AI = {"kind": "ai", "level": "strong"}
OPEN = {"kind": "open"}
COUNTED = """() => {
  window.counted = [];
  new MutationObserver(() => {
    const shown = document.querySelector(".counting .standing-quantity")?.textContent;
    if (shown !== undefined && window.counted.at(-1) !== shown) window.counted.push(shown);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


def until_a_reveal(page: Page) -> None:
    while not page.is_visible("#skip"):
        page.wait_for_selector(".acting.asked, #skip")
        doubting = page.locator(".bidding .said").count() > 1 and page.is_visible(
            '[data-word="dudo"]'
        )
        if not page.is_visible("#skip"):
            click(page, '[data-word="dudo"]' if doubting else ".bid >> nth=0")


def test_a_reveal_counts_one_by_one_and_can_be_seen_again(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url, reduced_motion="no-preference")
    table = make_table(page, server.url, [OPEN, AI, AI], rules="common:dice=3")
    sit(page, server.url, table)
    page.evaluate(COUNTED)
    until_a_reveal(page)
    page.wait_for_selector(".verdict")
    counted = [int(number) for number in page.evaluate("window.counted")]
    assert counted == list(range(len(counted)))
    assert page.locator(".die.lit").count() == counted[-1]
    page.click("#skip")
    page.wait_for_selector("#see-again")
    page.click("#see-again")
    page.wait_for_selector(".counting")
    page.click("#skip")  # to the outcome
    page.wait_for_selector(".verdict")
    page.click("#skip")  # and on
    page.wait_for_selector(".counting", state="detached")
    calm(page)


def test_the_first_round_is_learnt_by_playing_it(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(f"{server.url}/#/learn")
    for _ in range(3):
        page.click("#learn-next")
    page.click('[data-bid="5x5"]')
    assert "Try four fives" in page.inner_text(".learn .lead")
    page.click('[data-bid="4x5"]')
    page.click("#learn-next")
    page.click('[data-word="dudo"]')
    assert page.locator(".die.lit").count() == 6  # as the text says
    page.click("#learn-next")
    page.click("#learn-play")
    page.wait_for_selector("[data-dice]")
    calm(page)


def test_a_guest_keeps_the_games_in_an_account(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(f"{server.url}/#/account")
    page.fill("#register-name", "Ana Maria")
    page.fill("#register-password", "a long enough secret")
    page.click("#register button")
    page.wait_for_selector(".secret:not(:empty)")
    assert "You are Ana Maria." in page.inner_text("main")
    page.fill("#new-bot-name", "anabot")
    page.click("#new-bot button")
    page.wait_for_selector(".secret:has-text('token')")
    page.click("#log-out")
    page.wait_for_selector("#log-in")
    page.fill("#log-in-name", "Ana Maria")
    page.fill("#log-in-password", "wrong and long")
    page.click("#log-in button")
    page.wait_for_selector(".problem:not(:empty)")
    page.fill("#log-in-password", "a long enough secret")
    page.click("#log-in button")
    page.wait_for_selector("#log-out")
    calm(page, "403")


def test_a_series_of_computers_is_watched_and_downloaded(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(f"{server.url}/#/lab")
    page.select_option("#lab-players", "2")
    page.select_option("#agent-1", "random")
    page.select_option("#lab-games", "10")
    page.click("#lab-start")
    page.wait_for_selector(".status:has-text('10 of 10')")
    assert page.locator("#lab-log li").count() > 5
    with page.expect_download() as download:
        page.click("#lab-records")
    lines = download.value.path().read_text("utf-8").splitlines()
    starts = [place for place, line in enumerate(lines) if line.startswith('{"record"')]
    assert len(starts) == 10
    for first, last in zip(starts, [*starts[1:], len(lines)], strict=True):
        assert MatchRecord.parse(lines[first:last]).finished
    calm(page)


def test_creators_fill_seats_pause_and_leave(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(f"{server.url}/#/new")
    page.select_option("#preset", "common")
    page.select_option("#players", "2")
    page.select_option("#seat-1", "invited")
    page.click("#make-table")
    page.wait_for_selector(".qr")
    page.click("[data-fill]")
    page.wait_for_selector("[data-dice]")
    page.click("#menu summary")
    page.click("#pause")
    page.wait_for_selector(".status:has-text('paused')")
    assert page.locator(".bid").count() == 0
    page.click("#pause")
    page.wait_for_selector(".acting.asked")
    page.check("#odds")
    page.wait_for_selector(".bid-odds")
    page.click("#talk summary")
    page.fill("#words", "a word at a private table")
    page.press("#words", "Enter")
    page.wait_for_selector("#story li:has-text('a word at a private table')")
    page.click("#stand")
    page.wait_for_selector("#play-now")
    calm(page)
