"""One table: wires devices to the Laws and decides who hears what."""

from .table import Table

__all__ = ["Table"]
