"""The DGT Pegasus against published vectors."""

from __future__ import annotations

import chess

from blindplay.boards.pegasus import DEVELOPER_KEY, Decoder, lamps
from blindplay.boards.reporting import AboutBoard, BoardReport, SignOfLife, SquareChange

# The fixtures F1 to F10 of the tests of BoardKit's PegasusAdapter.
START = bytes.fromhex("860043" + "01" * 16 + "00" * 32 + "01" * 16)
E2_LIFTED, E4_PLACED = bytes.fromhex("8e00053400"), bytes.fromhex("8e00052401")
VERSION = bytes.fromhex("9300050100")
BATTERY = bytes.fromhex("a0000c580000000000000002")
SERIAL = bytes.fromhex("9100084142434445")


def test_a_board_tells_occupied_squares_and_their_changes() -> None:
    messages = Decoder().feed(START + E2_LIFTED + E4_PLACED + VERSION + BATTERY + SERIAL)
    assert messages == [
        BoardReport(b"?" * 16 + b"." * 32 + b"?" * 16),
        SquareChange(chess.E2, ord(".")),
        SquareChange(chess.E4, ord("?")),
        AboutBoard("firmware 1.0"),
        SignOfLife(),
        SignOfLife(),
    ]


def test_commands_are_those_of_other_programs() -> None:
    assert bytes.fromhex("6307bef5aedda95f00") == DEVELOPER_KEY  # F1
    assert lamps([]) == bytes.fromhex("60020000")  # F7
    # F5 and F6, but for speed, repetition and brightness: e4 is field 36, e2 field 52, a1 56.
    assert lamps([chess.E2, chess.E4]) == bytes.fromhex("600705030000243400")
    assert lamps([chess.A1])[-2:] == bytes.fromhex("3800")
