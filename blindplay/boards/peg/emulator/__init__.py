"""A pegged board in software, for tests, measurements and practice without hardware.

:class:`EmulatedBoard` works in real time behind a serial line. :class:`LockstepBoard` has its own
clock, for exact measurements. Both contain :class:`SimulatedFirmware`.
"""

from .board import EmulatedBoard
from .firmware import SimulatedFirmware
from .lockstep import LockstepBoard

__all__ = ["EmulatedBoard", "LockstepBoard", "SimulatedFirmware"]
