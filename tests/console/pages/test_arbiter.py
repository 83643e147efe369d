"""The arbiter's page in a real Chromium: what it tells, and each decision in its two steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import APIResponse, Browser, BrowserContext, Locator, Page, Route, expect

from blindplay.console.messages import LANGUAGES
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.record import Tape
from blindplay.record.tape import tape_folder
from blindplay.wording.values import write_time
from tests.console.browser import (
    DESK,
    PHONE,
    accessible,
    becomes,
    change,
    covered,
    go_in,
    person,
    shot,
    up_to_date,
    violations,
)
from tests.console.hall import Hall
from tests.console.pages.test_boards import wrong_knight


def enter(context: BrowserContext, hall: Hall) -> Page:
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    go_in(page, hall, "arbiter")
    expect(page.get_by_role("heading", level=1)).to_have_text("The arbiter's page")
    assert errors == []
    return page


@pytest.fixture
def page(context: BrowserContext, hall: Hall) -> Page:
    """The arbiter's page. The game has begun."""
    hall.start()
    return enter(context, hall)


def illegal_move(page: Page, hall: Hall) -> None:
    """1. e4 e5 2. Nf3, then Black moves a pawn three squares and presses the clock. The page shows
    it: what it would say later would take the place of what the test waits for."""
    for by, move in (("white", "e2e4"), ("black", "e7e5"), ("white", "g1f3")):
        hall.play(by, move)
        other = "black" if by == "white" else "white"
        hall.table.submit(f.Make(by=other, move=move))
        ply = len(hall.table.game.history)
        for side in ("white", "black"):
            hall.table.submit(f.Record(by=side, ply=ply, text={"g1f3": "Nf3"}.get(move, move[2:])))
    hall.table.submit(f.Make(by="black", move="d7d4"))
    hall.table.submit(f.Press(by="black"))
    up_to_date(page, hall.table)


def take_back_to_move_one(page: Page) -> Locator:
    """Return what the page says then."""
    page.locator("#restore-s").click()
    page.locator("#restore-number").fill("1")
    page.locator("#restore-number").press("Enter")
    page.locator("#yes").click()
    said = page.locator("#polite")
    expect(said).to_contain_text("Please correct the board of Black.")
    return said


def key_to(page: Page, selector: str) -> None:
    """By the tabulator, from wherever the keyboard stands."""
    for _ in range(120):
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not get to {selector}")


# --- deciding -----------------------------------------------------------------------------------


