"""The pages of both players in a real Chromium: a game by keys alone against one by clicks, a deaf
opponent's game, and what the Laws let nobody be told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, expect

from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.browser import DESK, accessible, shot, violations
from tests.console.hall import Hall


@pytest.fixture
def training(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path, training=True)
    try:
        yield hall
    finally:
        hall.close()


@pytest.fixture
def other(browser: Browser) -> Iterator[BrowserContext]:
    """The opponent's own browser."""
    context = browser.new_context(locale="en-GB", viewport=DESK)
    context.set_default_timeout(30_000)
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
    expect(page.get_by_role("status")).not_to_be_empty()
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
        expect(white.locator(".status")).to_contain_text("White has made a move")
        press("#press")
        for page in (white, black):  # who acts on what has passed is told so
            expect(page.locator(".status")).to_contain_text("Black to move")
        black.get_by_role("button", name="and have executed it").click()
        expect(black.locator("#repeat")).to_have_count(0)
        click_move(black, *answers[number])
        expect(black.locator(".status")).to_contain_text("Black has made a move")
        black.get_by_role("button", name="Press the clock").click()
        expect(white.locator(".status")).to_contain_text(f"Move {number + 2}, White to move")
        press("#repeat")
        expect(white.locator("#repeat")).to_have_count(0)
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


def test_a_deaf_opponents_game_from_text_to_the_end(
    context: BrowserContext, tmp_path: Path
) -> None:
    hall = Hall(tmp_path, black=Player(name="Bert", hearing_impaired=True))
    try:
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
            page.locator("#repeat-only").click()
            expect(page.locator("#repeat")).to_have_count(0)
            assert (hall.taken("repeat")[-1].by, hall.taken("repeat")[-1].move) == ("black", white)
            page.locator("#executed").click()
            expect(page.locator("#executed")).to_have_count(0)
            hall.table.submit(f.Make(by="white", move=white))
            hall.table.submit(f.Press(by="white"))
            expect(page.locator(".status")).to_contain_text("Black to move")
            click_move(page, black[:2], black[2:])
            if number == 1:
                page.get_by_role("button", name="Press the clock").click()
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
    expect(black.locator("#now .offered")).to_contain_text("White offers a draw.")
    assert violations(black) == []
    do(black, "Decline the draw", "Yes, decline")
    expect(black.locator("#acts .offered")).to_have_count(0)
    assert hall.table.game.result is None
    do(black, "Offer a draw", "Yes, offer a draw")
    do(white, "Accept the draw", "Yes, accept")
    expect(white.locator(".status")).to_have_text("The game is over: 1/2-1/2.")
    assert hall.taken("accept_draw")[-1].by == "white"


