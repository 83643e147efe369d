"""DGT Pegasus, by Bluetooth.

A Pegasus knows only which squares are occupied, and tells positions and single changes, so nothing
on it is a touch.

Its messages are framed as those of DGT's other boards: a kind with the high bit set, two 7-bit
length bytes that count the whole message, and data. A square is 0 or another code for anything that
stands there. There is no checksum, so a change counts when the whole board repeats it twice.

Sources: Pegasus in DGTCentaurMods (pegasus.py: messages, answers, lamps off); the Pegasus extension
for a browser by EdNekebno (developer key, changes only after 0x44, order of squares); the
PegasusAdapter of BoardKit with its notes on mono424/dgtdriver (lamps, names). The developer key is
the one that these programs publish. Never tried on hardware.
"""

from collections.abc import Collection

import chess

from blindplay.translation import _

from .diagram import EMPTY, NAMELESS
from .reporting import (
    AboutBoard,
    BoardMessage,
    BoardReport,
    Framer,
    ReportingBoard,
    SignOfLife,
    SquareChange,
)
from .wireless import NORDIC_UART, BleProfile

DEVELOPER_KEY = bytes.fromhex("6307bef5aedda95f00")
RESET, SEND_BOARD, SEND_CHANGES, SEND_VERSION = b"\x40", b"\x42", b"\x44", b"\x4d"

_BOARD, _CHANGE, _VERSION = 0x86, 0x8E, 0x93
_LENGTHS = {_BOARD: 67, _CHANGE: 5, _VERSION: 5}
_MOST = 256
"""Longest message: the trademark has about 150 bytes."""
_LAMPS_OFF = bytes((0x60, 2, 0, 0))
_SPEED, _FOR_EVER, _BRIGHT = 3, 0, 0


def lamps(squares: Collection[chess.Square]) -> bytes:
    """The command that lights these squares."""
    if not squares:
        return _LAMPS_OFF
    fields = sorted(map(chess.square_mirror, squares))
    data = bytes((5, _SPEED, _FOR_EVER, _BRIGHT, *fields, 0))
    return bytes((0x60, len(data))) + data


class Decoder(Framer):
    """Cuts what a Pegasus sends into messages."""

    BEGINNINGS = bytes.fromhex("868e8f9091929396a0a2a3a4a5")

    def _size(self, buffer: bytearray) -> int:
        if len(buffer) < 3:
            return 3
        length = buffer[1] << 7 | buffer[2]
        if buffer[1] | buffer[2] > 0x7F or not 3 <= length <= _MOST:
            return 0
        return length if length == _LENGTHS.get(buffer[0], length) else 0

    def _read(self, frame: bytes) -> BoardMessage | None:
        kind, data = frame[0], frame[3:]
        if any(byte & 0x80 for byte in data):
            return None
        if kind == _BOARD:
            return BoardReport(
                bytes(
                    NAMELESS if data[chess.square_mirror(square)] else EMPTY
                    for square in chess.SQUARES
                )
            )
        if kind == _CHANGE:
            if data[0] > 63:
                return None
            return SquareChange(chess.square_mirror(data[0]), NAMELESS if data[1] else EMPTY)
        if kind == _VERSION:
            return AboutBoard(_("firmware {major}.{minor}", major=data[0], minor=data[1]))
        return SignOfLife()


class PegasusBoard(ReportingBoard):
    """A DGT Pegasus."""

    KIND = _("DGT Pegasus")
    FRAMER = Decoder
    GREETING = (RESET, SEND_VERSION, DEVELOPER_KEY, SEND_CHANGES)
    QUESTION = SEND_BOARD
    SPACING = 0.1
    LAMPS = lamps
    BLE = BleProfile(("DGT_Pegasus", "PCS-REVII"), *NORDIC_UART)