def test_an_arbiters_take_back_entirely_by_keyboard(page: Page, hall: Hall) -> None:
    """A completed illegal move is proposed to him, with its article and its price; he confirms;
    then he takes the game back to its first move and lets the clocks go on."""
    illegal_move(page, hall)
    expect(page.locator("#urgent")).to_contain_text("Illegal move number 1 of Black: d7–d4")
    expect(page.locator(".pending")).to_contain_text("Illegal move number 1 of Black: d7–d4")
    expect(page.locator(".pending")).to_contain_text("White gets 2:00 more")
    accessible(page)
    shot(page, "arbiter-pending")

    key_to(page, "#pending-1-s")
    page.keyboard.press("Enter")
    text = page.locator("#pending-1 blockquote")
    expect(text).to_be_visible()
    expect(text).to_contain_text("Et ulovlig trekk er fullført når spilleren har stanset")
    expect(text).to_have_attribute("lang", "nb")

    key_to(page, "#confirm")
    page.keyboard.press("Enter")
    expect(page.locator("#sure h2")).to_be_focused()
    expect(page.locator("#sure-words")).to_contain_text("another move is to be played")
    assert violations(page) == []
    shot(page, "arbiter-sure")
    assert hall.taken("arbiter") == []
    key_to(page, "#yes")
    page.keyboard.press("Enter")
    expect(page.locator("#confirm")).to_have_count(0)
    expect(page.locator("#sure")).to_be_hidden()
    assert page.evaluate("document.activeElement !== document.body")
    assert hall.taken("arbiter")[-1].do == "confirm"
    assert hall.table.game.clock.left["white"] >= 5 * 60_000 + 120_000

    key_to(page, "#restore-s")
    page.keyboard.press("Enter")
    key_to(page, "#restore-number")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(page.locator("#sure-words")).to_contain_text("after move 1, White is restored")
    expect(page.locator("#sure-clocks tr").nth(1)).to_contain_text("5:10")
    expect(page.locator("#sure-clocks tr").nth(2)).to_contain_text("5:05")
    expect(page.locator("#sure-words")).to_contain_text("Then no clock runs.")
    expect(page.locator("#p-e4")).to_have_attribute("aria-label", "e4, white pawn")
    expect(page.locator("#p-e5")).to_have_attribute("aria-label", "e5, empty")
    shot(page, "arbiter-restore")
    key_to(page, "#yes")
    page.keyboard.press("Enter")
    expect(page.locator("#sure")).to_be_hidden()
    struck = page.locator("#written del", has_text=re.compile("Struck through:\\s*Nf3$"))
    expect(struck).to_have_count(2)
    assert len(hall.table.game.history) == 1
    expect(page.locator("#w-d2")).to_have_attribute("aria-label", "d2, white pawn")
    expect(page.locator(".status")).to_contain_text("The clocks are stopped.")
    key_to(page, "#go-on")
    page.keyboard.press("Enter")
    expect(page.locator(".status")).to_contain_text("Please wait: Black")
    assert hall.table.game.clock.running == "black"


def test_what_is_rejected_goes_on(page: Page, hall: Hall) -> None:
    illegal_move(page, hall)
    page.get_by_role("button", name="Reject …").click()
    expect(page.locator("#sure-words")).to_contain_text("The game goes on as it stands.")
    page.get_by_role("link", name="No, back").click()
    expect(page.locator("#sure")).to_be_hidden()
    expect(page.locator("#reject")).to_be_focused()
    page.locator("#reject").click()
    page.get_by_role("button", name="Yes, reject").click()
    expect(page.locator("#confirm")).to_have_count(0)
    assert hall.taken("arbiter")[-1].do == "reject"
    assert hall.table.game.clock.left["white"] < 5 * 60_000 + 60_000


