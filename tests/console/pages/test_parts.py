"""What a reader has begun stays when parts of the page come anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, Page, expect

from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.browser import go_in, up_to_date
from tests.console.hall import IMPAIRED, Hall
from tests.console.pages.test_players import enter
from tests.waiting import until

PROMOTING = "7k/4P3/8/8/8/8/7p/K7 b - - 0 1"

RENEW = """async () => {
    const html = await (await fetch("")).text();
    const anew = new DOMParser().parseFromString(html, "text/html");
    const parts = {};
    for (const { id } of document.querySelectorAll("main section[id]")) {
        parts[id] = anew.getElementById(id).innerHTML;
    }
    const { seen } = document.body.dataset;
    const detail = { parts, seen, state: {}, told: [], whole: false };
    document.dispatchEvent(new CustomEvent("news", { detail }));
}"""
"""Every part comes anew, as the table renders it."""


@pytest.fixture
def own_move(context: BrowserContext, hall: Hall) -> Page:
    """The page of a player who is to move."""
    hall.start()
    hall.play("white", "e2e4")
    hall.answer("black", "e2e4")
    context.clock.install()
    return enter(context, hall, "black")


@pytest.fixture
def promoting(context: BrowserContext, tmp_path: Path) -> Iterator[Page]:
    """The page of a player whose pawn is on its last square but one."""
    hall = Hall(tmp_path, white=Player(name="Bert"), black=IMPAIRED, fen=PROMOTING)
    hall.start()
    hall.play("black", "h8g7")
    hall.answer("white", "h8g7")
    yield enter(context, hall, "white")
    hall.close()


def test_a_planned_move_stays_and_can_still_be_cancelled(own_move: Page) -> None:
    page, field = own_move, own_move.locator("#text")
    page.locator("#sq-d7").click()
    page.evaluate(RENEW)
    expect(page.locator(".chosen")).to_have_id("sq-d7")
    page.locator("#sq-d5").click()
    expect(field).to_have_value("d7d5")
    page.evaluate(RENEW)
    expect(field).to_have_value("d7d5")
    expect(page.locator(".planned")).to_have_count(2)
    expect(page.locator("#sq-d5 .ghost")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(field).to_have_value("")
    expect(page.locator(".planned, .ghost, .chosen")).to_have_count(0)


@pytest.mark.parametrize("turned", [False, True])
def test_the_pieces_for_a_pawn_stay_with_the_focus_among_them(
    promoting: Page, turned: bool
) -> None:
    page = promoting
    if turned:
        page.locator("#flip").click()
    page.locator("#sq-e7").click()
    page.locator("#sq-e8").click()
    rook, place = page.locator("#sq-r"), "one => JSON.stringify(one.getBoundingClientRect())"
    rook.focus()
    before = rook.evaluate(place)
    page.evaluate(RENEW)
    expect(rook).to_be_focused()
    assert rook.evaluate(place) == before
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_have_value("e7e8r")


def test_a_piece_that_is_dragged_for_long_stays_in_the_hand(own_move: Page) -> None:
    page = own_move
    page.locator("#sq-d7").hover()
    page.mouse.down()
    page.locator("#sq-d6").hover()
    page.evaluate(_OTHER_FINGER, "pointercancel")
    page.clock.run_for(5000)  # so long do changes wait for the release
    page.evaluate(RENEW)
    expect(page.locator("#sq-d7.lifted")).to_have_count(1)
    page.locator("#sq-d5").hover()
    page.mouse.up()
    expect(page.locator("#text")).to_have_value("d7d5")


_OTHER_FINGER = """end => {
    for (const kind of ["pointerdown", end]) {
        document.dispatchEvent(new PointerEvent(kind, { pointerId: 99 }));
    }
}"""


def test_a_button_that_is_pressed_stays_until_its_release(own_move: Page) -> None:
    """Also while another finger comes and goes. A release outside the window is noticed when the
    pointer comes back."""
    page, button = own_move, own_move.locator("#offer summary")
    is_there = "one => one.isConnected"
    for released in (page.mouse.up, lambda: page.evaluate(_BACK)):
        pressed = button.element_handle()
        button.hover()
        page.mouse.down()
        page.evaluate(_OTHER_FINGER, "pointerup")
        page.clock.run_for(4000)
        page.evaluate(RENEW)
        assert pressed.evaluate(is_there)
        released()
        assert until(lambda one=pressed: not one.evaluate(is_there))  # type: ignore[misc]


_BACK = "document.dispatchEvent(new PointerEvent('pointermove', { pointerId: 1 }))"


def test_a_choice_is_void_when_its_piece_has_gone(own_move: Page, hall: Hall) -> None:
    page = own_move
    page.locator("#sq-d7").click()
    page.locator("#sq-d5").click()
    hall.play("black", "d7d6")
    up_to_date(page, hall.table)
    expect(page.locator(".planned, .ghost, .chosen")).to_have_count(0)


def test_what_is_selected_in_a_field_stays_selected(own_move: Page) -> None:
    page, field = own_move, own_move.locator("#text")
    field.fill("xyz")
    page.keyboard.press("F2")
    page.evaluate(RENEW)
    page.keyboard.type("ab")
    expect(field).to_have_value("ab")
    page.keyboard.press("ArrowLeft")
    page.evaluate(RENEW)
    page.keyboard.type("c")
    expect(field).to_have_value("acb")


def test_older_moves_that_are_read_stay_in_view(context: BrowserContext, hall: Hall) -> None:
    def play(*moves: str) -> None:
        for white, black in zip(moves[::2], moves[1::2], strict=True):
            hall.play("white", white)
            hall.answer("black", white)
            hall.play("black", black)
            hall.table.submit(f.Make(by="white", move=black))

    hall.start()
    play("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5c6", "d7c6")
    page = enter(context, hall, "black")
    rule = "#sheet-scrolls { flex: none !important; height: 60px; overflow-y: auto; }"
    page.evaluate("rule => document.styleSheets[0].insertRule(rule)", rule)
    sheet = page.locator("#sheet-scrolls")
    top = "list => list.querySelector('tbody').lastElementChild.getBoundingClientRect().top"
    sheet.evaluate("list => list.scrollTop = 20")
    before = sheet.evaluate(top)
    play("e1g1", "f7f6")
    up_to_date(page, hall.table)
    expect(sheet.locator("tbody tr")).to_have_count(5)
    assert abs(sheet.evaluate(top) - before) < 1  # pixel
    sheet.evaluate("list => list.scrollTop = 0")  # the newest is in view, and stays so
    play("d2d4", "e5d4")
    up_to_date(page, hall.table)
    assert sheet.evaluate("list => list.scrollTop") == 0


def test_a_tick_of_an_assistant_stays_until_the_move_is_made(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    page = context.new_page()
    go_in(page, hall, "assistant:white")
    tick = page.get_by_label("It was executed like this, though it is not legal")
    tick.check()
    page.evaluate(RENEW)
    expect(tick).to_be_checked()
    hall.play("white", "e2e4")
    up_to_date(page, hall.table)
    expect(tick).not_to_be_checked()
