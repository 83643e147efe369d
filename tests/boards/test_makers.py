"""Which driver an address asks for."""

from __future__ import annotations

import pytest

from blindplay.boards.dgt import DgtBoard
from blindplay.boards.makers import driver_of
from blindplay.boards.peg import PegBoard


@pytest.mark.parametrize(
    ("address", "driver", "url"),
    [
        ("/dev/ttyUSB0", PegBoard, "/dev/ttyUSB0"),
        ("socket://127.0.0.1:5000", PegBoard, "socket://127.0.0.1:5000"),
        ("dgt:/dev/ttyUSB0", DgtBoard, "/dev/ttyUSB0"),
        ("dgt:socket://127.0.0.1:5000", DgtBoard, "socket://127.0.0.1:5000"),
        ("dgt:", DgtBoard, ""),
    ],
)
def test_the_prefix_of_an_address_names_the_maker(address: str, driver: type, url: str) -> None:
    assert driver_of(address) == (driver, url)
