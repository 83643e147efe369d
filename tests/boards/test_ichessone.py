"""iChessOne as other programs read it."""

from __future__ import annotations

import chess

from blindplay.boards.diagram import START
from blindplay.boards.ichessone import SEND_BOARD, SEND_CHANGES, Decoder, lamps
from blindplay.boards.reporting import BoardReport, Garbled, SignOfLife

# Built by hand from the codes that picochess and BearChess have in common.
START_REPORT = b"=p" + bytes.fromhex("a89bc98a 77777777" + "00" * 16 + "11111111 42356324")


def test_a_position_has_two_squares_in_a_byte_a8_first() -> None:
    assert Decoder().feed(START_REPORT + b"=b\x01\x50") == [BoardReport(START), SignOfLife()]
    spoilt = START_REPORT[:9] + b"\xd0" + START_REPORT[10:]
    assert Decoder().feed(spoilt) == [Garbled()]


def test_commands_are_those_of_picochess() -> None:
    assert bytes.fromhex("4350495251") == SEND_CHANGES
    assert bytes.fromhex("5250") == SEND_BOARD
    assert lamps([]) == bytes.fromhex("454c000f 000000000000000000 00 01ff")
    assert lamps([chess.A8, chess.E1]) == bytes.fromhex("454c800f 00 0100000000000010 00 01ff")
