"""Drives a Chessnut board over Bluetooth LE or USB HID."""

import chess

from ..reporting import ReportingBoard, ReportingState
from ..wireless import BleProfile, HidProfile
from . import protocol


class ChessnutState(ReportingState):
    """The state of a Chessnut board."""

    NAME = "Chessnut board"
    FRAMER = protocol.Decoder
    GREETING = (protocol.REPORT,)
    SPACING = 0.2

    def _lamps(self, squares: frozenset[chess.Square]) -> list[bytes]:
        return [protocol.lamps(squares)]


class ChessnutBoard(ReportingBoard):
    """A Chessnut Air, Air+, Go or Pro."""

    KIND = "Chessnut board"
    SCHEMES = ("ble", "hid")
    STATE = ChessnutState
    BLE = BleProfile(
        ("Chessnut", "Smart Chess"),
        ("1b7e8262-2877-41c3-b46e-cf057c562023", "1b7e8273-2877-41c3-b46e-cf057c562023"),
        "1b7e8272-2877-41c3-b46e-cf057c562023",
    )
    HID = HidProfile(0x2D80, frozenset({0x8000, 0x8100, 0x8200, 0x8500}), 0xFF00)
