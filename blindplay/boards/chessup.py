"""ChessUp, by Bluetooth.

A ChessUp runs a game of its own, and reports its positions and moves; these are not read. On
request it reports which squares are occupied. It also reports a finger on a piece. A finger may
only brush a piece, and no checksum protects the message. So it counts as a touch (4.3) when the
piece then leaves its square.

A message is a kind and data of a fixed length. The occupied squares are two bytes FD, then a byte
for each rank, the eighth first, with the a-file in the lowest bit. There is no checksum, so three
reports must agree. A rank may look like the beginning of a report, so after damage only a beginning
is taken that cannot be a rank; if none comes, the driver connects anew.

A board that reports a move of its own game, but never its occupied squares, is a ChessUp 2, and is
refused: the middle of a move cannot be read from it.

Sources: mono424/chessupdriver (reports, kinds and lengths of messages); the ChessUp client
atomice1/bluecheese (kinds and lengths of messages); the maker's tool for screenshots
(Kevin-BryghtLabs/chessup-pc: Bluetooth, name); of a ChessUp 2 one recorded stream. It is not known
whether a board continues to report unasked, nor whether it accepts that its moves are not answered.
Never tried on hardware.
"""

import chess

from . import events
from .diagram import EMPTY, NAMELESS
from .ports import UnfitBoardError
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

_MARK, _FINGER, _MOVE = 0xFD, 0xB8, 0xA3
_REPORT_LENGTH = 10
_REPORTED_S = 2.5
"""Seconds in which a ChessUp reports its squares; less than :data:`.driver.ANSWER_SECONDS`."""
_OTHERS = {
    0x22: 1, 0x23: 1, 0x24: 1, 0x33: 2, 0x67: 73, 0x97: 2, _MOVE: 6, 0xB0: 2, 0xB1: 1, 0xB2: 17,
    _FINGER: 3, 0xBB: 1,
}  # fmt: skip
"""Lengths of other messages: answers, battery, the board's own game, a finger on a piece."""


class OwnMove(SignOfLife):
    """A move of the game that the board runs."""


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
            return OwnMove() if frame[0] == _MOVE else SignOfLife()
        ranks = frame[:1:-1]
        return BoardReport(
            bytes(
                NAMELESS if ranks[chess.square_rank(at)] >> chess.square_file(at) & 1 else EMPTY
                for at in chess.SQUARES
            )
        )


class ChessUpState(ReportingState):
    """The state of a ChessUp."""

    def __init__(
        self, kind: type[ReportingBoard], url: str, before: ReportingState | None = None
    ) -> None:
        super().__init__(kind, url, before)
        self._fingers: dict[str, float] = {}  # when they were on squares
        self._began_at: float | None = None
        self._has_own_move = False

    def receive(self, data: bytes, now: float) -> list[events.BoardEvent]:
        """Take what the board sends.

        :raises UnfitBoardError: if the board is a ChessUp 2.
        """
        if self._began_at is None:
            self._began_at = now
        reported = super().receive(data, now)
        if any(isinstance(event, events.BoardPosition) for event in reported):
            # The action is complete that fingers began before the last change.
            self._fingers = {at: t for at, t in self._fingers.items() if t > self._changed_at}
        # A ChessUp may report a move of its game before it answers the request.
        if self._has_own_move and not self._greeted and now - self._began_at >= _REPORTED_S:
            raise UnfitBoardError(
                "The board at {url} is a ChessUp 2, which does not say what stands on its "
                "squares: use another board, or type the moves.",
                url=self._url,
            )
        return reported

    def hear(self, message: BoardMessage, now: float) -> list[events.BoardEvent]:
        self._has_own_move = self._has_own_move or isinstance(message, OwnMove)
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
    FRAMER = Decoder
    GREETING = (REPORT,)
    STATE = ChessUpState
    BLE = BleProfile(("ChessUp",), *NORDIC_UART)
