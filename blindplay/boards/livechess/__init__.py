"""The service of DGT LiveChess, for programs that play with any board that BlindPlay reads."""

from .server import serve

__all__ = ["serve"]
