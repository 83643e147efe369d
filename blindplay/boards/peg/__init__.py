"""The pegged board that hardware/ builds: protocol, driver, emulator, calibration, firmware."""

from .driver import PegBoard

__all__ = ["PegBoard"]
