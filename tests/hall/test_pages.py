"""The pages of a hall, as an arbiter's browser and a player's telephone see them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.console.stream import PageNow, Stream
from blindplay.hall.event_file import MailServer
from blindplay.hall.incidents import KINDS
from blindplay.hall.overview import NEEDS
from blindplay.hall.pages import HallHost
from blindplay.hall.pairings.rounds import Assignment, Round, keep_round
from blindplay.laws import facts as f
from blindplay.table import Table
from tests import web
from tests.waiting import until

from .running import Arbiter, Event, Served, play
from .showcase import Showcase, showcase

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


@pytest.fixture
def tables(hall_pages: Served) -> list[Table]:
    """Tables 1 and 2, which play, and 10, whose White has called the arbiter."""
    found = []
    for name in ("1", "2", "10"):
        table = hall_pages.event.table(name)
        hall_pages.event.publish(table, name)
        play(table, "e2e4")
        if name == "10":
            table.submit(f.CallArbiter(by="white"))
        assert hall_pages.follows(table, name)
        found.append(table)
    overview = hall_pages.host.pages.overview
    assert until(lambda: len(overview.names) == 3 and overview.urgent)
    return found


@pytest.fixture
def maria(hall_pages: Served, tables: list[Table]) -> Arbiter:
    return Arbiter(hall_pages).enter()


def test_without_a_link_there_is_nothing_to_see(hall_pages: Served) -> None:
    with web.Client(base_url=hall_pages.host.url) as nobody:
        assert "Come in to the hall" in nobody.get("/").text
        for path in ("/hall/", "/hall/changes", "/hall/next", "/tables/1/arbiter/"):
            assert nobody.get(path).status_code == 401
        wrong = nobody.post("/enter", data={"token": "x"}, headers={"origin": hall_pages.host.url})
        assert wrong.status_code == 403 and "opens nothing" in wrong.text


def test_the_tables_that_need_somebody_come_first(maria: Arbiter) -> None:
    page = maria.page("/hall/")
    urgent, everything = page.partition('id="all"')[::2]
    assert "the arbiter is called (just now)" in urgent and "/tables/10/arbiter/" in urgent
    assert "/tables/1/arbiter/" not in urgent
    places = [everything.index(f'id="t-{name}"') for name in ("1", "2", "10")]
    assert places == sorted(places)
    assert "Tables: 3. Playing: 3" in urgent and "<title" in page and "● 1 – Nordic Open" in page


def test_a_table_that_comes_in_while_the_page_is_drawn_breaks_no_page(
    hall_pages: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, maria = hall_pages.host.pages, Arbiter(hall_pages).enter()
    state, comes = Stream.now, [hall_pages.event.table()]

    def draw(stream: Stream) -> PageNow:
        drawn = state(stream)
        while comes:
            hall_pages.event.publish(comes.pop())
            assert until(lambda: "1" in hall_pages.hall.follower.tables)
            looks = threading.Thread(target=pages._look, args=([],), kwargs={"everything": True})
            looks.start()
            looks.join(0.2)  # it waits until the page is drawn
        return drawn

    monkeypatch.setattr(Stream, "now", draw)
    maria.page("/hall/")


def test_pages_that_cannot_be_brought_up_to_date_say_so_until_they_are(
    maria: Arbiter, hall_pages: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("nobody has foreseen this")

    said = "pages have a fault"
    assert said not in maria.page("/hall/")
    stream = hall_pages.host.pages._view("en", "grid").stream
    place = stream.now().place
    monkeypatch.setattr(hall_pages.host.pages.overview, "look", fail)
    assert until(lambda: said in maria.page("/hall/"))
    missed = stream.since(place)
    assert missed is not None
    change = json.loads(missed[1])
    assert [rests for sentence, _, rests in change["told"] if said in sentence] == [
        {"fault": change["state"]["fault"]}  # it disappears when the fault is over
    ]
    monkeypatch.undo()
    assert until(lambda: said not in maria.page("/hall/"))
    assert stream.now().aspects["fault"] == "" != change["state"]["fault"]


@pytest.mark.parametrize("rewritten", [False, True])
def test_the_links_of_mails_work_under_the_address_in_the_file(
    event: Event, rewritten: bool
) -> None:
    """A proxy passes on the name by which the browser called it, or calls the hall by another."""
    server = MailServer("127.0.0.1", "hall@example.org", url="https://hall.example.org")
    joined = replace(event.joined(), folder=event.folder / "hall", mail=server)
    host = HallHost(event.hall(), joined, port=0)
    try:
        called = {} if rewritten else {"host": "hall.example.org"}
        link = f"{host.url}/where/mail/token"
        assert web.get(link, headers=called).status_code == 200
        for origin, status in (
            ("https://hall.example.org", 200),
            ("https://example.org", 403),
            ("http://hall.example.org", 200 if called else 403),  # by its name without a proxy
        ):
            answer = web.post(link, data={"act": "confirm"}, headers={**called, "origin": origin})
            assert answer.status_code == status
        assert web.get(link, headers={"host": "example.org"}).status_code == 400
    finally:
        host.close()


@pytest.mark.parametrize("view", ["grid", "list"])
def test_a_filter_shows_some_tables_also_without_a_script(maria: Arbiter, view: str) -> None:
    page = maria.page(f"/hall/?view={view}&show=needs")
    row = "tr" if view == "list" else "li"
    assert f'<{row} id="t-1" hidden>' in page and f'<{row} id="t-10">' in page
    page = maria.page(f"/hall/?view={view}&find=anna")
    assert "hidden>" not in page.partition('id="tables"')[2].partition("</section>")[0]


def test_next_leads_to_the_most_urgent_table_and_then_to_the_others(
    maria: Arbiter, hall_pages: Served, tables: list[Table]
) -> None:
    def following(after: str) -> str:
        return maria.client.get(f"/hall/next{after}").headers["location"]

    assert following("") == "/tables/10/arbiter/"
    assert following("?after=10") == "/hall/"
    assert "No other table needs anybody." in maria.page("/hall/")
    tables[0].submit(f.CallArbiter(by="black"))
    assert until(lambda: following("?after=10") == "/tables/1/arbiter/")
    assert following("?after=1") == "/tables/10/arbiter/"


def test_changes_come_as_events_with_what_is_new(maria: Arbiter, tables: list[Table]) -> None:
    page = maria.page("/hall/")
    place = page.partition('data-place="')[2].partition('"')[0]
    with maria.client.stream("GET", f"/hall/changes?since={place}&view=grid") as stream:
        lines = stream.iter_lines()
        tables[1].submit(f.CallArbiter(by="white"))
        told = next(line for line in lines if line.startswith("data: {") and "told" in line)
        while "Table 2: the arbiter is called." not in told:
            told = next(line for line in lines if line.startswith("data: {"))
    assert '"t-2"' in told and '"t-1"' not in told


def test_every_need_and_incident_has_its_words() -> None:
    for language in LANGUAGES:
        say = catalogue(language)
        assert all(f"hall_need_{need}" in say for need in NEEDS)
        assert all(f"hall_incident_{kind}" in say for kind in KINDS)


ROUND = Round("3", (Assignment("3", "4", "Anna Berg", "Bert Dahl"),), ("Carl Lund",))


@pytest.mark.parametrize("language", LANGUAGES)
def test_anybody_learns_where_they_play(hall_pages: Served, language: str) -> None:
    headers = {"accept-language": language}
    with web.Client(base_url=hall_pages.host.url, headers=headers) as browser:
        say = catalogue(language)
        assert f'<a href="/where">{say["hall_where"]}</a>' in browser.get("/").text
        assert say["hall_where_unpaired"] in browser.get("/where?name=Berg").text
        keep_round(hall_pages.hall.follower.folder, ROUND)
        for name in ("anna berg", "Dahl"):
            page = browser.get("/where", params={"name": name}).text
            assert "Anna Berg" in page and "Bert Dahl" in page and "4" in page
        assert "Anna" not in browser.get("/where?name=a").text
        assert "Carl Lund" in browser.get("/where?name=lund").text
        nobody = browser.get("/where", params={"name": "<b>Nobody"}).text
        assert "&lt;b&gt;Nobody" in nobody and "<b>" not in nobody


def test_pairings_that_cannot_be_read_are_said(hall_pages: Served) -> None:
    with web.Client(base_url=hall_pages.host.url) as browser:
        keep_round(hall_pages.hall.follower.folder, ROUND)
        (file,) = hall_pages.hall.follower.folder.glob("*pair*")
        file.write_text("{", "utf-8")
        assert "cannot be read" in browser.get("/where?name=Berg").text


def test_an_arbiter_keeps_a_link_until_a_new_one_is_given(hall_pages: Served) -> None:
    links = hall_pages.host.links(["Maria", "Jens"])
    assert links.keys() == {"Maria", "Jens"}
    assert hall_pages.host.links(["Maria", "Jens"]) == {}
    assert hall_pages.host.links(["Maria"], anew=True)["Maria"] != links["Maria"]


def test_an_arbiter_goes_from_an_urgent_table_to_the_next_by_one_key(
    hall_pages: Served, context: BrowserContext
) -> None:
    from playwright.sync_api import expect

    from tests.console.browser import accessible, violations

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
    page.locator("#view").focus()
    page.select_option("#view", "list")
    expect(page.locator("tr#t-2")).to_be_visible()
    expect(page.locator("#view")).to_be_focused()
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


@pytest.fixture
def forty(tmp_path: Path) -> Iterator[Showcase]:
    with showcase(tmp_path) as tables:
        yield tables


def test_forty_tables_are_in_one_window_and_an_alarm_moves_none(
    forty: Showcase, context: BrowserContext
) -> None:
    """Each table has one state: what it needs somebody for, or where its game stands."""
    from playwright.sync_api import expect

    page = context.new_page()
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(forty.link)
    cards = page.locator("#tables > li")
    expect(cards).to_have_count(40)
    places = "all => all.map(one => [one.offsetTop, one.offsetHeight])"
    before = cards.evaluate_all(places)
    link = page.locator("#open-12")
    link.focus()
    forty.tell("12", needs=["arbiter", "boards"])
    card = page.locator("#t-12")
    expect(card.locator(".stands")).to_have_text("the arbiter is called (just now)")
    expect(card).to_contain_text("Move 12: Ng1\u2060–\u2060f3")
    expect(link).to_be_focused()
    forty.tell("13", running="black")
    expect(page.locator("#t-13 .runs")).to_contain_text("Jürgen Müller")
    assert cards.evaluate_all(places) == before and len({height for _, height in before}) == 1
    assert (
        max(cards.evaluate_all("all => all.map(one => one.getBoundingClientRect().bottom)")) < 1080
    )
    clocks = page.locator(".clock .figures").evaluate_all(
        "all => all.map(one => one.getClientRects().length)"
    )
    assert set(clocks) == {1}