def test_resigning_takes_two_steps_and_focus_is_not_lost(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    page = enter(context, hall, "black")
    page.locator("summary", has_text="Resign").click()
    assert hall.table.game.result is None
    # What happens meanwhile does not fold it away.
    hall.table.submit(f.OfferDraw(by="white"))
    expect(page.locator("#acts .offered")).to_be_visible()
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
    expect(page.locator(".status")).to_contain_text("The arbiter is to decide")
    assert hall.taken("claim_draw")[-1].move == "g1f3"


# --- the scoresheet and the clocks --------------------------------------------------------------


def test_the_sheet_keeps_what_is_written_and_strikes_through_what_was(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    page = enter(context, hall, "black")
    hall.play("white", "e2e4")
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


def test_the_opponents_clocks_go_on_between_facts(context: BrowserContext, hall: Hall) -> None:
    """300 seconds and the increment of 5; nobody's clock is told to the impaired player unasked."""
    hall.start()
    page = enter(context, hall, "black")
    clocks = page.locator(".clocks dd")
    assert clocks.nth(1).inner_text() == "5:05"
    expect(clocks.nth(0)).to_have_text(re.compile("^(5:0[0-3]|4:..)$"))
    expect(page.locator(".clocks .runs")).to_contain_text("White, running")
    # A page that has slept is told the time, and goes on from there.
    shown = page.evaluate(
        """() => {
            document.dispatchEvent(new CustomEvent("time", { detail: 64500 }));
            return document.querySelector(".clocks dd").textContent;
        }"""
    )
    assert shown == "4:00"


# --- questions ----------------------------------------------------------------------------------


def watch_polite(page: Page) -> Callable[[], list[str]]:
    page.evaluate(
        """() => {
            window.said = [];
            new MutationObserver(() => said.push(document.getElementById("polite").textContent))
                .observe(document.getElementById("polite"), { childList: true, subtree: true });
        }"""
    )
    return lambda: list(page.evaluate("said"))


def test_one_letter_asks_in_the_key_area_and_nowhere_else(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    page = enter(context, hall, "white")
    said = watch_polite(page)
    for key in "cml":
        page.keyboard.press(key)
    page.locator("#text").press_sequentially("cml")
    page.locator("#press").focus()
    page.keyboard.press("m")
    assert hall.taken("query") == []
    page.locator("#text").fill("")
    area = page.locator("#key-area")
    area.focus()
    for count, told in ((1, 1), (2, 2)):  # equal answers are put in again
        page.keyboard.press("m")
        page.wait_for_function(
            "n => said.filter(text => text.startsWith('No move')).length === n", arg=told
        )
        expect(page.locator("#entries li")).to_have_count(count)
    assert said().count("") >= 1
    page.keyboard.press("c")
    expect(page.locator("#entries li").first).to_contain_text("five minutes five seconds")
    page.keyboard.press("Control+l")  # the browser's, or nobody's
    page.keyboard.press("b")
    expect(page.get_by_role("status")).to_contain_text("No question has this key.")
    page.keyboard.press("?")
    expect(page.get_by_role("status")).to_contain_text("c: both clocks. m: number of moves.")
    expect(area).to_be_focused()
    assert [fact.about for fact in hall.taken("query")] == ["moves", "moves", "time"]
    assert "said" not in hall.out.getvalue().replace("said to everybody", "")
    accessible(page)


def test_a_game_under_the_laws_shows_no_position(context: BrowserContext, hall: Hall) -> None:
    """D.2.10.4, 11.3.1: not on the page, and not for one who asks the server himself."""
    hall.start()
    hall.play("white", "e2e4")
    page = enter(context, hall, "white")
    assert page.locator(".board, img, #question").count() == 0
    for asked in ("about=position", "about=square&square=e4", "text=what+is+on+Eva+vier"):
        answer = page.evaluate(
            """body => fetch("do", { method: "POST", body: new URLSearchParams(body),
                headers: { accept: "application/json" } }).then(one => one.json())""",
            f"act=ask&{asked}",
        )
        assert answer["refused"], asked
        assert "This is not told during the game. (fide-2023 D.2.10.4" in answer["said"][0]
    assert [fact.about for fact in hall.taken("query")] == ["position"] * 3


def test_in_training_the_board_is_walked_over_and_asked_about(
    context: BrowserContext, training: Hall
) -> None:
    hall = training
    hall.start()
    page = enter(context, hall, "white")
    tab_to(page, "#key-area [data-square]")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    focused = page.locator(":focus")
    expect(focused).to_have_attribute("aria-label", "Eva seven, black pawn")
    newest = page.locator("#entries li").first
    for keys, answer in (
        ("s", "Eva seven: black pawn."),
        ("a", "Attackers of Eva seven: "),
        ("r", "Rank seven: black pawn Anna seven"),
        ("f", "File Eva: white king Eva one"),
        ("pn", "White knights: Bella one, Gustav one."),
        ("x", "Nothing has been captured yet."),
        ("b", "white king Eva one"),
    ):
        for key in keys:
            page.keyboard.press(key)
        expect(newest).to_contain_text(answer)
    accessible(page)
    page.locator("#question").fill("where are the black knights")
    page.locator("#question").press("Enter")
    expect(newest).to_contain_text("Black knights: Bella eight, Gustav eight.")
    page.locator("#question").fill("what is the meaning of chess")
    page.locator("#question").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("no question the table knows")
    # And a move is made there, as by one who sees.
    for square in ("e2", "e4"):
        page.locator(f"#sq-{square}").focus()
        page.keyboard.press("Enter")
    expect(page.locator("#text")).to_have_value("e2e4")
    page.keyboard.press("Enter")
    expect(page.locator(".announced")).to_have_text("Bauer Eva zwei Eva vier")
    # Every question was recorded, and nothing of them was said aloud or in anybody's ear.
    assert len(hall.taken("query")) == 8
    assert "knight" not in hall.out.getvalue() and "Springer" not in hall.out.getvalue()


@pytest.mark.parametrize(
    "language", [pytest.param("de", marks=pytest.mark.long),
                 pytest.param("nb", marks=pytest.mark.long)]
)  # fmt: skip
@pytest.mark.parametrize("role", ["white", "black"])
def test_other_languages_keep_what_the_english_pages_keep(
    context: BrowserContext, training: Hall, language: str, role: str
) -> None:
    training.start()
    page = enter(context, training, role)
    page.get_by_role("combobox", name="Language").select_option(language)
    page.get_by_role("button", name="Change").click()
    expect(page.locator(f"html[lang={language}]")).to_be_attached()
    training.table.submit(f.Announce(by="white", move="g1f3"))
    expect(page.locator(".announced")).to_be_visible()
    accessible(page, colours=True)
    shot(page, f"{role}-{language}")
