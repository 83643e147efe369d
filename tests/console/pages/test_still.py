"""Nothing on a page moves unless a person moves it: the places of elements over whole turns."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from blindplay.laws import facts as f
from tests.console.browser import APART, go_in, person, up_to_date
from tests.console.hall import Hall

SIZES: dict[str, ViewportSize] = {
    "phone": {"width": 390, "height": 844},
    "phone across": {"width": 844, "height": 390},
    "tablet": {"width": 820, "height": 1180},
    "desk": {"width": 1400, "height": 900},
    "twice": {"width": 700, "height": 450},
    "four times": {"width": 350, "height": 225},
}
"""The last two are the desk at twice and at four times the size."""

# Where the parts of a turn stand in the window, and how far it is scrolled.
_PLACES = """() => Object.fromEntries([
    ["scrolled", [scrollX, scrollY]],
    ...[".board", "#sq-a1", "#sq-h8", "#theirs", "#next", "#mine"].map(name => {
        const { x, y, width } = document.querySelector(name).getBoundingClientRect();
        return [name, [x, y, width].map(Math.round)];
    }),
])"""


@pytest.fixture
def opened(browser: Browser, tmp_path: Path, size: str) -> Iterator[tuple[Hall, Page]]:
    """A game after a few moves, and Black's page in a window of this size."""
    hall = Hall(tmp_path, language="en", announce_in="en", time_control="5400+30")
    touch = size in ("phone", "phone across", "tablet")
    hall.start()
    hall.play("white", "e2e4")
    with person(browser, viewport=SIZES[size], has_touch=touch, is_mobile=touch) as context:
        page = context.new_page()
        go_in(page, hall, "black")
        expect(page.locator("#due-repeat_and_execute")).to_be_visible()
        yield hall, page
    hall.close()


def _drag(page: Page, source: str, to: str) -> None:
    """Drag a piece as a pointer does, in steps."""
    places = [page.locator(f"#sq-{name}").bounding_box() for name in (source, to)]
    (x, y), (then_x, then_y) = [
        (one["x"] + one["width"] / 2, one["y"] + one["height"] / 2) for one in places if one
    ]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + then_x) / 2, (y + then_y) / 2, steps=3)
    page.mouse.move(then_x, then_y, steps=3)
    page.mouse.up()


def _touch(page: Page, source: str, to: str) -> None:
    press = page.tap if page.evaluate("navigator.maxTouchPoints") else page.click
    press(f"#sq-{source}")
    press(f"#sq-{to}")


_BOTH_WAYS = [
    pytest.param(size, choose, id=f"{size}-{how}", marks=() if usual else pytest.mark.long)
    for number, size in enumerate(SIZES)
    for way, (how, choose) in enumerate({"by touch": _touch, "by drag": _drag}.items())
    for usual in [number % 2 == way]
]
"""Each size in one way always, and in the other in the long tests."""


@pytest.mark.parametrize(("size", "choose"), _BOTH_WAYS)
def test_nothing_moves_over_a_whole_turn(
    opened: tuple[Hall, Page], size: str, choose: Callable[[Page, str, str], None]
) -> None:
    """Black repeats, moves, presses, also in a step of its own, and waits; then White moves. The
    board and both clocks stay, and the next step is where the last one was, in view."""
    hall, page = opened
    apart = choose is _drag
    if apart:
        page.evaluate(APART)
        page.reload()
    press = page.tap if page.evaluate("navigator.maxTouchPoints") else page.click
    found: dict[str, Any] = {}

    def note(step: str) -> None:
        up_to_date(page, hall.table)
        found[step] = page.evaluate(_PLACES)

    note("repeat")
    press("#due-repeat_and_execute")
    expect(page.locator("#text")).to_be_visible()
    note("move")
    choose(page, "e7", "e5")
    expect(page.locator("#text")).to_have_value("e7e5")
    note("chosen")
    expect(page.locator("#next button.main")).to_be_in_viewport()
    press("#next button.main")
    if apart:
        expect(page.locator("#press")).to_be_visible()
        note("press")
        press("#press")
    expect(page.locator("#next [data-state=wait]")).to_be_visible()
    note("wait")
    hall.table.submit(f.Repeat(by="white", move="e7e5"))
    hall.play("white", "g1f3")
    expect(page.locator("#due-repeat_and_execute")).to_be_visible()
    expect(page.locator("#due-repeat_and_execute")).to_be_in_viewport()
    note("repeat again")
    first = found["repeat"]
    assert {step: one for step, one in found.items() if one != first} == {}, first
    if size != "four times":  # there the clocks are below
        expect(page.locator("#mine")).to_be_in_viewport(ratio=0.99)
    expect(page.locator("#next")).to_be_in_viewport(ratio=0.8)


def test_the_board_is_large_and_ten_moves_are_in_view(
    context: BrowserContext, tmp_path: Path
) -> None:
    """At 1400 × 900 the board has 44 % of the width, on a phone 55 %; the newest of 30 moves come
    first, and ten of them are seen."""
    hall = Hall(tmp_path, language="en", announce_in="en")
    hall.start()
    chance = random.Random(1)
    for ply in range(60):
        board = hall.table.game.board
        quiet = [one.uci() for one in board.legal_moves if not board.is_capture(one)]
        move = chance.choice(quiet)
        hall.play(("white", "black")[ply % 2], move)
        hall.table.submit(f.Record(by="black", ply=ply + 1, text=move))
    page = context.new_page()
    page.set_viewport_size(SIZES["desk"])
    try:
        go_in(page, hall, "black")
        row = page.locator("#sheet tbody tr")
        expect(row).to_have_count(30)
        expect(row.first).to_contain_text("30")
        for number in range(10):
            expect(row.nth(number)).to_be_in_viewport(ratio=1)
        for size, share in (("desk", 0.44), ("phone", 0.55)):
            page.set_viewport_size(SIZES[size])
            width = page.locator(".board").first.evaluate("one => one.offsetWidth")
            assert width >= share * SIZES[size]["width"]
    finally:
        hall.close()
