"""Millennium's ChessLink against published vectors."""

from __future__ import annotations

from functools import reduce
from operator import xor

import chess

from blindplay.boards.diagram import START
from blindplay.boards.millennium import SEND_BOARD, SEND_VERSION, Decoder, lamps
from blindplay.boards.reporting import AboutBoard, BoardReport, Garbled

# A log of a real board in chess_link.py of domschl/python-mchess.
VERSION = b"v\xb01\xb0\xb374"
# Fixture MF5 of the tests of BoardKit's MillenniumAdapter: the start position.
START_REPORT = bytes.fromhex(
    "73f26e62f16b626ef2" + "70" * 8 + "ae" * 32 + "d0" * 8 + "52cec251cbc2ce52" + "37b3"
)


def test_a_real_board_tells_its_version_and_the_start_position() -> None:
    assert Decoder().feed(VERSION) == [AboutBoard("firmware 01.03")]
    assert Decoder().feed(START_REPORT) == [BoardReport(START, agree=1)]


def test_commands_are_those_that_other_programs_send() -> None:
    assert bytes.fromhex("d6b5b6") == SEND_VERSION  # the same log
    assert bytes.fromhex("d3b5b3") == SEND_BOARD  # fixture MF3
    assert lamps([]) == bytes.fromhex("58b538")  # fixture MF4
    e2 = bytes(byte & 0x7F for byte in lamps([chess.E2]))
    # Fixture MF6: lamps 43, 44, 52 and 53 of 81.
    lit = [number for number in range(1, 82) if e2[1 + 2 * number : 3 + 2 * number] == b"FF"]
    assert lit == [43, 44, 52, 53]


def test_one_flipped_bit_is_always_noticed_and_without_parity_a_report_is_not_sure() -> None:
    for bit in range(8 * len(START_REPORT)):
        spoilt = bytearray(START_REPORT)
        spoilt[bit // 8] ^= 1 << bit % 8
        messages = Decoder().feed(bytes(spoilt))
        assert not any(isinstance(message, BoardReport) for message in messages)
    bare = bytes(byte & 0x7F for byte in START_REPORT)
    assert Decoder().feed(bare) == [BoardReport(START)]
    assert Garbled() in Decoder().feed(bare[:10] + bare)


def test_check_digits_may_be_small_letters() -> None:
    moved = bytes(byte & 0x7F for byte in START_REPORT[:-2]).replace(b"PPPPPPPP", b"PPPP.PPP")
    digits = f"{reduce(xor, moved):02x}"
    assert digits == "0d" and len(Decoder().feed(moved + digits.encode())) == 1
    assert Decoder().feed(moved + b"0d") == Decoder().feed(moved + b"0D")
