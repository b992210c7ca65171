"""What holds for every view: readable by all, small, and never calling elsewhere."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Response

from web.kit import Server, calm, visit
from web.views import RECORD, tour

FIRST_VIEW_BYTES = 150_000
SIZES = ((320, 640), (1280, 860))
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""All that can differ by night."""


def problems(page: Page, axe: Axe, rules: dict[str, Any]) -> list[str]:
    """What axe finds, in one line each; its script stays on the page from view to view."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.axe_script)
    found = page.evaluate(
        "(rules) => axe.run(document, { resultTypes: ['violations'], preload: false, ...rules })",
        rules,
    )["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary'].splitlines()[-1].strip()}"
        for rule in found
        for node in rule["nodes"]
    ]


def too_wide(page: Page) -> bool:
    """Whether a page has to be scrolled sideways."""
    wide: bool = page.evaluate("document.documentElement.scrollWidth > innerWidth + 1")
    return wide


def test_axe_finds_nothing_in_any_view(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    axe = Axe()
    found: list[str] = []
    for name in tour(page, server.url, "official:dice=2", 2):  # few bids are looked at fast
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            if too_wide(page):
                found.append(f"{name} at {width} pixels is too wide")
            page.emulate_media(color_scheme="light", reduced_motion="reduce")
            found += [f"{name}, {width}: {one}" for one in problems(page, axe, {})]
            page.emulate_media(color_scheme="dark", reduced_motion="reduce")
            found += [f"{name}, {width}, dark: {one}" for one in problems(page, axe, COLOURS)]
    assert not found, "\n".join(found)
    calm(page)


def test_the_first_view_is_small_and_all_of_it_is_ours(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(server.url, wait_until="networkidle")
    assert page.is_visible("#play-now")
    sizes = {answer.url: len(answer.body()) for answer in answers}
    assert sum(sizes.values()) < FIRST_VIEW_BYTES, sizes
    assert all(
        answer.headers["cache-control"] == "no-cache" for answer in answers if "/js/" in answer.url
    )
    policy = answers[0].headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    calm(page)


def test_a_pasted_game_is_reviewed(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(f"{server.url}/#/review")
    page.fill("#pasted", "nothing of the kind")
    page.click("#review-pasted")
    page.wait_for_selector(".problem:has-text('the first line should be')")
    page.fill("#pasted", RECORD)
    page.click("#review-pasted")
    page.wait_for_selector("[data-step]")
    page.wait_for_selector("[data-opinion]", timeout=120_000)
    assert "100%" in page.inner_text(".decision")  # Ann knew that 1x3 was true
    page.uncheck("#all-dice")
    assert page.locator(".board .die.unknown").count() == 1
    page.click("#step-on")
    page.wait_for_selector(".decision h2:has-text('Dudo')")
    calm(page, "400")


def test_a_rating_is_drawn_with_its_interval(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(server.url)
    page.wait_for_selector("#play-now")
    drawn = page.evaluate(
        """async () => {
          const { curve } = await import("/js/curve.js");
          const made = curve([[1, 1500, 1400, 1600], [2, 1550, 1470, 1630]], "a curve", String);
          return [made.querySelector(".line").getAttribute("points"), made.textContent];
        }"""
    )
    assert len(drawn[0].split()) == 2
    assert "1,550 (1,470 – 1,630)" in drawn[1]
    calm(page)


def test_a_running_game_is_not_reviewed(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(server.url)
    page.click("#play-now")
    page.wait_for_selector("[data-dice]")
    table = page.url.split("/table/")[1].split("/")[0]
    page.goto(f"{server.url}/#/review/{table}.1")
    page.wait_for_selector("h1:has-text('That did not work')")
    assert "still being played" in page.inner_text("main")
    calm(page, "400")
