"""Drives a Square Off board over Bluetooth LE."""

import chess

from ..reporting import ReportingBoard, ReportingState
from ..wireless import NORDIC_UART, BleProfile
from . import protocol


class SquareOffState(ReportingState):
    """The state of a Square Off board."""

    NAME = "Square Off board"
    FRAMER = protocol.Decoder
    QUESTION = protocol.SEND_BOARD
    SPACING = 0.1

    def _lamps(self, squares: frozenset[chess.Square]) -> list[bytes]:
        return [protocol.lamps(squares)]


class SquareOffBoard(ReportingBoard):
    """A Square Off Pro, or another board by Square Off that reports its squares."""

    KIND = "Square Off board"
    SCHEMES = ("ble",)
    STATE = SquareOffState
    BLE = BleProfile(("Square",), *NORDIC_UART)
