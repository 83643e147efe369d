"""ChessUp, by Bluetooth.

A ChessUp runs a game of its own, and tells the positions and moves of that. On request it also
tells which squares are occupied, and only this is read. It tells when a finger is on a piece, too.
A finger may only brush a piece, and nothing protects the message. So it counts as a touch (4.3)
when the piece then leaves its square.
"""

from .driver import ChessUpBoard

__all__ = ["ChessUpBoard"]
