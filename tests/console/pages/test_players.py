"""The pages of both players in a real Chromium: a game by keys alone against one by clicks, acts
in two steps, and scoresheets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, Page, expect

from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.browser import APART, accessible, becomes, go_in, up_to_date, violations
from tests.console.hall import Hall


@pytest.fixture
def other(device: Callable[..., BrowserContext]) -> BrowserContext:
    """The opponent's own browser."""
    return device()


def enter(context: BrowserContext, hall: Hall, role: str) -> Page:
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    go_in(page, hall, role)
    expect(page.get_by_role("heading", level=1)).to_contain_text(hall.table.game.player(role).name)
    assert errors == []
    return page


def tab_to(page: Page, selector: str) -> None:
    """By the tab key, as far as it takes."""
    for _ in range(80):
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not get to {selector}")


def choose(page: Page, start: str, end: str) -> None:
    """Choose a move by its squares."""
    page.locator(f"#sq-{start}").click()
    page.locator(f"#sq-{end}").click()


def click_move(page: Page, start: str, end: str) -> None:
    choose(page, start, end)
    page.get_by_role("button", name="Move and press").click()
    becomes(page, "typed => document.getElementById('text')?.value !== typed", start + end)


# --- games --------------------------------------------------------------------------------------


def test_a_game_by_keyboard_alone_against_one_by_clicks(
    context: BrowserContext, other: BrowserContext, hall: Hall
) -> None:
    """White, impaired, mates in four moves; every key is one that any keyboard has."""
    hall.start()
    white, black = enter(context, hall, "white"), enter(other, hall, "black")

    def press(selector: str) -> None:
        tab_to(white, selector)
        white.keyboard.press("Enter")

    answers = [("e7", "e5"), ("b8", "c6"), ("g8", "f6")]
    moves = ["e4", "Läufer Felix eins Cäsar vier", "Qh5", "queen Hector five captures Felix seven"]
    for number, typed in enumerate(moves):
        tab_to(white, "#text")
        white.keyboard.type(typed)
        white.keyboard.press("Enter")
        if number == 3:
            break
        for page in (white, black):  # who acts on what has passed is told so
            expect(page.locator(".status")).to_contain_text("Black")
            up_to_date(page, hall.table)
        black.get_by_role("button", name="I repeat and execute").click()
        expect(black.locator("[id^=due-repeat]")).to_have_count(0)
        click_move(black, *answers[number])
        expect(white.locator(".status")).to_contain_text("Repeat the move and make it")
        press("[id^=due-repeat]")
        expect(white.locator("[id^=due-repeat]")).to_have_count(0)
        up_to_date(white, hall.table)  # before that, the press would be a step of its own
    for page in (white, black):
        expect(page.locator(".status")).to_have_text("The game is over: 1-0.")
        assert violations(page) == []
    assert [fact.by for fact in hall.taken("repeat")] == ["black", "white"] * 3
    assert [fact.by for fact in hall.taken("press")] == ["white", "black"] * 3
    tables = hall.table.game.tables
    assert tables["white"].placement[53] == "Q"  # f7
    heard = white.locator("#heard li").all_inner_texts()
    assert heard[0] == "4, White: Dame Hector fünf schlägt Felix sieben"
    assert len(heard) == 7


# What stands in the parts of a page that no clock changes.
_PARTS = """() => ["board", "next", "sheet", "acts", "forms"].map(name => {
    const part = document.getElementById(name);
    const pieces = [...part.querySelectorAll("[data-piece]")];
    return [part.innerText, pieces.map(one => [one.id, one.dataset.piece, one.className])];
})"""
_CLICKS = """() => {
    window.clicks = 0;
    addEventListener("click", (event) => (clicks += event.detail > 0), true);
}"""


