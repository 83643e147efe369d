"""The driver that an address names, and the search for boards of all makers."""

from __future__ import annotations

import pytest

from blindplay.boards import makers, reporting
from blindplay.boards.dgt import DgtBoard
from blindplay.boards.makers import driver_of, find_boards, located
from blindplay.boards.millennium import MillenniumBoard
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg.emulator import EmulatedBoard
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


def test_each_board_is_found_with_the_address_that_board_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nearby() -> list[tuple[str, str]]:
        return [("ble://A1", "MILLENNIUM CHESS"), ("ble://A2", "A lamp")]

    monkeypatch.setattr(makers, "nearby", nearby)
    monkeypatch.setattr(makers, "plugged_in", lambda profile: [])
    with (
        EmulatedBoard(force_socket=True) as peg,
        EmulatedReportingBoard(Millennium(), force_socket=True) as millennium,
    ):
        ports = [
            FoundPort(peg.url, "", 0x1A86, 0x7523, None, True),
            FoundPort(millennium.url, "", 0x0403, 0x6001, None, True),
        ]
        found = dict(find_boards(pytest.fail, lambda: ports, seconds=1.0))
        nobody = FoundPort("socket://127.0.0.1:9", "", 0x1A86, 0x7523, None, True)
        said: list[str] = []
        assert len(list(find_boards(said.append, lambda: [nobody], seconds=0.1))) == 1
        assert len(said) == 1 and nobody.url in said[0]
    assert "pegged board" in found[peg.url]
    assert found[f"millennium:{millennium.url}"].startswith("Millennium board")
    assert found["millennium:ble://A1"] == "MILLENNIUM CHESS"
    assert len(found) == 3


def test_what_cannot_be_searched_is_said_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(*_: object) -> list[tuple[str, str]]:
        raise BoardNotFoundError("A package is missing.")

    monkeypatch.setattr(makers, "nearby", missing)
    monkeypatch.setattr(makers, "plugged_in", missing)
    said: list[str] = []
    assert list(find_boards(said.append, list)) == []
    assert set(said) == {"A package is missing."}
