"""Drives a ChessUp over Bluetooth LE."""

from ..reporting import ReportingBoard, ReportingState
from ..wireless import NORDIC_UART, BleProfile
from . import protocol


class ChessUpState(ReportingState):
    """The state of a ChessUp."""

    NAME = "ChessUp"
    FRAMER = protocol.Decoder
    GREETING = (protocol.REPORT,)


class ChessUpBoard(ReportingBoard):
    """A ChessUp, of which only the occupied squares are read."""

    KIND = "ChessUp"
    SCHEMES = ("ble",)
    STATE = ChessUpState
    BLE = BleProfile(("ChessUp",), *NORDIC_UART)
