"""Every view is accessible, small, and makes no requests elsewhere."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Response

from perudo.fair_dice import FairDice, check_dice
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO
from perudo.record import MatchRecord
from perudo.table import Table
from web.kit import ANSWERED, Server, calm, click, make_table, sit, visit
from web.test_words import LANGUAGES
from web.views import AI, OPEN, RECORD, tour

FIRST_VIEW_BYTES = 150_000
SIZES = ((320, 640), (1280, 860))
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
"""All that can differ by night."""


def problems(page: Page, axe: Axe, rules: dict[str, Any]) -> list[str]:
    """Return the problems that axe finds, one line each; its script stays on the page."""
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
    """Return True if a page has to be scrolled sideways."""
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


OVERLAPS = """() => {
  const parts = [".seat", ".centre > *", ".hand > *", ".corner .button", ".acting", ".side > *"]
    .flatMap((selector) => [...document.querySelectorAll(selector)])
    .filter((part) => part.checkVisibility());
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const boxes = parts.map((part) => part.getBoundingClientRect());
  return parts.flatMap((part, place) => parts.slice(place + 1)
    .filter((_, later) => over(boxes[place], boxes[place + 1 + later]))
    .map((other) => `${part.className} lies over ${other.className}`));
}"""


@pytest.mark.parametrize("others", [2, 5])
def test_nothing_at_a_table_lies_over_something_else(
    others: int, server: Server, chrome: Browser
) -> None:
    page = visit(chrome, server.url)
    table = make_table(page, server.url, [OPEN, *[AI] * others], rules="s0_sim")
    sit(page, server.url, table)
    found: list[str] = []
    settled = False
    while not (settled and page.is_visible(".acting.asked [data-word]")):
        page.wait_for_selector(".acting.asked, #skip")
        if page.is_visible("#skip"):
            settled = True  # from now on the last round can be seen again
            click(page, "#skip")
        elif not (settled and page.is_visible("[data-word]")):
            question = page.get_attribute(".acting", "data-question")
            doubting = page.is_visible('[data-word="dudo"]')
            click(page, '[data-word="dudo"]' if doubting else ".bid >> nth=0")
            page.wait_for_function(ANSWERED, arg=question)
    for width, height in ((320, 640), (704, 900), (1024, 768), (1120, 800), (1366, 768)):
        page.set_viewport_size({"width": width, "height": height})
        found += [f"{width}: {overlap}" for overlap in page.evaluate(OVERLAPS)]
    assert not found, "\n".join(found)
    assert page.locator("#see-again").count() == 1
    calm(page)


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_every_view_is_told_in_other_languages_and_fits(
    language: str, server: Server, chrome: Browser
) -> None:
    """Words are longer than in English, and none of those may be left."""
    english, other = LANGUAGES["en"], LANGUAGES[language]
    telling = {
        text
        for key, text in english.items()
        if len(text) > 11 and "{" not in text and text not in other.values()
    }
    assert len(telling) > 200
    small = {"width": 320, "height": 640}
    page = visit(chrome, server.url, locale=f"{language}-{language.upper()}", viewport=small)
    found: list[str] = []
    for name in tour(page, server.url, "s0_sim:dice=2", 2):
        if too_wide(page):
            found.append(f"{name} is too wide")
        lines = page.inner_text("body").splitlines()
        found += [f"{name}: {line}" for line in lines if line.strip() in telling]
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
    assert page.get_attribute("[data-checked]", "data-checked") == "unknown"
    link = str(page.get_attribute("#share", "href"))
    assert page.url.endswith(link)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#share")
    page.wait_for_selector(".notice:has-text('The link is copied.')")
    assert page.evaluate("navigator.clipboard.readText()") == f"{server.url}/{link}"
    other = visit(chrome, server.url)  # the link carries the game to somebody else
    other.goto(f"{server.url}/{link}")
    other.wait_for_selector("[data-opinion]", timeout=120_000)
    assert "Ann, Bob · Simple (dice=1)" in other.inner_text(".review")
    other.goto(f"{server.url}/{link[:-9]}")
    other.wait_for_selector("main:has-text('does not carry a whole game')")
    page.click("#retry-table")  # Bob, who has a four and heard 1x3
    page.wait_for_selector(".acting.asked")
    assert page.get_attribute("[data-dice]", "data-dice") == "4"
    assert page.get_attribute("[data-standing]", "data-standing") == "1x3"
    page.click('[data-word="dudo"]')
    page.wait_for_selector("[data-winner='0']")
    calm(page, "400")
    calm(other)


def fair_record(rules: str = "common:dice=2") -> MatchRecord:
    """A game of two with two dice each, whose dice were committed to."""
    dice = FairDice(bytes(range(32)), ["aa", "bb"])
    table = Table(PERUDO, PERUDO.setting(rules), ["Ann", "Bob"], dice)
    while table.actor is not None:
        legal = [str(action) for action in table.state.legal_actions]
        table.act(table.actor, "dudo" if "dudo" in legal else "1x2")
    return table.record


def with_another_die(record: MatchRecord) -> list[str]:
    """The record with a die that was not rolled, where nobody could tell by the rules."""
    events = json.loads(json.dumps(record.events))
    result = next(each for each in events if each["event"] == "result")
    deal = next(each for each in events if each["event"] == "deal")
    counting = {"1", result["bid"][-1]}
    seat, old = next(
        (seat, die) for seat, hand in enumerate(deal["dice"]) for die in hand if die not in counting
    )
    new = next(face for face in "3456" if face not in {*counting, old})
    for hands in (deal["dice"], result["hands"]):
        hands[seat] = "".join(sorted(hands[seat].replace(old, new, 1)))
    return [next(record.lines()), *(json.dumps(event) for event in events)]


def test_dice_are_recomputed_from_a_pasted_record(server: Server, chrome: Browser) -> None:
    record = fair_record()
    forged = with_another_die(record)
    found = check_dice(record)
    with pytest.raises(PerudoError, match="not fair"):
        check_dice(MatchRecord.parse(forged))
    page = visit(chrome, server.url)
    for text, state in (("\n".join(record.lines()), "fair"), ("\n".join(forged), "unfair")):
        page.goto(f"{server.url}/#/review")
        page.reload()
        page.fill("#pasted", text)
        page.click("#review-pasted")
        page.wait_for_selector(f'[data-checked="{state}"]')
        if state == "fair":
            assert page.get_attribute("[data-checked]", "data-rounds") == str(found["rounds"])
            assert page.get_attribute("[data-checked]", "data-hands") == str(found["hands"])
    assert "do not follow from their key" in page.inner_text("[data-checked]")
    calm(page)


CHECKED = """async (games) => {
  const { checked } = await import("/js/games/perudo/checked.js");
  return games.map(([record, known]) => {
    const found = checked(record.slice(1), record[0].options, known);
    return found.problem ? { code: found.problem.code } : found;
  });
}"""


def test_whatever_does_not_fit_is_noticed(server: Server, chrome: Browser) -> None:
    def altered(change: Callable[[list[Any]], Any]) -> list[Any]:
        lines = [json.loads(line) for line in fair_record().lines()]
        change(lines)
        return lines

    def whole(rules: str) -> list[Any]:
        return [json.loads(line) for line in fair_record(rules).lines()]

    kinds = [line.get("event") for line in whole("common:dice=2")]
    deals = [place for place, kind in enumerate(kinds) if kind == "deal"]
    results = [place for place, kind in enumerate(kinds) if kind == "result"]
    wrong: list[tuple[str, list[Any], dict[str, Any]]] = [
        ("start", altered(lambda game: game[1].update(start_roll=[[1, 2]])), {}),
        ("start", altered(lambda game: game[1].update(opener=1 - game[1]["opener"])), {}),
        ("commit", altered(lambda game: game[deals[1]]["fair"].update(commit="00")), {}),
        ("commit", altered(lambda game: game[deals[-1]]["fair"].update(next="00")), {}),
        ("hand", altered(lambda game: game[1]["fair"]["locks"].reverse()), {}),
        ("hand", altered(lambda game: game[results[0]]["fair"]["keys"].reverse()), {}),
        ("secret", altered(lambda game: game[-1]["fair"].update(secret="00")), {}),
        ("missing", altered(lambda game: game[results[0]].pop("fair")), {}),
        ("missing", altered(lambda game: game[1]["fair"].pop("start_key")), {}),
        ("missing", altered(lambda game: game[1].pop("fair")), {"anchor": "00"}),
        ("anchor", whole("common:dice=2"), {"anchor": "00"}),
        ("chain", whole("common:dice=2"), {"before": "00"}),
        ("seed", whole("common:dice=2"), {"seed": "cc"}),
        ("seed", whole("common:dice=2"), {"seat": 0, "seed": "bb"}),
        ("ai_seed", altered(lambda game: game.insert(1, STARTED)), {}),
    ]
    right = [whole(f"common:dice=2,start_mode={mode}") for mode in ("roll", "random", "fixed")]
    page = visit(chrome, server.url)
    page.goto(server.url)
    page.wait_for_selector("#play-now")
    codes = page.evaluate(CHECKED, [[game, known] for _, game, known in wrong])
    assert [each.get("code") for each in codes] == [code for code, _, _ in wrong]
    unfinished = [line for line in right[0] if "payoffs" not in line]
    found = page.evaluate(CHECKED, [[game, {"seed": "bb"}] for game in [*right, unfinished]])
    for game, told in zip(right, found[:3], strict=True):
        expected = check_dice(MatchRecord.parse([json.dumps(line) for line in game]))
        assert told == {name: expected[name] for name in ("rounds", "hands", "complete")}
    assert found[3]["complete"] is False
    calm(page)


STARTED = {
    "event": "started",
    "commit": None,
    "players": [{"name": "Ann", "kind": "person"}, {"name": "Bob", "kind": "ai"}],
}
"""A game in which the second player is an AI, and so has no reason to give a seed."""


def test_a_player_is_told_whether_a_seed_of_theirs_counted(server: Server, chrome: Browser) -> None:
    """It counts if it was sent after this game's anchor, or an earlier one of the chain, was."""
    game = [json.loads(line) for line in fair_record().lines()]
    anchor = game[1]["fair"]["anchor"]
    first = hashlib.sha256(bytes.fromhex(anchor)).hexdigest()
    linked = {"seed": "bb", "anchor": first, "games": 1}
    cases = [
        ({"seat": 1, "anchor": anchor, "seed": "bb"}, True),
        ({"seat": 1, "anchor": anchor, "seed": None, "earlier": [linked]}, True),
        ({"seat": 1, "before": first, "earlier": [linked]}, True),
        ({"seat": 1, "earlier": [{**linked, "games": 2}]}, False),
        ({"seat": 0, "earlier": [linked]}, False),
        ({"seat": 1}, False),
        ({}, None),
    ]
    page = visit(chrome, server.url)
    page.goto(server.url)
    page.wait_for_selector("#play-now")
    found = page.evaluate(CHECKED, [[game, known] for known, _ in cases])
    assert [each.get("own") for each in found] == [own for _, own in cases]
    calm(page)