def test_a_pair_of_moves_takes_five_clicks_of_both_players(
    context: BrowserContext, other: BrowserContext, hall: Hall
) -> None:
    """White, who does not see, types the move. Both repeat and execute the other's."""
    hall.start()
    white, black = enter(context, hall, "white"), enter(other, hall, "black")
    game = (("e4", "e7", "e5"), ("Nf3", "b8", "c6"))
    for page in (white, black):
        page.evaluate(_CLICKS)
    for number, (typed, *squares) in enumerate(game):
        for page in (white, black):
            page.evaluate("clicks = 0")
        if number:
            white.locator("[id^=due-repeat]").click()
            expect(white.locator("[id^=due-repeat]")).to_have_count(0)
        up_to_date(white, hall.table)  # before that, the press would be a step of its own
        white.locator("#text").fill(typed)
        white.locator("#text").press("Enter")
        black.locator("#due-repeat_and_execute").click()
        expect(black.locator("#next #text")).to_be_visible()
        for square in squares:
            black.locator(f".board[data-into] #sq-{square}").click()
        black.locator("#next button.main").click()
        expect(black.locator("#next [data-state=wait]")).to_be_visible()
        up_to_date(white, hall.table)
    assert sum(page.evaluate("clicks") for page in (white, black)) == 5
    assert len(hall.table.game.history) == 4
    assert [one.by for one in hall.taken("press")] == ["white", "black"] * 2


def test_where_nobody_repeats_a_move_takes_two_clicks(
    context: BrowserContext, other: BrowserContext, tmp_path: Path
) -> None:
    """It is announced, executed and pressed at the second square. A draw that is offered with it,
    an act that is begun, and the reader's own wish leave the press, or the whole move, for later.
    """
    hall = Hall(tmp_path, white=Player(name="Anna"), language="en", announce_in="en")
    try:
        hall.start()
        white, black = enter(context, hall, "white"), enter(other, hall, "black")
        white.evaluate(_CLICKS)
        choose(white, "e2", "e4")
        expect(black.locator("#next [data-state=announce]")).to_be_visible()
        assert white.evaluate("clicks") == 2

        main = black.locator("#next button.main")
        black.locator("#claims > summary").click()
        black.locator("#claim-repetition summary").click()
        expect(main).to_have_text("Announce and execute")  # a claim comes before the press
        black.locator("#claim-repetition summary").click()
        black.locator("#offer summary").click()
        black.get_by_label("Offer it with my next move").check()
        expect(main).to_have_text("Move, offer a draw, press")
        choose(black, "e7", "e5")
        expect(black.locator("#text")).to_have_value("e7e5")
        main.click()
        expect(white.locator(".offer")).to_contain_text("Black offers a draw.")
        expect(black.locator("[name=draw]")).to_have_count(0)
        kinds = [one.kind for one in hall.facts if one.kind not in ("tick", "record")]
        assert kinds[-4:] == ["announce", "make", "offer_draw", "press"]

        choose(white, "g1", "f3")  # a move declines the offer: that is not done by the way
        expect(white.locator("#text")).to_have_value("g1f3")
        white.locator("#next button.main").click()
        expect(black.locator("#next [data-state=announce]")).to_be_visible()
        black.locator("#sq-d7").drag_to(black.locator("#sq-d6"))  # a drag is at once as well
        expect(white.locator("#next [data-state=announce]")).to_be_visible()
        choose(white, "d2", "d3")
        expect(black.locator("#next [data-state=announce]")).to_be_visible()

        black.locator("#ways summary").click()
        black.get_by_label("Press the clock in a step of its own").check()
        expect(main).to_have_text("Announce and execute")
        choose(black, "b8", "c6")
        expect(black.locator("#text")).to_have_value("b8c6")
        main.click()
        expect(black.locator("#press.main")).to_be_visible()
        black.reload()
        black.locator("#press").click()
        expect(white.locator("#next [data-state=announce]")).to_be_visible()
        black.locator("#ways summary").click()
        expect(black.get_by_label("Press the clock in a step of its own")).to_be_checked()
        for page in (white, black):
            assert violations(page) == []
        # What came as edits, line by line, is what a new page gets.
        up_to_date(white, hall.table)
        came = white.evaluate(_PARTS)
        white.reload()
        assert white.evaluate(_PARTS) == came
    finally:
        hall.close()


def test_a_ticked_draw_is_offered_with_a_move_that_was_announced_by_voice(
    context: BrowserContext, tmp_path: Path
) -> None:
    hall = Hall(tmp_path, white=Player(name="Anna"), language="en", announce_in="en")
    try:
        hall.start()
        page = enter(context, hall, "white")
        page.locator("#offer summary").click()
        page.get_by_label("Offer it with my next move").check()
        hall.table.submit(f.Announce(by="white", move="e2e4"))
        main = page.locator("#next button.main")
        expect(main).to_have_text("Execute e4, offer a draw, press")
        main.click()
        expect(page.locator("#acts")).to_contain_text("Your draw offer stands")
        expect(page.locator("[name=draw]")).to_have_count(0)
        kinds = [one.kind for one in hall.facts if one.kind not in ("tick", "record")]
        assert kinds[-3:] == ["make", "offer_draw", "press"]
        hall.play("black", "e7e5")
        expect(main).to_have_text("Move and press")  # the next move offers nothing
    finally:
        hall.close()


