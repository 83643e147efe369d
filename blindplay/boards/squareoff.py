"""Square Off's boards that report their squares: Pro, and probably Neo.

Such a board knows only which squares are occupied, and tells positions and single changes, so
nothing on it is a touch. A Grand Kingdom Set tells moves only and is not read.

A message is a number, a number sign, text and an asterisk. The whole board is 64 digits, a1 to a8
first, then b1 to b8. There is no checksum, so three messages must agree, of which a change may be
one. This program only asks for the board: it starts no game there, since some boards then move
their pieces.

Sources: mono424/squareoffdriver; unofficial notes on the protocols of the Square Off Pro and the
Miko Neo, with examples; the Square Off Pro driver of BearChess (asking four times a second, lamps);
notes of faidros/squareoffneo-control on names. No description by the maker was found. Never tried
on hardware.
"""

import re
from collections.abc import Collection

import chess

from blindplay.translation import _

from .diagram import EMPTY, NAMELESS
from .reporting import (
    BoardMessage,
    BoardReport,
    Framer,
    ReportingBoard,
    SignOfLife,
    SquareChange,
)
from .wireless import NORDIC_UART, BleProfile

SEND_BOARD = b"30#R*"

_MOST = 80
"""Longest message, in bytes."""
_BOARD = re.compile(rb"30#([01]{64})\*")
_CHANGE = re.compile(rb"0#([a-h][1-8])([ud])\*")
_OTHER = re.compile(rb"(?!0#|30#)\d{1,2}#[\w.-]{0,12}\*")


def lamps(squares: Collection[chess.Square]) -> bytes:
    """The command that lights these squares."""
    return f"25#{''.join(chess.square_name(square) for square in sorted(squares))}*".encode()


class Decoder(Framer):
    """Cuts what a Square Off board sends into messages."""

    BEGINNINGS = b"0123456789"

    def _size(self, buffer: bytearray) -> int:
        if buffer.find(b"#", 1, 3) < 0:
            return 0 if len(buffer) >= 3 else 3
        end = buffer.find(b"*", 0, _MOST)
        if end >= 0:
            return end + 1
        return 0 if len(buffer) >= _MOST else len(buffer) + 1

    def _read(self, frame: bytes) -> BoardMessage | None:
        if board := _BOARD.fullmatch(frame):
            # The digits go up each file.
            digits = (board[1][8 * (square % 8) + square // 8] for square in chess.SQUARES)
            return BoardReport(bytes(NAMELESS if digit == ord("1") else EMPTY for digit in digits))
        if change := _CHANGE.fullmatch(frame):
            square = chess.parse_square(change[1].decode())
            return SquareChange(square, EMPTY if change[2] == b"u" else NAMELESS)
        return SignOfLife() if _OTHER.fullmatch(frame) else None


class SquareOffBoard(ReportingBoard):
    """A Square Off Pro, or another board by Square Off that reports its squares."""

    KIND = _("Square Off board")
    FRAMER = Decoder
    QUESTION = SEND_BOARD
    SPACING = 0.1
    LAMPS = lamps
    BLE = BleProfile(("Square",), *NORDIC_UART)
