"""Drives a ChessUp over Bluetooth LE."""

import chess

from .. import events
from ..framing import BoardMessage, FingerOn
from ..reporting import ReportingBoard, ReportingState
from ..wireless import NORDIC_UART, BleProfile
from . import protocol


class ChessUpState(ReportingState):
    """The state of a ChessUp."""

    NAME = "ChessUp"
    FRAMER = protocol.Decoder
    GREETING = (protocol.REPORT,)

    def __init__(self, url: str, before: ReportingState | None = None) -> None:
        super().__init__(url, before)
        self._fingers: set[str] = set()  # where fingers were since the last position

    def receive(self, data: bytes, now: float) -> list[events.BoardEvent]:
        found = super().receive(data, now)
        if any(isinstance(event, events.BoardPosition) for event in found):
            self._fingers.clear()  # the action that they began is complete
        return found

    def hear(self, message: BoardMessage, now: float) -> list[events.BoardEvent]:
        if isinstance(message, FingerOn):
            self._fingers.add(chess.square_name(message.square))
        found: list[events.BoardEvent] = []
        for event in super().hear(message, now):
            if isinstance(event, events.Lifted) and event.square in self._fingers:
                self._fingers.remove(event.square)
                found.append(events.PieceTouched(event.square, event.at))
            found.append(event)
        return found


class ChessUpBoard(ReportingBoard):
    """A ChessUp, of which only the occupied squares and fingers on pieces are read."""

    KIND = "ChessUp"
    SCHEMES = ("ble",)
    STATE = ChessUpState
    BLE = BleProfile(("ChessUp",), *NORDIC_UART)
