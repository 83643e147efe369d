"""Drives an iChessOne over Bluetooth LE."""

import chess

from ..reporting import ReportingBoard, ReportingState
from ..wireless import NORDIC_UART, BleProfile
from . import protocol


class IChessOneState(ReportingState):
    """The state of an iChessOne."""

    NAME = "iChessOne"
    FRAMER = protocol.Decoder
    GREETING = (protocol.SEND_CHANGES,)
    QUESTION = protocol.SEND_BOARD
    SPACING = 0.1

    def _lamps(self, squares: frozenset[chess.Square]) -> list[bytes]:
        return [protocol.lamps(squares)]


class IChessOneBoard(ReportingBoard):
    """An iChessOne."""

    KIND = "iChessOne"
    SCHEMES = ("ble",)
    STATE = IChessOneState
    BLE = BleProfile(("iChessOne",), *NORDIC_UART)
