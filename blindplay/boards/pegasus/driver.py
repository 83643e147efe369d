"""Drives a DGT Pegasus over Bluetooth LE."""

import chess

from ..reporting import ReportingBoard, ReportingState
from ..wireless import NORDIC_UART, BleProfile
from . import protocol


class PegasusState(ReportingState):
    """The state of a Pegasus."""

    NAME = "DGT Pegasus"
    FRAMER = protocol.Decoder
    GREETING = (
        protocol.RESET,
        protocol.SEND_VERSION,
        protocol.DEVELOPER_KEY,
        protocol.SEND_CHANGES,
    )
    QUESTION = protocol.SEND_BOARD
    SPACING = 0.1

    def _lamps(self, squares: frozenset[chess.Square]) -> list[bytes]:
        return [protocol.lamps(squares)]


class PegasusBoard(ReportingBoard):
    """A DGT Pegasus."""

    KIND = "DGT Pegasus"
    SCHEMES = ("ble",)
    STATE = PegasusState
    BLE = BleProfile(("DGT_Pegasus", "PCS-REVII"), *NORDIC_UART)
