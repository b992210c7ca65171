"""Measure the first paint and the size of the page's first view, with a warm server.

    python benchmarks/first_paint.py --visits 20

Every visit is a first visit, with an empty browser cache. The browser itself measures the time from
the start of the visit to the first contentful paint, and until a game can be started.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from playwright.sync_api import Browser

from web.kit import Server, browser, page_settings, visit, why_no_browser

TIMES = """() => ({
  paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
  ready: performance.now(),
})"""


def one_visit(launched: Browser, url: str) -> tuple[float, float, int]:
    """Return the milliseconds to the first paint and to the play button, and the bytes read."""
    page = visit(launched, url)
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(len(answer.body())))
    page.goto(url)
    page.wait_for_selector("#play-now")
    times = page.evaluate(TIMES)
    page.wait_for_load_state("networkidle")
    page.context.close()
    return times["paint"], times["ready"], sum(sizes)


def main() -> None:
    """Visit the page several times, and print times and size."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--visits", type=int, default=20, help="visits to measure")
    visits = options.parse_args().visits
    missing = why_no_browser()
    if missing:
        raise SystemExit(missing)
    with tempfile.TemporaryDirectory() as directory, browser() as launched:
        server = Server(page_settings(Path(directory))).start()
        try:
            one_visit(launched, server.url)  # warms up the server
            found = [one_visit(launched, server.url) for _ in range(visits)]
        finally:
            server.stop()
    paints, readies, sizes = zip(*found, strict=True)
    for name, times in (("first paint", paints), ("ready to play", readies)):
        middle, longest = statistics.median(times), max(times)
        print(f"{name:14} median {middle:4.0f} ms, longest {longest:4.0f} ms")
    print(f"{'first view':14} {max(sizes) / 1000:.1f} kB, not compressed")


if __name__ == "__main__":
    main()
