"""The addresses for tables with tickets: anybody may ask there, and gets nothing by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from blindplay.console.server import PageServer
from blindplay.hall.ticket_doors import TicketDoors
from blindplay.hall.ticket_exchange import BEGIN, FILE, OPEN, TableSide
from blindplay.hall.tickets import Tickets
from tests import web


@pytest.fixture
def tickets(tmp_path: Path) -> Tickets:
    (tmp_path / "table-4.toml").write_text("the file", "utf-8")
    return Tickets(tmp_path, "192.0.2.1:8080")


@pytest.fixture
def client(tickets: Tickets) -> Iterator[httpx.Client]:
    server = PageServer(port=0)
    server.start(Starlette(routes=TicketDoors(tickets).routes))
    with web.Client(base_url=server.url) as client:
        yield client
    server.close()


def test_only_names_of_tables_are_told(client: httpx.Client, tickets: Tickets) -> None:
    assert client.get(OPEN).json() == {"tables": []}
    tickets.show("4")
    assert client.get(OPEN).json() == {"tables": ["4"]}


def test_both_steps_bring_the_file(client: httpx.Client, tickets: Tickets) -> None:
    tickets.show("4")
    side = TableSide(tickets.shown()[0].digits, "4")
    begun = client.post(BEGIN, data={"table": "4", "message": side.message.hex()}).json()
    side.agree(bytes.fromhex(begun["message"]))
    proof = {"exchange": begun["exchange"], "proof": side.proof.hex()}
    sealed = client.post(FILE, data=proof).json()["file"]
    assert side.opened(bytes.fromhex(sealed)) == b"the file"
    assert client.post(FILE, data=proof).status_code == 404


@pytest.mark.parametrize(
    ("path", "form", "status"),
    [
        (BEGIN, {}, 404),
        (BEGIN, {"table": "5", "message": ""}, 404),
        (BEGIN, {"table": "4", "message": "zz"}, 400),
        (BEGIN, {"table": "4", "message": "41" * 33}, 400),
        (FILE, {}, 404),
        (FILE, {"exchange": "é", "proof": "00"}, 404),
        (FILE, {"exchange": "x", "proof": "z"}, 400),
    ],
)
def test_nonsense_is_refused(
    client: httpx.Client, tickets: Tickets, path: str, form: dict[str, str], status: int
) -> None:
    tickets.show("4")
    assert client.post(path, data=form).status_code == status


def test_whoever_asks_too_often_is_refused(client: httpx.Client) -> None:
    assert {client.post(BEGIN).status_code for _ in range(25)} == {404, 429}
