"""Closed pages, restarted servers and expired timers; watching; languages."""

from __future__ import annotations

from playwright.sync_api import Browser, WebSocketRoute

from web.kit import (
    SPOKEN,
    Server,
    calm,
    click,
    hands_told,
    make_table,
    play_by_mouse,
    received,
    sit,
    visit,
)

AI = {"kind": "ai", "level": "strong"}
OPEN = {"kind": "open"}


def test_a_page_that_was_closed_finds_everything_as_it_was(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    table = make_table(page, server.url, [OPEN, OPEN], rules="common")
    sit(page, server.url, table)
    other = visit(chrome, server.url)
    sit(other, server.url, table)
    dice = page.get_attribute("[data-dice]", "data-dice")
    here, there = (page, other) if page.is_visible(".acting.asked") else (other, page)
    here.wait_for_selector(".acting.asked")
    click(here, ".bid >> nth=3")
    there.wait_for_selector("[data-standing]")
    standing = there.get_attribute("[data-standing]", "data-standing")
    context = page.context
    page.close()
    other.wait_for_selector(".seat.away")
    again = context.new_page()
    again.goto(f"{server.url}/#/table/{table}")
    assert again.get_attribute("[data-dice]", "data-dice") == dice
    assert again.get_attribute("[data-standing]", "data-standing") == standing
    other.wait_for_selector(".seat:not(.away)")
    calm(other)


def test_a_phone_that_was_locked_is_back_when_it_wakes(server: Server, chrome: Browser) -> None:
    """Its line seems to be open but brings nothing; on waking it is tried, and made anew."""
    page = visit(chrome, server.url)
    lines: list[dict[str, bool]] = []

    def through(route: WebSocketRoute) -> None:
        state = {"dead": False}
        lines.append(state)
        beyond = route.connect_to_server()
        route.on_message(lambda message: None if state["dead"] else beyond.send(message))
        beyond.on_message(lambda message: None if state["dead"] else route.send(message))

    page.route_web_socket("**/ws*", through)
    table = make_table(page, server.url, [OPEN, OPEN], rules="common:start_mode=fixed")
    sit(page, server.url, table)
    page.wait_for_selector(".waiting .qr")
    other = visit(chrome, server.url)
    lines[0]["dead"] = True
    sit(other, server.url, table)
    other.wait_for_selector("[data-dice]")
    assert page.locator("[data-dice]").count() == 0
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_selector("[data-dice]")
    assert len(lines) == 2
    click(page, ".bid >> nth=0")
    other.wait_for_selector("[data-standing]")


def test_a_spectator_sees_the_table_but_no_dice(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    table = make_table(page, server.url, [OPEN, AI], rules="common")
    sit(page, server.url, table)
    page.wait_for_selector("[data-dice]")
    watching = visit(chrome, server.url)
    frames = received(watching)
    watching.goto(f"{server.url}/#/tables")
    watching.click(f'a[href="#/table/{table}"]')
    watching.wait_for_selector(".seat >> nth=1")
    assert watching.locator("[data-dice]").count() == 0
    assert watching.locator(".bid, .word").count() == 0
    if page.is_visible(".acting.asked"):
        click(page, ".bid >> nth=0")
    watching.wait_for_selector("[data-standing]")
    assert frames
    assert not [hand for settled, hand in hands_told(frames) if not settled]
    calm(watching)


def test_an_expired_timer_plays_for_the_player(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.add_init_script(SPOKEN)
    table = make_table(page, server.url, [OPEN, OPEN], rules="common", timer=10)
    sit(page, server.url, table)
    other = visit(chrome, server.url)
    sit(other, server.url, table)
    page.wait_for_selector(".clock:not(:empty)")
    late = page if page.is_visible(".acting.asked") else other
    early = other if late is page else page
    server.ahead += 11
    early.click("#talk summary")
    early.click(".reaction >> nth=0")  # the table looks at its clock when anything happens
    late.wait_for_selector("#story li:has-text('Time is up. You bid')", state="attached")
    early.wait_for_selector(".acting.asked")
    early.wait_for_selector(".bubble, #story li:has-text('👍')", state="attached")
    calm(page)
    calm(other)


def test_the_last_seconds_are_spoken_at_ten_and_five(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    page.add_init_script(SPOKEN)
    page.clock.install()
    table = make_table(page, server.url, [OPEN, AI], rules="common:start_mode=fixed", timer=12)
    sit(page, server.url, table)
    page.wait_for_selector(".acting.asked")
    speaking = page.locator("[aria-live], [role=status], [role=alert], [role=log]")
    assert speaking.evaluate_all("all => all.map((one) => one.id)") == ["live"]
    page.clock.run_for(9000)
    spoken = page.evaluate("window.spoken")
    assert [line for line in spoken if "left" in line] == ["10 seconds left.", "5 seconds left."]


def test_a_server_that_restarts_in_the_middle_of_a_game(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    table = make_table(page, server.url, [OPEN, AI], rules="common:dice=2")
    sit(page, server.url, table)
    page.wait_for_selector(".acting.asked")
    dice = page.get_attribute("[data-dice]", "data-dice")
    server.stop()
    page.wait_for_selector(".broken:visible")
    server.start()
    page.wait_for_selector(".broken", state="hidden")
    assert page.get_attribute("[data-dice]", "data-dice") == dice
    play_by_mouse(page)
    calm(page, "WebSocket", "ERR_CONNECTION_REFUSED", "Failed to load resource")


def test_a_game_goes_on_in_another_language(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url)
    table = make_table(page, server.url, [OPEN, AI, AI], rules="common:start_mode=fixed")
    sit(page, server.url, table)
    page.wait_for_selector(".status:has-text('Your turn: open the bidding')")
    dice = page.get_attribute("[data-dice]", "data-dice")
    page.click(".gear")
    page.select_option("#language", "es")
    page.wait_for_selector(".seat-name:has-text('Fuerte B')")
    assert page.get_attribute("[data-dice]", "data-dice") == dice
    click(page, ".bid >> nth=0")
    page.wait_for_selector("#story li:has-text('Fuerte B')", state="attached")
    page.wait_for_selector(".acting.asked")  # the table is still followed: the others have answered
    calm(page)


def test_the_language_can_be_changed_at_any_time(server: Server, chrome: Browser) -> None:
    page = visit(chrome, server.url, locale="fr-FR")
    page.goto(server.url)
    page.wait_for_selector("#play-now")
    assert page.evaluate("document.documentElement.lang") == "fr"
    french = page.inner_text("#play-now")
    for language in ("es", "en"):
        page.click(".gear")
        page.select_option("#language", language)
        page.wait_for_selector(f'html[lang="{language}"]', state="attached")
        page.wait_for_function(
            "old => document.querySelector('#play-now').innerText !== old", arg=french
        )
    assert page.inner_text("#play-now") == "Play now"
    page.reload()
    page.wait_for_selector('html[lang="en"]', state="attached")
    calm(page)
