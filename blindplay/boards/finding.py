"""Finds the boards of all makers that are plugged in or nearby."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .driver import ANSWER_SECONDS, BoardDriver
from .makers import DRIVERS
from .peg import PegBoard
from .ports import BoardNotFoundError, FoundPort, NoAnswerError, discover
from .reporting import ReportingBoard
from .wireless import nearby, plugged_in


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
            reason = reason or f"No board answers at {port.url}: check its cable, then replug it."
        except (OSError, ValueError) as error:
            reason = str(error)
        else:
            yield f"{prefix}{port.url}", about
            return
    if reason:
        warn(reason)
