"""The drivers of all makers, by the way a person writes a board's address."""

from collections.abc import Mapping
from typing import Any

from .certabo import CertaboBoard
from .chessnut import ChessnutBoard
from .chessup import ChessUpBoard
from .dgt import DgtBoard
from .driver import BoardDriver
from .ichessone import IChessOneBoard
from .millennium import MillenniumBoard
from .peg import PegBoard
from .pegasus import PegasusBoard
from .squareoff import SquareOffBoard

DRIVERS: Mapping[str, type[BoardDriver[Any]]] = {
    "dgt": DgtBoard,
    "millennium": MillenniumBoard,
    "chessnut": ChessnutBoard,
    "certabo": CertaboBoard,
    "pegasus": PegasusBoard,
    "ichessone": IChessOneBoard,
    "squareoff": SquareOffBoard,
    "chessup": ChessUpBoard,
}
"""By the prefix of an address, as in ``dgt:/dev/ttyUSB0``. Without a prefix it is a pegged
board."""


def driver_of(address: str) -> tuple[type[BoardDriver[Any]], str]:
    """Return the driver for ``address`` and the URL that it takes, empty for a bare name.

    >>> driver_of("dgt:/dev/ttyUSB0")[1]
    '/dev/ttyUSB0'
    """
    prefix, _, url = address.partition(":")
    return (DRIVERS[prefix], url) if prefix in DRIVERS else (PegBoard, address)


def board_at(address: str | None) -> tuple[type[BoardDriver[Any]], str]:
    """Return the driver for ``address`` and its URL, which is searched for if it is not given.

    Raises as :func:`located` does.
    """
    driver, url = driver_of(address or "")
    url = url or driver.find()
    driver.check(url)
    return driver, url


def located(address: str) -> str:
    """Return ``address``, with the port that is found if it is only the name of a maker.

    Raises :class:`~blindplay.boards.ports.BoardNotFoundError` if it cannot name a board, or none is
    found. Opens ports only to search.
    """
    driver, url = driver_of(address)
    if address and not url:
        return f"{address.removesuffix(':')}:{driver.find()}"
    driver.check(url)
    return address
