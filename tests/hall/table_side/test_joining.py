"""A table fetches its file with a ticket, from a hall that serves its pages."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.console.encryption import IssuedCertificate
from blindplay.console.server import PageServer
from blindplay.console.sign_in import guarded
from blindplay.hall.event_file import read_event_file
from blindplay.hall.new_event import EventPlan, write_event
from blindplay.hall.table_side.joining import join, ticket_of
from blindplay.hall.tickets import TicketRoutes, Tickets
from tests.hall.running import Arbiter, Event, Served, served

PLAN = EventPlan("Nordic Open", 7, "fide-2023", "5400+30", 2, ("de",), "192.0.2.7")


@pytest.fixture
def hall(event: Event, tmp_path: Path) -> Iterator[Served]:
    write_event(PLAN, tmp_path / "nordic-open")
    with served(event, tables=tmp_path / "nordic-open") as found:
        yield found


def shown(hall: Served, table: str) -> tuple[str, str]:
    """The digits and the address that the page shows for a new ticket of ``table``."""
    maria = Arbiter(hall).enter()
    assert maria.client.post("/hall/ticket", data={"table": table}).status_code == 303
    page = maria.page("/hall/tickets")
    command = page.rpartition("blindplay play --hall ")[2].partition(" --await-pairing</code>")[0]
    digits, _, address = command.partition("@")
    assert f"Table {table}: {' '.join(digits)}" in page
    return digits, address


def never(tables: object) -> str:
    raise AssertionError(tables)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("482915", ("482915", "")),
        ("482915@192.168.1.20:8080", ("482915", "192.168.1.20:8080")),
        ("table-4.toml", None),
        ("48291", None),
        ("4829150", None),
        ("٤٨٢٩١٥", None),
    ],
)
def test_a_ticket_has_six_digits_and_an_address_or_none(
    text: str, found: tuple[str, str] | None
) -> None:
    assert ticket_of(text) == found


def test_the_digits_of_the_page_bring_the_file(hall: Served, tmp_path: Path) -> None:
    digits, address = shown(hall, "2")
    joined, path = join(digits, address, never, tmp_path / "kept")
    assert (joined.event, joined.table) == ("nordic-open", "2")
    assert path.read_bytes() == (tmp_path / "nordic-open" / "table-2.toml").read_bytes()
    assert read_event_file(path, table=True) == joined.__class__(
        **{**vars(joined), "folder": path.parent / "hall-nordic-open"}
    )
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o600
    assert "Table 2 has fetched its file." in Arbiter(hall).enter().page("/hall/tickets")


def test_a_hall_that_encrypts_with_the_events_certificate_gives_the_file_too(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "nordic-open"
    write_event(replace(PLAN, encrypt=True), folder)
    issuer = read_event_file(folder / "hall.toml", table=False).issuer()
    assert issuer is not None
    server = PageServer("0.0.0.0", 0, IssuedCertificate(issuer))
    tickets = Tickets(folder, "")
    server.start(guarded(TicketRoutes(tickets).routes, server.hosts, lambda request: True))
    try:
        tickets.show("2")
        (ticket,) = tickets.shown()
        joined, path = join(ticket.digits, f"127.0.0.1:{server.port}", never, tmp_path / "kept")
        assert joined.table == "2" and path.read_bytes() == (folder / "table-2.toml").read_bytes()
        own = joined.issuer()
        assert own is not None and own.authority == issuer.authority and own.key != issuer.key
    finally:
        server.close()


def test_of_several_tables_with_tickets_somebody_says_which_it_is(
    hall: Served, tmp_path: Path
) -> None:
    shown(hall, "1")
    digits, address = shown(hall, "2")

    def which(tables: Sequence[str]) -> str:
        assert tables == ["1", "2"]
        return "2"

    joined, _ = join(digits, f"http://{address}/hall/", which, tmp_path / "kept")
    assert joined.table == "2"


def test_wrong_digits_are_refused_and_named_on_the_page(hall: Served, tmp_path: Path) -> None:
    digits, address = shown(hall, "1")
    wrong = f"{(int(digits) + 1) % 1_000_000:06}"
    with pytest.raises(ValueError, match="This is not the ticket of table 1"):
        join(wrong, address, never, tmp_path / "kept")
    maria = Arbiter(hall).enter()
    assert "Somebody tried a wrong ticket for table 1." in maria.page("/hall/tickets")
    assert "Tries left: 2." in maria.page("/hall/tickets")
    assert "Wrong tickets that somebody tried: 1." in maria.page("/hall/")
    assert join(digits, address, never, tmp_path / "kept")[0].table == "1"


def test_without_a_ticket_or_a_hall_one_sentence_says_so(hall: Served, tmp_path: Path) -> None:
    address = hall.host.url.partition("//")[2]
    for given, sentence in [
        (address, "no open ticket"),
        ("127.0.0.1:1", "cannot be reached"),
        ("[", "is not an address"),
        (f"{address.partition(':')[0]}:{hall.event.broker.broker.port}", "cannot be reached"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            join("000000", given, never, tmp_path)
