"""Chessnut's boards: Air, Air+, Go and Pro.

A Chessnut board knows its pieces and tells positions only, so nothing on it is a touch.
"""

from .driver import ChessnutBoard

__all__ = ["ChessnutBoard"]
