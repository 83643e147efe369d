"""Serving the pages of a hall, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from blindplay.laws import facts as f
from tests.console.browser import accessible, violations

from .conftest import Event
from .playing import play
from .served import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytest.importorskip("playwright")


@pytest.fixture
def hall_pages(event: Event) -> Iterator[Served]:
    with served(event) as found:
        yield found


def test_an_arbiter_keeps_a_link_until_a_new_one_is_given(hall_pages: Served) -> None:
    links = hall_pages.host.links(["Maria", "Jens"])
    assert links.keys() == {"Maria", "Jens"}
    assert hall_pages.host.links(["Maria", "Jens"]) == {}
    assert hall_pages.host.links(["Maria"], anew=True)["Maria"] != links["Maria"]


def test_an_arbiter_goes_from_an_urgent_table_to_the_next_by_one_key(
    hall_pages: Served, context: BrowserContext
) -> None:
    from playwright.sync_api import expect

    tables = {name: hall_pages.event.table(name) for name in ("1", "2")}
    for name, table in tables.items():
        hall_pages.event.publish(table, name)
        play(table, "e2e4")
        assert hall_pages.follows(table, name)
    page = context.new_page()
    page.goto(hall_pages.link())
    expect(page.locator("#urgent-list")).to_have_text("No table needs anybody.")
    tables["2"].submit(f.CallArbiter(by="white"))
    expect(page.locator("#urgent")).to_have_text("Table 2: the arbiter is called.")
    expect(page).to_have_title("● 1 – Nordic Open – BlindPlay")
    accessible(page)
    page.select_option("#show", "needs")
    expect(page.locator("#t-1")).to_be_hidden()
    third = hall_pages.event.table("3")  # joins while the page is open
    hall_pages.event.publish(third, "3")
    third.submit(f.Start())
    third.submit(f.CallArbiter(by="black"))
    expect(page.locator("#tables > li:visible")).to_have_count(2)
    page.select_option("#view", "list")
    expect(page.locator("tr#t-2")).to_be_visible()
    expect(page.locator("tr#t-1")).to_be_hidden()
    accessible(page)
    page.keyboard.press("F4")
    expect(page.locator("h1")).to_have_text("Table 2: The arbiter's page")
    page.wait_for_load_state()  # before that no script hears a key
    page.keyboard.press("F8")
    expect(page.locator("#stop")).to_have_count(1)
    page.keyboard.press("F4")
    expect(page.locator("h1")).to_have_text("Table 3: The arbiter's page")
    for name in ("machines", "report", "evidence"):
        page.goto(f"{hall_pages.host.url}/hall/{name}")
        assert violations(page) == []
    assert [taken.fact.who for taken in tables["2"].log if taken.fact.who] == ["Maria Berg"]
