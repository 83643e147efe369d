"""The messages of pages in a real Chromium: each holds for as long as it is true, or until it was
read, and covers nothing."""

from __future__ import annotations

import re
from typing import NoReturn

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, Page, expect

from blindplay.console import views
from blindplay.laws import facts as f
from tests.console.browser import covered, go_in, send, shot, violations
from tests.console.hall import Hall
from tests.console.test_server_silence import opened as paused
from tests.console.test_server_silence import says, until

ROLES = ("arbiter", "white", "black", "assistant:white")
# How often a text is on the screen; what only a screen reader finds does not count.
SHOWN = """(text) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let count = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.parentElement;
        const seen = at.checkVisibility() && !at.closest(".unseen, #entries");
        if (seen && node.data.includes(text)) count += 1;
    }
    return count;
}"""


def opened(context: BrowserContext, hall: Hall, role: str) -> Page:
    page = context.new_page()
    page.set_viewport_size({"width": 1400, "height": 900})
    with page.expect_request("**/changes?*"):
        go_in(page, hall, role)
    return page


def test_a_refusal_stays_until_it_was_read_and_what_was_due_does_not(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    page = opened(context, hall, "black")
    menu = page.get_by_role("link", name="Menu")
    menu.focus()
    send(page, {"act": "resign_not"})
    urgent, close = page.locator("#urgent"), page.locator("#read")
    expect(urgent).to_contain_text("There is no such action.")
    send(page, {"act": "press"})
    expect(urgent).not_to_contain_text("There is no such action.")  # they have done something else
    expect(urgent).to_contain_text("Not done. Please wait: White is to move. (fide-2023")
    send(page, {"act": "start"})
    expect(urgent).to_contain_text("That is the task of somebody else.")
    expect(urgent).to_contain_text("Please wait: White is to move.")
    hall.play("white", "e2e4")
    expect(urgent).not_to_contain_text("White is to move")
    hall.table.submit(f.CallArbiter(by="white"))
    expect(urgent).to_contain_text("White has called the arbiter.")
    hall.table.submit(f.Arbiter(do="start_clocks"))
    expect(urgent).not_to_contain_text("White has called the arbiter.")
    hall.table.submit(f.Resign(by="white"))
    expect(urgent).to_contain_text("Black wins.")
    expect(urgent).to_contain_text("That is the task of somebody else.")
    shot(page, "refusal")
    assert violations(page) == []
    assert covered(page, everywhere=True) == []
    close.click()
    expect(urgent).not_to_contain_text("That is the task of somebody else.")
    expect(close).to_be_hidden()
    expect(menu).to_be_focused()


def test_a_refusal_of_words_or_hands_stays_until_it_was_read_or_something_else_is_due(
    context: BrowserContext, hall: Hall
) -> None:
    """Black never acts on the page. Only the newest refusal stands there."""
    hall.start()
    page = paused(context, hall.link("black"))
    urgent, close = page.locator("#urgent"), page.locator("#read")
    refusals = urgent.locator("> span")
    hall.table.submit(f.Announce(by="black", text="e5"))
    says(page, "urgent", "It is not your move.")
    hall.table.submit(f.Announce(by="black", text="e6"))
    hall.table.submit(f.OfferDraw(by="white"))
    says(page, "polite", "White offers a draw.")
    page.clock.run_for(15_000)
    expect(refusals).to_have_text(["It is not your move."])
    hall.play("white", "e2e4")
    until(page, "!document.getElementById('urgent').textContent")
    hall.answer("black", "e2e4")
    hall.table.submit(f.Announce(by="black", move="e7e5"))
    early = "The announced move has not been made on the board yet."
    hall.table.submit(f.Press(by="black"))
    says(page, "urgent", early)
    hall.table.submit(f.Start(by="black"))
    says(page, "urgent", "The game has already begun.")
    expect(refusals).to_have_text(["The game has already begun."])
    close.dispatch_event("click")
    expect(urgent).to_be_empty()
    hall.table.submit(f.Press(by="black"))
    says(page, "urgent", early)
    hall.table.submit(f.Make(by="black", move="e7e5"))
    until(page, "!document.getElementById('urgent').textContent")


def test_a_page_that_is_opened_while_none_can_be_rendered_says_so_until_one_is(
    context: BrowserContext, hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.start()
    page = opened(context, hall, "black")
    urgent, said = page.locator("#urgent"), "This page cannot show how things stand."
    render = views.RenderedParts.of

    def fail(*_: object) -> NoReturn:
        raise ZeroDivisionError

    monkeypatch.setattr(views.RenderedParts, "of", fail)
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    expect(urgent).to_contain_text(said)
    page.reload()
    expect(urgent).to_contain_text(said)
    monkeypatch.setattr(views.RenderedParts, "of", render)
    hall.table.submit(f.Make(by="white", move="e2e4"))
    expect(urgent).not_to_contain_text(said)
    expect(page.locator(".announced")).to_be_visible()


def test_what_has_passed_is_no_news_after_a_while(context: BrowserContext, hall: Hall) -> None:
    """10 seconds, and 60 ms for each character. The page's time stands but for what the test lets
    pass; after 20 seconds it would miss its table."""
    hall.start()
    page = paused(context, hall.link("black"))
    polite = page.locator("#polite")
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    says(page, "polite", "Bauer Eva zwei Eva vier")
    page.clock.run_for(9_000)
    expect(polite).to_contain_text("Bauer Eva zwei Eva vier")
    page.clock.run_for(3_000)
    expect(polite).to_be_empty()
    hall.table.submit(f.OfferDraw(by="white"))
    says(page, "polite", "White offers a draw.")
    page.clock.run_for(16_000)
    expect(polite).to_contain_text("White offers a draw.")  # it still does
    hall.table.submit(f.DeclineDraw(by="black"))
    says(page, "polite", "The draw offer is declined.")
    expect(polite).not_to_contain_text("White offers a draw.")


def test_boards_that_differ_are_told_until_they_do_not(context: BrowserContext, hall: Hall) -> None:
    hall.table.submit(f.Position(board="black", placement=hall.table.game.board.board_fen()))
    hall.start()
    page = opened(context, hall, "arbiter")
    hall.play("white", "e2e4")
    hall.table.submit(f.Repeat(by="black", move="e2e4"))
    wrong = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR"
    hall.table.submit(f.Position(board="black", placement=wrong))
    expect(page.locator("#boards [data-square].differs")).to_have_count(2 * 4)
    urgent = page.locator("#urgent")
    expect(urgent).to_contain_text("The positions on the two boards differ")
    for size in ((1400, 900), (1920, 1080)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        shot(page, f"differ-{size[0]}")
    assert covered(page, everywhere=True) == []
    right = hall.table.game.position.board_fen()
    hall.table.submit(f.Position(board="black", placement=right))
    expect(page.locator("#boards")).to_contain_text("The boards show the same position.")
    expect(urgent).not_to_contain_text("differ")


def test_the_clocks_must_be_set_only_until_they_are(context: BrowserContext, hall: Hall) -> None:
    hall.start()
    page = opened(context, hall, "arbiter")
    hall.now = 400
    hall.table.submit(f.Tick())
    expect(page.locator("#pending-heading")).to_be_visible()
    hall.table.submit(f.Arbiter(do="reject"))
    messages = page.locator("#messages")
    expect(messages).to_contain_text("The clocks must be set.")
    hall.table.submit(f.Arbiter(do="set_clock", white=60_000, black=60_000))
    expect(messages).not_to_contain_text("must be set")
    hall.table.submit(f.CallArbiter(by="white"))
    hall.table.submit(f.Arbiter(do="restore", ply=0))
    hall.table.submit(f.Arbiter(do="start_clocks"))
    expect(messages).to_contain_text("The clock of White is running.")
    expect(messages).not_to_contain_text("waiting")
    expect(messages).not_to_contain_text("called")


def test_that_the_clocks_are_stopped_stands_once_on_each_page(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    pages = {role: opened(context, hall, role) for role in ROLES}
    hall.table.submit(f.Arbiter(do="stop_clocks"))
    for role, page in pages.items():
        page.bring_to_front()
        expect(page.locator("#polite")).to_contain_text("The clocks are stopped.")  # is read out
        shot(page, f"stopped-{role.replace(':', '-')}")
        assert page.evaluate(SHOWN, "The clocks are stopped.") == 1, role
    hall.table.submit(f.Arbiter(do="start_clocks"))
    for page in pages.values():
        page.bring_to_front()
        expect(page.locator("#polite")).to_contain_text("clock of White is running")
        assert page.evaluate(SHOWN, "The clocks are stopped.") == 0


def test_the_result_alarms_nobody_and_stays(context: BrowserContext, hall: Hall) -> None:
    hall.start()
    page = opened(context, hall, "black")
    page.clock.install()
    hall.table.submit(f.CallArbiter(by="white"))
    urgent = page.locator("#urgent")
    colour = "one => getComputedStyle(one).borderColor"
    page.clock.run_for(500)
    expect(urgent).to_contain_text("called")
    alarm = urgent.evaluate(colour)
    hall.table.submit(f.Resign(by="white"))
    expect(page.locator("#next .result")).to_have_text("0-1")
    page.clock.run_for(60_000)
    expect(urgent).to_have_text(re.compile("Black wins"))
    assert urgent.evaluate(colour) != alarm
    expect(urgent).to_have_role("alert")


def test_escape_undoes_a_move_that_was_chosen_and_f2_selects_what_was_typed(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    hall.play("white", "e2e4")
    hall.answer("black", "e2e4")
    page = opened(context, hall, "black")
    field = page.locator("#text")
    page.locator("#sq-e7").click()
    page.locator("#sq-e5").click()
    expect(field).to_have_value("e7e5")
    page.keyboard.press("Escape")
    expect(field).to_have_value("")
    expect(page.locator(".planned, .chosen, .ghost")).to_have_count(0)
    expect(page.locator("#sq-e7")).to_be_focused()
    field.fill("xyz")
    page.locator("#flip").focus()
    page.keyboard.press("F2")
    expect(field).to_be_focused()
    page.keyboard.type("abc")
    expect(field).to_have_value("abc")
    field.press("Enter")
    expect(page.locator("#text-refused")).to_contain_text("That was not understood.")
    expect(field).to_have_accessible_description(re.compile("That was not understood."))
    assert page.evaluate(SHOWN, "That was not understood.") == 1
    shot(page, "not-understood")
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    shot(page, "not-understood-phone")
    assert covered(page) == []
