"""The assistant's page in a real Chromium: by clicks, by keys alone, cut off, and for everybody."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, expect

from blindplay.console.actions import stamp
from blindplay.console.messages import LANGUAGES
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.browser import (
    DESK,
    PHONE,
    accessible,
    becomes,
    change,
    go_in,
    person,
    shot,
    up_to_date,
    violations,
)
from tests.console.hall import Hall
from tests.console.pages.test_parts import RENEW
from tests.waiting import until


@pytest.fixture
def page(context: BrowserContext, hall: Hall) -> Page:
    """The page of White's assistant. The game has begun."""
    hall.start()
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    go_in(page, hall, "assistant:white")
    expect(page.get_by_role("heading", level=1)).to_have_text("Assistant of White, Anna")
    assert errors == []
    return page


# --- coming in ----------------------------------------------------------------------------------


def test_the_links_secret_does_not_stay_in_the_address(context: BrowserContext, hall: Hall) -> None:
    page = context.new_page()
    page.goto(hall.link("assistant:white"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Assistant of White, Anna")
    assert page.url == f"{page.url.partition('/assistant')[0]}/assistant-white/"
    assert "#" not in page.url
    assert page.evaluate("document.cookie") == ""


def test_a_wrong_link_says_so(context: BrowserContext, hall: Hall) -> None:
    page = context.new_page()
    page.goto(hall.link("assistant:white")[:-3] + "xyz")
    expect(page.get_by_role("alert")).to_contain_text("opens nothing")
    assert violations(page) == []
    shot(page, "enter")


# --- a game -------------------------------------------------------------------------------------


def test_a_move_by_two_clicks(page: Page, hall: Hall) -> None:
    hall.play("white", "e2e4")
    expect(page.locator(".announced")).to_have_text("Bauer Eva zwei Eva vier")
    page.get_by_role("button", name="e4 is executed").click()
    expect(page.get_by_role("gridcell", name="e4, white pawn, last move")).to_be_visible()
    page.locator("#sq-e7").click()
    expect(page.locator("#sq-e7")).to_have_attribute("aria-selected", "true")
    page.locator("#sq-e5").click()
    expect(page.locator("#text")).to_have_value("e7e5")
    page.get_by_role("button", name="Announce and execute").click()
    expect(page.locator(".announced")).to_have_text("Bauer Eva sieben Eva fünf")
    expect(page.locator("#text")).to_have_value("")
    assert hall.taken("announce")[-1].by == "assistant:white"
    assert hall.table.game.turn.made is not None


def test_a_move_by_dragging_and_a_promotion_by_its_piece(
    context: BrowserContext, tmp_path: Path
) -> None:
    hall = Hall(tmp_path, fen="8/4P3/8/8/8/8/k7/7K w - - 0 1", black=Player(name="Bert"))
    try:
        hall.start()
        page = context.new_page()
        go_in(page, hall, "assistant:white")

        def drag(start: str, end: str) -> None:
            page.locator(start).hover()
            page.mouse.down()
            page.locator(end).hover()
            page.mouse.up()

        drag("#sq-e7", "h1")  # beside the board: nothing has happened
        expect(page.locator("#polite")).to_have_text("e7 is no longer chosen.")
        expect(page.locator("#text")).to_have_value("")
        expect(page.locator("#sq-e7")).not_to_have_attribute("aria-selected", "true")
        drag("#sq-e7", "#sq-e8")
        choice = page.get_by_role("group", name="Promotion to")
        expect(choice.get_by_role("button", name="queen")).to_be_focused()
        accessible(page)
        page.keyboard.press("Escape")
        expect(choice).to_be_hidden()
        expect(page.locator("#sq-e7")).to_be_focused()
        for square in ("#sq-e7", "#sq-e8"):
            page.locator(square).click()
        shot(page, "promotion")
        choice.get_by_role("button", name="knight").press("Enter")
        expect(page.locator("#text")).to_have_value("e7e8n")
        expect(page.locator("#polite")).to_contain_text("e7 to e8")
        page.keyboard.press("Enter")  # the focus is on what sends it
        expect(page.locator(".notation")).to_have_text("e8=N")
        assert hall.taken("announce")[-1].move == "e7e8n"
        expect(page.locator(".dragged")).to_have_count(0)
    finally:
        hall.close()


def test_a_finger_drags_a_piece_and_scrolls_where_there_is_none(
    browser: Browser, hall: Hall
) -> None:
    hall.start()
    with person(browser, viewport=PHONE, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        go_in(page, hall, "assistant:white")
        _drag_by_finger(page, context.new_cdp_session(page))


def _drag_by_finger(page: Page, touch: CDPSession) -> None:
    page.locator("#sq-e7").scroll_into_view_if_needed()

    def finger(kind: str, square: str = "") -> None:
        where = page.evaluate(
            """s => { const b = document.querySelector(s).getBoundingClientRect();
                      return [{x: b.x + b.width / 2, y: b.y + b.height / 2}]; }""",
            square,
        ) if square else []  # fmt: skip
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})

    finger("touchStart", "#sq-d2")
    finger("touchMove", "#sq-d3")
    finger("touchMove", "#sq-d4")
    shot(page, "dragging")
    finger("touchEnd")
    expect(page.locator("#text")).to_have_value("d2d4")
    top = page.evaluate("scrollY")
    for kind, square in (("touchStart", "#sq-d5"), ("touchMove", "#sq-d3"), ("touchEnd", "")):
        finger(kind, square)
    becomes(page, "top => scrollY !== top", top)
    expect(page.locator("#text")).to_have_value("d2d4")


def press_until(page: Page, there: Callable[[], bool], key: str = "Tab") -> None:
    for _ in range(60):
        if there():
            return
        page.keyboard.press(key)
    raise AssertionError("the keyboard does not get there")


def test_a_short_game_by_keyboard_alone(page: Page, hall: Hall) -> None:
    """Fool's mate, White impaired: every key is one that a keyboard without a mouse has."""

    def focused(selector: str) -> Callable[[], bool]:
        return lambda: bool(page.evaluate("s => document.activeElement.matches(s)", selector))

    def go_to(square: str) -> None:
        """By arrow keys, from wherever the keyboard stands. Black sits below: right is towards
        the a-file, down towards the eighth rank."""
        here = page.evaluate("document.activeElement.dataset.square")
        right = ord(here[0]) - ord(square[0])
        down = int(square[1]) - int(here[1])
        keys = ["ArrowRight" if right > 0 else "ArrowLeft"] * abs(right)
        for key in [*keys, *["ArrowDown" if down > 0 else "ArrowUp"] * abs(down)]:
            page.keyboard.press(key)
        assert focused(f"#sq-{square}")()

    def by_squares(start: str, end: str) -> None:
        press_until(page, focused(".board button"))
        for square in (start, end):
            go_to(square)
            page.keyboard.press("Enter")
        expect(page.locator("#text")).to_have_value(start + end)
        assert focused("#move button")()
        page.keyboard.press("Enter")

    def by_typing(text: str) -> None:
        press_until(page, focused("#text"))
        page.keyboard.type(text)
        page.keyboard.press("Enter")

    def key_to(selector: str) -> None:
        press_until(page, focused(selector))
        page.keyboard.press("Enter")

    page.keyboard.press("Tab")
    assert focused(".skip")()
    page.keyboard.press("Enter")
    moves: list[Callable[[], None]] = [
        lambda: by_typing("f3"),
        lambda: by_squares("e7", "e5"),
        lambda: by_typing("Bauer Gustav zwei Gustav vier"),
        lambda: by_squares("d8", "h4"),
    ]
    for ply, enter in enumerate(moves, start=1):
        # The page must show the last fact, or the table takes nothing from it.
        assert until(lambda: page.locator("#move [name=seen]").input_value() == _stamp(hall))
        enter()
        if ply == 4:  # the end takes away what was said before
            break
        expect(page.locator("#polite")).not_to_be_empty()
        white = ply % 2 == 1
        # White's own board has no sensors here: his own hand is told by the table's keyboard.
        if white:
            assert until(lambda: hall.table.game.turn.announced is not None)
            expect(page.locator("#due-execute")).to_have_count(0)
            hall.table.submit(f.Make(by="white", move={1: "f2f3", 3: "g2g4"}[ply]))
            key_to("#press")
            expect(page.locator(".status")).to_contain_text("Please wait: Black")
        else:
            assert until(lambda: hall.table.game.turn.made)
            hall.table.submit(f.Press(by="black"))
            hall.table.submit(f.Make(by="white", move="e7e5"))
            expect(page.locator(".status")).to_contain_text("Please wait: White")
    expect(page.locator(".status")).to_have_text("The game is over: 0-1.")
    expect(page.locator("#urgent")).to_contain_text("mate")
    assert hall.table.game.result == "0-1"
    assert violations(page) == []
    shot(page, "over")


def test_focus_stays_where_it_is_when_the_page_changes(page: Page, hall: Hall) -> None:
    page.locator("#sq-d2").focus()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    expect(page.locator("#due-execute")).to_be_visible()
    expect(page.locator("#sq-d2")).to_be_focused()
    page.locator("#due-execute").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#due-execute")).to_have_count(0)
    expect(page.locator("#now-heading")).to_be_focused()


def test_what_is_typed_is_not_lost_when_the_page_changes(page: Page, hall: Hall) -> None:
    page.locator("#entry").fill("Bauer e4, oder doch")
    page.locator("#text").fill("Nf")
    hall.play("white", "e2e4")
    expect(page.locator("td").first).to_contain_text("Eva")
    expect(page.locator("#entry")).to_have_value("Bauer e4, oder doch")
    expect(page.locator("#text")).to_have_value("Nf")


def test_equal_sentences_are_put_into_the_live_region_again(page: Page) -> None:
    page.evaluate(
        """() => {
            window.fillings = [];
            new MutationObserver(() => fillings.push(
                document.getElementById("polite").textContent
            )).observe(document.getElementById("polite"), {childList: true, subtree: true});
        }"""
    )
    for count in (1, 2):
        page.get_by_role("button", name="Number of moves").click()
        becomes(
            page, "n => fillings.filter(text => text.startsWith('No move')).length === n", count
        )
    assert page.evaluate("fillings").count("") >= 1


def test_what_is_refused_is_said_at_once_with_its_article(page: Page, hall: Hall) -> None:
    hall.play("white", "e2e4")
    up_to_date(page, hall.table)
    page.get_by_role("button", name="Start the opponent's clock").click()
    expect(page.get_by_role("alert")).to_contain_text(
        "Make the move on the board of Black: Pawn Eva two Eva four. (fide-2023"
    )
    assert violations(page) == []


# --- cut off ------------------------------------------------------------------------------------


def test_a_page_that_was_cut_off_says_so_comes_back_and_shows_what_it_missed(
    page: Page, context: BrowserContext, hall: Hall
) -> None:
    everything = "**/assistant-white/**"
    context.route(everything, lambda route: route.abort())
    hall.host.console.close()
    expect(page.get_by_role("alert")).to_contain_text("No connection.")
    hall.play("white", "e2e4")
    expect(page.locator(".announced")).to_have_count(0)
    hall.host.console.closing.clear()
    context.unroute(everything)
    expect(page.locator(".announced")).to_have_text("Bauer Eva zwei Eva vier")
    expect(page.get_by_role("status")).to_contain_text("Bauer Eva zwei Eva vier")


def test_a_revoked_page_says_so(page: Page, hall: Hall) -> None:
    hall.host.console.revoke("assistant:white")
    expect(page.get_by_role("alert")).to_contain_text("no longer valid")


# --- for everybody ------------------------------------------------------------------------------

STATES: dict[str, Callable[[Hall], object]] = {
    "beginning": lambda hall: None,
    "announced": lambda hall: hall.table.submit(f.Announce(by="white", move="g1f3")),
    "opponent's move": lambda hall: hall.play("white", "e2e4"),
    "stopped": lambda hall: hall.table.submit(f.CallArbiter(by="white")),
    "over": lambda hall: hall.table.submit(f.Resign(by="black")),
}


def _stamp(hall: Hall) -> str:
    with hall.table.lock:
        return stamp(hall.table.game)


@pytest.mark.parametrize(
    "language",
    ["en", *(pytest.param(code, marks=pytest.mark.long) for code in LANGUAGES if code != "en")],
)
def test_every_state_is_accessible_in_every_language_and_colour(
    page: Page, hall: Hall, language: str
) -> None:
    change(page, "Language", language)
    expect(page.locator(f"html[lang={language}]")).to_be_attached()
    for name, reach in STATES.items():
        reach(hall)
        up_to_date(page, hall.table)
        accessible(page, colours=name == "announced", everywhere=language != "en")
        shot(page, f"{language}-{name}")


def test_colours_are_the_systems_until_others_are_chosen(page: Page, hall: Hall) -> None:
    """And what is chosen is kept for this browser, whatever its system then wants."""
    grounds = {
        "as on this device": "rgb(22, 24, 27)", "light": "rgb(246, 245, 242)",
        "dark": "rgb(22, 24, 27)", "high contrast, light": "rgb(255, 255, 255)",
        "high contrast, dark": "rgb(0, 0, 0)",
    }  # fmt: skip
    hall.play("white", "e2e4")
    page.emulate_media(color_scheme="dark")
    for name, ground in grounds.items():
        change(page, "Colours", name)
        becomes(
            page, "wanted => getComputedStyle(document.body).backgroundColor === wanted", ground
        )
        assert violations(page, "color-contrast") == [], name
        for size in (PHONE, DESK):
            page.set_viewport_size(size)
            shot(page, f"{name}-{size['width']}")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)"
    expect(page.get_by_role("combobox", name="Colours")).to_have_value("contrast")


