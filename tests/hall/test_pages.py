"""The hall's page: all tables, those that need somebody first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.hall.incidents import KINDS
from blindplay.hall.overview import NEEDS
from blindplay.laws import facts as f
from blindplay.table import Table
from tests import web
from tests.waiting import until

from .conftest import Event
from .playing import play
from .served import Arbiter, Served, served


@pytest.fixture
def hall_pages(event: Event) -> Iterator[Served]:
    with served(event) as found:
        yield found


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
    assert "the arbiter is called since" in urgent and "/tables/10/arbiter/" in urgent
    assert "/tables/1/arbiter/" not in urgent
    places = [everything.index(f'id="t-{name}"') for name in ("1", "2", "10")]
    assert places == sorted(places)
    assert "Tables: 3. Playing: 3" in urgent and "<title" in page and "● 1 – Nordic Open" in page


def test_pages_that_cannot_be_brought_up_to_date_say_so_until_they_are(
    maria: Arbiter, hall_pages: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("nobody has foreseen this")

    said = "pages have a fault"
    assert said not in maria.page("/hall/")
    monkeypatch.setattr(hall_pages.host.pages.overview, "look", fail)
    assert until(lambda: said in maria.page("/hall/"))
    monkeypatch.undo()
    assert until(lambda: said not in maria.page("/hall/"))


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
