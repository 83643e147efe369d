"""The page of a sighted player in a real Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import (
    APIResponse,
    Browser,
    BrowserContext,
    Route,
    ViewportSize,
    expect,
)

from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.browser import (
    APART,
    accessible,
    becomes,
    covered,
    person,
    shot,
    up_to_date,
    violations,
)
from tests.console.hall import IMPAIRED, Hall
from tests.console.pages.test_boards import wrong_knight
from tests.console.pages.test_players import click_move, enter
from tests.console.test_due_on_pages import is_filled
from tests.sampling import first
from tests.waiting import until


def test_a_deaf_opponents_game_from_text_to_the_end(
    context: BrowserContext, tmp_path: Path
) -> None:
    hall = Hall(tmp_path, black=Player(name="Bert", hearing_impaired=True))
    try:
        hall.table.submit(f.Assistant(of="white"))  # without one the clock does not start
        hall.start()
        page = enter(context, hall, "black")
        page.get_by_text("A hearing-impaired player", exact=True).click()
        law = page.locator("#deaf blockquote")
        expect(law).to_contain_text("hørselshemmet spiller må det brukes en assistent")
        assert law.get_attribute("lang") in ("nb", "no")
        expect(page.locator("#deaf")).to_contain_text("fide-2023 D.2.11")
        for number, (white, black) in enumerate((("f2f3", "e7e5"), ("g2g4", "d8h4")), start=1):
            words = {"f2f3": "Bauer Felix zwei Felix drei", "g2g4": "Bauer Gustav zwei Gustav vier"}
            hall.table.submit(f.Announce(by="white", move=white))
            expect(page.locator(".announced")).to_have_text(words[white])
            expect(page.locator("#now")).to_contain_text(f"Move {number}, White announced:")
            if number == 1:
                accessible(page, colours=True)
            page.locator("#due-repeat").click()
            expect(page.locator("#due-repeat")).to_have_count(0)
            assert (hall.taken("repeat")[-1].by, hall.taken("repeat")[-1].move) == ("black", white)
            hall.table.submit(f.Make(by="white", move=white))
            hall.table.submit(f.Make(by="assistant:white", move=white))  # D.2.10.1
            hall.table.submit(f.Press(by="white"))
            expect(page.locator(".status")).to_contain_text("Black to move")
            click_move(page, black[:2], black[2:])
            if number == 1:
                expect(page.locator(".status")).to_contain_text("White to move")
                hall.table.submit(f.Make(by="white", move=black))
        expect(page.locator(".status")).to_have_text("The game is over: 0-1.")
        # What everybody was told stays to be read, the words of the end as well.
        expect(page.locator("#entries li").first).to_contain_text("Checkmate")
        page.reload()
        expect(page.locator("#entries li").first).to_contain_text("Checkmate")
        expect(page.locator("#entries")).to_contain_text("Bauer Felix zwei Felix drei")
        shot(page, "deaf-over")
    finally:
        hall.close()


def test_the_opponents_clocks_go_on_between_facts(context: BrowserContext, hall: Hall) -> None:
    """300 seconds and the increment of 5; nobody's clock is told to the impaired player unasked."""
    hall.start()
    page = enter(context, hall, "black")
    clocks = page.locator(".clock .figures")
    assert clocks.nth(1).inner_text() == "5:05"
    expect(clocks.nth(0)).to_have_text(re.compile("^(5:0[0-3]|4:..)$"))
    expect(page.locator(".clock.runs")).to_contain_text("White, Anna")
    expect(page.locator(".clock.runs .sign")).to_contain_text("running")
    # A page that has slept is told the time, and goes on from there.
    shown = page.evaluate(
        """() => {
            document.dispatchEvent(new CustomEvent("time", { detail: 64500 }));
            return document.querySelector(".clock .figures").textContent;
        }"""
    )
    assert shown == "4:00"


# --- the first screen ---------------------------------------------------------------------------

_SCREENS: tuple[ViewportSize, ...] = (
    {"width": 390, "height": 844},
    {"width": 820, "height": 1180},
    {"width": 1400, "height": 900},
)
# The longest thing that is said often, so that what is said hides nothing either.
_BESIDE = """said => {
    polite.textContent = said;
    const parts = "#theirs .clock, #theirs .figures, #board .board, #mine .clock, #mine .figures,"
        + "#next, #next button, #next summary, #next input:not([type=hidden])";
    return [...document.querySelectorAll(parts)].flatMap(one => {
        if (!one.checkVisibility()) return [];
        const box = one.getBoundingClientRect();
        const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        const inside = box.top >= 0 && box.left >= 0
            && box.bottom <= innerHeight && box.right <= innerWidth;
        // A long message may lie over the opponent's clock.
        const free = one.contains(there) || one.closest("#theirs");
        return inside && free ? [] : [`${one.outerHTML.slice(0, 80)} ${box.bottom}`];
    });
}"""
_SAID = "White offers a draw. Say: accept draw, or: decline draw."


