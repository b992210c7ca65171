"""No request holds up the event loop, and with it everybody's moves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from server.kit import Site, play_out, routes_of, settings_for, site, unlimited

CLIENTS = 4
ATTEMPTS = 4
MOST_SECONDS = 0.01
"""Processor time for which one step may hold up the loop: ten times what is usual."""
LAST = "/api/logout"
PASSWORD = "correct horse battery"
RECORD = "perudo, common:dice=2: A Ann, B Bob\n1. 36/25 A 4x4 B dudo\n2. 3/15 A 1x3 B 2x5 A dudo\n"


@contextmanager
def steps() -> Iterator[list[float]]:
    """Collect the processor time of each step of the event loop.

    Other processes do not count, however busy they are.
    """
    found: list[float] = []
    run = asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        began = time.thread_time()
        run(handle)
        found.append(time.thread_time() - began)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.Handle, "_run", timed)
        yield found


async def longest_step(here: Site, token: str, method: str, path: str, body: Any) -> float:
    """Call a route with several clients at once; return the longest step that it always takes."""
    longest = []
    for _ in range(ATTEMPTS):
        with steps() as found:
            calls = (here.raw(token, method, path, body) for _ in range(CLIENTS))
            answers = await asyncio.gather(*calls)
        assert answers[0].status_code // 100 in (2, 4), answers[0].text
        assert answers[0].status_code not in (401, 422), answers[0].text
        longest.append(max(found))
    return min(longest)


def test_no_route_holds_up_the_loop(tmp_path: Path) -> None:
    async def main() -> None:
        changes = {**unlimited(), "account_failures": 10**9}
        async with site(settings_for(tmp_path, **changes)) as here:
            names, bodies, token = await something_to_ask_about(here)
            slow = {}
            for method, path in sorted(routes_of(here), key=lambda route: route[1] == LAST):
                lag = await longest_step(
                    here, token, method, path.format(**names), bodies.get((method, path))
                )
                slow[method, path] = lag
            assert {each: lag for each, lag in slow.items() if lag > MOST_SECONDS} == {}

    asyncio.run(main())


def test_a_route_that_holds_up_the_loop_is_noticed(tmp_path: Path) -> None:
    def work() -> None:
        until = time.thread_time() + 2 * MOST_SECONDS
        while time.thread_time() < until:
            pass

    async def main() -> None:
        with steps() as found:
            await asyncio.to_thread(work)
        assert max(found) < MOST_SECONDS
        with steps() as found:
            asyncio.get_running_loop().call_soon(work)
            await asyncio.sleep(0.01)
        assert max(found) > MOST_SECONDS

    asyncio.run(main())


async def something_to_ask_about(
    here: Site,
) -> tuple[dict[str, str], dict[tuple[str, str], Any], str]:
    """Return names for the routes' parameters, bodies of requests, and an account's token."""
    tokens = [await here.guest(), await here.guest()]
    login = {"name": "Ann", "password": PASSWORD}
    await here.ask(tokens[0], "POST", "/api/accounts", login)
    table = await here.table(tokens[0], 2, rules="common:dice=1", games=2)
    players = [await here.connect(token) for token in tokens]
    for player in players:
        await player.open(table)
        await player.sit(table)
    for player in players:
        while player.views.get(table) is None:
            await player.receive()
    await play_out(players, table)
    review = await here.ask(tokens[0], "POST", "/api/reviews", {"record": RECORD})
    bot = (await here.ask(tokens[0], "POST", "/api/bots", {"name": "Bot"}))["bot"]["id"]
    figures = sorted(Path(__file__).resolve().parents[3].glob("docs/figures/*.png"))
    names = {
        "table": table,
        "game": f"{table}.1",
        "person": players[0].id,
        "review": review["id"],
        "bot": bot,
        "name": figures[0].name,
    }
    first = next(step["n"] for step in review["steps"] if step["event"] == "act")
    bodies: dict[tuple[str, str], Any] = {
        ("POST", "/api/guests"): {"name": "Zoe"},
        ("POST", "/api/accounts"): login,
        ("POST", "/api/login"): login,
        ("POST", "/api/password"): {"old": PASSWORD, "new": PASSWORD},
        ("POST", "/api/recover"): {"name": "Ann", "code": "wrong", "password": PASSWORD},
        ("POST", "/api/bots"): {"name": "Another"},
        ("PUT", "/api/bots/{bot}/filters"): {"rated": True},
        ("POST", "/api/tables"): {"rules": "official", "seats": [{"kind": "open"}] * 6},
        ("POST", "/api/reviews"): {"record": RECORD},
        ("POST", "/api/reviews/{review}/retries"): {"n": first},
        ("POST", "/api/reviews/{review}/tables"): {"n": first},
    }
    return names, bodies, tokens[0]
