"""What holds for the buttons and fields of every page of a player or an assistant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, Page, expect

from blindplay.laws import facts as f
from tests.console.browser import go_in, up_to_date, violations
from tests.console.hall import Hall
from tests.sampling import first

STATES: dict[str, Callable[[Hall], object]] = {
    "before the start": lambda hall: None,
    "beginning": lambda hall: hall.start(),
    "announced": lambda hall: hall.table.submit(f.Announce(by="white", move="g1f3")),
    "moved": lambda hall: hall.play("white", "g1f3"),
    "offered": lambda hall: hall.table.submit(f.OfferDraw(by="white")),
    "arbiter needed": lambda hall: hall.table.submit(f.ClaimDraw(by="black", rule="repetition")),
    "going on": lambda hall: hall.table.submit(f.Arbiter(do="reject")),
    "answered": lambda hall: hall.play("black", "g8f6"),
    "both asked": lambda hall: [
        hall.table.submit(f.Arbiter(do="withdraw")),
        hall.table.submit(f.Irregular(by="white", what="wrong_start")),
    ],
    "one says no": lambda hall: [
        hall.table.submit(f.Consent(by="white", given=False)),
        hall.table.submit(f.Arbiter(do="preside")),
    ],
    "adjourning": lambda hall: hall.table.submit(f.Arbiter(do="adjourn")),
    "over": lambda hall: hall.table.submit(f.Resign(by="black")),
}
# The name of each button, and what it does: what it would send, or what it unfolds.
NAMES = """() => [...document.querySelectorAll("main button, main summary, footer button")].map(
    (one) => {
        const named = one.getAttribute("aria-labelledby")?.split(" ")
            .map((id) => document.getElementById(id)?.textContent).join(" ");
        const name = one.getAttribute("aria-label") ?? named ?? one.textContent;
        const sent = one.form && one.type === "submit"
            ? [...new FormData(one.form, one)].filter(([field]) => field !== "seen").join("&")
            : one.id || one.parentElement.id || one.outerHTML;
        return [name.replace(/\\s+/g, " ").trim(), sent];
    }
)"""


@pytest.mark.parametrize(("role", "training"), first(3, [
    ("white", True), ("black", False), ("assistant:white", True),
    ("white", False), ("black", True), ("assistant:white", False),
]))  # fmt: skip
def test_no_two_buttons_of_a_page_share_a_name_and_do_different_things(
    context: BrowserContext, hall: Hall, role: str, training: bool
) -> None:
    hall.table.training = training
    page = context.new_page()
    go_in(page, hall, role)
    for state, reach in STATES.items():
        reach(hall)
        up_to_date(page, hall.table)
        does: dict[str, set[str]] = {}
        for name, what in page.evaluate(NAMES):
            assert name, (state, what)
            does.setdefault(name, set()).add(what)
        assert {name: what for name, what in does.items() if len(what) > 1} == {}, state


@pytest.fixture
def page(context: BrowserContext, hall: Hall) -> Page:
    hall.start()
    page = context.new_page()
    go_in(page, hall, "white")
    return page


def test_a_refused_field_says_so_until_it_is_changed(page: Page, hall: Hall) -> None:
    field = page.locator("#text")
    field.fill("Ke5")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    described = (field.get_attribute("aria-describedby") or "").split()
    assert "text-hint" in described
    reason = page.locator(f"#{described[-1]}")
    expect(reason).to_contain_text("not a legal move")
    assert violations(page) == []
    hall.table.submit(f.Announce(by="white", move="e2e4"))  # what happens meanwhile keeps it
    expect(page.locator(".announced")).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    field.press("End")
    field.press_sequentially("x")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(reason).to_have_count(0)
    assert field.get_attribute("aria-describedby") == "text-hint"


def test_what_is_refused_for_another_reason_marks_no_field(page: Page, hall: Hall) -> None:
    hall.play("white", "e2e4")
    up_to_date(page, hall.table)
    page.locator("#text").fill("d4")
    page.locator("#text").press("Enter")
    expect(page.get_by_role("alert")).not_to_be_empty()
    expect(page.locator("[aria-invalid]")).to_have_count(0)