def _answered(hall: Hall) -> None:
    """1. e4, repeated and executed by Black."""
    hall.start()
    hall.play("white", "e2e4")
    hall.answer("black", "e2e4")


def _steps(hall: Hall) -> Iterator[str]:
    """The states of the page, one after the other, by the step that each shows."""
    yield "wait for begin"
    hall.start()
    yield "wait for announce"
    hall.play("white", "e2e4")
    hall.table.submit(f.OfferDraw(by="white"))
    yield "repeat_and_execute"
    hall.table.submit(f.DeclineDraw(by="black"))
    yield "repeat_and_execute"
    hall.table.submit(f.Repeat(by="black", move="e2e4"))
    yield "execute"
    hall.table.submit(f.Make(by="black", move="e2e4"))
    yield "announce"
    hall.table.submit(f.Announce(by="black", move="e7e5"))
    hall.table.submit(f.Make(by="black", move="e7e5"))
    yield "press"
    hall.table.submit(f.CallArbiter(by="black"))
    yield "wait for attend"
    hall.table.submit(f.Arbiter(do="preside"))
    hall.table.submit(f.Arbiter(do="start_clocks"))
    hall.table.submit(f.Press(by="black"))
    hall.table.submit(f.ClaimDraw(by="white", rule="repetition"))
    yield "wait for decide"
    hall.table.submit(f.Arbiter(do="reject"))
    hall.play("white", "d2d4")
    hall.answer("black", "d2d4")
    hall.table.submit(f.Arbiter(do="adjourn"))
    yield "seal"
    hall.table.submit(f.Seal(by="black", text="exd4"))
    yield "press"
    hall.table.submit(f.Press(by="black"))
    yield "wait for open"
    hall.table.submit(f.Resign(by="white"))
    yield "sign"
    hall.table.submit(f.Sign(by="black", result="0-1"))
    yield "nothing"


def test_board_clocks_and_the_next_step_are_on_the_first_screen_in_every_state(
    context: BrowserContext, hall: Hall
) -> None:
    page, known = enter(context, hall, "black"), set[str]()
    for step in _steps(hall):
        do, _, why = step.partition(" for ")
        shown = f"#next [data-state={do}][data-why={why or 'nothing'}]"
        expect(page.locator(shown)).to_be_visible()
        expect(page.locator("button.main")).to_have_count(int(is_filled(hall.table.game, "black")))
        for size in _SCREENS:
            page.set_viewport_size(size)
            assert page.evaluate(_BESIDE, _SAID) == [], (step, size)
        if do not in known:  # a page that waits differs in its sentence alone
            assert violations(page) == [], step
            assert covered(page) == [], step
            known.add(do)
        shot(page, f"opponent-{step}")


def test_a_board_to_be_put_right_is_on_the_first_screen_with_the_first_step(
    context: BrowserContext, hall: Hall
) -> None:
    wrong_knight(hall)
    page = enter(context, hall, "black")
    expect(page.locator("#next [data-state=correct] li")).to_be_visible()
    for size in _SCREENS:
        page.set_viewport_size(size)
        assert page.evaluate(_BESIDE, _SAID) == [], size


def test_on_the_narrowest_phone_the_board_has_the_whole_width(
    context: BrowserContext, hall: Hall
) -> None:
    """Eight squares of 44 px need 352 px: at 320 px they are as large as the screen allows."""
    page = enter(context, hall, "black")
    for width, square in ((320, 39), (390, 44)):
        page.set_viewport_size({"width": width, "height": 640})
        box = page.locator("#board .board").bounding_box()
        assert box is not None and (box["x"], box["width"]) == (0, width)
        one = page.locator("#sq-e4").bounding_box()
        assert one is not None and one["width"] >= square


_BOARD = """() => {
    const board = document.querySelector("#board .board");
    const all = [...board.querySelectorAll("button"), ...document.querySelectorAll("#next .main")];
    const covered = all.filter(one => {
        const box = one.getBoundingClientRect();
        const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        return !one.contains(there);
    });
    return [board.getBoundingClientRect().y, covered.map(one => one.id)];
}"""


