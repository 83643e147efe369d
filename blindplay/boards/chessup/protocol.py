"""The protocol of ChessUp, without I/O.

A message is a kind and data of a fixed length. A board that was asked to reports which squares are
occupied: two bytes FD, then a byte for each rank, the eighth first, with the a-file in the lowest
bit. There is no checksum, so three reports must agree. A rank may look like the beginning of a
report, so after damage only a beginning is taken that cannot be a rank; if none comes, the driver
connects anew.

Sources: mono424/chessupdriver (reports, kinds and lengths of messages); the ChessUp client
atomice1/bluecheese (kinds and lengths of messages); the maker's tool for screenshots
(Kevin-BryghtLabs/chessup-pc: Bluetooth, name). It is not known whether a board continues to report
unasked, nor whether it accepts that its moves are not answered. Never tried on hardware.
"""

import chess

from ..diagram import EMPTY, NAMELESS
from ..framing import BoardMessage, BoardReport, FingerOn, Framer, SignOfLife

REPORT = b"\x50"
"""The command to report the occupied squares from then on."""

_MARK, _FINGER = 0xFD, 0xB8
_REPORT_LENGTH = 10
_OTHERS = {
    0x22: 1, 0x23: 1, 0x24: 1, 0x33: 2, 0x67: 73, 0x97: 2, 0xA3: 6, 0xB0: 2, 0xB1: 1, 0xB2: 17,
    _FINGER: 3, 0xBB: 1,
}  # fmt: skip
"""Lengths of other messages: answers, battery, the board's own game, a finger on a piece."""


class Decoder(Framer):
    """Cuts what a ChessUp sends into messages."""

    BEGINNINGS = bytes((_MARK, *_OTHERS))

    _follows_mark = False

    def _size(self, buffer: bytearray) -> int:
        if buffer[0] != _MARK:
            return _OTHERS[buffer[0]]
        if len(buffer) < 3:
            return 3
        follows, self._follows_mark = self._follows_mark, buffer[1] == _MARK
        if buffer[1] != _MARK or (self._garbled and (follows or buffer[2] == _MARK)):
            return 0
        self._follows_mark = False
        return _REPORT_LENGTH

    def _read(self, frame: bytes) -> BoardMessage | None:
        if frame[0] == _FINGER:
            return FingerOn(frame[1]) if frame[1] in chess.SQUARES else None
        if frame[0] != _MARK:
            return SignOfLife()
        ranks = frame[:1:-1]
        return BoardReport(
            bytes(
                NAMELESS if ranks[chess.square_rank(at)] >> chess.square_file(at) & 1 else EMPTY
                for at in chess.SQUARES
            )
        )
