"""Tickets are for one table, one use, ten minutes and three tries."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.ticket_exchange import TableSide
from blindplay.hall.tickets import TRIES, VALID_S, NoTicketError, Tickets
from blindplay.six_digits import WrongDigitsError


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
