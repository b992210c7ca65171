"""Whole games in a real browser: by mouse, by keyboard, with others."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Page

from perudo.fair_dice import Noted, check_dice, check_games
from perudo.games.perudo import PerudoState
from perudo.record import MatchRecord
from web.kit import (
    ANSWERED,
    SPOKEN,
    Server,
    calm,
    click,
    hands_told,
    make_table,
    play_by_mouse,
    received,
    sit,
    until,
    visit,
    with_choices,
)

AI = {"kind": "ai", "level": "strong"}
OPEN = {"kind": "open"}
SHORT = "s0_sim:dice=2"
"""Two dice each: the first loss leads to a palafico round."""
CHECKED = """
window.checked = [];
new MutationObserver(() => {
  for (const line of document.querySelectorAll(".checked")) window.checked.push(line.textContent);
}).observe(document, { childList: true, subtree: true });
"""
"""Notes what is said about the dice."""


def without_haste(page: Page) -> None:
    """Look at the first hands that are shown until the page has checked them."""
    if page.is_visible("#skip"):
        page.wait_for_function("window.checked.length > 0")


def test_a_guest_plays_a_whole_game_by_mouse_and_again(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    with_choices(page, rules=SHORT, level="strong")
    page.add_init_script(CHECKED)
    page.goto(server.url)
    page.click("#play-now")
    play_by_mouse(page, without_haste)
    assert page.locator("[data-winner]").count() == 1
    table = page.url.split("/table/")[1].split("/")[0]
    found = check_dice(record_of(page, table))
    assert page.get_attribute(".checked", "data-checked") == "fair"
    assert page.get_attribute(".checked", "data-rounds") == str(found["rounds"])
    assert page.get_attribute(".checked", "data-hands") == str(found["hands"])
    assert page.get_attribute(".checked", "data-own") == "true"
    noted = page.locator("#noted code").text_content() or ""
    anchor, seed = noted.split("--anchor ")[1].split(" --seed ")
    assert check_games([record_of(page, table)], Noted((anchor,), (seed,)))
    assert page.evaluate("window.checked")[0] == (
        "✓ Dice checked: they follow from what was promised."
    )
    page.click("#rematch")
    page.wait_for_selector(".acting.asked, #skip, .status:has-text('thinking')")
    assert page.locator(".winner").count() == 0
    calm(page)


def test_another_plays_by_keyboard_and_hears_every_event(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    with_choices(page, rules=SHORT, level="strong")
    page.add_init_script(SPOKEN)
    page.goto(server.url)
    page.wait_for_selector("#play-now")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "play-now":
            break
    page.keyboard.press("Enter")
    by_arrows = typed = 0
    while True:
        page.wait_for_selector(".acting.asked, #skip, .winner")
        if page.is_visible(".winner"):
            break
        if page.is_visible("#skip"):
            page.keyboard.press("Escape")
            continue
        question = page.get_attribute(".acting", "data-question")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("i")
        if not by_arrows and page.locator(".bid").count() > 2:
            page.keyboard.press("Shift+Tab")  # from the field to the bids before it
            first = page.evaluate("document.activeElement.dataset.bid")
            page.keyboard.press("ArrowRight")
            second = page.evaluate("document.activeElement.dataset.bid")
            if first == second:  # bids on one face only stand in one column
                page.keyboard.press("ArrowDown")
                second = page.evaluate("document.activeElement.dataset.bid")
            assert first != second
            page.keyboard.press("Enter")
            by_arrows += 1
        else:
            lowest = page.get_attribute(".bid >> nth=0", "data-bid", timeout=1000)
            page.keyboard.type("dudo" if page.is_visible('[data-word="dudo"]') else str(lowest))
            page.keyboard.press("Enter")
            typed += 1
        page.wait_for_function(ANSWERED, arg=question)
    assert by_arrows
    assert typed
    compare_spoken_with_record(page)
    page.evaluate("document.activeElement.blur()")
    before = len(page.evaluate("window.spoken"))
    for key in "hbnt":
        page.keyboard.press(key)
    repeated = page.evaluate("window.spoken")[before:]
    assert repeated[0] in ("You have no dice.",) or repeated[0].startswith("Your dice:")
    assert "has bid" in repeated[1] or "You have bid" in repeated[1]
    assert "dice in play:" in repeated[2]
    assert repeated[3] == "There is no timer."
    calm(page)


FACES = ("", "one", "two", "three", "four", "five", "six")


def record_of(page: Page, table: str, game: int = 1) -> MatchRecord:
    """The record of a finished game, as everybody can have it."""
    script = "id => fetch(`/api/games/${id}/record`).then(a => a.text())"
    return MatchRecord.parse(page.evaluate(script, f"{table}.{game}").splitlines())


def shown_name(name: str) -> str:
    """Return a player's name on the page: levels have a name in the reader's language."""
    return re.sub(r"^strong \(([A-J])\)$", r"Strong \1", name)


def compare_spoken_with_record(page: Page) -> None:
    """Assert that the spoken sentences match the record, event by event."""
    table = page.url.split("/table/")[1].split("/")[0]
    record = record_of(page, table)
    own = next(seat for seat, name in enumerate(record.players) if not name.startswith("strong"))
    names = [shown_name(name) for name in record.players]
    expected = [f"Game 1 begins: {', '.join(names)}."]
    for event, state in record.replay():
        told = sentence(event, state, names, own)
        if told is not None:
            expected.append(told)
    aside = ("It is your turn.", f"{record.players[own]} sits down.")
    spoken = [line for line in page.evaluate("window.spoken") if line not in aside]
    first = spoken.index(expected[0])
    assert spoken[first : first + len(expected)] == expected


def bid_words(text: str) -> str:
    quantity, face = text.split("x")
    word = FACES[int(face)] + ("" if quantity == "1" else "es" if face == "6" else "s")
    return f"{quantity} {word}"


def palafico_words(state: Any, names: list[str], own: int) -> str:
    """Return the sentence about a palafico round for one of the players."""
    wild = "" if state.wild_face else "nothing is wild, and "
    if state.palafico == own:
        return f"Your palafico round: {wild}the face that you open on stays."
    return f"Palafico round of {names[state.palafico]}: {wild}the face is fixed."


def sentence(event: Any, state: Any, names: list[str], own: int) -> str | None:
    def by(seat: int, you: str, they: str) -> str:
        return f"You {you}." if seat == own else f"{names[seat]} {they}."

    if event["event"] == "deal":
        total = sum(len(hand) for hand in event["dice"])
        told = f"Round {event['round']}, {total} dice."
        if event["dice"][own]:
            told += f" Your dice: {', '.join(event['dice'][own])}."
        if state.palafico is not None:
            told += f" {palafico_words(state, names, own)}"
        return f"{told} {by(event['opener'], 'open', 'opens')}"
    if event["event"] == "act":
        seat, action = event["seat"], event["action"]
        if "x" in action:
            return by(seat, f"bid {bid_words(action)}", f"bids {bid_words(action)}")
        return by(seat, f"say {action}", f"says {action}")
    if event["event"] == "result":
        count = event["count"]
        told = (
            f"There {'is' if count == 1 else 'are'} {count} for a bid of {bid_words(event['bid'])}."
        )
        caller = "you" if event["caller"] == own else names[event["caller"]]
        told += {
            "bid too high": " The bid was too high.",
            "dudo too soon": f" The bid holds, and {caller} doubted it.",
            "calza right": " It was exactly right.",
            "calza wrong": " It was not exactly right.",
        }[event["reason"]]
        for seat, lost in enumerate(event["lost"]):
            told += f" {by(seat, 'lose a die', 'loses a die')}" if lost else ""
        for seat, gained in enumerate(event["gained"]):
            told += f" {by(seat, 'gain a die', 'gains a die')}" if gained else ""
        if not any(event["lost"]) and not any(event["gained"]):
            told += " No die changes hands."
        return told
    winner = event["payoffs"].index(max(event["payoffs"]))
    return "You win the game!" if winner == own else f"{names[winner]} wins the game."


PEEKING = """
window.peeked = [];
new MutationObserver(() => {
  const settled = document.querySelector(".counting, .verdict");
  for (const die of document.querySelectorAll(".seats .die")) {
    if (!settled && !die.closest(".seat-said")) window.peeked.push(die.dataset.face);
  }
}).observe(document, { childList: true, subtree: true });
"""
"""Notes dice at others' seats, except those of bids, while no round is being settled."""


