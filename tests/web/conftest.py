"""One server and one browser for the tests of a module.

The browser's driver keeps an event loop running in the test's thread, so it must be gone before
tests elsewhere run loops of their own: modules, not sessions, share it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from web.kit import Server, browser, page_settings, why_no_browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    missing = why_no_browser()
    if missing:
        pytest.skip(missing)
    made = Server(page_settings(tmp_path_factory.mktemp("server"))).start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def chrome(server: Server) -> Iterator[Browser]:
    with browser() as launched:
        yield launched


@pytest.fixture(autouse=True)
def pages_are_closed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Pages of one test do not go on with their games during the next."""
    yield
    if "chrome" in request.fixturenames:
        for context in request.getfixturevalue("chrome").contexts:
            context.close()
