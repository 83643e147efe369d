"""One table: wires devices to the Laws and decides who hears what.

``Table`` is imported when it is first used, so that the command line can offer the choices of
:mod:`~blindplay.table.choices` without loading a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .table import Table

__all__ = ["Table"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .table import Table

    return Table