def test_penalties_clocks_and_the_result(page: Page, hall: Hall) -> None:
    page.locator("#penalty-s").click()
    page.locator("#penalty-player").select_option("white")
    page.locator("#penalty-kind").select_option("time")
    page.locator("#given").fill("1:30")
    page.locator("#taken").fill("20")
    page.locator("#penalty button").click()
    expect(page.locator("#sure-words")).to_contain_text("Black gets 1:30 more.")
    expect(page.locator("#sure-words")).to_contain_text("0:20 are taken from White.")
    expect(page.locator("#sure-words")).to_contain_text("Then White's clock runs.")
    expect(page.locator("#sure-clocks tr").nth(2).locator(".figures")).to_have_text(
        ["5:05", "6:35"]
    )
    page.get_by_role("button", name="Yes, give this penalty").click()
    expect(page.locator("#timeline")).to_contain_text("Penalty for White: Black gets 1:30 more")
    assert hall.table.game.clock.left["black"] == 395_000

    page.locator("#set-clock-s").click()
    wrong = page.locator("#set-black")
    page.locator("#set-white").fill("1:00:01")
    wrong.fill("soon")
    page.locator("#set-clock button").click()
    expect(wrong).to_be_focused()
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_have_accessible_description(re.compile("Write a time as 1:30:00"))
    expect(page.locator("#set-black-refused")).to_have_css("font-weight", "600")
    expect(page.locator("#sure")).to_be_hidden()  # the form stays, with what is right in it
    expect(page.locator("#set-white")).to_have_value("1:00:01")
    expect(page.locator("#urgent")).to_contain_text("Write a time as 1:30:00")
    shot(page, "arbiter-wrong-time")
    wrong.fill("")
    expect(page.locator("#set-black-refused")).to_have_count(0)
    expect(page.locator("#urgent")).to_be_empty()
    page.locator("#set-clock button").click()
    expect(page.locator("#sure-words")).to_contain_text("White's clock is set to 1:00:01.")
    expect(page.locator("#sure-clocks tr").nth(1).locator(".figures")).to_have_text(
        [re.compile("4:4."), re.compile("1:00:0[01]")]
    )
    page.locator("#yes").click()
    expect(page.locator("#clocks .figures").first).to_have_attribute("data-left", "3601000")
    page.locator("#stop").click()
    expect(page.locator(".status")).to_contain_text("The clocks are stopped.")

    page.locator("#declare-s").click()
    expect(page.locator("#result")).to_have_value("")
    page.locator("#declare button").click()
    expect(page.locator("#sure")).to_be_hidden()  # a result must be chosen
    page.locator("#result").select_option("1/2-1/2")
    page.locator("#declare button").click()
    expect(page.locator("#sure-words")).to_have_text("This ends the game. The result is 1/2-1/2.")
    # The game goes on meanwhile; the result does not depend on that.
    hall.table.submit(f.Arbiter(do="start_clocks"))
    hall.play("white", "e2e4")
    page.locator("#yes").click()
    expect(page.locator(".status")).to_have_text("The game is over: 1/2-1/2.")
    shot(page, "arbiter-over")

    page.locator("#correct-s").click()
    expect(page.locator("#correct-result")).to_have_value("")  # another choice than before
    accessible(page)
    shot(page, "arbiter-correct")
    page.locator("#correct-result").select_option("1-0")
    page.locator("#correct-reason").fill("Black had resigned before")
    page.locator("#correct button").click()
    expect(page.locator("#sure-words")).to_contain_text("1-0 from now on, and not 1/2-1/2")
    shot(page, "arbiter-correct-sure")
    page.locator("#yes").click()
    expect(page.locator(".status")).to_have_text("The game is over: 1-0.")
    expect(page.locator("#timeline")).to_contain_text("Black had resigned before")


def test_the_arbiter_undoes_a_penalty_and_a_result_with_the_reason(page: Page, hall: Hall) -> None:
    expect(page.locator("#undo")).to_have_count(0)
    hall.table.submit(f.Arbiter(do="penalty", player="white", penalty="time", black=90_000))
    page.locator("#undo-s").click()
    expect(page.locator("#undo-hint")).to_contain_text("The arbiter penalised White.")
    page.locator("#undo-reason").fill("the wrong player")
    page.locator("#undo button").click()
    expect(page.locator("#sure-words")).to_contain_text("the wrong player")
    expect(page.locator("#sure-clocks tr").nth(2).locator(".figures")).to_have_text(
        ["6:35", "5:05"]
    )
    page.get_by_role("button", name="Yes, undo it").click()
    expect(page.locator("#timeline")).to_contain_text("That decision does not hold any more.")
    assert hall.table.game.clock.left["black"] == 305_000
    expect(page.locator("#undo")).to_have_count(0)

    hall.table.submit(f.Arbiter(do="declare", result="1-0"))
    page.locator("#undo-s").click()
    accessible(page)
    shot(page, "arbiter-undo")
    page.locator("#undo button").click()
    expect(page.locator("#sure-words")).to_contain_text("The arbiter declared the result 1-0.")
    page.locator("#yes").click()
    expect(page.locator("#go-on")).to_be_visible()
    page.locator("#go-on").click()
    expect(page.locator("#stop")).to_be_visible()
    assert hall.table.game.clock.running == "white"


