"""Drives a DGT board over a serial line."""

from collections.abc import Iterable

from ..driver import PositionBoard
from ..ports import FoundPort
from .state import DgtBoardState

_DGT_ID = (0x045B, 0x8111)
_USB_IDS = frozenset({_DGT_ID, (0x0403, 0x6001), (0x04D8, 0x000A)})
"""USB ids of DGT boards. Many adapters have the same chip as those after the first."""


class DgtBoard(PositionBoard[DgtBoardState]):
    """A DGT board. It knows positions, and its single changes prove no touch.

    ``Lifted`` and ``Placed`` report single changes as they arrive; no checksum protects them.
    ``BoardPosition`` comes when the hands rest and two messages agree on the position, and before
    each ``LeverPressed``, a press of the DGT clock, unless the board cannot be heard then.

    Which way round the board lies follows from the start position, and until then White sits at
    the board's usual side. White's side of the clock is the one that runs first from the start
    position, and until then the left one, or the right one of a board that lies turned.
    """

    KIND = "DGT board"
    PORT_HINT = "for example as dgt:/dev/ttyUSB0"

    @classmethod
    def candidates(cls, ports: Iterable[FoundPort]) -> list[FoundPort]:
        found = [port for port in ports if (port.vid, port.pid) in _USB_IDS]
        return sorted(found, key=lambda port: (port.vid, port.pid) != _DGT_ID)

    def _new_state(self, url: str, before: DgtBoardState | None) -> DgtBoardState:
        return DgtBoardState(url, before)
