"""The rest of the page: reveals, the first round, accounts, the lab, and what creators can do."""

from __future__ import annotations

import itertools
import re

import pytest
from playwright.sync_api import Browser, Page

from perudo.record import MatchRecord
from web.kit import Server, calm, click, make_table, play_by_mouse, sit, visit

AI = {"kind": "ai", "level": "strong"}
OPEN = {"kind": "open"}
COUNTED = """() => {
  window.counted = [];
  new MutationObserver(() => {
    const shown = document.querySelector(".counting .standing-quantity")?.textContent;
    if (shown !== undefined && window.counted.at(-1) !== shown) window.counted.push(shown);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


SKIPPING = """() => {
  document.querySelector("#see-again").click();
  const told = [];
  while (document.querySelector(".counting")) {
    told.push(Boolean(document.querySelector(".verdict")));
    document.querySelector("#skip").click();
  }
  return [...told, Boolean(document.querySelector(".verdict"))];
}"""
"""True if the outcome is shown, before and after each skip."""


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
    page.wait_for_selector(".counting", state="detached")  # after a while, by itself
    counted = [int(number) for number in page.evaluate("window.counted")]
    assert counted[0] == 0
    assert all(after in (before + 1, 0) for before, after in itertools.pairwise(counted))
    page.evaluate("window.counted = []")
    page.click("#see-again")
    page.wait_for_selector(".verdict")  # this one stays until somebody goes on
    assert page.locator(".bidding .said").last.inner_text() == "Dudo"  # of the round that is shown
    again = [int(number) for number in page.evaluate("window.counted")]
    assert again == list(range(len(again)))
    assert page.locator(".die.lit").count() == again[-1]
    page.click("#skip")
    page.wait_for_selector(".counting", state="detached")
    skipped = page.evaluate(SKIPPING)  # to the outcome, without counting, and on
    assert skipped == ([False, True, False] if again[-1] else [True, False])
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
    page.click(".parameters >> nth=1 >> summary")
    page.fill("#parameters-1", "call=0.5")
    page.press("#parameters-1", "Tab")
    page.select_option("#lab-games", "10")
    page.click("#lab-start")
    page.wait_for_selector(".status:has-text('10 of 10')")
    assert page.locator("#lab-log li").count() > 5
    with page.expect_download() as download:
        page.click("#lab-records")
    lines = download.value.path().read_text("utf-8").splitlines()
    starts = [place for place, line in enumerate(lines) if line.startswith('{"record"')]
    assert '"random:call=0.5 (B)"' in lines[0]
    assert len(starts) == 10
    for first, last in zip(starts, [*starts[1:], len(lines)], strict=True):
        assert MatchRecord.parse(lines[first:last]).finished
    calm(page)


def test_the_papers_results_are_shown_with_their_figures(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(f"{server.url}/#/lab")
    page.click("#show-results")
    with_figure = page.locator(".results details:has(img)")
    with_figure.first.locator("summary").click()
    figure = with_figure.first.locator("img").first
    figure.scroll_into_view_if_needed()
    figure.evaluate("image => image.decode()")  # raises if there is no such picture
    assert with_figure.first.locator("table").count() >= 1
    assert with_figure.count() > 15
    calm(page)


WITHOUT_OLD_TALK = """() => {
  const { game } = document.querySelector("perudo-table");
  const isNew = (event) => event.kind !== "said" || event.n === game.events.at(-1).n;
  game.events = game.events.filter(isNew);
  game.transcript = game.transcript.filter(isNew);
  game.dispatchEvent(new CustomEvent("change", { detail: { fresh: [], before: game.view } }));
}"""
"""Lets a page forget older talk, as if the server had sent the newest only."""


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
    assert page.locator("#earlier").is_hidden()
    page.click(".reaction >> nth=0")
    page.wait_for_selector("#story li:has-text('👍')")
    page.evaluate(WITHOUT_OLD_TALK)
    page.wait_for_selector("#story li:has-text('a word at a private table')", state="detached")
    page.click("#earlier")
    page.wait_for_selector("#story li:has-text('a word at a private table')")
    said = page.locator("#story li[data-kind=said]").all_inner_texts()
    assert "a word" in said[-2]
    assert "👍" in said[-1]
    assert page.locator("#earlier").is_hidden()
    page.click("#stand")
    page.wait_for_selector("#play-now")
    calm(page)


def test_somebody_is_sent_away_and_stays_away(server: Server, chrome: Browser) -> None:
    page, other = visit(chrome, server.url), visit(chrome, server.url)
    table = make_table(page, server.url, [OPEN, OPEN, OPEN], rules="common")
    sit(page, server.url, table)
    sit(other, server.url, table)
    taken = page.wait_for_selector('[data-seat="1"] .seat-name:not(:has-text("Free seat"))')
    assert taken is not None
    name = taken.inner_text()
    page.click("#menu summary")
    page.click(f"text=Send {name} away")
    page.wait_for_selector('[data-seat="1"] [data-fill]')
    other.wait_for_selector(f"#story li:has-text('{name} was sent away.')", state="attached")
    other.click('[data-sit="1"]')
    other.wait_for_selector(".notice:has-text('You were sent away from this table.')")
    assert page.locator('[data-seat="1"] [data-fill]').count() == 1
    calm(page)
    calm(other)


def test_sounds_are_off_until_they_are_wanted(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.add_init_script(
        """window.contexts = 0;
        const Made = window.AudioContext;
        window.AudioContext = class extends Made {
          constructor() { super(); window.contexts += 1; }
        };"""
    )
    table = make_table(page, server.url, [OPEN, AI], rules="common:start_mode=fixed")
    sit(page, server.url, table)
    page.wait_for_selector(".acting.asked")  # the dice were rolled, and it is the player's turn
    assert page.evaluate("window.contexts") == 0
    page.click("#menu summary")
    assert not page.is_checked("#sound")
    page.check("#sound")
    click(page, ".bid >> nth=0")
    page.wait_for_function("() => window.contexts === 1")  # a turn or new dice are heard
    page.reload()
    page.click("#menu summary")
    assert page.is_checked("#sound")
    calm(page)


def test_a_rated_game_is_drawn_on_the_players_page(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(f"{server.url}/#/new")
    page.wait_for_selector(".hint:has-text('Rated games need an account')")
    page.goto(f"{server.url}/#/account")
    page.fill("#register-name", "Rita")
    page.fill("#register-password", "a long enough secret")
    page.click("#register button")
    page.wait_for_selector(".secret:not(:empty)")
    page.goto(f"{server.url}/#/new")
    page.select_option("#preset", "perudish2")  # one hand decides
    page.select_option("#players", "2")
    page.select_option("#seat-1", "level:strong")
    page.check("#rated")
    page.click("#make-table")
    page.wait_for_selector("[data-dice]")
    page.click("#menu summary")
    page.wait_for_selector("text=No odds in rated games.")
    assert page.locator("#odds").count() == 0
    play_by_mouse(page)
    who = page.evaluate("fetch('/api/me').then((a) => a.json()).then((b) => b.you.id)")
    page.goto(f"{server.url}/#/player/{who}")
    page.wait_for_selector(".curve .line", state="attached")
    told = page.evaluate(f"fetch('/api/people/{who}').then((a) => a.json())")["ratings"]
    ((ladder, points),) = told.items()
    assert ladder == "perudish2 2"
    assert page.locator("h2:has-text('Rating: Single hands for two, tables of 2')").count() == 1
    assert len(str(page.get_attribute(".curve .line", "points")).split()) == len(points)
    drawn = page.inner_text(".curve figcaption").replace(",", "").split(": ")[1]
    shown = [int(number) for number in re.findall(r"\d+", drawn)]
    expected = [points[-1][name] for name in ("rating", "low", "high")]
    assert shown == pytest.approx(expected, abs=0.5)
    page.goto(f"{server.url}/#/ladder/perudish2/2")
    page.wait_for_selector("tbody tr:has-text('Rita')")
    calm(page)
