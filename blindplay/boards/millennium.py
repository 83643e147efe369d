"""Millennium's boards with ChessLink: those with the module M822, and the eONE, which has it built
in.

A ChessLink knows its pieces (the eONE feels only which squares are occupied, and keeps the names
itself) and tells positions only, so nothing on it is a touch.

A message is a letter, data and two hexadecimal digits, in capitals or not: the exclusive or of all
characters before them. Each character is 7-bit ASCII with an odd parity bit. Both together show
each damage of up to three bits, and a report that passes both counts alone. An eONE sends no parity
bits; of its reports three must agree.

Sources: "ChessLink: Magic Chessboard Communications Protocol" (Dave Woodfield, 25 October 2017,
magic-board.md in domschl/python-mchess); logs of real boards in python-mchess; for the eONE the
drivers of mono424/chesslinkdriver, which check no parity there. Never tried on hardware.
"""

from collections.abc import Collection
from functools import reduce
from operator import xor

import chess

from blindplay.translation import _

from .diagram import Diagram
from .reporting import (
    AboutBoard,
    BoardMessage,
    BoardReport,
    Framer,
    ReportingBoard,
    SignOfLife,
)
from .wireless import BleProfile

_LENGTHS = {b"s": 67, b"v": 7, b"l": 3, b"x": 3, b"w": 7, b"r": 7}
"""Length of an answer by its letter, with the check digits."""
_LETTERS = b".KQRNBPkqrnbp"
_LAMPS = 81
"""Lamps stand at the corners of the squares: 1 to 9 along the a-file, from a8 to a1, and so on."""
_SLOT = "20"
"""Time of one step of a lamp's pattern: 0x20 times 4.096 ms."""


_PARITY = bytes(byte & 0x7F | (byte & 0x7F).bit_count() % 2 * 0x80 ^ 0x80 for byte in range(256))
"""Each byte with its parity bit."""
_BARE = bytes(byte & 0x7F for byte in range(256))


def _check(text: bytes) -> bytes:
    return b"%02X" % reduce(xor, text)


def encode(text: str) -> bytes:
    """A message with its check digits and parity bits.

    >>> encode("V").hex()
    'd6b5b6'
    """
    return (text.encode() + _check(text.encode())).translate(_PARITY)


SEND_BOARD = encode("S")
SEND_VERSION = encode("V")


def lamps(squares: Collection[chess.Square]) -> bytes:
    """The command that lights the corners of these squares."""
    if not squares:
        return encode("X")
    lit = {
        9 * (chess.square_file(square) + right) + 7 - chess.square_rank(square) + below
        for square in squares
        for right in (0, 1)
        for below in (0, 1)
    }
    return encode(f"L{_SLOT}" + "".join("FF" if lamp in lit else "00" for lamp in range(_LAMPS)))


class Decoder(Framer):
    """Cuts what a ChessLink sends into messages."""

    BEGINNINGS = bytes(byte for letter in _LENGTHS for byte in (letter[0], letter[0] | 0x80))

    def _size(self, buffer: bytearray) -> int:
        return _LENGTHS[bytes([buffer[0] & 0x7F])]

    def _read(self, frame: bytes) -> BoardMessage | None:
        text, checked = frame.translate(_BARE), frame == frame.translate(_PARITY)
        if not (checked or text == frame) or text[-2:].upper() != _check(text[:-2]):
            return None
        kind, data = text[:1], text[1:-2]
        if kind == b"s":
            if not set(data) <= set(_LETTERS):
                return None
            return BoardReport(_diagram(data), 1) if checked else BoardReport(_diagram(data))
        if kind == b"v":
            return AboutBoard(
                _("firmware {major}.{minor}", major=data[:2].decode(), minor=data[2:].decode())
            )
        return SignOfLife()


def _diagram(fields: bytes) -> Diagram:
    """The diagram of 64 letters, a8 first, then b8."""
    return bytes(fields[chess.square_mirror(square)] for square in chess.SQUARES)


class MillenniumBoard(ReportingBoard):
    """A board with Millennium's ChessLink."""

    KIND = _("Millennium board")
    BAUD = 38400
    USB_IDS = ((0x0403, 0x6001),)
    FRAMER = Decoder
    GREETING = (SEND_VERSION,)
    QUESTION = SEND_BOARD
    SPACING = 0.1
    LAMPS = lamps
    BLE = BleProfile(
        ("MILLENNIUM",),
        ("49535343-1e4d-4bd9-ba61-23c647249616",),
        "49535343-8841-43f4-a8d4-ecbe34729bb3",
    )
