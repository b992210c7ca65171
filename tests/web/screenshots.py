"""Pictures of every view, on narrow and usual phones and on a desktop, by day and by night.

``make screenshots`` writes them to build/screenshots, and the README's to docs/table.png.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from web.kit import Server, browser, click, make_table, page_settings, sit, visit, why_no_browser
from web.views import AI, OPEN, tour

SIZES = {"narrow": (320, 640), "phone": (390, 844), "desktop": (1280, 860)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
ROOT = Path(__file__).resolve().parents[2]


def every_view(launched: Browser, url: str, out: Path) -> None:
    """All views in one tour; sizes and colours are changed under way."""
    page = visit(launched, url)
    for name in tour(page, url):
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                page.screenshot(path=out / f"{name}-{size}-{scheme}.png", full_page=True)
        print(name, flush=True)


def _in_the_middle(page: Page, url: str) -> bool:
    """Play until the visitor has bid and is asked again; False if the dice were gone before."""
    sit(page, url, make_table(page, url, [OPEN, AI, AI, AI], rules="s0_sim"))
    while True:
        page.wait_for_selector(".acting.asked, #skip, #hurry, .winner")
        if page.is_visible("#hurry") or page.is_visible(".winner"):
            return False
        if page.is_visible("#skip"):
            click(page, "#skip")
        elif page.locator(".bidding li.mine").count():
            return True
        else:
            click(page, ".bid >> nth=1")
            page.wait_for_timeout(300)


def readme_picture(launched: Browser, url: str, path: Path) -> None:
    """A table in the middle of a round."""
    page = visit(launched, url, viewport={"width": 1120, "height": 800}, color_scheme="light")
    while not _in_the_middle(page, url):
        print("out of dice before a picture; another table", flush=True)
    page.screenshot(path=path)


def main() -> None:
    """Take all pictures."""
    missing = why_no_browser()
    if missing:
        raise SystemExit(missing)
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "screenshots"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, browser() as launched:
        server = Server(page_settings(Path(directory))).start()
        try:
            every_view(launched, server.url, out)
            readme_picture(launched, server.url, ROOT / "docs" / "table.png")
        finally:
            server.stop()
    print(f"pictures are in {out}")


if __name__ == "__main__":
    main()