def test_the_page_of_the_sighted_players_assistant_offers_his_two_tasks_only(
    context: BrowserContext, tmp_path: Path
) -> None:
    """D.2.11."""
    hall = Hall(tmp_path, black=Player(name="Bert", assistant=True))
    try:
        hall.start()
        page = context.new_page()
        go_in(page, hall, "assistant:black")
        expect(page.get_by_role("heading", level=1)).to_have_text("Assistant of Black, Bert")
        buttons = page.locator("main form button").all_text_contents()
        moves = ["Announce and execute", "Announce only", "Execute only"]
        assert buttons == [*moves, "Tell the arbiter"]  # whoever sees something may (12.7)
        expect(page.get_by_role("heading", name="scoresheet")).to_have_count(0)
        expect(page.locator("#sheet")).to_be_hidden()
        assert page.locator(".board button").first.get_attribute("id") == "sq-h1"
        assert violations(page) == []
    finally:
        hall.close()


def test_a_page_of_nobody_declared_says_so_and_lets_its_reader_tell_the_arbiter(
    page: Page, hall: Hall
) -> None:
    hall.table.submit(f.Assistant(of="white", present=False))
    expect(page.locator("#forms")).to_contain_text("You are not declared as an assistant.")
    assert page.locator("main form button").all_inner_texts() == ["Tell the arbiter"]
    irregular = page.locator("#irregular")
    irregular.locator("summary").click()  # what its reader folds stays folded
    page.evaluate(RENEW)
    expect(irregular).not_to_have_attribute("open", "")
    irregular.locator("summary").click()
    page.get_by_label("What happened").select_option("two_hands")
    page.get_by_role("button", name="Tell the arbiter").click()
    expect(page.locator("#urgent")).to_contain_text("The arbiter is needed.")
    assert hall.taken("irregular")[-1].what == "two_hands"
    assert violations(page) == []
    hall.table.submit(f.Assistant(of="white"))
    expect(page.get_by_role("button", name="Announce and execute")).to_be_visible()
