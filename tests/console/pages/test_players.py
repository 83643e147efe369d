"""The pages of both players in a real Chromium: a game by keys alone against one by clicks, acts
in two steps, and scoresheets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, expect

from blindplay.laws import facts as f
from tests.console.browser import DESK, accessible, up_to_date, violations
from tests.console.hall import Hall
from tests.waiting import PATIENCE_S


@pytest.fixture
def other(browser: Browser) -> Iterator[BrowserContext]:
    """The opponent's own browser."""
    context = browser.new_context(locale="en-GB", viewport=DESK)
    context.set_default_timeout(PATIENCE_S * 1000)
    yield context
    context.close()


def enter(context: BrowserContext, hall: Hall, role: str) -> Page:
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(hall.link(role))
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


def click_move(page: Page, start: str, end: str) -> None:
    page.locator(f"#sq-{start}").click()
    page.locator(f"#sq-{end}").click()
    page.get_by_role("button", name="Announce and execute").click()
    page.wait_for_function(
        "typed => document.getElementById('text')?.value !== typed", arg=start + end
    )


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
        expect(white.locator("#press.main")).to_be_visible()
        press("#press")
        for page in (white, black):  # who acts on what has passed is told so
            expect(page.locator(".status")).to_contain_text("Black")
            up_to_date(page, hall.table)
        black.get_by_role("button", name="I repeat and execute").click()
        expect(black.locator("[id^=due-repeat]")).to_have_count(0)
        click_move(black, *answers[number])
        expect(black.locator(".status")).to_contain_text("Black has made a move")
        black.get_by_role("button", name="Press the clock").click()
        expect(white.locator(".status")).to_contain_text("Repeat the move and make it")
        press("[id^=due-repeat]")
        expect(white.locator("[id^=due-repeat]")).to_have_count(0)
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
    if not page.locator("#assistant").get_attribute("open"):
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
    expect(page.locator("#ply")).to_have_value("2")


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
