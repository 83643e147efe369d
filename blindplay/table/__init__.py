"""One running table: its devices, the conversation with the players, the clock on the wall."""

from typing import TYPE_CHECKING

from blindplay.lazy import attributes

if TYPE_CHECKING:
    from .table import Table

__all__ = ["Table"]

__getattr__ = attributes(__name__, {"Table": ".table"})