def test_the_arbiter_sees_to_calls_in_play_and_after_the_game(page: Page, hall: Hall) -> None:
    hall.table.submit(f.Irregular(by="white", what="disturbance"))
    page.get_by_role("button", name="I have seen to it").click()
    expect(page.locator("#attend")).to_have_count(0)
    expect(page.locator("#timeline")).to_contain_text("Seen to: disturbs the opponent.")
    hall.table.submit(f.Resign(by="white"))
    hall.table.submit(f.Sign(by="white", result="0-1"))
    hall.table.submit(f.Sign(by="black", result="1-0"))
    expect(page.locator("#pending-heading")).to_be_visible()
    page.locator("#attend").click()
    expect(page.locator("#attend")).to_have_count(0)
    expect(page.locator("#pending-heading")).to_have_count(0)


def test_assistants_the_board_and_what_he_saw(page: Page, hall: Hall) -> None:
    page.locator("#people-s").click()
    page.get_by_role("button", name="Permit White an assistant").click()
    expect(page.locator("#people")).to_contain_text("White has an assistant.")
    expect(page.locator("#people")).to_have_attribute("open", "")
    page.get_by_label("a peg on each piece").check()
    page.get_by_role("button", name="Record the inspection").click()
    expect(page.locator("#timeline")).to_contain_text("a securing hole in each square")
    assert hall.taken("inspect")[0].fulfils == ("pegs",)
    page.locator("#report-s").click()
    page.locator("#square").fill("e2")
    page.locator("#square").press("Enter")  # the impaired player's own board tells that itself
    expect(page.locator("#sure")).to_contain_text("only leaving the hole touches (fide-2023 D.2.2)")
    page.locator("#no").click()
    hall.play("white", "e2e4")
    page.locator("#square").fill("e7")
    page.locator("#square").press("Enter")
    expect(page.locator("#sure-words")).to_contain_text("Black has touched the piece on e7.")
    page.locator("#yes").click()
    expect(page.locator("#timeline")).to_contain_text("e7 was touched.")
    page.locator("#adjournment-s").click()
    accessible(page)
    page.get_by_role("button", name="Adjourn the game …").click()
    page.locator("#yes").click()
    expect(page.locator(".pending")).to_contain_text("a move is to be sealed")


# --- at a glance --------------------------------------------------------------------------------


def test_clocks_tick_and_differing_squares_are_marked_on_both_boards_and_told(
    page: Page, hall: Hall
) -> None:
    expect(page.locator("#boards")).to_contain_text("The boards show the same position.")
    expect(page.locator("#clocks .clock h2")).to_have_text(["White, Anna", "Black, Bert"])
    less = "text => document.querySelector('.figures').textContent < text"
    becomes(page, less, page.locator("#clocks .figures").first.inner_text())
    expect(page.locator("#polite")).to_be_empty()  # a clock that ticks is not read out
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    hall.table.submit(f.Make(by="white", move="e2e4"))
    expect(page.locator(".differing li")).to_have_text(
        [
            "e2: White's board empty, Black's board white pawn",
            "e4: White's board white pawn, Black's board empty",
        ]
    )
    for square in ("w-e2", "w-e4", "b-e2", "b-e4"):
        expect(page.locator(f"#{square}.apart")).to_have_attribute(
            "aria-label", re.compile("differs")
        )
    expect(page.locator("#boards .differs")).to_have_count(0)  # no alarm in an ordinary move
    expect(page.locator("#boards")).to_contain_text("executed on these squares: e2, e4.")
    hall.table.submit(f.Press(by="white"))
    expect(page.locator("#w-e2.apart")).to_be_visible()
    hall.table.submit(f.Resign(by="black"))
    expect(page.locator("#boards")).to_contain_text("The boards differ on these squares: e2, e4.")
    expect(page.locator("#boards .differs, #boards strong")).to_have_count(0)
    page.locator("#w-a8").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#w-b8")).to_be_focused()
    for name, size in (("phone", PHONE), ("desk", DESK)):
        page.set_viewport_size(size)
        shot(page, f"arbiter-{name}")


