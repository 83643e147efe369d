"""Chessnut's boards: Air, Air+, Go and Pro.

A Chessnut board knows its pieces and tells positions only, so nothing on it is a touch.

It is the same by Bluetooth and by USB HID.

A message is a kind, the number of bytes that follow, and these bytes. A board that was asked to
reports its position about ten times a second, in 32 bytes: two squares a byte, the lower half
first, h8 first and a1 last. There is no checksum, so three reports must agree.

Sources: the maker's API for Air, Air+, Go and Pro (README of chessnutech/Chessnut_eBoards:
Bluetooth) and its EasyLink SDK (chessnutech/EasyLinkSDK: USB HID, commands, codes of pieces); notes
on captures of an Air by Bluetooth, with reports, replies and lamps, that a public project publishes
("Chessnut Air BLE protocol (hardware-verified)"); the Chessnut driver of picochess. Never tried on
hardware.
"""

from collections.abc import Collection

import chess

from blindplay.translation import _

from .reporting import BoardMessage, BoardReport, Framer, ReportingBoard, SignOfLife
from .wireless import BleProfile, HidProfile

PIECES = b".qkbpnRPrBNQK"
"""FEN letters by the code of a piece; 0 is an empty square."""

REPORT = bytes((0x21, 1, 0))
"""The command to report positions, now and from then on."""

_POSITION = 0x01
_POSITION_LENGTHS = (0x22, 0x24, 0x3D)
"""By Bluetooth a position is followed by two or four bytes of uptime, by USB by more."""
_PADDING = 0
"""Fills a report by USB up to its length."""
_OTHERS = {0x0F: 1, 0x23: 1, 0x2A: 2}
"""Lengths of a button, an acknowledgement and the battery."""


def lamps(squares: Collection[chess.Square]) -> bytes:
    """The command that lights these squares."""
    rows = bytearray(8)
    for square in squares:
        field = 63 - square
        rows[field // 8] |= 1 << field % 8
    return bytes((0x0A, 8, *rows))


class Decoder(Framer):
    """Cuts what a Chessnut board sends into messages."""

    BEGINNINGS = bytes((_PADDING, _POSITION, *_OTHERS))

    def _size(self, buffer: bytearray) -> int:
        kind = buffer[0]
        if kind == _PADDING:
            return 1
        if len(buffer) < 2:
            return 2
        lengths = _POSITION_LENGTHS if kind == _POSITION else (_OTHERS[kind],)
        return 2 + buffer[1] if buffer[1] in lengths else 0

    def _read(self, frame: bytes) -> BoardMessage | None:
        if frame[0] != _POSITION:
            return SignOfLife()
        codes = [half for byte in frame[2:34] for half in (byte & 0x0F, byte >> 4)]
        if max(codes) >= len(PIECES):
            return None
        return BoardReport(bytes(PIECES[code] for code in reversed(codes)))


class ChessnutBoard(ReportingBoard):
    """A Chessnut Air, Air+, Go or Pro."""

    KIND = _("Chessnut board")
    FRAMER = Decoder
    GREETING = (REPORT,)
    SPACING = 0.2
    LAMPS = lamps
    BLE = BleProfile(
        ("Chessnut", "Smart Chess"),
        ("1b7e8262-2877-41c3-b46e-cf057c562023", "1b7e8273-2877-41c3-b46e-cf057c562023"),
        "1b7e8272-2877-41c3-b46e-cf057c562023",
    )
    HID = HidProfile(0x2D80, frozenset({0x8000, 0x8100, 0x8200, 0x8500}), 0xFF00)
