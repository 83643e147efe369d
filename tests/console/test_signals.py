"""Signals for a deaf player or a noisy hall: chosen on each device, and given in time."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, expect

from blindplay.laws import facts as f
from tests.console.browser import accessible, becomes, person
from tests.console.hall import Hall
from tests.console.pages.test_players import enter

# What the page did: its sounds and vibrations are counted where the browser makes them.
_COUNTED = """() => {
    window.done = { tones: 0, buzzes: [] };
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) {
        done.tones += 1;
        start.apply(this, when);
    };
    Object.defineProperty(navigator, "vibrate", { value: (ms) => done.buzzes.push(ms) });
}"""


def chosen(page: Page, *names: str) -> None:
    page.locator("#signals-choice summary").click()
    for name in names:
        page.locator(f"#signal-{name}").check()


def signals(page: Page) -> int:
    return int(page.evaluate("document.body.dataset.signalled ?? 0"))


def test_nothing_signals_until_it_is_chosen(context: BrowserContext, hall: Hall) -> None:
    hall.start()
    context.add_init_script(f"({_COUNTED})()")
    page = enter(context, hall, "black")
    chosen(page, "moves", "still")  # no signals: they keep no page connected
    assert page.evaluate("document.body.dataset.signals") == "off"
    hall.play("white", "e2e4")
    expect(page.locator("#signals-choice")).to_have_attribute("data-due", "yes")
    assert page.evaluate("done") == {"tones": 0, "buzzes": []}
    expect(page.locator("body")).not_to_have_class("signalled")


def test_a_turn_is_signalled_by_sound_vibration_and_border(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    context.add_init_script(f"({_COUNTED})()")
    page = enter(context, hall, "black")
    chosen(page, "sound", "vibration", "border")
    accessible(page)
    hall.play("white", "e2e4")
    expect(page.locator("body")).to_have_class("signalled")
    becomes(page, "done.tones === 2 && done.buzzes.length === 1")
    assert signals(page) == 1
    hall.play("black", "e7e5")
    expect(page.locator("body")).not_to_have_class("signalled")
    hall.table.submit(f.Announce(by="white", move="g1f3"))  # to be repeated (D.2.1)
    expect(page.locator("body")).to_have_class("signalled")
    assert signals(page) == 2


def test_the_choice_is_kept_on_this_device(context: BrowserContext, hall: Hall) -> None:
    hall.start()
    page = enter(context, hall, "black")
    chosen(page, "border")
    page.reload()
    page.locator("#signals-choice summary").click()
    expect(page.locator("#signal-border")).to_be_checked()
    expect(page.locator("#signal-sound")).not_to_be_checked()
    page.locator("#signal-try").click()
    expect(page.locator("body")).to_have_class("signalled")


def test_the_border_flashes_at_most_three_times_and_not_where_less_motion_is_wanted(
    context: BrowserContext, hall: Hall
) -> None:
    """No more than three flashes within any second (2.3.1)."""
    hall.start()
    page = enter(context, hall, "black")
    chosen(page, "border")
    hall.play("white", "e2e4")
    expect(page.locator("body")).to_have_class("signalled")
    style = "getComputedStyle(document.body, '::after')"
    times, seconds = page.evaluate(
        f"[{style}.animationIterationCount, parseFloat({style}.animationDuration)]"
    )
    assert (int(times), seconds) == (3, 1)
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(f"{style}.animationName") == "none"
    assert page.evaluate(f"{style}.borderTopStyle") == "solid"


def test_without_scripts_nothing_offers_signals(browser: Browser, hall: Hall) -> None:
    hall.start()
    with person(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{hall.host.url}/")
        token = hall.link("black").partition("#")[2]
        page.locator("#token").fill(token)
        page.locator("#enter button").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Bert")
        assert page.locator("#signals-choice").is_hidden()


def test_a_move_glides_and_knocks_only_where_that_is_wanted(
    context: BrowserContext, hall: Hall
) -> None:
    """Without a choice it glides in 120 ms and makes no sound; with both choices it is the other
    way round, and less motion wins over all."""
    hall.start()
    context.add_init_script(f"({_COUNTED})()")
    context.add_init_script("""{
        window.glided = [];
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (frames, how) {
            glided.push([this.parentElement.dataset.square, how.duration]);
            return animate.call(this, frames, how);
        };
    }""")
    page = enter(context, hall, "black")
    expect(page.locator("#signals-choice")).to_be_visible()

    def seen(by: str, move: str) -> object:
        hall.play(by, move)
        if by == "white":  # Black executes it on the own board
            hall.table.submit(f.Make(by="black", move=move))
        expect(page.locator(f"#sq-{move[2:]} img")).to_be_visible()
        return page.evaluate("[glided.splice(0), done.tones]")

    assert seen("white", "e2e4") == [[["e4", 120]], 0]
    chosen(page, "moves", "still")
    assert seen("black", "e7e5") == [[], 1]
    page.locator("#signal-still").uncheck()
    page.emulate_media(reduced_motion="reduce")
    assert seen("white", "g1f3") == [[], 2]
