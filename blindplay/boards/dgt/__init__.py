"""DGT boards, at which a sighted player plays: protocol, driver, moves in a recorded stream.

A DGT board knows its pieces but sends no checksum, and reports nothing about hands. Its positions
count when two messages agree on them; its single changes never prove that a piece was touched.
"""

from .driver import DgtBoard
from .moves import Commit, MoveFound, MoveUnclear, NoRecordingError, decode

__all__ = ["Commit", "DgtBoard", "MoveFound", "MoveUnclear", "NoRecordingError", "decode"]
