"""The readings of a board: which contacts are bad, and the results that are saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import chess
import platformdirs
import pytest
from chess import STARTING_BOARD_FEN as START

from blindplay.boards.peg import PegBoard, calibration, raw_board
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.calibration import (
    Calibration,
    Contact,
    alike,
    judge,
    judge_empty,
    kept,
    merged,
)
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.peg.raw_board import HoleReading, RawBoard
from blindplay.boards.ports import BoardNotFoundError, FoundPort, NoAnswerError
from blindplay.language import load

GERMAN = load("de")
EMPTY_BOARD = "8/8/8/8/8/8/8/8"
PAWN = peg.PIECES.index("P")


@pytest.fixture(autouse=True)
def boards_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "configuration"
    monkeypatch.setattr(platformdirs, "user_config_path", lambda *_, **__: folder)
    return folder / "boards"


def reading(level: int, code: int, *, spread: int = 2) -> HoleReading:
    return HoleReading((level, level + spread, level, level - 1, level), code)


@pytest.mark.parametrize(
    ("seen", "contact"),
    [
        (reading(80, PAWN), Contact.GOOD),
        (reading(94, PAWN), Contact.GOOD),
        (reading(110, PAWN), Contact.BAD),
        (reading(80, PAWN, spread=30), Contact.BAD),
        (reading(90, peg.FAULT), Contact.BAD),
        (reading(1022, peg.EMPTY, spread=1), Contact.NOTHING),
        (reading(160, 2), Contact.OTHER_PIECE),
    ],
)
def test_a_hole_with_a_piece_is_judged(seen: HoleReading, contact: Contact) -> None:
    assert judge(seen, PAWN, 82) is contact


def test_an_empty_hole_is_judged() -> None:
    assert judge_empty(reading(1020, peg.EMPTY)) is Contact.GOOD
    assert judge_empty(reading(900, peg.EMPTY)) is Contact.NOT_EMPTY
    assert judge_empty(reading(80, PAWN)) is Contact.NOT_EMPTY


def test_kinds_that_read_alike_are_found() -> None:
    assert alike({"P": 80, "R": 160, "N": 170, "B": 300}) == [("R", "N")]
    assert alike({}) == []


def test_a_faulty_hole_reads_as_one() -> None:
    with EmulatedBoard("8/8/8/8/8/8/4P3/8") as board, RawBoard(board.url) as raw:
        assert raw.knows_pieces
        board.fault("e2")
        assert judge(raw.read([chess.E2])[chess.E2], PAWN, None) is Contact.BAD
        assert judge_empty(raw.read([chess.E4])[chess.E4]) is Contact.GOOD


def test_a_later_check_counts_for_the_squares_it_looked_at() -> None:
    before = Calibration({"P": 80}, {"a1": 80, "b1": 81}, {"e4": "bad", "e5": "bad"}, "2026-01-01")
    fresh = Calibration({"R": 160}, {"e4": 82}, {"a1": "bad"}, "2026-02-01")
    now = merged(before, fresh)
    assert now.pieces == {"P": 80, "R": 160}
    assert now.squares == {"b1": 81, "e4": 82}
    assert now.bad == {"e5": "bad", "a1": "bad"}


@pytest.mark.parametrize("text", ["", "[]", '{"x": 1}'])
def test_a_damaged_file_counts_as_missing(text: str, boards_folder: Path) -> None:
    file = boards_folder / "0000000a.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert kept("0000000a", "x") is None
    assert calibration.keep("0000000a", "x", Calibration(bad={"e4": "bad"})) == file
    assert kept("0000000a", "y") == Calibration(bad={"e4": "bad"})


@pytest.mark.parametrize(
    "found",
    [
        {"bad": 5}, {"bad": ["e4"]}, {"bad": {"e9": "bad"}}, {"bad": {"e4": 1}},
        {"pieces": {"P": "80"}}, {"pieces": {"x": 80}}, {"pieces": None},
        {"squares": {"e4": None}}, {"squares": {"e4": [80]}}, {"checked_at": 2026},
    ],
)  # fmt: skip
def test_a_file_with_wrong_contents_counts_as_missing_and_a_new_check_replaces_it(
    found: dict[str, Any], boards_folder: Path
) -> None:
    file = boards_folder / "0000000a.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(found))
    assert kept("0000000a", "x") is None
    with EmulatedBoard() as board:
        assert PegBoard(board.url).known_faults("0000000a") == ()
    calibration.keep("0000000a", "x", OLD)
    assert kept("0000000a", "x") == OLD


def test_each_board_has_a_file_of_its_own_wherever_it_is_plugged_in(
    boards_folder: Path,
) -> None:
    calibration.keep("0000000a", "/dev/ttyUSB0", Calibration(bad={"a1": "bad"}))
    calibration.keep("0000000b", "/dev/ttyUSB0", Calibration(bad={"b1": "bad"}))
    calibration.keep("", "/dev/ttyUSB0", Calibration(bad={"c1": "bad"}))
    calibration.keep("", "COM3", Calibration(bad={"d1": "bad"}))
    found = [
        kept(which, url)
        for which, url in [
            ("0000000a", "/dev/ttyUSB1"), ("0000000b", "COM3"), ("", "/dev/ttyUSB0"), ("", "COM3"),
        ]
    ]  # fmt: skip
    assert [list(one.bad) for one in found if one] == [["a1"], ["b1"], ["c1"], ["d1"]]
    assert kept("", "/dev/ttyUSB1") is None
    names = sorted(file.name for file in boards_folder.iterdir())
    assert names == ["0000000a.json", "0000000b.json", "port-COM3.json", "port-dev-ttyUSB0.json"]


OLD = Calibration({"P": 80}, {"a1": 80}, {"e4": "bad"}, "2026-01-01")


def plug(monkeypatch: pytest.MonkeyPatch, url: str, serial: str | None) -> None:
    found = FoundPort(url, "", 0x2341, 0x43, serial, True)
    monkeypatch.setattr(calibration, "discover", lambda: [found])


def test_a_board_without_an_id_is_known_by_its_serial_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plug(monkeypatch, "COM3", "S7")
    assert calibration.keep("", "COM3", OLD).name == "usb-2341-0043-S7.json"
    plug(monkeypatch, "COM5", "S7")
    assert kept("", "COM5") == OLD


def test_a_wrong_port_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoardNotFoundError):
        RawBoard(str(tmp_path / "none"))
    with EmulatedBoard(EMPTY_BOARD) as board:
        url = board.url
    with pytest.raises((OSError, BoardNotFoundError)):
        RawBoard(url)


def test_a_board_that_does_not_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_board, "_PATIENCE", 0.2)
    with EmulatedBoard(EMPTY_BOARD, boot_seconds=5) as board, pytest.raises(NoAnswerError):
        RawBoard(board.url)


@pytest.mark.usefixtures("firmware")
def test_the_real_firmware_reads_good_contacts_as_good_and_a_bad_one_as_bad() -> None:
    from hardware.emulated import FirmwareBoard

    board = chess.BaseBoard()
    squares = [at for at in chess.SQUARES if chess.square_file(at) < 5 and board.piece_at(at)]
    with FirmwareBoard(START) as emulated, RawBoard(emulated.url) as raw:
        levels: dict[str, int] = {}
        for at, seen in raw.read(squares).items():
            letter = board.piece_map()[at].symbol()
            level = levels.setdefault(letter, seen.level)
            assert judge(seen, peg.PIECES.index(letter), level) is Contact.GOOD, (letter, seen)
        assert len(levels) == 12 and not alike(levels)
        assert judge_empty(raw.read([chess.E4])[chess.E4]) is Contact.GOOD
        emulated.fault("e2")
        assert judge(raw.read([chess.E2])[chess.E2], PAWN, levels["P"]) is Contact.BAD