def test_a_ticked_draw_is_named_by_the_button_and_goes_when_folded_or_after_the_move(
    context: BrowserContext, tmp_path: Path
) -> None:
    """Also while the press is apart, and the move was only announced before."""
    context.add_init_script(APART)
    hall = Hall(tmp_path, white=Player(name="Anna"), language="en", announce_in="en")
    try:
        hall.start()
        page = enter(context, hall, "white")
        main, draw = page.locator("#next button.main"), page.locator("[name=draw]")
        page.locator("#offer summary").click()
        draw.check()
        expect(main).to_have_text("Announce and execute, offer a draw")
        page.locator("#offer summary").click()
        expect(main).to_have_text("Announce and execute")
        page.locator("#offer summary").click()
        draw.check()
        page.locator("#ways summary").click()
        page.locator("#text").fill("e2e4")
        page.get_by_role("button", name="Announce only").click()
        expect(main).to_have_text("Execute e4, offer a draw")
        for made in (f.Make(by="white", move="e2e4"), f.Press(by="white")):
            hall.table.submit(made)
        hall.play("black", "e7e5")
        expect(main).to_have_text("Announce and execute")
        expect(draw).not_to_be_checked()
    finally:
        hall.close()


def test_without_scripts_the_press_may_be_a_step_of_its_own(
    context: BrowserContext, device: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    hall = Hall(tmp_path, white=Player(name="Anna"), language="en", announce_in="en")
    try:
        hall.start()
        address = enter(context, hall, "white").url
        plain = device(java_script_enabled=False)
        plain.add_cookies(context.cookies())  # type: ignore[arg-type]
        page = plain.new_page()
        page.goto(address)
        page.locator("#text").fill("e2e4")
        page.get_by_role("button", name="Announce and execute").click()
        page.locator("#press.main").click()
        hall.play("black", "e7e5")
        hall.table.submit(f.Announce(by="white", move="g1f3"))
        page.goto(address)
        page.get_by_role("button", name="Execute Nf3", exact=True).click()
        expect(page.locator("#press.main")).to_be_visible()
        hall.table.submit(f.Press(by="white"))
        hall.play("black", "b8c6")
        page.goto(address)
        page.locator("#text").fill("f1b5")
        page.get_by_role("button", name="Move and press").click()
        expect(page.locator("#next [data-state=wait]")).to_be_visible()
    finally:
        hall.close()


# What a browser does that does not know :has(), such as Firefox 115.
_NO_HAS = """
for (const of of [Document, Element]) {
    for (const name of ["querySelector", "querySelectorAll", "matches", "closest"]) {
        const known = of.prototype[name];
        if (known) of.prototype[name] = function (selector) {
            if (selector.includes(":has(")) throw new SyntaxError(selector);
            return known.call(this, selector);
        };
    }
}
"""


def test_a_browser_that_does_not_know_has_makes_moves_on_the_board(
    context: BrowserContext, tmp_path: Path
) -> None:
    hall = Hall(tmp_path, white=Player(name="Anna"), language="en", announce_in="en")
    try:
        hall.start()
        context.add_init_script(_NO_HAS)
        page = enter(context, hall, "white")
        choose(page, "e2", "e4")
        expect(page.locator("#next [data-state=wait]")).to_be_visible()
        assert [one.move for one in hall.taken("make")] == ["e2e4"]
    finally:
        hall.close()


def test_each_part_of_a_sentence_is_marked_with_its_language(
    context: BrowserContext, hall: Hall
) -> None:
    """So a screen reader or a Braille line changes to it (WCAG 3.1.2)."""
    hall.start()
    page = enter(context, hall, "white")
    hall.table.submit(f.Announce(by="white", move="g1f3"))
    hall.table.submit(f.Repeat(by="black", move="b1c3"))
    told = page.locator("#entries li")
    expect(told).to_have_count(2)
    announced = told.nth(1).locator("[lang=de]")
    expect(announced).to_have_text("Springer Gustav eins Felix drei")
    expect(told.nth(0).locator("[lang=de]")).to_contain_text("Springer Gustav eins Felix drei")
    expect(told.nth(0)).to_contain_text("That does not match")
    expect(page.locator(".announced")).to_have_attribute("lang", "de")
    hall.table.submit(f.Arbiter(do="announce_in", language="en"))
    expect(told.first).to_have_text(
        "From now on the moves are announced in this language: English."
    )
    expect(page.locator(".announced")).to_have_attribute("lang", "en")


def test_a_draw_is_offered_declined_offered_again_and_accepted_each_in_two_steps(
    context: BrowserContext, other: BrowserContext, hall: Hall
) -> None:
    hall.start()
    white, black = enter(context, hall, "white"), enter(other, hall, "black")

    def do(page: Page, name: str, yes: str) -> None:
        up_to_date(page, hall.table)  # what comes while keys are pressed may take the focus
        summary = page.locator("summary", has_text=name)
        summary.focus()
        page.keyboard.press("Enter")
        tab_to(page, "details[open] button")
        expect(page.get_by_role("button", name=yes)).to_be_focused()
        page.keyboard.press("Enter")

    hall.play("white", "e2e4")
    hall.play("black", "e7e5")  # before each has moved no draw can be agreed upon (9.1.1)
    do(white, "Offer a draw", "Yes, offer a draw")
    expect(white.locator("#acts")).to_contain_text("Your draw offer stands")
    expect(black.locator("#next .offered")).to_contain_text("White offers a draw.")
    assert violations(black) == []
    do(black, "Decline the draw", "Yes, decline")
    expect(black.locator(".offered")).to_have_count(0)
    assert hall.table.game.result is None
    do(black, "Offer a draw", "Yes, offer a draw")
    do(white, "Accept the draw", "Yes, accept")
    expect(white.locator(".status")).to_have_text("The game is over: 1/2-1/2.")
    assert hall.taken("accept_draw")[-1].by == "white"


def test_what_both_players_are_asked_is_answered_on_both_pages(
    context: BrowserContext, other: BrowserContext, hall: Hall
) -> None:
    hall.start()
    hall.table.submit(f.Arbiter(do="withdraw"))
    hall.play("white", "e2e4")
    hall.play("black", "e7e5")
    white, black = enter(context, hall, "white"), enter(other, hall, "black")
    hall.table.submit(f.Irregular(by="white", what="wrong_start"))
    for page in (white, black):
        expect(page.locator(".offered")).to_contain_text("If both players say yes")
        assert violations(page) == []
    black.get_by_role("button", name="Yes, I agree").click()
    expect(black.locator("#next")).to_contain_text("Please wait: White has to say yes or no.")
    white.get_by_role("button", name="No, go on with the game").click()
    expect(white.locator(".offered")).to_have_count(0)
    assert len(hall.table.game.history) == 2
    given = [(one.by, one.given) for one in hall.taken("consent")]
    assert given == [("black", True), ("white", False)]


@pytest.mark.parametrize("role", f.SIDES)
def test_an_assistant_is_announced_and_dismissed_in_two_steps(
    context: BrowserContext, hall: Hall, role: str
) -> None:
    page = enter(context, hall, role)
    page.locator("#assistant summary").click()
    page.get_by_role("button", name="Yes, I have an assistant").click()
    expect(page.locator("#assistant summary")).to_have_text("Go on without an assistant")
    said = hall.taken("assistant")[-1]
    assert (said.by, said.of, said.present) == (role, role, True)
    assert violations(page) == []
    expect(page.locator("#assistant")).not_to_have_attribute("open", "")  # it was answered
    page.locator("#assistant summary").click()
    page.get_by_role("button", name="Yes, without an assistant").click()
    expect(page.locator("#assistant summary")).to_have_text("Announce an assistant")
    assert hall.table.game.assistants[role] is False


def test_a_sighted_player_beside_an_assistant_of_the_other_is_offered_none(
    context: BrowserContext, hall: Hall
) -> None:
    hall.table.submit(f.Assistant(of="white"))
    page = enter(context, hall, "black")
    expect(page.locator("#resign")).to_be_visible()
    expect(page.locator("#assistant")).to_have_count(0)


def test_resigning_takes_two_steps_and_focus_is_not_lost(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    page = enter(context, hall, "black")
    page.locator("summary", has_text="Resign").click()
    assert hall.table.game.result is None
    # What happens meanwhile does not fold it away.
    hall.table.submit(f.OfferDraw(by="white"))
    expect(page.locator("#next .offered")).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Yes, I resign").click()
    expect(page.locator(".status")).to_have_text("The game is over: 1-0.")
    assert page.evaluate("document.activeElement !== document.body")


def test_focus_stays_on_what_unfolds_when_its_part_of_the_page_changes(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    page = enter(context, hall, "black")
    page.locator("#resign > summary").focus()
    hall.table.submit(f.OfferDraw(by="white"))  # #acts now has other acts
    hall.table.submit(f.CallArbiter(by="white"))
    expect(page.locator(".status")).to_have_text("The clocks are stopped.")
    expect(page.locator("#resign > summary")).to_be_focused()


def test_a_claim_with_a_move_written_down(context: BrowserContext, hall: Hall) -> None:
    """9.2.1; a wrong claim costs time (9.5.3)."""
    hall.start()
    page = enter(context, hall, "white")
    page.locator("summary", has_text="Claims").click()
    page.locator("summary", has_text="threefold").click()
    assert violations(page) == []
    page.locator("#claim-repetition-text").fill("Nf3")
    page.locator("#claim-repetition").get_by_role("button").click()
    expect(page.locator(".status")).to_have_text("Please wait: the arbiter has to decide.")
    assert hall.taken("claim_draw")[-1].move == "g1f3"


# --- the scoresheet -----------------------------------------------------------------------------


def test_the_sheet_keeps_what_is_written_and_strikes_through_what_was(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    page = enter(context, hall, "black")
    hall.play("white", "e2e4")
    page.locator("#write summary").click()
    expect(page.locator("#ply")).to_have_value("1")
    for text in ("1. P-K4 ??", "e4"):
        page.locator("#entry").fill(text)
        page.locator("#entry").press("Enter")
        expect(page.locator("#entry")).to_have_value("")
    cell = page.locator("tbody td").first
    expect(cell.locator("del")).to_have_count(2)  # the table's own entry, and the first of his
    expect(cell.locator("del").last).to_have_text("Struck through: 1. P-K4 ??")
    assert hall.table.game.sheets["black"] == {1: "e4"}
    hall.table.submit(f.Announce(by="black", move="e7e5"))
    expect(page.locator("#ply")).to_have_value("1")
    expect(page.locator("#entry-side")).to_have_value("black")
    page.locator("#entry").fill("e5")
    page.locator("#entry").press("Enter")
    expect(page.locator("#entry")).to_have_value("")
    assert hall.table.game.sheets["black"] == {1: "e4", 2: "e5"}


def test_two_players_adjourn_and_resume_a_game_by_their_pages(
    context: BrowserContext, other: BrowserContext, hall: Hall
) -> None:
    """Nobody presides. White asks, Black agrees, White seals, and Black opens the envelope."""
    hall.table.submit(f.Arbiter(do="withdraw"))
    hall.start()
    for by, move in (("white", "e2e4"), ("black", "e7e5")):
        hall.play(by, move)
    white, black = enter(context, hall, "white"), enter(other, hall, "black")
    white.locator("#adjournment summary").click()
    white.get_by_role("button", name="Yes, ask to adjourn").click()
    expect(white.locator("#acts")).to_contain_text("You have asked to adjourn.")
    expect(black.locator(".offer")).to_contain_text("White would like to adjourn the game.")
    black.locator("#play-on summary").click()
    black.get_by_role("button", name="Yes, play on").click()
    expect(black.locator(".offer")).to_have_count(0)
    white.locator("#adjournment summary").click()
    white.get_by_role("button", name="Yes, ask to adjourn").click()
    black.locator("#agree summary").click()
    black.get_by_role("button", name="Yes, adjourn the game").click()
    expect(white.locator("button.main")).to_have_text("Write it down")
    white.locator("#seal").fill("Nf3")
    white.keyboard.press("Control+Enter")
    expect(white.locator("button.main")).to_have_text("Press the clock")
    white.keyboard.press("Control+Enter")
    expect(white.locator("button.main")).to_have_count(0)
    expect(black.locator("button.main")).to_have_text("Open the envelope")
    for page in (white, black):
        assert violations(page) == []
    black.keyboard.press("Control+Enter")
    expect(white.locator(".announced")).to_contain_text("Springer Gustav eins Felix drei")
    expect(black.locator("#mine .clock")).to_contain_text("running")
    assert hall.table.game.history[-1].move.uci() == "g1f3"
