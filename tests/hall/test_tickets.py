"""Tickets are for one table, one use, ten minutes and three tries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from blindplay.console.server import PageServer
from blindplay.hall.tickets import (
    BEGIN,
    FILE,
    OPEN,
    TRIES,
    VALID_S,
    HallSide,
    NoTicketError,
    TableSide,
    TicketRoutes,
    Tickets,
)
from blindplay.six_digits import WrongDigitsError
from tests import web


def agreed(table: TableSide, hall: HallSide) -> tuple[TableSide, HallSide]:
    hall.agree(table.message)
    table.agree(hall.message)
    return table, hall


def test_the_same_digits_bring_the_file() -> None:
    table, hall = agreed(TableSide("482915", "4"), HallSide("482915", "4"))
    sealed = hall.sealed(table.proof, b"the file")
    assert b"the file" not in sealed
    assert table.opened(sealed) == b"the file"


@pytest.mark.parametrize(("digits", "name"), [("482916", "4"), ("482915", "5")])
def test_other_digits_or_another_table_bring_nothing(digits: str, name: str) -> None:
    table, hall = agreed(TableSide(digits, name), HallSide("482915", "4"))
    with pytest.raises(WrongDigitsError):
        hall.sealed(table.proof, b"the file")


def test_a_table_takes_no_file_from_somebody_who_pretends_to_be_the_hall() -> None:
    table, _ = agreed(TableSide("482915", "4"), HallSide("482915", "4"))
    other_table, other = agreed(TableSide("000000", "4"), HallSide("000000", "4"))
    with pytest.raises(WrongDigitsError):
        table.opened(other.sealed(other_table.proof, b"a broker of somebody else"))


def test_a_changed_file_is_not_taken() -> None:
    table, hall = agreed(TableSide("482915", "4"), HallSide("482915", "4"))
    sealed = bytearray(hall.sealed(table.proof, b"the file"))
    sealed[0] ^= 1
    with pytest.raises(WrongDigitsError):
        table.opened(bytes(sealed))


def test_each_exchange_has_messages_and_proofs_of_its_own() -> None:
    first = agreed(TableSide("482915", "4"), HallSide("482915", "4"))
    second = agreed(TableSide("482915", "4"), HallSide("482915", "4"))
    assert len({side.message for side in (*first, *second)}) == 4
    with pytest.raises(WrongDigitsError):
        second[1].sealed(first[0].proof, b"the file")


@pytest.mark.parametrize(
    "message", [b"", b"A", b"A" + bytes(32), b"A" + b"\xff" * 32, b"B" + bytes(32), b"A" * 90]
)
def test_what_is_no_message_is_refused(message: bytes) -> None:
    with pytest.raises(WrongDigitsError):
        HallSide("482915", "4").agree(message)


def test_its_own_message_sent_back_is_refused() -> None:
    hall = HallSide("482915", "4")
    with pytest.raises(WrongDigitsError):
        hall.agree(b"A" + hall.message[1:])


class Clock:
    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tickets(tmp_path: Path, clock: Clock) -> Tickets:
    for name in ("4", "10"):
        (tmp_path / f"table-{name}.toml").write_text(f"file of {name}", "utf-8")
    (tmp_path / "table-.toml").write_text("", "utf-8")
    (tmp_path / "hall.toml").write_text("the hall's own", "utf-8")
    return Tickets(tmp_path, "192.0.2.1:8080", now=clock, wall=lambda: 5000.0)


def fetched(tickets: Tickets, digits: str, table: str = "4") -> bytes:
    side = TableSide(digits, table)
    exchange, message = tickets.begin(table, side.message)
    side.agree(message)
    return side.opened(tickets.file(exchange, side.proof, "192.0.2.7"))


def digits_of(tickets: Tickets, table: str = "4") -> str:
    return next(one.digits for one in tickets.shown() if one.table == table)


def other(digits: str) -> str:
    return f"{(int(digits) + 1) % 1_000_000:06}"


def test_only_tables_with_a_file_can_have_a_ticket(tickets: Tickets) -> None:
    assert sorted(tickets.tables()) == ["10", "4"]
    for name in ("5", "", "../hall"):
        with pytest.raises(KeyError):
            tickets.show(name)


def test_a_ticket_brings_its_table_its_file_once(tickets: Tickets) -> None:
    tickets.show("4")
    tickets.show("10")
    digits = digits_of(tickets)
    assert len(digits) == 6 and digits.isdigit()
    assert fetched(tickets, digits) == b"file of 4"
    assert [one.table for one in tickets.shown()] == ["10"]
    with pytest.raises(NoTicketError):
        fetched(tickets, digits)
    assert [(one.kind, one.table, one.address) for one in tickets.events] == [
        ("used", "4", "192.0.2.7")
    ]


def test_three_wrong_tries_end_a_ticket_and_are_counted(tickets: Tickets) -> None:
    tickets.show("4")
    digits = digits_of(tickets)
    for left in range(TRIES, 0, -1):
        assert tickets.shown()[0].tries == left
        with pytest.raises(WrongDigitsError):
            fetched(tickets, other(digits))
    assert tickets.wrong == TRIES and [one.kind for one in tickets.events] == ["wrong"] * TRIES
    with pytest.raises(NoTicketError):
        fetched(tickets, digits)


def test_an_exchange_that_is_broken_off_is_a_try_too(tickets: Tickets) -> None:
    tickets.show("4")
    for _ in range(TRIES):
        tickets.begin("4", TableSide("000000", "4").message)
    assert tickets.shown()[0].tries == 0 and tickets.wrong == 0
    with pytest.raises(NoTicketError):
        tickets.begin("4", TableSide(digits_of(tickets), "4").message)


def test_a_wrong_try_does_not_disturb_one_that_is_going_on(tickets: Tickets) -> None:
    tickets.show("4")
    digits = digits_of(tickets)
    side = TableSide(digits, "4")
    exchange, message = tickets.begin("4", side.message)
    with pytest.raises(WrongDigitsError):
        fetched(tickets, other(digits))
    side.agree(message)
    assert side.opened(tickets.file(exchange, side.proof, "")) == b"file of 4"


def test_a_proof_is_taken_once(tickets: Tickets) -> None:
    tickets.show("4")
    side = TableSide(other(digits_of(tickets)), "4")
    exchange, message = tickets.begin("4", side.message)
    side.agree(message)
    with pytest.raises(WrongDigitsError):
        tickets.file(exchange, side.proof, "")
    with pytest.raises(NoTicketError):
        tickets.file(exchange, side.proof, "")


def test_a_ticket_ends_after_ten_minutes_also_amid_an_exchange(
    tickets: Tickets, clock: Clock
) -> None:
    tickets.show("4")
    assert tickets.shown()[0].wall == 5000.0 + VALID_S == 5600.0
    side = TableSide(digits_of(tickets), "4")
    exchange, message = tickets.begin("4", side.message)
    side.agree(message)
    clock.at += VALID_S
    assert not tickets.shown()
    with pytest.raises(NoTicketError):
        tickets.file(exchange, side.proof, "")


def test_a_new_ticket_ends_the_one_of_before(tickets: Tickets) -> None:
    tickets.show("4")
    side = TableSide(digits_of(tickets), "4")
    exchange, message = tickets.begin("4", side.message)
    side.agree(message)
    tickets.show("4")
    with pytest.raises(NoTicketError):
        tickets.file(exchange, side.proof, "")
    assert fetched(tickets, digits_of(tickets)) == b"file of 4"


@pytest.fixture
def client(tickets: Tickets) -> Iterator[httpx.Client]:
    server = PageServer(port=0)
    server.start(Starlette(routes=TicketRoutes(tickets).routes))
    with web.Client(base_url=server.url) as client:
        yield client
    server.close()


def test_only_names_of_tables_are_told(client: httpx.Client, tickets: Tickets) -> None:
    assert client.get(OPEN).json() == {"tables": []}
    tickets.show("4")
    assert client.get(OPEN).json() == {"tables": ["4"]}


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
