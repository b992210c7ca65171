"""A server that cheats with the dice, and a page that notices: whole games in a real browser."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from perudo.fair_dice import FairDice
from perudo.server.table.events import Anchor, Seeded
from perudo.server.table.table import Table
from web.kit import Server, calm, make_table, play_by_mouse, sit, visit

OTHER = bytes(range(32))
AI = {"kind": "ai", "agent": "observer"}


def drop_seeds(patch: pytest.MonkeyPatch) -> None:
    """Acknowledge seeds, and leave them out."""
    honest = Seeded.apply

    def apply(self: Seeded, table: Table, n: int) -> Table:
        return honest(replace(self, seed=""), table, n)

    patch.setattr(Seeded, "apply", apply)


def draw_later(patch: pytest.MonkeyPatch) -> None:
    """Deal from a secret that was drawn when the seeds were known."""
    patch.setattr(Table, "dice", lambda self, number, seeds: FairDice(OTHER, seeds))


def break_the_chain(patch: pytest.MonkeyPatch) -> None:
    """Draw another secret for the second game, and announce it before that game's seeds."""
    honest = Anchor.apply

    def apply(self: Anchor, table: Table, n: int) -> Table:
        table = honest(self, table, n)
        secrets = {**table.secrets, 2: OTHER} if 2 in table.secrets else table.secrets
        return replace(table, secrets=secrets)

    patch.setattr(Anchor, "apply", apply)


def played(page: Page, server: Server, games: int) -> None:
    """Play a series against an AI to its end."""
    table = make_table(page, server.url, [{"kind": "open"}, AI], rules="s0_sim:dice=1", games=games)
    sit(page, server.url, table)
    while not page.is_visible("#rematch"):
        play_by_mouse(page)


@pytest.mark.parametrize(
    ("cheat", "games", "told"),
    [
        (drop_seeds, 1, "your part of the dice was left out"),
        (draw_later, 1, "from another secret than the one announced before it"),
        (break_the_chain, 2, "does not follow from the anchor of the game before"),
    ],
)
def test_a_cheating_server_is_caught(
    cheat: Any,
    games: int,
    told: str,
    server: Server,
    chrome: Browser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cheat(monkeypatch)
    page = visit(chrome, server.url)
    played(page, server, games)
    assert page.get_attribute("[data-checked]", "data-checked") == "unfair"
    assert told in page.inner_text("[data-checked]")
    calm(page)


def test_own_seeds_are_in_every_game_of_a_series_and_after_reloading(
    server: Server, chrome: Browser
) -> None:
    page = visit(chrome, server.url)
    played(page, server, 2)
    assert page.get_attribute("[data-checked]", "data-own") == "true"
    page.reload()
    page.wait_for_selector("#rematch")
    assert page.get_attribute("[data-checked]", "data-own") == "true"
    page.click("#rematch")
    page.wait_for_selector("#rematch", state="detached")
    while not page.is_visible("#rematch"):
        play_by_mouse(page)
    assert page.get_attribute("[data-checked]", "data-own") == "true"
    calm(page)