def test_two_browsers_play_each_other_and_never_see_the_others_dice(
    server: Server, chrome: Browser
) -> None:
    ann, bob = (
        visit(chrome, server.url),
        visit(chrome, server.url, viewport={"width": 360, "height": 740}),
    )
    for page in (ann, bob):
        page.add_init_script(PEEKING)
    frames = {page: received(page) for page in (ann, bob)}
    table = make_table(ann, server.url, [OPEN, OPEN], rules="common:dice=3")
    sit(ann, server.url, table)
    ann.wait_for_selector(".qr[src$='?seated']")  # before she sits the link leads to no seat
    bob.goto(ann.input_value(".waiting input"))
    lifted = 0
    for _ in until(lambda: ann.is_visible(".winner") and bob.is_visible(".winner"), ann, bob):
        for page in (ann, bob):
            if page.is_visible("#skip"):
                lifted += page.locator(".seats .shown-hand .die").count() > 0
                click(page, "#skip")
            elif page.is_visible(".acting.asked"):
                bids = page.locator(".bidding .said").count()
                click(page, '[data-word="dudo"]' if bids > 1 else ".bid >> nth=0")
    assert lifted > 2  # after a round the others' dice are there to be seen
    record = record_of(ann, table)
    deals = [cast(Any, event)["dice"] for event in record.events if event["event"] == "deal"]
    for seat, page in enumerate((ann, bob)):
        assert page.evaluate("window.peeked") == []
        told = list(hands_told(frames[page]))
        for place, hands in enumerate(deals):
            assert (place, hands[seat]) in told  # nothing is overlooked: one's own are found
        for settled, hand in told:
            shown = {hand for hands in deals[:settled] for hand in hands}
            assert hand in shown or hand == deals[settled][seat]
        calm(page)


