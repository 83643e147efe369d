"""The boards of all makers: the driver that an address names, and the boards that are plugged in or
nearby.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from blindplay.translation import _

from .certabo import CertaboBoard
from .chessnut import ChessnutBoard
from .chessup import ChessUpBoard
from .dgt import DgtBoard
from .driver import ANSWER_SECONDS, BoardDriver
from .ichessone import IChessOneBoard
from .millennium import MillenniumBoard
from .peg import PegBoard
from .peg.raw_board import port_of
from .pegasus import PegasusBoard
from .ports import BoardNotFoundError, FoundPort, NoAnswerError, discover
from .reporting import ReportingBoard
from .squareoff import SquareOffBoard
from .wireless import nearby, plugged_in

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
    prefix, _rest, url = address.partition(":")
    return (DRIVERS[prefix], url) if prefix in DRIVERS else (PegBoard, address)


def address_of(board: BoardDriver[Any]) -> str:
    """Return the address at which ``board`` was last found, as :func:`driver_of` takes it."""
    prefix = next((f"{name}:" for name, driver in DRIVERS.items() if isinstance(board, driver)), "")
    return prefix + board.url


def board_at(address: str | None) -> tuple[type[BoardDriver[Any]], str]:
    """Return the driver for ``address`` and its URL, which is searched for if it is not given or is
    the name of a pegged board.

    :raises BoardNotFoundError: if ``address`` cannot name a board, or none is found.
    """
    driver, url = driver_of(address or "")
    url = _port(driver, url) or driver.find()
    driver.check(url)
    return driver, url


def _port(driver: type[BoardDriver[Any]], url: str) -> str:
    return port_of(url) if driver is PegBoard else url


def located(address: str) -> str:
    """Return ``address``, with the port that is found if it is only the name of a maker or of a
    pegged board.

    Opens ports only to search.

    :raises BoardNotFoundError: if ``address`` cannot name a board, or none is found.
    """
    driver, url = driver_of(address)
    if address and not url:
        return f"{address.removesuffix(':')}:{driver.find()}"
    url = _port(driver, url)
    driver.check(url)
    return url if driver is PegBoard else address


def find_boards(
    warn: Callable[[str], None],
    ports: Callable[[], Iterable[FoundPort]] = discover,
    seconds: float = ANSWER_SECONDS,
) -> Iterator[tuple[str, str]]:
    """Yield the address of each board that is found, as ``--board`` takes it, and its description.

    Boards with a serial port are asked; each question takes up to ``seconds``. Bluetooth boards and
    USB HID devices are recognised by their names. ``warn`` is called with a sentence about each
    kind of connection that could not be searched, and each likely port without an answer.
    """
    for port in ports():
        yield from _at(port, seconds, warn)
    wireless = {
        name: driver for name, driver in DRIVERS.items() if issubclass(driver, ReportingBoard)
    }
    try:
        for name, driver in wireless.items():
            if driver.HID is not None:
                yield from ((f"{name}:{url}", about) for url, about in plugged_in(driver.HID))
    except (BoardNotFoundError, OSError) as error:
        warn(str(error))
    try:
        devices = nearby()
    except (BoardNotFoundError, OSError) as error:
        warn(str(error))
        return
    for url, about in devices:
        for name, driver in wireless.items():
            if driver.BLE is not None and driver.BLE.fits(about):
                yield f"{name}:{url}", about


def _at(port: FoundPort, seconds: float, warn: Callable[[str], None]) -> Iterator[tuple[str, str]]:
    """The board at a serial port, if one answers. A pegged board would answer as a DGT board, too,
    so it is asked first. Its question means nothing to a DGT board."""
    pegged: dict[str, type[BoardDriver[Any]]] = {"": PegBoard}
    reason = ""
    for prefix, driver in (pegged | {f"{name}:": made for name, made in DRIVERS.items()}).items():
        if not driver.candidates([port]):
            continue
        try:
            about = driver.probe(port.url, seconds=seconds)
        except NoAnswerError:
            reason = reason or _(
                "No board answers at {url}: check its cable, then replug it.", url=port.url
            )
        except (OSError, ValueError) as error:
            reason = str(error)
        else:
            yield f"{prefix}{port.url}", about
            return
    if reason:
        warn(reason)