@pytest.mark.parametrize(
    ("touched", "across"), first(2, [(True, False), (False, True), (True, True), (False, False)])
)
def test_on_a_phone_the_board_stays_where_it_is_at_each_step_of_a_move(
    browser: Browser, hall: Hall, touched: bool, across: bool
) -> None:
    """By touch and by keyboard. What is said comes and goes above the board."""
    width, height = (844, 390) if across else (390, 844)
    state = "document.querySelector('#next [data-state]').dataset.state"
    viewport: ViewportSize = {"width": width, "height": height}
    with person(browser, viewport=viewport, has_touch=touched, is_mobile=touched) as phone:
        hall.start()
        page = enter(phone, hall, "black")
        begun = page.evaluate(_BOARD)
        assert begun[1] == []

        def do(selector: str, *keys: str, goes_there: bool = False) -> None:
            if touched:
                page.locator(selector).tap()
                return
            if goes_there:
                page.locator(selector).focus()
            for key in keys:
                page.keyboard.press(key)

        def shows(step: str) -> None:
            becomes(page, f"step => {state} === step", step)
            assert page.evaluate(_BOARD) == begun, step

        def chose(squares: str) -> None:
            expect(page.locator("#text")).to_have_value(squares)
            expect(page.locator("#polite")).not_to_be_empty()  # or the answer to the last step
            assert page.evaluate(_BOARD) == begun

        for white, black in (("e2e4", "e7e5"), ("g1f3", "d7d6")):
            hall.play("white", white)
            shows("repeat_and_execute")
            do("[id^=due-repeat]", "Enter", goes_there=True)
            shows("announce")
            do(f"#sq-{black[:2]}", "Enter", goes_there=True)
            chose(black[:2])
            do(f"#sq-{black[2:]}", *["ArrowUp"] * (int(black[1]) - int(black[3])), "Enter")
            chose(black)
            do("#next button.main", "Enter")
            shows("wait")
            hall.table.submit(f.Make(by="white", move=black))


PROMOTING = "3rk3/4P2p/8/8/8/8/8/4K3 b - - 0 1"


# --- keys ---------------------------------------------------------------------------------------


def test_a_move_pair_takes_at_most_seven_keystrokes(context: BrowserContext, hall: Hall) -> None:
    """Repeating, executing, announcing, executing and pressing the clock. The focus follows."""
    hall.start()
    page = enter(context, hall, "black")
    state = page.locator("#next [data-state]")
    page.keyboard.press("F2")
    expect(page.locator("#text")).to_be_focused()  # what is folded away unfolds
    page.locator("#next-heading").focus()
    game = (("e2e4", "e5"), ("g1f3", "Nc6"), ("f1b5", "a6"), ("b5c6", "bxc6"), ("d2d4", "exd4"))
    for white, black in game:
        hall.play("white", white)
        expect(page.locator("[id^=due-repeat]")).to_be_focused()
        pressed = 0
        for key in ("Enter", *black, "Enter"):
            page.keyboard.press(key)
            pressed += 1
            if pressed == 1:
                expect(page.locator("#text")).to_be_focused()
        assert pressed <= 7
        expect(state).to_have_attribute("data-state", "wait")
        hall.table.submit(f.Make(by="white", move=hall.table.game.history[-1].move.uci()))
    assert [fact.by for fact in hall.taken("press")] == ["white", "black"] * len(game)


def test_a_promotion_takes_at_most_eight_keystrokes_as_well(
    context: BrowserContext, tmp_path: Path
) -> None:
    typed = "exd8Q"
    hall = Hall(tmp_path, white=Player(name="Bert"), black=IMPAIRED, fen=PROMOTING)
    try:
        hall.start()
        hall.play("black", "h7h6")
        page = enter(context, hall, "white")
        page.locator("[id^=due-repeat]").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#text")).to_be_focused()
        for key in (*typed, "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#next [data-state=wait]")).to_be_visible()
        assert hall.table.game.history[-1].move.uci() == "e7d8q"
        assert len(("Enter", *typed, "Enter")) <= 8
    finally:
        hall.close()


def test_the_listed_keys_do_what_the_page_says(context: BrowserContext, hall: Hall) -> None:
    _answered(hall)
    context.add_init_script(APART)
    page = enter(context, hall, "black")
    page.locator("#shortcuts summary").click()
    for key in ("Ctrl", "F2", "F8"):
        expect(page.locator("#keys kbd", has_text=key).first).to_be_visible()
    expect(page.locator("#keys")).to_contain_text("A letter of a piece (K, Q, R, B, N, P)")
    page.locator("#ways summary").focus()
    page.keyboard.press("Control+Enter")  # nothing is typed yet: where to type it
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("e5")
    page.locator("#ways summary").focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#press.main")).to_be_visible()
    assert hall.table.game.turn.made is not None
    page.keyboard.press("F8")
    expect(page.locator("#next [data-state=wait]")).to_be_visible()
    assert hall.taken("press")[-1].by == "black"
    for key in ("e", "Alt+Enter", "Shift+F8"):  # nobody's
        page.keyboard.press(key)
    assert len(hall.taken("press")) == 2


