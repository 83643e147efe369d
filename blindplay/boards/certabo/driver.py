"""Drives a Certabo or a Sentio over a serial line."""

import chess

from ..reporting import ReportingBoard, ReportingState
from . import chips, protocol


class CertaboState(ReportingState):
    """The state of a Certabo or a Sentio."""

    NAME = "Certabo or Sentio board"
    FRAMER = protocol.Decoder
    SPACING = 0.6

    def __init__(
        self,
        url: str,
        before: ReportingState | None = None,
        decoder: protocol.Decoder | None = None,
    ) -> None:
        super().__init__(url, before)
        self._framer = self._decoder = decoder or protocol.Decoder()

    def _lamps(self, squares: frozenset[chess.Square]) -> list[bytes]:
        return [protocol.lamps(squares, coloured=self._decoder.coloured)]


class CertaboBoard(ReportingBoard):
    """A Certabo, or a Sentio by Tabutronic.

    A Certabo learns the chips of a set when it stands in the start position, with White at the
    board's usual side, and knows them from then on. Until then it shows pieces without names.
    """

    KIND = "Certabo or Sentio board"
    BAUD = 38400
    USB_IDS = ((0x10C4, 0xEA60),)
    STATE = CertaboState

    def _begin_state(self, url: str, before: ReportingState | None) -> ReportingState:
        return CertaboState(url, before, protocol.Decoder(chips.kept(), chips.keep))