def test_hashes_are_those_of_everybody(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.goto(server.url)
    page.wait_for_selector("#play-now")
    given = [
        [bytes(range(n % 256)).hex(), (b"k" * (n // 2)).hex()] for n in (0, 1, 55, 56, 64, 200)
    ]
    made = page.evaluate(
        """async (given) => {
          const { sha256, hmac, hex, fromHex } = await import("/js/sha256.js");
          return given.map((pair) => pair.map(fromHex))
            .map(([text, key]) => [hex(sha256(text)), hex(hmac(key, text))]);
        }""",
        given,
    )
    for (text, key), (digest, code) in zip(given, made, strict=True):
        assert digest == hashlib.sha256(bytes.fromhex(text)).hexdigest()
        told = hmac.new(bytes.fromhex(key), bytes.fromhex(text), hashlib.sha256).hexdigest()
        assert code == told
    abc = page.evaluate("import('/js/sha256.js').then((m) => m.hex(m.sha256(m.bytesOf('abc'))))")
    assert abc == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-4
    calm(page)


def test_levels_are_the_services_in_the_readers_words(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url, locale="fr-FR")
    own = {"name": "titan", "agent": "observer", "summary": "from the service"}
    there = {"name": "strong", "agent": "observer", "summary": "in English"}
    page.route("**/api/levels", lambda route: route.fulfill(json={"levels": [own, there]}))
    page.goto(server.url)
    page.wait_for_selector("#play-now")
    labels = [text.split("\n") for text in page.locator(".level").all_inner_texts()]
    assert labels[0] == ["titan", "from the service"]
    assert labels[1][0] == "Fort"
    calm(page)


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


def test_a_running_game_is_not_reviewed_and_refusals_are_translated(
    server: Server, chrome: Browser
) -> None:
    page = visit(chrome, server.url, locale="fr-FR")
    page.goto(server.url)
    page.click("#play-now")
    page.wait_for_selector("[data-dice]")
    table = page.url.split("/table/")[1].split("/")[0]
    page.goto(f"{server.url}/#/review/{table}.1")
    page.wait_for_selector("main p:has-text('La partie se joue encore.')")
    page.goto(f"{server.url}/#/table/nowhere")
    page.wait_for_selector(".notice:has-text('Cette table')")
    calm(page, "400", "404")
