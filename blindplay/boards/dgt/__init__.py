"""DGT boards, which serve as the sighted player's board: protocol, moves, driver, recordings.

A DGT board knows its pieces but sends no checksum, and says nothing about hands: what it tells
is good for positions that two messages agree on, and never for the claim that a piece was touched.
"""

from .driver import DgtBoard, find_dgt_board, probe
from .moves import Commit, MoveFinder, MoveFound, MoveUnclear
from .protocol import Decoder
from .recording import NoRecordingError, decode

__all__ = [
    "Commit",
    "Decoder",
    "DgtBoard",
    "MoveFinder",
    "MoveFound",
    "MoveUnclear",
    "NoRecordingError",
    "decode",
    "find_dgt_board",
    "probe",
]
