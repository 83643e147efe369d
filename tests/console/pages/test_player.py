"""The page of an impaired player in a real Chromium: questions by keys, and the position only in
training."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, Page, expect

from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.console.pages.players import KEYS, TRAINING_KEYS
from blindplay.language import QUESTIONS, Command
from blindplay.laws import facts as f
from tests.console.browser import accessible, becomes, change, covered, shot
from tests.console.hall import Hall
from tests.console.pages.test_players import enter, tab_to


@pytest.fixture
def training(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path, training=True)
    try:
        yield hall
    finally:
        hall.close()


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
        becomes(page, "n => said.filter(text => text.startsWith('No move')).length === n", told)
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
        assert (
            "The table does not read out the position during a game. (fide-2023 D.2.10.4"
            in answer["said"][0]
        )
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
        ("b", "White: King Eva one."),
        ("g", "Moves of black pawn Eva seven: Eva five, Eva six."),
        ("k", "Eva one: white king."),
        ("w", "File Anna: white pawn two, black pawn seven."),
        ("d", "Diagonal from Anna three to Felix eight: "),
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
    expect(page.get_by_role("alert")).to_contain_text("not a question the table knows")
    # And a move is made there, as by one who sees.
    for square in ("e2", "e4"):
        page.locator(f"#sq-{square}").focus()
        page.keyboard.press("Enter")
    expect(page.locator("#text")).to_have_value("e2e4")
    page.keyboard.press("Enter")
    expect(page.locator(".announced")).to_have_text("Bauer Eva zwei Eva vier")
    # Every question was recorded, and nothing of them was said aloud or in anybody's ear.
    assert len(hall.taken("query")) == 12
    assert "knight" not in hall.out.getvalue() and "Springer" not in hall.out.getvalue()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_question_about_the_position_has_a_letter_of_its_own(language: str) -> None:
    say = catalogue(language)
    letters = [say[f"key_{name}"] for name in (*KEYS, *TRAINING_KEYS)]
    assert len(set(letters)) == len(letters)
    asked = {Command(name) for name in TRAINING_KEYS}
    # The square in focus says which piece; what the page shows anyhow has no key.
    assert asked == QUESTIONS - {Command.LEGAL_MOVES_HERE, Command.CHECK, Command.MATERIAL}


@pytest.mark.long
@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
@pytest.mark.parametrize("role", ["white", "black"])
def test_other_languages_keep_what_the_english_pages_keep(
    context: BrowserContext, training: Hall, language: str, role: str
) -> None:
    training.start()
    page = enter(context, training, role)
    change(page, "Language", language)
    expect(page.locator(f"html[lang={language}]")).to_be_attached()
    training.table.submit(f.Announce(by="white", move="g1f3"))
    expect(page.locator(".announced")).to_be_visible()
    accessible(page, colours=True)
    shot(page, f"{role}-{language}")


_LONG = (
    "Not done. "
    + "The table says at length why this is not done now, and what is due instead. " * 4
)


def test_a_long_message_moves_nothing(context: BrowserContext, hall: Hall) -> None:
    hall.start()
    page = enter(context, hall, "white")
    place = "document.querySelector('#now').getBoundingClientRect().y"
    say = """([region, words]) => {
        const span = document.createElement("span");
        span.textContent = words;
        document.getElementById(region).replaceChildren(...(words ? [span] : []));
    }"""
    for width, height in ((320, 640), (844, 390), (640, 450), (1280, 900)):
        page.set_viewport_size({"width": width, "height": height})
        for region in ("urgent", "polite"):
            page.evaluate(say, [region, ""])
        before = page.evaluate(place)
        for region in ("urgent", "polite"):
            page.evaluate(say, [region, _LONG])
            assert page.evaluate(place) == before, width
        page.locator("#urgent").focus()  # and it can be read whole
        shown = page.evaluate("urgent.clientHeight >= urgent.scrollHeight - 1")
        assert shown or page.evaluate("getComputedStyle(urgent).overflowY") == "auto", width
        page.locator("#urgent").blur()
    assert covered(page) == []
