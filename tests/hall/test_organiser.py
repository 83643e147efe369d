"""The pages for the organiser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import web

from .conftest import Event
from .served import Arbiter, Served, served


@pytest.fixture
def hall(event: Event, tmp_path: Path) -> Iterator[Served]:
    for name in ("2", "10", "1"):
        (tmp_path / f"table-{name}.toml").write_text("", "utf-8")
    with served(event, tables=tmp_path) as found:
        yield found


def test_only_those_with_a_link_see_and_show_tickets(hall: Served) -> None:
    with web.Client(base_url=hall.host.url, headers={"origin": hall.host.url}) as nobody:
        for path in ("/hall/machines", "/hall/report", "/hall/tickets"):
            assert nobody.get(path).status_code == 401
        assert nobody.post("/hall/ticket", data={"table": "1"}).status_code == 401
        assert nobody.get("/ticket/open").json() == {"tables": []}


def test_tables_that_are_not_connected_can_get_a_ticket_in_their_order(hall: Served) -> None:
    hall.event.publish(table := hall.event.table("2"), "2")
    assert hall.follows(table, "2")
    maria = Arbiter(hall).enter()
    page = maria.page("/hall/tickets")
    assert [part.partition('"')[0] for part in page.split('<option value="')[1:]] == ["1", "10"]
    assert "No ticket is open." in page and "start the hall with --host 0.0.0.0" in page
    maria.client.post("/hall/ticket", data={"table": "../hall"})
    assert "No ticket is open." in maria.page("/hall/tickets")


def test_without_files_of_tables_there_are_no_tickets(event: Event) -> None:
    with served(event) as hall:
        maria = Arbiter(hall).enter()
        assert maria.client.get("/hall/tickets").status_code == 404
        assert maria.client.get("/ticket/open").status_code == 404
        assert "tickets" not in maria.page("/hall/")