def expected_facts(state: Any, names: list[str], own: int) -> list[str]:
    """Return the expected facts in the middle of the table."""
    wild = "nothing is wild" if state.wild_face is None else "ones are wild"
    if state.palafico is not None:
        wild = palafico_words(state, names, own)
    return [f"{state.total_dice} dice in play", wild]


@pytest.mark.parametrize("rules", ["s0_sim:dice=2", "common_palafico:dice=2"])
def test_a_palafico_round_and_what_is_wild_are_said_in_words(
    rules: str, server: Server, chrome: Browser
) -> None:
    """With two dice each the first loss leads to one; an AI is always followed by a person."""
    pages = [visit(chrome, server.url), visit(chrome, server.url)]
    table = make_table(pages[0], server.url, [OPEN, OPEN, AI], rules=f"{rules},start_mode=fixed")
    for page in pages:
        sit(page, server.url, table)
    seen: list[tuple[int, bool]] = []
    for _ in until(lambda: any(palafico for _, palafico in seen), *pages):
        waiting = [each for each in pages if each.is_visible(".acting.asked, #skip")]
        if not waiting:
            continue
        page = waiting[0]
        if page.is_visible("#skip"):
            click(page, "#skip")
            continue
        # Nothing goes on while a person is asked: the record tells where the table is.
        room = server.server.lobby.find(table)
        assert room is not None
        assert room.table.play is not None
        record = room.table.play.record()
        names = [shown_name(name) for name in record.players]
        state = list(record.replay())[-1][1]
        assert isinstance(state, PerudoState)
        assert page.locator(".fact").all_inner_texts() == expected_facts(
            state, names, pages.index(page)
        )
        assert page.evaluate(
            "document.querySelector('perudo-table').classList.contains('palafico')"
        ) == (state.palafico is not None)
        seen.append((state.round, state.palafico is not None))
        question = page.get_attribute(".acting", "data-question")
        dudo = page.is_visible('[data-word="dudo"]')
        page.click('[data-word="dudo"]' if dudo else ".bid >> nth=0")
        page.wait_for_function(ANSWERED, arg=question)
    assert seen[0] == (1, False)
    for own, page in enumerate(pages):
        words = palafico_words(state, names, own)
        page.wait_for_selector(f"#story li[data-kind=deal]:has-text('{words}')", state="attached")
        calm(page)


def test_calza_out_of_turn(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    table = make_table(page, server.url, [OPEN, AI, AI], rules="official")
    sit(page, server.url, table)
    while True:
        page.wait_for_selector('[data-word="decline"], .bid, #skip')
        if page.is_visible('[data-word="decline"]'):
            assert page.inner_text(".status") == "Is it exactly right?"
            page.click('[data-word="calza"]')
            break
        click(page, "#skip" if page.is_visible("#skip") else ".bid >> nth=0")
    page.wait_for_selector('[data-verdict^="calza"]')
    assert page.locator("#story li", has_text="You say calza.").count() == 1
    calm(page)
