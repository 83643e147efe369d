"""Certabo's boards, and Tabutronic's Sentio, which speaks alike.

A Certabo reads the chip in each piece. Which chip is which piece is learned once for each set, when
it first stands in the start position. A Sentio knows only which squares are occupied. Both tell
positions only, so nothing on them is a touch.
"""

from .driver import CertaboBoard

__all__ = ["CertaboBoard"]
