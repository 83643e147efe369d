"""Drives a ChessLink over a serial line or Bluetooth LE."""

import chess

from ..reporting import ReportingBoard, ReportingState
from ..wireless import BleProfile
from . import protocol


class MillenniumState(ReportingState):
    """The state of a ChessLink."""

    NAME = "Millennium board"
    FRAMER = protocol.Decoder
    GREETING = (protocol.SEND_VERSION,)
    QUESTION = protocol.SEND_BOARD
    SPACING = 0.1

    def _lamps(self, squares: frozenset[chess.Square]) -> list[bytes]:
        return [protocol.lamps(squares)]


class MillenniumBoard(ReportingBoard):
    """A board with Millennium's ChessLink."""

    KIND = "Millennium board"
    SCHEMES = ("ble",)
    BAUD = 38400
    USB_IDS = ((0x0403, 0x6001),)
    STATE = MillenniumState
    BLE = BleProfile(
        ("MILLENNIUM",),
        ("49535343-1e4d-4bd9-ba61-23c647249616",),
        "49535343-8841-43f4-a8d4-ecbe34729bb3",
    )
