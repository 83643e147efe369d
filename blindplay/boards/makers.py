"""The drivers of all makers, by the way a person writes a board's address."""

from collections.abc import Mapping
from typing import Any

from .dgt import DgtBoard
from .driver import BoardDriver
from .peg import PegBoard

DRIVERS: Mapping[str, type[BoardDriver[Any]]] = {"dgt": DgtBoard}
"""By the prefix of an address, as in ``dgt:/dev/ttyUSB0``. Without a prefix it is a pegged
board."""


def driver_of(address: str) -> tuple[type[BoardDriver[Any]], str]:
    """Return the driver for ``address`` and the URL that it takes, empty for a bare prefix.

    >>> driver_of("dgt:/dev/ttyUSB0")[1]
    '/dev/ttyUSB0'
    """
    prefix, _, url = address.partition(":")
    return (DRIVERS[prefix], url) if prefix in DRIVERS else (PegBoard, address)
