"""iChessOne, by Bluetooth.

An iChessOne knows its pieces and tells positions only, so nothing on it is a touch.
"""

from .driver import IChessOneBoard

__all__ = ["IChessOneBoard"]
