"""ChessUp, by Bluetooth.

A ChessUp runs a game of its own, and reports its positions and moves; these are not read. On
request it reports which squares are occupied. It also reports a finger on a piece. A finger may
only brush a piece, and no checksum protects the message. So it counts as a touch (4.3) when the
piece then leaves its square.

A message is a kind and data of a fixed length. The occupied squares are two bytes FD, then a byte
for each rank, the eighth first, with the a-file in the lowest bit. There is no checksum, so three
reports must agree. A rank may look like the beginning of a report, so after damage only a beginning
is taken that cannot be a rank; if none comes, the driver connects anew.

Sources: mono424/chessupdriver (reports, kinds and lengths of messages); the ChessUp client
atomice1/bluecheese (kinds and lengths of messages); the maker's tool for screenshots
(Kevin-BryghtLabs/chessup-pc: Bluetooth, name). It is not known whether a board continues to report
unasked, nor whether it accepts that its moves are not answered. Never tried on hardware.
"""

import chess

from . import events
from .diagram import EMPTY, NAMELESS
from .reporting import (
    BoardMessage,
    BoardReport,
    FingerOn,
    Framer,
    ReportingBoard,
    ReportingState,
    SignOfLife,
)
from .wireless import NORDIC_UART, BleProfile

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


class ChessUpState(ReportingState):
    """The state of a ChessUp."""

    NAME = "ChessUp"
    FRAMER = Decoder
    GREETING = (REPORT,)

    def __init__(self, url: str, before: ReportingState | None = None) -> None:
        super().__init__(url, before)
        self._fingers: dict[str, float] = {}  # when they were on squares

    def receive(self, data: bytes, now: float) -> list[events.BoardEvent]:
        reported = super().receive(data, now)
        if any(isinstance(event, events.BoardPosition) for event in reported):
            # The action is complete that fingers began before the last change.
            self._fingers = {at: t for at, t in self._fingers.items() if t > self._changed_at}
        return reported

    def hear(self, message: BoardMessage, now: float) -> list[events.BoardEvent]:
        if isinstance(message, FingerOn):
            self._fingers[chess.square_name(message.square)] = now
        found: list[events.BoardEvent] = []
        for event in super().hear(message, now):
            if isinstance(event, events.Lifted) and event.square in self._fingers:
                del self._fingers[event.square]
                found.append(events.PieceTouched(event.square, event.at))
            found.append(event)
        return found


class ChessUpBoard(ReportingBoard):
    """A ChessUp. Only its occupied squares and the fingers on its pieces are read."""

    KIND = "ChessUp"
    SCHEMES = ("ble",)
    STATE = ChessUpState
    BLE = BleProfile(("ChessUp",), *NORDIC_UART)
