"""Square Off's boards that report their squares: Pro, and probably Neo.

Such a board knows only which squares are occupied, and tells positions and single changes, so
nothing on it is a touch. A Grand Kingdom Set tells moves only and is not read.
"""

from .driver import SquareOffBoard

__all__ = ["SquareOffBoard"]
