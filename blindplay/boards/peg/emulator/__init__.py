"""A pegged board in software, for tests, measurements and practice without hardware."""

from .board import START, EmulatedBoard, LockstepBoard, SoftBoard

__all__ = ["START", "EmulatedBoard", "LockstepBoard", "SoftBoard"]
