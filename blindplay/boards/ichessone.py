"""iChessOne, by Bluetooth.

An iChessOne knows its pieces and tells positions only, so nothing on it is a touch.

An answer is an equals sign, a letter and data. A position is 32 bytes: two squares a byte, the
higher half first, a8 first and h1 last. There is no checksum, so three reports must agree.

Sources: the iChessOne drivers of picochess (answers, codes of pieces, commands, lamps) and of
BearChess (codes and order of squares, commands; it sends another command for lamps, so lamps are
the least certain). Notes on the extension ChessConnect describe messages like ChessLink's instead;
this program does not read those. No description by the maker was found. Never tried on hardware.
"""

from collections.abc import Collection

import chess

from .reporting import BoardMessage, BoardReport, Framer, ReportingBoard, SignOfLife
from .wireless import NORDIC_UART, BleProfile

PIECES = b".PNBRQKpnbrqk"
"""FEN letters by the code of a piece; 0 is an empty square."""

SEND_CHANGES, SEND_BOARD = b"CPIRQ", b"RP"

_LENGTHS = {b"=p": 34, b"=b": 4}
_COLOUR = bytes((0x80, 0x0F))
"""The brightness of red, then of blue and green, as picochess sets them."""
_STEADY = bytes((1, 0xFF))
"""Without flashing, instead of the lamps before, and for good."""


def lamps(squares: Collection[chess.Square]) -> bytes:
    """The command that lights these squares."""
    rows = bytearray(8)
    for square in squares:
        rows[7 - chess.square_rank(square)] |= 1 << chess.square_file(square)
    colour = _COLOUR if squares else bytes((0, 0x0F))
    return b"EL" + colour + b"\0" + bytes(rows) + b"\0" + _STEADY


class Decoder(Framer):
    """Cuts what an iChessOne sends into messages."""

    BEGINNINGS = b"="

    def _size(self, buffer: bytearray) -> int:
        return 2 if len(buffer) < 2 else _LENGTHS.get(bytes(buffer[:2]), 0)

    def _read(self, frame: bytes) -> BoardMessage | None:
        if frame[:2] != b"=p":
            return SignOfLife()
        codes = [half for byte in frame[2:] for half in (byte >> 4, byte & 0x0F)]
        if max(codes) >= len(PIECES):
            return None
        return BoardReport(
            bytes(PIECES[codes[chess.square_mirror(square)]] for square in chess.SQUARES)
        )


class IChessOneBoard(ReportingBoard):
    """An iChessOne."""

    KIND = "iChessOne"
    FRAMER = Decoder
    GREETING = (SEND_CHANGES,)
    QUESTION = SEND_BOARD
    SPACING = 0.1
    LAMPS = lamps
    BLE = BleProfile(("iChessOne",), *NORDIC_UART)