@pytest.fixture
def friendly(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path, arbiter="automatic", black=Player(name="Bert"))
    try:
        yield hall
    finally:
        hall.close()


def test_an_arbiter_who_comes_in_takes_a_friendly_game_in_hand(
    context: BrowserContext, friendly: Hall
) -> None:
    friendly.start()
    page = enter(context, friendly)
    assert [fact.do for fact in friendly.taken("arbiter")] == ["preside"]
    expect(page.locator("#game")).to_contain_text("You preside")
    illegal_move(page, friendly)
    expect(page.locator("#confirm")).to_be_visible()
    page.reload()
    page.locator("#reject").click()
    page.locator("#yes").click()
    expect(page.locator("#sure")).to_be_hidden()
    expect(page.locator("#confirm")).to_have_count(0)
    page.locator("#adjournment-s").click()
    page.get_by_role("button", name="Leave the game to itself …").click()
    page.locator("#yes").click()
    expect(page.locator("#preside")).to_be_visible()
    assert not friendly.table.game.presided


# --- on one screen -------------------------------------------------------------------------------

# What an arbiter must see without scrolling, and what is not within the window.
_SEEN = (
    "#clocks .clock", ".boards .board[role=grid]", ".status", ".pending", "#confirm", "#reject",
    "#timeline .entries > li",
)  # fmt: skip
_OUTSIDE = """selectors => {
    const wrong = [];
    for (const one of document.querySelectorAll(selectors)) {
        const box = one.getBoundingClientRect();
        const points = [[0.5, 0.5], [0.02, 0.1], [0.98, 0.9]].map(([x, y]) =>
            document.elementFromPoint(box.x + x * box.width, box.y + y * box.height));
        const name = one.id || one.className || one.textContent.slice(0, 40);
        const within = box.left >= 0 && box.top >= 0 && box.right <= innerWidth
            && box.bottom <= innerHeight && box.width > 0;
        if (!within) wrong.push(`${name} is not in the window`);
        else if (points.some(there => !one.contains(there))) wrong.push(`${name} is hidden`);
    }
    return [...wrong, ...(scrollY ? [`scrolled by ${scrollY}`] : [])];
}"""


def test_everything_stays_on_one_screen_whatever_is_open(page: Page, hall: Hall) -> None:
    """1400 by 900: both boards whole, both clocks, what waits, and the last five events."""
    page.set_viewport_size({"width": 1400, "height": 900})
    illegal_move(page, hall)
    expect(page.locator("#confirm")).to_be_visible()
    seen = ", ".join(_SEEN)
    assert page.locator(seen).count() == 2 + 2 + 1 + 1 + 2 + 5
    assert page.evaluate(_OUTSIDE, seen) == []
    places = "s => [...document.querySelectorAll(s)].map(one => one.getBoundingClientRect().top)"
    before = page.evaluate(places, seen)
    for summary in page.locator("#decide summary, #sheets summary").all():
        summary.click()
        assert page.evaluate(_OUTSIDE, seen) == [], summary.inner_text()
        assert page.evaluate(places, seen) == before
    chip = page.locator("#timeline .chip").first
    chip.click()
    expect(page.locator(".law:popover-open")).to_have_count(1)
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".law:popover-open")).to_have_count(0)
    expect(chip).to_be_focused()
    assert page.evaluate(places, seen) == before
    shot(page, "arbiter-1400")