def test_a_key_that_is_held_down_does_one_step(context: BrowserContext, hall: Hall) -> None:
    hall.start()
    hall.play("white", "e2e4")
    page = enter(context, hall, "black")
    page.locator("[id^=due-repeat]").focus()
    for _ in range(5):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(page.locator("#text")).to_be_focused()
    assert len(hall.taken("repeat")) == 1 and hall.taken("announce")[1:] == []


def test_an_answer_that_comes_late_leaves_what_its_reader_does_next(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    hall.play("white", "e2e4")
    page = enter(context, hall, "black")
    late: list[tuple[Route, APIResponse]] = []
    page.route("**/do", lambda route: late.append((route, route.fetch())))

    def fetched() -> bool:
        page.wait_for_timeout(5)  # it comes from the network
        return bool(late)

    def answered() -> None:
        page.evaluate("document.addEventListener('done', () => window.done = true)")
        assert until(fetched)
        route, answer = late.pop()
        route.fulfill(response=answer)
        becomes(page, "window.done")
        page.evaluate("done = false")

    page.locator("[id^=due-repeat]").click()
    page.locator("#sq-e7").click()
    answered()
    page.locator("#sq-e5").click()
    expect(page.locator("#text")).to_have_value("e7e5")
    expect(page.locator(".planned")).to_have_count(2)
    page.locator("#offer summary").click()
    page.get_by_role("button", name="Yes, offer a draw").click()
    expect(page.locator("#acts")).to_contain_text("Your draw offer stands")
    page.locator("#flip").focus()
    answered()
    expect(page.locator("#flip")).to_be_focused()
    expect(page.locator(".planned")).to_have_count(2)


def test_a_chosen_piece_stays_chosen_while_it_is_on_its_square(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    hall.play("white", "e2e4")
    page = enter(context, hall, "black")
    page.locator("#sq-d7").click()
    page.locator("[id^=due-repeat]").evaluate("one => one.click()")
    expect(page.locator("#sq-e4")).to_have_attribute("data-piece", "white-pawn")
    up_to_date(page, hall.table)
    expect(page.locator(".chosen")).to_have_id("sq-d7")
    page.locator("#sq-d5").click()
    expect(page.locator("#text")).to_have_value("d7d5")
    page.locator("#sq-e7").click()
    hall.play("black", "e7e5")
    up_to_date(page, hall.table)
    expect(page.locator(".chosen")).to_have_count(0)


# --- the clocks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("role", f.SIDES)
def test_a_page_shows_nothing_but_the_two_clocks_and_keeps_them(
    context: BrowserContext, hall: Hall, role: str
) -> None:
    hall.start()
    page = enter(context, hall, role)
    page.goto(page.url + "clocks")
    figures = page.locator(".figures")
    expect(figures).to_have_count(2)
    expect(page.locator(":is(button, input, .board):not([hidden])")).to_have_count(0)
    expect(page.locator(".clock.runs h2")).to_contain_text("White, Anna")
    tall = [box["height"] for one in figures.all() if (box := one.bounding_box())]
    assert min(tall) > 900 / 5
    hall.now = 252  # 305 - 252 + 5 = 58 seconds
    hall.play("white", "e2e4")
    expect(page.locator(".clock.runs h2")).to_contain_text("Black, Bert")
    expect(page.locator(".clock:has(.low)")).to_contain_text("under one minute")
    expect(page.locator(".clock:has(.low)")).to_contain_text("White, Anna")
    if role == "white":  # the other's page has the clocks in another order
        accessible(page, colours=True)


def test_hours_fit_on_the_page_of_the_clocks(context: BrowserContext, tmp_path: Path) -> None:
    hall = Hall(tmp_path, time_control="35999")  # 9:59:59
    try:
        page = enter(context, hall, "black")
        page.goto(page.url + "clocks")
        for width, height in ((320, 640), (390, 844), (820, 1180), (1400, 900)):
            page.set_viewport_size({"width": width, "height": height})
            boxes = page.evaluate(
                """() => [...document.querySelectorAll(".figures")].map(one => {
                    const { left, right } = one.getBoundingClientRect();
                    return [left, right];
                })"""
            )
            assert len(boxes) == 2
            assert all(0 <= left < right <= width for left, right in boxes), (width, boxes)
            document = page.evaluate("document.documentElement.scrollHeight")
            assert document <= height, (width, document)
    finally:
        hall.close()


def test_all_moves_are_to_be_had_in_words(context: BrowserContext, hall: Hall) -> None:
    _answered(hall)
    page = enter(context, hall, "black")
    page.get_by_role("link", name="All moves in words").click()
    expect(page.locator("li")).to_have_text(["1, White: e4 – Bauer Eva zwei Eva vier"])
    expect(page.locator("li [lang=de]")).to_have_text("Bauer Eva zwei Eva vier")
    assert violations(page) == []
