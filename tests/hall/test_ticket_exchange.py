"""Two sides that know the same six digits, and others that do not."""

from __future__ import annotations

import pytest

from blindplay.hall.ticket_exchange import HallSide, TableSide
from blindplay.six_digits import WrongDigitsError


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