def test_the_steps_that_put_a_board_right_lie_over_that_board_alone(page: Page, hall: Hall) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    wrong_knight(hall)
    page.reload()  # without what was said
    steps, other = page.locator("#fix-b-steps"), page.locator("#boards .boards > div").first
    words = steps.get_by_role("listitem")
    expect(words).to_have_text("Black knight: take from h6, put on f6.")
    seen = ", ".join((*_SEEN, "#fix-b-steps li", "#fix-b-show"))
    assert page.evaluate(_OUTSIDE, seen) == []
    box, clocks = steps.bounding_box(), page.locator("#clocks").bounding_box()
    text = words.bounding_box()
    assert box and clocks and text and text["y"] + text["height"] <= box["y"] + box["height"]
    steps.get_by_role("button").click()
    expect(steps.locator(".diagram")).to_be_visible()
    box, left = steps.bounding_box(), other.bounding_box()
    assert box and left
    assert box["x"] >= left["x"] + left["width"] and box["y"] >= clocks["y"] + clocks["height"]
    assert page.evaluate(_OUTSIDE, "#clocks .clock, #timeline .entries > li") == []


def test_a_long_message_covers_nothing_and_is_whole_with_the_focus(page: Page, hall: Hall) -> None:
    """A take-back is announced with all steps that put both boards right."""
    illegal_move(page, hall)
    said = take_back_to_move_one(page)
    assert covered(page, everywhere=True) == []
    folded = said.bounding_box()
    said.click()
    expect(said).to_be_focused()
    whole = said.bounding_box()
    assert folded and whole and whole["height"] > 3 * folded["height"]
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(said).not_to_be_focused()
    assert said.bounding_box() == folded
    page.locator("#go-on").click()
    expect(page.locator("#stop")).to_be_visible()


def test_an_answer_that_comes_after_the_news_of_its_decision_takes_none_of_it_away(
    page: Page, hall: Hall
) -> None:
    illegal_move(page, hall)
    page.evaluate("document.addEventListener('answered', () => (window.answered = true))")
    late: list[tuple[Route, APIResponse]] = []
    page.route("**/do", lambda route: late.append((route, route.fetch())))
    said = take_back_to_move_one(page)
    route, answer = late.pop()
    route.fulfill(response=answer)
    becomes(page, "window.answered")
    expect(page.locator("#sure")).to_be_hidden()
    expect(said).to_contain_text("Please correct the board of Black.")


def test_at_most_one_button_is_filled(page: Page, hall: Hall) -> None:
    strong = """() => {
        const probe = document.createElement("button");
        probe.className = "main";
        document.body.append(probe);
        const wanted = getComputedStyle(probe).backgroundColor;
        probe.remove();
        return [...document.querySelectorAll("main button")].filter(one =>
            one.checkVisibility() && getComputedStyle(one).backgroundColor === wanted
        ).map(one => one.id);
    }"""
    assert page.evaluate(strong) == []
    page.locator("#stop").click()
    expect(page.locator("#go-on")).to_be_visible()
    assert page.evaluate(strong) == ["go-on"]
    page.locator("#go-on").click()
    expect(page.locator("#stop")).to_be_visible()
    illegal_move(page, hall)
    expect(page.locator("#confirm")).to_be_visible()
    assert page.evaluate(strong) == ["confirm"]
    page.locator("#confirm").click()
    expect(page.locator("#yes")).to_be_visible()
    assert page.evaluate(strong) == ["yes"]


def test_a_step_that_is_open_says_when_it_would_do_something_else(page: Page, hall: Hall) -> None:
    hall.play("white", "e2e4")
    page.locator("#penalty-s").click()
    page.locator("#penalty-player").select_option("white")
    page.locator("#penalty button").click()  # a warning
    expect(page.locator("#sure-words")).to_contain_text("Then Black's clock runs.")
    hall.play("black", "e7e5")
    expect(page.locator(".status")).to_contain_text("Please wait: White")
    expect(page.locator("#sure-words")).to_contain_text("Then White's clock runs.")
    page.locator("#yes").click()
    expect(page.locator("#timeline")).to_contain_text("Warning for White.")
    page.locator("#restore-s").click()
    page.locator("#restore-number").fill("1")
    page.locator("#restore-number").press("Enter")
    expect(page.locator("#sure-words")).to_contain_text("half-moves taken back: 1.")
    hall.play("white", "g1f3")
    expect(page.locator("#sure-words")).to_contain_text("half-moves taken back: 2.")
    expect(page.locator("#urgent")).to_contain_text("This would now do something else:")
    expect(page.locator("#urgent")).to_contain_text("half-moves taken back: 2.")
    expect(page.locator("#sure h2")).to_be_focused()
    assert violations(page) == []
    page.locator("#yes").click()
    expect(page.locator("#sure")).to_be_hidden()
    assert len(hall.table.game.history) == 1


