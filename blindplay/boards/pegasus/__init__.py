"""DGT Pegasus, by Bluetooth.

A Pegasus knows only which squares are occupied, and tells positions and single changes, so nothing
on it is a touch.
"""

from .driver import PegasusBoard

__all__ = ["PegasusBoard"]
