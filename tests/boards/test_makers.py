"""Which driver an address asks for."""

from __future__ import annotations

import pytest

from blindplay.boards import reporting
from blindplay.boards.dgt import DgtBoard
from blindplay.boards.makers import driver_of, located
from blindplay.boards.millennium import MillenniumBoard
from blindplay.boards.peg import PegBoard
from blindplay.boards.ports import BoardNotFoundError, FoundPort
from tests.boards.emulated import EmulatedReportingBoard
from tests.boards.wires import Millennium


def test_the_name_alone_searches_for_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        reporting, "nearby", lambda: [("ble://A1", "Lamp"), ("ble://A2", "DGT_Pegasus_7")]
    )
    assert located("pegasus") == located("pegasus:") == "pegasus:ble://A2"
    with EmulatedReportingBoard(Millennium(), force_socket=True) as board:
        port = FoundPort(board.url, "", 0x0403, 0x6001, None, True)
        assert MillenniumBoard.find(lambda: [port]) == board.url
    monkeypatch.setattr(reporting, "nearby", list)
    for name in ("pegasus", "millennium"):
        with pytest.raises(BoardNotFoundError, match="was found: "):
            located(name)


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