def test_the_clocks_of_an_open_step_are_those_that_its_decision_leaves(
    page: Page, hall: Hall
) -> None:
    """Black's clock stands at 4:51 while the arbiter thinks, before the step opens and after."""
    pass_time = "now => document.dispatchEvent(new CustomEvent('time', { detail: now * 1000 }))"
    hall.now = 10
    for by, move in (("white", "e2e4"), ("black", "e7e5"), ("white", "g1f3")):
        hall.play(by, move)
    hall.now = 29  # of 305 seconds and 5, for two moves, 19 have passed
    hall.table.submit(f.Make(by="black", move="d7d4"))
    hall.table.submit(f.Press(by="black"))
    hall.now = 29 + 34
    page.locator("#confirm").click()
    then = page.locator("#sure-clocks tr").nth(2).locator("td").nth(1)
    expect(then).to_have_text("4:51 runs")
    hall.now = 29 + 34 + 40
    page.evaluate(pass_time, hall.now)
    expect(then).to_have_text("4:51 runs")
    page.locator("#yes").click()
    expect(page.locator("#stop")).to_be_visible()
    assert hall.table.game.clock.left["black"] == 291_000


def test_the_call_says_who_called_on_the_page_and_aloud(page: Page, hall: Hall) -> None:
    hall.table.submit(f.Assistant(of="white"))
    hall.table.submit(f.CallArbiter(by="assistant:white"))
    expect(page.locator(".pending")).to_contain_text("White's assistant has called the arbiter.")
    expect(page.locator("#urgent")).to_contain_text("White's assistant has called the arbiter.")
    assert "Der Assistent von Weiß ruft den Schiedsrichter." in hall.out.getvalue()
    hall.table.submit(f.Arbiter(do="start_clocks"))
    hall.table.submit(f.CallArbiter(by="black"))
    expect(page.locator(".pending")).to_contain_text("Black has called the arbiter.")
    assert "Schwarz ruft den Schiedsrichter." in hall.out.getvalue()


def test_what_the_arbiter_does_to_the_clocks_is_said_on_every_page_and_aloud(
    context: BrowserContext, hall: Hall
) -> None:
    hall.table.submit(f.Assistant(of="white"))
    pages = []
    for role in ("arbiter", "white", "black", "assistant:white"):
        pages.append(context.new_page())
        go_in(pages[-1], hall, role)
    hall.start()
    decisions = {
        f.Arbiter(do="stop_clocks"): ("The clocks are stopped.", "Die Uhren stehen."),
        f.Arbiter(do="set_clock", white=60_000): ("clocks are set.", "Die Uhren sind gestellt."),
        f.Arbiter(do="start_clocks"): ("clock of White is running", "Die Uhr von Weiß läuft."),
        f.Arbiter(do="penalty", player="white", black=60_000): (
            "Black receives extra time", "Schwarz erhält zusätzliche Zeit",
        ),
        f.Arbiter(do="restore", ply=0): ("White has five minutes", "Zeit von Weiß:"),
    }  # fmt: skip
    for decision, (shown, spoken) in decisions.items():
        before = len(hall.out.getvalue())
        hall.table.submit(decision)
        for one in pages:
            one.bring_to_front()
            expect(one.locator("#messages")).to_contain_text(shown)
        assert spoken in hall.out.getvalue()[before:]


