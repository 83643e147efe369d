"""ChessUp, by Bluetooth.

A ChessUp runs a game of its own, and tells the positions and moves of that. On request it also
tells which squares are occupied, and only this is read. It tells when a finger is on a piece, too.
That is no touch in the sense of 4.3: nobody knows whether it was meant, and nothing protects the
message.
"""

from .driver import ChessUpBoard

__all__ = ["ChessUpBoard"]
