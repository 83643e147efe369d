"""The real boot loaders of the Nano, in the emulator, which write the real firmware behind them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from blindplay.boards.peg import PegBoard, firmware, flashing
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.firmware import Firmware
from blindplay.boards.ports import FoundPort, read_port
from tests.command_line import run
from tests.programs import PROGRAMS, need
from tests.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from hardware.emulated import FirmwareBoard

pytestmark = pytest.mark.realtime

LOADERS = ("optiboot", "ATmegaBOOT_168")
Reply = TypeVar("Reply")


@pytest.fixture
def few_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Read only those of the 240 pages that the firmware has."""
    monkeypatch.setattr(flashing, "PAGES", -(-firmware.own().size // firmware.PAGE) + 8)
    monkeypatch.setattr(firmware, "_kept_folder", lambda: tmp_path / "kept")


def _loader(name: str) -> Path:
    need("the boot loaders of Arduinos")
    places = PROGRAMS["the boot loaders of Arduinos"].places()
    return next(place for place in places if place is not None and name in place.name)


def _board(name: str, old: bool) -> FirmwareBoard:
    from hardware.emulated import FirmwareBoard

    return FirmwareBoard(old=old, loader=_loader(name))


@pytest.fixture(params=LOADERS)
def old_board(request: pytest.FixtureRequest, firmware: None) -> Iterator[FirmwareBoard]:
    with _board(request.param, old=True) as board:
        yield board


def test_the_firmware_in_the_box_is_written_into_the_only_board(
    old_board: FirmwareBoard, few_pages: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [FoundPort(old_board.url, "USB Serial", 0x1A86, 0x7523, None, True)]
    monkeypatch.setattr(flashing, "discover", lambda: found)
    done = run("board", "flash")
    assert done.status == 0, done.stderr
    assert "which has firmware 1.1, and replaces" in done.stdout
    version = firmware.version_text(peg.FIRMWARE_VERSION)
    assert done.stdout.splitlines()[-1] == f"The board answers with firmware {version}."
    (kept,) = (tmp_path / "kept").iterdir()
    assert 9000 < Firmware.of(kept.read_bytes(), "kept").size < 12000
    assert f"firmware {version}" in PegBoard.probe(old_board.url, seconds=PATIENCE_S)


def _ask(url: str, command: peg.HostCommand, kind: type[Reply]) -> Reply:
    """Give a command until the board, which starts when its port is opened, answers it."""
    port = flashing.opened(url)(9600)
    decoder, heard = peg.Decoder(), list[Reply]()

    def answered() -> bool:
        port.write(peg.encode(command))
        messages = [message for _ in range(6) for message in decoder.feed(read_port(port))]
        heard.extend(message for message in messages if isinstance(message, kind))
        return bool(heard)

    try:
        assert until(answered)
    finally:
        port.close()
    return heard[0]


def test_a_board_that_does_not_answer_with_the_new_version_gets_the_old_one_back_and_keeps_its_name(
    firmware: None, few_pages: None
) -> None:
    from blindplay.boards.peg import firmware as files

    own = files.own()
    mark = f"0x{peg.FIRMWARE_VERSION:04x}".encode()
    assert own.image.count(mark) == 1
    false = Firmware(own.image.replace(mark, b"0x7777"))
    with _board(LOADERS[0], old=False) as board:
        _ask(board.url, peg.Identify(0x12345678, "Anna"), peg.Ack)
        with pytest.raises(flashing.FlashingError, match="has its firmware from before again"):
            flashing.flash(false, board.url, (115200, 57600), lambda sentence: None)
        assert _ask(board.url, peg.AskHello(), peg.Hello).firmware == peg.FIRMWARE_VERSION
        assert _ask(board.url, peg.AskHello(), peg.Identity) == peg.Identity(0x12345678, "Anna")