# --- everything ---------------------------------------------------------------------------------


def test_the_timeline_tells_everything_and_plays_the_tape(
    context: BrowserContext, page: Page, hall: Hall
) -> None:
    tape = Tape(tape_folder(hall.journal.path))
    tape.keep(bytes(2 * 16_000), 16_000, t=2000, ply=1, by="table", words="Bauer Eva zwei Eva vier")
    hall.now = 3
    illegal_move(page, hall)
    for _ in range(42):
        hall.table.submit(f.Query(by="white", about="moves"))
    page.get_by_role("link", name="Everything, with the tape").click()
    expect(page.locator(".entries > li")).to_have_count(40)
    expect(page.locator(".entries > li").first).to_contain_text("White asked: number of moves.")
    page.get_by_role("link", name="Older").click()
    sound = page.locator("audio")
    expect(sound).to_have_attribute(
        "aria-label", "Sound of 0:02: The table: Bauer Eva zwei Eva vier"
    )
    becomes(page, "() => document.querySelector('audio').duration === 1")
    page.evaluate("() => document.querySelector('audio').play()")
    becomes(page, "() => document.querySelector('audio').currentTime > 0.1")
    page.locator("#group").select_option("rulings")
    page.get_by_role("button", name="Show this").click()
    expect(page.locator(".entries > li")).to_have_count(1)
    expect(page.locator(".proposed").first).to_contain_text("Illegal move number 1 of Black")
    accessible(page)
    shot(page, "timeline")
    page.get_by_role("link", name="Back to the table").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The arbiter's page")


def test_without_scripts_the_second_step_is_a_page_of_its_own(browser: Browser, hall: Hall) -> None:
    hall.start()
    with person(browser, java_script_enabled=False, viewport=PHONE) as plain:
        page = plain.new_page()
        base, _, token = hall.link("arbiter").partition("/#")
        page.goto(base)
        page.locator("#token").fill(token)
        page.get_by_role("button", name="Come in").click()
        page.locator("#restore-s").click()
        page.locator("#restore-after").select_option("start")
        page.locator("#restore button").click()
        expect(page.locator("#sure-words")).to_contain_text("The starting position is restored")
        page.locator("#yes").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("The arbiter's page")
        assert hall.taken("arbiter")[-1].do == "restore"


STATES: dict[str, Callable[[Page, Hall], object]] = {
    "beginning": lambda page, hall: None,
    "started": lambda page, hall: hall.start(),
    "called": lambda page, hall: hall.table.submit(f.CallArbiter(by="white")),
    "illegal": illegal_move,
    "over": lambda page, hall: hall.table.submit(f.Arbiter(do="declare", result="0-0")),
}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_is_accessible_in_every_language(
    context: BrowserContext, hall: Hall, language: str
) -> None:
    page = enter(context, hall)
    change(page, "Language", language)
    expect(page.locator(f"html[lang={language}]")).to_be_attached()
    for name, reach in STATES.items():
        if name == "illegal":
            hall.table.submit(f.Arbiter(do="start_clocks"))
        reach(page, hall)
        up_to_date(page, hall.table)
        accessible(page, colours=name == "illegal")
        shot(page, f"arbiter-{language}-{name}")


def test_after_a_fault_of_the_clocks_the_form_proposes_the_same_for_both(
    page: Page, hall: Hall
) -> None:
    """6.10.2: both times as after the last completed move, which the arbiter may change."""
    hall.play("white", "e2e4")
    before = hall.table.game.clock.left
    expect(page.locator("#set-white")).to_have_value("")
    hall.table.submit(f.Irregular(by="black", what="wrong_clock"))
    page.locator("#set-clock-s").click()
    expect(page.locator("#set-hint")).to_contain_text("fide-2023 6.10.2")
    for side in ("white", "black"):
        expect(page.locator(f"#set-{side}")).to_have_value(write_time(before[side]))
