"""The protocol of Chessnut's boards against published vectors."""

from __future__ import annotations

import chess

from blindplay.boards.chessnut import REPORT, Decoder, lamps
from blindplay.boards.diagram import START
from blindplay.boards.reporting import BoardReport, SignOfLife

# Quoted from a capture in the public notes "Chessnut Air BLE protocol (hardware-verified)".
START_REPORT = bytes.fromhex("0124 58233185 44444444" + "00" * 16 + "77777777 a6c99b6a cb010000")
BATTERY = bytes.fromhex("2a026400")
ACKNOWLEDGED = bytes.fromhex("230100")


def test_a_captured_report_is_the_start_position() -> None:
    assert Decoder().feed(START_REPORT) == [BoardReport(START)]
    short = b"\x01\x22" + START_REPORT[2:36]  # as others have captured it: a shorter uptime
    assert Decoder().feed(short * 2) == [BoardReport(START)] * 2
    assert Decoder().feed(ACKNOWLEDGED + BATTERY) == [SignOfLife()] * 2


def test_a_move_is_a_lift_and_a_placement_in_the_halves_that_the_notes_name() -> None:
    moved = bytearray(START_REPORT)
    moved[2 + 51 // 2] &= 0x0F  # e2 is half 51
    moved[2 + 35 // 2] |= 0x70  # e4 is half 35
    board = chess.Board()
    board.push_uci("e2e4")
    (message,) = Decoder().feed(bytes(moved))
    assert isinstance(message, BoardReport)
    assert message.diagram[chess.E2] == ord(".") and message.diagram[chess.E4] == ord("P")


def test_commands_are_those_of_the_notes() -> None:
    assert bytes.fromhex("210100") == REPORT
    assert lamps([chess.H8]) == bytes.fromhex("0a08 0100000000000000")
    assert lamps([]) == bytes.fromhex("0a08 0000000000000000")


def test_a_code_that_is_no_piece_spoils_a_report() -> None:
    spoilt = START_REPORT[:20] + b"\x0d" + START_REPORT[21:]
    assert not any(isinstance(one, BoardReport) for one in Decoder().feed(spoilt))
