"""Millennium's boards with ChessLink: those with the module M822, and the eONE, which has it built
in.

A ChessLink knows its pieces (the eONE feels only which squares are occupied, and keeps the names
itself) and tells positions only, so nothing on it is a touch.
"""

from .driver import MillenniumBoard

__all__ = ["MillenniumBoard"]
