"""A real server and a real browser for the tests of the page."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, WebSocket, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from perudo.server.app import make_app
from perudo.server.clock import Clock
from perudo.server.process.web_server import web_server
from perudo.server.server import Server as AppServer
from perudo.server.settings import Settings
from server.kit import QuickPool, settings_for, unlimited

PATIENCE_MS = 60_000
"""Seconds that a test waits for an expected change."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """The browser of this machine."""
    found = (shutil.which(name) for name in CHROMIUM)
    return next((path for path in found if path), None)


def why_no_browser() -> str | None:
    """Return the reason why there is no browser; with CI=true a missing browser is a failure."""
    if chromium():
        return None
    if os.environ.get("CI") == "true":
        raise RuntimeError("chromium is missing: 'make test' installs it as root, with apt-get")
    return "chromium is missing; as root 'make test' installs it, else: apt-get install chromium"


def page_settings(path: Path, **changes: Any) -> Settings:
    """A server at which nobody waits, for one machine with many pages."""
    quick = {**unlimited(), "calza_seconds": 2.0}
    return settings_for(path, **{**quick, **changes})


class Server:
    """A server in a thread of its own."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.ahead = 0.0
        """Seconds by which a test has set the server's clock forward."""
        self.clock = Clock(now=lambda: time.monotonic() + self.ahead)
        self.url = f"http://127.0.0.1:{settings.port}"
        self._thread: threading.Thread | None = None

    def start(self) -> Server:
        """Begin; returns when tables can be played at."""
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)))
        self._thread.start()
        if not ready.wait(120):
            raise RuntimeError("the server did not start")
        return self

    async def _serve(self, ready: threading.Event) -> None:
        self.loop = asyncio.get_running_loop()
        self.server = AppServer(self.settings, self.clock, QuickPool())
        self._web = web_server(self.settings, make_app(self.settings, self.server))
        serving = asyncio.create_task(self._web.serve())
        await self.server.ready.wait()
        while not self._web.started:
            await asyncio.sleep(0.01)
        ready.set()
        await serving

    def stop(self) -> None:
        """Stop the server."""
        self._web.should_exit = True
        assert self._thread is not None
        self._thread.join(30)
        assert not self._thread.is_alive(), "the server did not stop"


@contextmanager
def browser() -> Iterator[Browser]:
    """The machine's chromium, without a window."""
    with sync_playwright() as playwright:
        path = chromium()
        assert path is not None
        arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        launched = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield launched
        finally:
            launched.close()


def visit(browser: Browser, url: str, **context: Any) -> Page:
    """A new visitor; a request to elsewhere, an error in a script or a refusal fails the test."""
    wishes = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **context}
    made: BrowserContext = browser.new_context(**wishes)
    made.set_default_timeout(PATIENCE_MS)
    page = made.new_page()
    watch(page, url)
    return page


def watch(page: Page, url: str) -> None:
    """Note what must not happen on a page; ``calm`` looks at it."""
    wrong: list[str] = []
    page.wrong = wrong  # type: ignore[attr-defined]  # kept beside the page that it is about

    def asked(request: Any) -> None:
        if not request.url.startswith((url, "data:", "blob:")):
            wrong.append(f"a request to {request.url}")

    page.on("request", asked)
    page.on("pageerror", lambda error: wrong.append(f"an error: {error}"))
    page.on(
        "console",
        lambda said: wrong.append(f"{said.type}: {said.text}") if said.type == "error" else None,
    )


def calm(page: Page, *but: str) -> None:
    """Nothing went wrong on a page, except what a test brought about."""
    wrong: list[str] = page.wrong  # type: ignore[attr-defined]
    left = [line for line in wrong if not any(part in line for part in but)]
    assert not left, left


# --- playing ------------------------------------------------------------------------------------
SPOKEN = """
window.spoken = [];
new MutationObserver((changes) => {
  for (const change of changes)
    for (const node of change.addedNodes)
      if (node.parentElement?.id === "live") window.spoken.push(node.textContent);
}).observe(document, { childList: true, subtree: true });
"""
"""Notes everything that is spoken, in order."""


def with_choices(page: Page, **choices: Any) -> None:
    """Set the choices that the browser keeps for a visitor."""
    for name, value in choices.items():
        text = json.dumps(json.dumps(value))
        page.add_init_script(f"localStorage.setItem('perudo.{name}', {text})")


def make_table(page: Page, url: str, seats: list[dict[str, str]], **options: Any) -> str:
    """A table that the page's visitor makes; returns its id."""
    page.goto(url)
    page.wait_for_selector("#play-now")
    script = """async ([seats, options]) => {
      const { post, retryingAsGuest } = await import("/js/api.js");
      return (await retryingAsGuest(() => post("/api/tables", { seats, ...options }))).table;
    }"""
    return str(page.evaluate(script, [seats, options]))


def sit(page: Page, url: str, table: str) -> None:
    """Sit down at a table by its link."""
    page.goto(f"{url}/#/table/{table}/sit")
    page.wait_for_selector("perudo-table .felt")


def received(page: Page) -> list[str]:
    """Everything that comes over a page's WebSocket from now on."""
    frames: list[str] = []

    def opened(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(str(frame)))

    page.on("websocket", opened)
    return frames


HAND = re.compile(r"[1-6]+")


def hands_told(frames: list[str]) -> Iterator[tuple[int, str]]:
    """Whatever could be dice, wherever a message holds it, and how many rounds were settled."""
    settled = 0
    for frame in frames:
        message = json.loads(frame)
        settled += sum(event["kind"] == "result" for event in message.get("events", []))
        yield from ((settled, hand) for hand in _hands_in(message))


def _hands_in(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        if HAND.fullmatch(part):
            yield part
    elif isinstance(part, dict | list):
        inside = part.values() if isinstance(part, dict) else part
        yield from (hand for each in inside for hand in _hands_in(each))


ANSWERED = """(question) => document.querySelector("#skip, .winner")
  || document.querySelector(".acting").dataset.question !== question"""
"""That what was said has arrived."""
MOST_STEPS = 300
AWAITED = ".acting.asked, #skip, .winner, #hurry"


def play_by_mouse(page: Page, seen: Callable[[Page], None] = lambda page: None) -> None:
    """Play until the game is won: bid low, doubt what is high, go on after each reveal."""
    for _ in range(MOST_STEPS):
        page.wait_for_selector(AWAITED)
        seen(page)
        if page.is_visible(".winner"):
            return
        for wanted in ("#skip", "#hurry"):
            if page.is_visible(wanted):
                click(page, wanted)
                break
        else:
            high = (
                page.locator("[data-standing]").count() and page.locator(".bidding li").count() > 3
            )
            if page.is_visible('[data-word="decline"]'):
                click(page, '[data-word="decline"]')
            elif high and page.is_visible('[data-word="dudo"]'):
                click(page, '[data-word="dudo"]')
            elif page.locator(".bid").count():
                click(page, ".bid >> nth=0")
            else:
                click(page, ".word >> nth=0")
    raise AssertionError(f"the game does not end; the page shows: {page.inner_text('body')}")


def until(done: Callable[[], bool], *pages: Page, seconds: float = 120.0) -> Iterator[None]:
    """Go on until something is so; after a while, fail with what the pages show."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise AssertionError("\n---\n".join(page.inner_text("body") for page in pages))
        yield


def click(page: Page, selector: str) -> None:
    """Click what may be gone by then: time goes on at a table."""
    try:
        page.click(selector, timeout=1000)
    except PlaywrightError as error:
        if "Timeout" not in str(error):
            raise
